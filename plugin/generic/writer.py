"""xDSL -> MLIR's generic form: each distinct attribute is printed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import cast

from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    ModuleOp,
    NameLoc,
    NoneAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.printer import Printer

from dotload.plugin.generic.locations import OpaqueLoc
from dotload.plugin.generic.memo import Memo, identity_of


class GenericWriter:
    """Writes operations in generic form with their locations, each distinct attribute printed once.

    Types and locations are written as aliases: MLIR parses each once, however often it occurs. Values, types and
    locations are looked up by identity: xDSL's hashes are slow Python code.
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
        """The value's name; all results of an op are named when the first of them occurs."""
        if (known := self._names.get(id(value))) is None:
            self._give_names(value.op.results if isinstance(value, OpResult) else (value,))
            known = self._names[id(value)]
        return known

    def _give_names(self, values: Sequence[SSAValue]) -> None:
        name = f"%{len(self._names)}"
        for index, value in enumerate(values):
            self._names[id(value)] = name if len(values) == 1 else f"{name}#{index}"

    def _define(self, results: Sequence[OpResult]) -> tuple[str, list[str]]:
        """The text in front of an op, and the types of its results."""
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
        identity = identity_of(dictionary)
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
            self._memo.printed[id(equal)] = known  # kept alive, so that its id stays unique
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
    """The text between the parentheses of `loc(...)`."""
    match location:
        case FileLineColLoc(filename=name, line=line, column=column) if _needs_no_escape(name.data):
            return f'"{name.data}":{line.data}:{column.data}'
        case NameLoc(desc=name, location=inner) if _needs_no_escape(name.data) and not isinstance(inner, NoneAttr):
            return f'"{name.data}"({_spell(inner)})'
        case CallSiteLoc(callee=callee, caller=caller):
            return f"callsite({_spell(callee)} at {_spell(caller)})"
        case OpaqueLoc(data=text):
            return text
        case _:
            return _print(lambda printer: printer.print_attribute(location)).removeprefix("loc(").removesuffix(")")


def _needs_no_escape(text: str) -> bool:
    """Whether MLIR accepts the text between quotes unchanged: it accepts UTF-8, but no line break."""
    return text.isprintable() and '"' not in text and "\\" not in text


def _print(what: Callable[[Printer], None]) -> str:
    stream = StringIO()
    what(Printer(stream=stream))
    return stream.getvalue()


def write(module: ModuleOp, memo: Memo) -> str:
    """`module` in generic form with its locations, for MLIR to parse."""
    return GenericWriter(memo).write(module)
