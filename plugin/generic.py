"""MLIR's generic form <-> xDSL, fast: the text that the bridge carries across.

MLIR prints an operation without regions on one line,

    %x = "dialect.op"(%a, %b) <{properties}> {attributes} : (inputs) -> outputs loc(#loc7)

and a kernel repeats the same few types and dictionaries on hundreds of them. So each such line is taken apart by one
regular expression, and the text of a dictionary or of a signature is parsed by xDSL once in the life of the process.
Whatever looks different goes through xDSL's own parser: the grammar is xDSL's alone.

Attribute aliases are expanded before parsing: an attribute's text then says all there is to say about it, in whichever
module it stands. Locations become xDSL's location attributes, those that xDSL has no class for keep their text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from io import StringIO
from typing import TYPE_CHECKING, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    CallSiteLoc,
    FileLineColLoc,
    FunctionType,
    IntAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Block, BlockArgument, BuiltinAttribute, Data, Operation, OpResult, SSAValue
from xdsl.irdl import IRDLOperation, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.lexer import Input, Span

from dotload.dialect_ext.lexer import Lexer
from dotload.dialect_ext.operations import assemble
from dotload.dialect_ext.typed import create
from dotload.dialect_ext.xdsl_private import OpenParser, current_token, resume_from

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr

_OPERATION = re.compile(
    r"""(?:(?P<results>%[^=\n]+)\ =\ )?
        "(?P<name>[^"\n]+)"
        \((?P<operands>[^)\n]*)\)
        (?P<tail>[^\n]*)
        \ loc\((?P<location>[^\n]*)\)\n\s*""",
    re.VERBOSE,
)
_TAIL = re.compile(
    r"""(?:\ <(?P<properties>\{[^\n]*?\})>(?=\ [:{]))?
        (?:\ (?P<attributes>\{[^\n]*\}))?
        \ :\ (?P<signature>\([^\n]*)""",
    re.VERBOSE,
)
_SIGNATURE = re.compile(r"(?P<signature>\([^\n]*?) (?=loc\()")
_PROPERTIES = re.compile(r"<(?P<dictionary>\{[^\n]*?\})> (?=\(\{\n)")
_ATTRIBUTES = re.compile(r"(?P<dictionary>\{[^\n]*\})(?= : \()")
_ARGUMENTS = re.compile(r"\([^\n]*\)(?=:\n)")
_ARGUMENT = re.compile(r"%([^\s:]+): ([^\n]*?) loc\(([^\n]*?)\)(?=, %|\)$)")
_ALIAS = re.compile(r"\n([#!][A-Za-z_][\w.$-]*) = (.*)(?=\n)")  # one that begins with a literal is found fast
_ALIAS_IN_USE = re.compile(r'(?:#(?!loc\d*\))|!)[A-Za-z_]\w*\b(?![.<"])')
_STRING_OR_ALIAS = re.compile(r'"(?:[^"\\\n]|\\.)*"|[#!][A-Za-z_]\w*\b(?![.<"])')
_LOCATION = re.compile(
    r"""\"(?P<file>[^"\\]*)\":(?P<line>\d+):(?P<column>\d+)
        | \"(?P<name>[^"\\]*)\"\((?P<inner>.*)\)
        | callsite\((?P<callee>\#\w+)\ at\ (?P<caller>\#\w+)\)""",  # what is nested in it is printed as an alias
    re.VERBOSE,
)

Identity = tuple[tuple[str, ...], tuple[int, ...]]
"""The names in a dictionary, and which objects they stand for."""
Items = tuple[tuple[str, Attribute], ...]
"""The entries of a dictionary."""
Spelled = tuple[dict[str, Attribute], str]
"""A dictionary and its text."""


@irdl_attr_definition
class OpaqueLoc(Data[str], BuiltinAttribute):
    """A location that xDSL has no class for, as MLIR wrote it, its aliases expanded: `fused<...>[...]` and the like."""

    name = "dotload.opaque_loc"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            return parser.parse_str_literal()

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.data)

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            printer.print_string(self.data)


@dataclass
class Locations:
    """The locations of one module: alias -> text, and text -> attribute as far as it was asked for.

    A text is what stands between the parentheses of `loc(...)`. `shared` are the locations of any module: what they are
    made of -> attribute, which keeps what it is made of alive.
    """

    aliases: Mapping[str, str]
    shared: dict[object, Attribute]
    known: dict[str, Attribute] = field(default_factory=lambda: {"unknown": UNKNOWN_LOC})

    def get(self, text: str) -> Attribute:
        """The attribute of a text."""
        if (found := self.known.get(text)) is None:
            spelled = self.aliases.get(text, text)
            found = self.known.get(spelled) or self.shared.get(spelled) or self._parse(spelled)
            self.known[text] = found
        return found

    def _parse(self, text: str) -> Attribute:
        match = _LOCATION.fullmatch(text)
        if match is None:
            return OpaqueLoc(self._expand(text))
        if match["file"] is not None:
            return self._shared(text, lambda: _file_line_col(match))
        if (name := match["name"]) is not None:
            inner = self.get(match["inner"])
            return self._shared((name, id(inner)), lambda: NameLoc(StringAttr(name), inner))
        callee, caller = self.get(match["callee"]), self.get(match["caller"])
        return self._shared((id(callee), id(caller)), lambda: CallSiteLoc(callee, caller))

    def _shared(self, key: object, make: Callable[[], Attribute]) -> Attribute:
        if (found := self.shared.get(key)) is None:
            found = self.shared[key] = make()
        return found

    def _expand(self, text: str) -> str:
        def replace(match: re.Match[str]) -> str:
            found = self.aliases.get(match[0])
            return match[0] if found is None else self._expand(found)

        return _STRING_OR_ALIAS.sub(replace, text)


def _file_line_col(match: re.Match[str]) -> FileLineColLoc:
    name, line, column = match["file"], int(match["line"]), int(match["column"])
    return FileLineColLoc(StringAttr(name), IntAttr(line), IntAttr(column))


@dataclass(frozen=True)
class Form:
    """What the line of an operation says but for its values and its location; the dictionaries are not to be changed.

    `op_type` is that of the context which the line was parsed in; what it has by default is in the dictionaries.
    """

    op_type: type[Operation]
    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]
    inputs: Sequence[Attribute]
    outputs: Sequence[Attribute]


@dataclass
class Memo:
    """What was parsed before in one context: the text of lines, dictionaries, signatures and types -> attributes, and
    these back to text.

    The way back goes by the identity of the attributes, which the memo keeps alive: an operation that nobody touched
    is printed as MLIR printed it, digit for digit. Types that are equal are printed once, and so are dictionaries of
    attributes that passes share (`written`), or make anew for each kernel (`equal`; xDSL tells 0.0
    from -0.0).
    """

    forms: dict[tuple[str, str], Form] = field(default_factory=dict[tuple[str, str], Form])
    dictionaries: dict[str, dict[str, Attribute]] = field(default_factory=dict[str, dict[str, Attribute]])
    signatures: dict[str, FunctionType] = field(default_factory=dict[str, FunctionType])
    arguments: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    types: dict[Attribute, Attribute] = field(default_factory=dict[Attribute, Attribute])
    locations: dict[object, Attribute] = field(default_factory=dict[object, Attribute])
    texts: dict[Identity, str] = field(default_factory=dict[Identity, str])
    written: dict[Identity, Spelled] = field(default_factory=dict[Identity, Spelled])
    equal: dict[Items, str] = field(default_factory=dict[Items, str])
    printed: dict[int, tuple[Attribute, str]] = field(default_factory=dict[int, tuple[Attribute, str]])

    LIMIT = 20_000
    """Entries of each kind, about 20 MB; a process that compiles more kinds of kernels starts over."""

    def trim(self) -> None:
        for made in (self.written, self.equal):  # mostly by passes, for one kernel
            if len(made) > self.LIMIT:
                made.clear()
        known = (getattr(self, each.name) for each in fields(self))
        if any(len(entries) > self.LIMIT for entries in known):
            self.__init__()

    def unique(self, type_: FunctionType) -> FunctionType:
        """`type_` made of types that are the same object wherever they are equal."""
        inputs, outputs = (
            [self.types.setdefault(inner, inner) for inner in side.data] for side in (type_.inputs, type_.outputs)
        )
        return FunctionType.from_lists(inputs, outputs)


class GenericParser(OpenParser):
    """xDSL's parser with short cuts: operations on one line, dictionaries and signatures seen before, locations."""

    def __init__(self, ctx: Context, text: str, memo: Memo, locations: Locations) -> None:
        super().__init__(ctx, Lexer(Input(text, "<module>")))
        self._text = text
        self._memo = memo
        self._locations = locations

    def parse_block_body(self, block: Block) -> None:
        """Line by line, as far as that goes; the lexer sees no more than the first token of what comes then."""
        start = current_token(self).span.start
        while True:
            while (match := _OPERATION.match(self._text, start)) and (op := self._create(match)):
                block.add_op(op)
                start = match.end()
            resume_from(self, start)
            op = self.parse_optional_operation()
            if op is None:
                return
            block.add_op(op)
            start = current_token(self).span.start

    def define_values(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        """Without the name as a hint for later: the writer gives numbers."""
        if name in self.ssa_values or name in self.forward_ssa_references:
            super().define_values(name, values, span)
        else:
            self.ssa_values[name] = tuple(values)

    def parse_optional_location(self) -> Attribute | None:  # pyright: ignore[reportIncompatibleMethodOverride]  # see OpaqueLoc
        if current_token(self).text != "loc":
            return None
        start = current_token(self).span.end
        end = _closing(self._text, start)
        resume_from(self, end + 1)
        return self._locations.get(self._text[start + 1 : end])

    def parse_function_type(self) -> FunctionType:
        match = _SIGNATURE.match(self._text, current_token(self).span.start)
        if match is None:
            return super().parse_function_type()
        type_ = self._signature(match)
        if type_ is None:
            resume_from(self, match.start())
            return super().parse_function_type()
        resume_from(self, match.end())
        return type_

    def parse_block_arguments(self, block: Block) -> Block | None:
        match = _ARGUMENTS.match(self._text, current_token(self).span.start)
        arguments: list[tuple[str, str, str]] = [] if match is None else _ARGUMENT.findall(match[0])
        types = [known for _, type_, _ in arguments if (known := self._memo.arguments.get(type_)) is not None]
        if match is None or len(types) < len(arguments):
            return self._learn_arguments(block, [type_ for _, type_, _ in arguments])
        for (name, _, location), type_ in zip(arguments, types, strict=True):
            argument = block.insert_arg(type_, len(block.args), cast("LocationAttr", self._locations.get(location)))
            self.define_values(name, (argument,), current_token(self).span)
        resume_from(self, match.end())
        return block

    def _learn_arguments(self, block: Block, texts: list[str]) -> Block | None:
        """xDSL's way, and for the next time the types that these texts stand for."""
        parsed = super().parse_block_arguments(block)
        if len(texts) == len(block.args):
            for text, argument in zip(texts, block.args, strict=True):
                self._memo.arguments[text] = self._memo.types.setdefault(argument.type, argument.type)
        return parsed

    def parse_optional_properties_dict(self) -> dict[str, Attribute]:
        known = self._known_dictionary(_PROPERTIES)
        return super().parse_optional_properties_dict() if known is None else known

    def parse_optional_attr_dict(self) -> dict[str, Attribute]:
        known = self._known_dictionary(_ATTRIBUTES)
        return super().parse_optional_attr_dict() if known is None else known

    def _known_dictionary(self, pattern: re.Pattern[str]) -> dict[str, Attribute] | None:
        """What stands next, if it is a dictionary of this form; behind it then, and otherwise where it was."""
        match = pattern.match(self._text, current_token(self).span.start)
        if match is None:
            return None
        known = self._dictionary(match, "dictionary")
        resume_from(self, match.start() if known is None else match.end())
        return None if known is None else dict(known)

    def _create(self, match: re.Match[str]) -> Operation | None:
        """The operation of one line; None where the line is not what it seems, before anything was changed."""
        names, op_name, operand_names, tail, location = match.groups()
        form = self._memo.forms.get((op_name, tail))
        if form is None and (form := self._learn_form(match)) is None:
            return None
        operands = self._operands(operand_names, form.inputs)
        results = _results(names, len(form.outputs))
        if operands is None or results is None:
            return None
        op = assemble(
            form.op_type, operands, form.outputs, form.properties, form.attributes, self._locations.get(location)
        )
        first, values = 0, tuple(op.results)
        for result, size in results:
            self.define_values(result, values[first : first + size], current_token(self).span)
            first += size
        return op

    def _learn_form(self, line: re.Match[str]) -> Form | None:
        """What the line says but for its values and its location, kept for the next one that says the same."""
        match = _TAIL.fullmatch(self._text, *line.span("tail"))
        if match is None:
            return None
        properties, attributes = (self._dictionary(match, group) for group in ("properties", "attributes"))
        signature = self._signature(match)
        if signature is None or properties is None or attributes is None:
            return None
        op_type = self.op_by_name(line["name"])
        if attributes and issubclass(op_type, IRDLOperation):
            if not op_type.get_irdl_definition().properties.keys().isdisjoint(attributes):
                return None
        model = create(op_type, properties=properties, attributes=attributes)
        form = Form(op_type, model.properties, model.attributes, signature.inputs.data, signature.outputs.data)
        return self._memo.forms.setdefault((line["name"], line["tail"]), form)

    def _operands(self, names: str, types: Sequence[Attribute]) -> list[SSAValue] | None:
        """The values `%a, %b#1` of these types; None where one of them is yet to be defined, or of another type."""
        split = names.split(", ") if names else ()
        if len(split) != len(types):
            return None
        operands: list[SSAValue] = []
        for name, type_ in zip(split, types, strict=True):
            defined, position = self.ssa_values.get(name[1:]), 0
            if defined is None and "#" in name:
                value, _, number = name[1:].partition("#")
                defined, position = self.ssa_values.get(value), int(number)
            if defined is None or position >= len(defined):
                return None
            operand = defined[position]
            if operand.type is not type_ and operand.type != type_:
                return None
            operands.append(operand)
        return operands

    def _signature(self, match: re.Match[str]) -> FunctionType | None:
        text = match["signature"]
        if (known := self._memo.signatures.get(text)) is not None:
            return known
        resume_from(self, match.start("signature"))
        type_ = super().parse_function_type()
        if self._text[match.start("signature") : current_token(self).span.start].rstrip() != text:
            return None
        return self._memo.signatures.setdefault(text, self._memo.unique(type_))

    def _dictionary(self, match: re.Match[str], group: str) -> dict[str, Attribute] | None:
        text = match[group]
        if text is None:
            return {}
        if "loc(" in text:  # its aliases are those of one module
            return None
        if (known := self._memo.dictionaries.get(text)) is not None:
            return known
        resume_from(self, match.start(group))
        known = super().parse_optional_attr_dict()
        if self._text[match.start(group) : current_token(self).span.start].rstrip(" >") != text:
            return None
        known = self._memo.dictionaries.setdefault(text, known)
        self._memo.texts[_identity(known)] = text
        return known


def _results(text: str | None, count: int) -> Sequence[tuple[str, int]] | None:
    """`%a, %b:2` -> [("a", 1), ("b", 2)]; None where these are not `count` in all. An op need not name its results."""
    if text is None:
        return ()
    if count == 1 and ":" not in text and "," not in text:
        return ((text[1:], 1),)
    parts = [part[1:].partition(":") for part in text.split(", ")]
    results = [(name, int(size or 1)) for name, _, size in parts]
    return results if sum(size for _, size in results) == count else None


def _identity(dictionary: Mapping[str, Attribute]) -> Identity:
    return tuple(dictionary), tuple(map(id, dictionary.values()))


def _closing(text: str, opening: int) -> int:
    """The position of the parenthesis that closes the one at `opening`, strings skipped."""
    depth = 0
    for match in re.compile(r'"(?:[^"\\]|\\.)*"|[()]').finditer(text, opening):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return match.start()
    return len(text)


def expand_aliases(text: str) -> tuple[str, dict[str, str]]:
    """`text` with each attribute or type alias replaced by what it stands for; beside it what those of locations do."""
    aliases: dict[str, str] = {}
    locations: dict[str, str] = {}

    def replace(match: re.Match[str]) -> str:
        return aliases.get(match[0], match[0])

    def collect(match: re.Match[str]) -> str:
        name, value = match.groups()
        if value.startswith("loc("):
            locations[name] = value.removeprefix("loc(").removesuffix(")")
        else:  # an alias stands below those that it uses
            aliases[name] = _STRING_OR_ALIAS.sub(replace, value)
        return ""

    text = _ALIAS.sub(collect, f"\n{text}")  # the pattern begins with the end of the line before
    # Hardly any string holds what might be an alias; then none has to be left out. MLIR writes a quote in one as \22.
    strings = "".join(text.split('"')[1::2])
    in_use = _STRING_OR_ALIAS if "#" in strings or "!" in strings or '\\"' in text else _ALIAS_IN_USE
    return in_use.sub(replace, text) if aliases else text, locations


def parse(text: str, ctx: Context, memo: Memo) -> ModuleOp:
    """The module that MLIR printed as `text` in generic form; raises xDSL's ParseError where xDSL cannot read it."""
    memo.trim()
    expanded, locations = expand_aliases(text)
    module = GenericParser(ctx, expanded, memo, Locations(locations, memo.locations)).parse_module(
        allow_implicit_module=False
    )
    return module


class GenericWriter:
    """Writes operations in generic form with their locations, each distinct attribute printed once.

    Types and locations are written as aliases: MLIR parses each of them once, however often it occurs.
    Values, types and locations are looked up by identity: xDSL's hashes of them are Python code.
    """

    def __init__(self, memo: Memo) -> None:
        self._memo = memo
        self._names: dict[int, str] = {}
        self._blocks: dict[Block, str] = {}
        self._aliases: dict[str, str] = {}
        self._types: dict[int, str] = {}
        self._locations: dict[int, str] = {}
        self._lines: list[str] = []

    def write(self, module: ModuleOp) -> str:
        self._operation(module, "")
        return "\n".join([f"{alias} = {text}" for text, alias in self._aliases.items()] + self._lines) + "\n"

    def _operation(self, op: Operation, indent: str) -> None:
        operands, inputs = self._values_and_types(op.operands)
        defined, outputs = self._define(op.results)
        head = f'{indent}{defined}"{_name(op)}"({", ".join(operands)})'
        if op.successors:
            head += f"[{', '.join(map(self._block, op.successors))}]"
        if op.properties:
            head += f" <{self._dictionary(op.properties)}>"
        tail = f" : ({', '.join(inputs)}) -> ({', '.join(outputs)}) {self._location(op.location)}"
        if op.attributes:
            attributes = {name: value for name, value in op.attributes.items() if name != "op_name__"}
            tail = f" {self._dictionary(attributes)}{tail}" if attributes else tail
        if not op.regions:
            self._lines.append(head + tail)
            return
        separator = " ("
        for region in op.regions:
            self._lines.append(f"{head}{separator}{{")
            for block in region.blocks:
                arguments = ", ".join(map(self._argument, block.args))
                self._lines.append(f"{indent}{self._block(block)}{f'({arguments})' if arguments else ''}:")
                for inner in block.ops:
                    self._operation(inner, indent + "  ")
            head, separator = f"{indent}}}", ", "
        self._lines.append(f"{indent}}}){tail}")

    def _values_and_types(self, values: Iterable[SSAValue]) -> tuple[list[str], list[str]]:
        names: list[str] = []
        types: list[str] = []
        for value in values:
            names.append(self._names.get(id(value)) or self._value(value))
            type_ = value.type
            types.append(self._types.get(id(type_)) or self._type(type_))
        return names, types

    def _value(self, value: SSAValue) -> str:
        """The value's name, which it gets with all results of its op, wherever one of them comes up first."""
        if (known := self._names.get(id(value))) is None:
            self._give_names(value.op.results if isinstance(value, OpResult) else (value,))
            known = self._names[id(value)]
        return known

    def _give_names(self, values: Sequence[SSAValue]) -> None:
        name = f"%{len(self._names)}"
        for index, value in enumerate(values):
            self._names[id(value)] = name if len(values) == 1 else f"{name}#{index}"

    def _define(self, results: Sequence[OpResult]) -> tuple[str, list[str]]:
        """What stands in front of an op, and the types of its results."""
        if not results:
            return "", []
        if id(next(iter(results))) not in self._names:
            self._give_names(results)
        (first, *_), types = self._values_and_types(results)
        return f"{first} = " if len(types) == 1 else f"{first.partition('#')[0]}:{len(types)} = ", types

    def _argument(self, argument: BlockArgument) -> str:
        return f"{self._value(argument)}: {self._type(argument.type)} {self._location(argument.location)}"

    def _block(self, block: Block) -> str:
        return self._blocks.setdefault(block, f"^bb{len(self._blocks)}")

    def _dictionary(self, dictionary: Mapping[str, Attribute]) -> str:
        identity = _identity(dictionary)
        if (text := self._memo.texts.get(identity)) is not None:
            return text
        if (known := self._memo.written.get(identity)) is None:
            known = self._memo.written[identity] = (dict(dictionary), self._spelled(dictionary))
        return known[1]

    def _spelled(self, dictionary: Mapping[str, Attribute]) -> str:
        items = tuple(dictionary.items())
        if (text := self._memo.equal.get(items)) is None:
            text = self._memo.equal[items] = _print(lambda printer: printer.print_attr_dict(dictionary))
        return text

    def _type(self, type_: Attribute) -> str:
        if (known := self._types.get(id(type_))) is None:
            text = self._printed(type_)
            known = text if len(text) < self.WORTH_AN_ALIAS else self._alias("!t", text)
            self._types[id(type_)] = known
        return known

    def _printed(self, type_: Attribute) -> str:
        if (known := self._memo.printed.get(id(type_))) is not None:
            return known[1]
        equal = self._memo.types.setdefault(type_, type_)
        if (known := self._memo.printed.get(id(equal))) is None:
            known = (equal, _print(lambda printer: printer.print_attribute(type_)))
            self._memo.printed[id(equal)] = known  # kept alive, so that the identity stays its own
        self._memo.printed[id(type_)] = (type_, known[1])
        return known[1]

    def _location(self, location: Attribute) -> str:
        if (known := self._locations.get(id(location))) is None:
            if (printed := self._memo.printed.get(id(location))) is None:
                printed = self._memo.printed[id(location)] = (location, f"loc({_spell(location)})")
            known = self._locations[id(location)] = f"loc({self._alias('#l', printed[1])})"
        return known

    WORTH_AN_ALIAS = len("!ttg.memdesc<")

    def _alias(self, prefix: str, text: str) -> str:
        return self._aliases.setdefault(text, f"{prefix}{len(self._aliases)}")


def _name(op: Operation) -> str:
    return op.name if op.name != UnregisteredOp.name else cast("UnregisteredOp", op).op_name.data


def _spell(location: Attribute) -> str:
    """What stands between the parentheses of `loc(...)`."""
    match location:
        case FileLineColLoc(filename=name, line=line, column=column) if '"' not in name.data and "\\" not in name.data:
            return f'"{name.data}":{line.data}:{column.data}'
        case NameLoc(desc=name, location=inner) if '"' not in name.data and not isinstance(inner, NoneAttr):
            return f'"{name.data}"({_spell(inner)})'
        case CallSiteLoc(callee=callee, caller=caller):
            return f"callsite({_spell(callee)} at {_spell(caller)})"
        case OpaqueLoc(data=text):
            return text
        case _:
            return _print(lambda printer: printer.print_attribute(location)).removeprefix("loc(").removesuffix(")")


def _print(what: Callable[[Printer], None]) -> str:
    stream = StringIO()
    what(Printer(stream=stream))
    return stream.getvalue()


def write(module: ModuleOp, memo: Memo) -> str:
    """`module` in generic form with its locations, for MLIR to parse."""
    return GenericWriter(memo).write(module)
