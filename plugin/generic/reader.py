"""MLIR's generic form -> xDSL: xDSL's parser, with short cuts for text that kernels repeat."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.lexer import Input, Span

from dotload.dialect_ext.lexer import Lexer
from dotload.dialect_ext.operations import assemble
from dotload.dialect_ext.typed import create
from dotload.dialect_ext.xdsl_private import OpenParser, current_token, resume_from
from dotload.plugin.generic.locations import STRING_OR_ALIAS, Locations
from dotload.plugin.generic.memo import Form, Memo, identity_of

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
_ALIAS = re.compile(r"\n([#!][A-Za-z_][\w.$-]*) = (.*)(?=\n)")  # a pattern that begins with a literal is fast
_ALIAS_IN_USE = re.compile(r'(?:#(?!loc\d*\))|!)[A-Za-z_]\w*\b(?![.<"])')


class GenericParser(OpenParser):
    """xDSL's parser with short cuts: operations on one line, dictionaries and signatures seen before, locations."""

    def __init__(self, ctx: Context, text: str, memo: Memo, locations: Locations) -> None:
        super().__init__(ctx, Lexer(Input(text, "<module>")))
        self._text = text
        self._memo = memo
        self._locations = locations

    def parse_block_body(self, block: Block) -> None:
        """Parse line by line, as far as possible; the lexer then sees only the first token of the rest."""
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
        """Define the values without name hints: the writer numbers values."""
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
        """Parse the arguments with xDSL, and remember the types of these texts."""
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
        """The next dictionary if it has this form, which is consumed; otherwise nothing is consumed."""
        match = pattern.match(self._text, current_token(self).span.start)
        if match is None:
            return None
        known = self._dictionary(match, "dictionary")
        resume_from(self, match.start() if known is None else match.end())
        return None if known is None else dict(known)

    def _create(self, match: re.Match[str]) -> Operation | None:
        """The operation of one line; None if the line is something else, before anything was changed."""
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
        """The line without its values and its location, remembered for equal lines."""
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
        """The values `%a, %b#1` of these types; None if one is not defined yet, or has another type."""
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
        if "loc(" in text:  # its aliases belong to one module
            return None
        if (known := self._memo.dictionaries.get(text)) is not None:
            return known
        resume_from(self, match.start(group))
        known = super().parse_optional_attr_dict()
        if self._text[match.start(group) : current_token(self).span.start].rstrip(" >") != text:
            return None
        known = self._memo.dictionaries.setdefault(text, known)
        self._memo.texts[identity_of(known)] = text
        return known


def _results(text: str | None, count: int) -> Sequence[tuple[str, int]] | None:
    """`%a, %b:2` -> [("a", 1), ("b", 2)]; None if there are not `count` in all. An op need not name its results."""
    if text is None:
        return ()
    if count == 1 and ":" not in text and "," not in text:
        return ((text[1:], 1),)
    parts = [part[1:].partition(":") for part in text.split(", ")]
    results = [(name, int(size or 1)) for name, _, size in parts]
    return results if sum(size for _, size in results) == count else None


def _closing(text: str, opening: int) -> int:
    """The position of the parenthesis that closes the one at `opening`, strings skipped."""
    depth = 0
    for match in re.compile(r'"(?:[^"\\]|\\.)*"|[()]').finditer(text, opening):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return match.start()
    return len(text)


def expand_aliases(text: str) -> tuple[str, dict[str, str]]:
    """`text` with each attribute or type alias expanded; and the definitions of location aliases."""
    aliases: dict[str, str] = {}
    locations: dict[str, str] = {}

    def replace(match: re.Match[str]) -> str:
        return aliases.get(match[0], match[0])

    def collect(match: re.Match[str]) -> str:
        name, value = match.groups()
        if value.startswith("loc("):
            locations[name] = value.removeprefix("loc(").removesuffix(")")
        else:  # an alias is defined after those that it uses
            aliases[name] = STRING_OR_ALIAS.sub(replace, value)
        return ""

    def use(match: re.Match[str]) -> str:
        if match[0] in locations:  # of an operation or argument, or {name = #loc1}
            return f"loc({locations[match[0]]})" if match.string.startswith("= ", match.start() - 2) else match[0]
        return replace(match)

    text = _ALIAS.sub(collect, f"\n{text}")  # the pattern begins with the previous line's end
    # Strings are skipped only if one holds text like an alias, which is rare. MLIR writes a quote in one as \22.
    strings = "".join(text.split('"')[1::2])
    in_use = STRING_OR_ALIAS if "#" in strings or "!" in strings or '\\"' in text else _ALIAS_IN_USE
    return in_use.sub(use, text), locations


def parse(text: str, ctx: Context, memo: Memo) -> ModuleOp:
    """The module that MLIR printed as `text` in generic form; raises xDSL's ParseError if xDSL cannot read it."""
    memo.trim()
    expanded, locations = expand_aliases(text)
    parser = GenericParser(ctx, expanded, memo, Locations(locations, memo.locations))
    return parser.parse_module(allow_implicit_module=False)
