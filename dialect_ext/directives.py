"""Directives that xDSL's declarative format lacks: MLIR's enum keywords and shortened types."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import AttrConstraint, IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OptionalOperandVariable,
    ParsingState,
    PrintingState,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from dotload.dialect_ext.constraints import EnumConstraint
from dotload.dialect_ext.typed import dims_of
from dotload.dialect_ext.types import AsyncTokenType, MemDescType, PointerType, TensorDescType
from dotload.dialect_ext.xdsl_private import current_token


def _enum(variable: AttributeVariable, op_type: type[IRDLOperation]) -> EnumConstraint:
    constraint: AttrConstraint = op_type.get_irdl_definition().properties[variable.name].constr
    assert isinstance(constraint, EnumConstraint)
    return constraint


def parse_enum(variable: AttributeVariable, parser: Parser, state: ParsingState) -> None:
    """Read the name of an enum's value."""
    enum = _enum(variable, state.op_type)
    start = parser.pos
    variable.set(state, case_of(enum, parser.parse_identifier(context_msg=f" naming a {enum.enum}"), parser, start))


def case_of(enum: EnumConstraint, word: str, parser: Parser, start: int) -> IntegerAttr:
    """The value of that name; an error of the parser for a word, read from `start` on, that is none."""
    if word not in enum.cases:
        parser.raise_error(f"expected {enum.enum} to be one of: {', '.join(enum.cases)}", start, parser.pos)
    return enum.attr(word)


def print_enum(variable: AttributeVariable, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
    """Print the name of an enum's value, if the op has one."""
    value = variable.get(op)
    if value is None:
        return
    assert isinstance(value, IntegerAttr)
    state.print_whitespace(printer)
    printer.print_string(_enum(variable, type(op)).name_of(cast("IntegerAttr", value)))


@irdl_custom_directive
class Enum(CustomDirective):
    """`custom<Enum>($rounding)`: the name of an enum's value; the attribute dictionary would show the number."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parse_enum(self.attr, parser, state)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        print_enum(self.attr, printer, state, op)

    def is_present(self, op: IRDLOperation) -> bool:
        return self.attr.is_present(op)

    def is_anchorable(self) -> bool:
        return self.attr.is_anchorable()


@irdl_custom_directive
class QuotedEnum(CustomDirective):
    """`custom<QuotedEnum>($predicate)`: the name of an enum's value in quotes."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        enum = _enum(self.attr, state.op_type)
        start = parser.pos
        self.attr.set(state, case_of(enum, parser.parse_str_literal(f" naming a {enum.enum}"), parser, start))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        value = self.attr.get(op)
        assert isinstance(value, IntegerAttr)
        state.print_whitespace(printer)
        printer.print_string(f'"{_enum(self.attr, type(op)).name_of(cast("IntegerAttr", value))}"')


@irdl_custom_directive
class CachePolicies(CustomDirective):
    """`cacheModifier = ca evictionPolicy = evict_last`, in any order, each only if it is not the default.

    Triton up to 3.8; the later `cachePolicy` is in the attribute dictionary.
    """

    cache: AttributeVariable
    evict: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        groups = {"cacheModifier": self.cache, "evictionPolicy": self.evict}
        while groups and (word := next((w for w in groups if parser.parse_optional_keyword(w)), None)):
            parser.parse_punctuation("=")
            parse_enum(groups.pop(word), parser, state)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for word, variable in (("cacheModifier", self.cache), ("evictionPolicy", self.evict)):
            if variable.is_present(op):
                state.print_whitespace(printer)
                printer.print_string(f"{word} =")
                print_enum(variable, printer, state, op)


@irdl_custom_directive
class Offsets(CustomDirective):
    """The integers of a dense i32 array, without brackets: the format writes `[` `custom<Offsets>($offsets)` `]`."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        values = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_integer)
        self.attr.set(state, DenseArrayBase.from_list(i32, values))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        value = self.attr.get(op)
        assert isinstance(value, DenseArrayBase)
        state.print_whitespace(printer)
        printer.print_string(", ".join(map(str, dims_of(cast("DenseArrayBase", value)))))


class ShortType(CustomDirective):
    """A type whose class the op fixes: MLIR prints it without its name, `<128x64xf16, #shared>`, and reads both."""

    type_class: ClassVar[type[ParametrizedAttribute]]
    type: TypeDirective

    def _parse_one(self, parser: Parser) -> Attribute:
        if current_token(parser).text == "<":
            return cast("Any", self.type_class).new(self.type_class.parse_parameters(parser))
        return parser.parse_type()

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.type.set(state, (self._parse_one(parser),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        for type_ in self.type.get(op):
            if isinstance(type_, self.type_class):
                type_.print_parameters(printer)
            else:
                printer.print_attribute(type_)


@irdl_custom_directive
class ShortPtr(ShortType):
    type_class = PointerType
    type: TypeDirective


@irdl_custom_directive
class ShortMemDesc(ShortType):
    type_class = MemDescType
    type: TypeDirective


@irdl_custom_directive
class ShortTensorDesc(ShortType):
    type_class = TensorDescType
    type: TypeDirective


@irdl_custom_directive
class EitherTensorDesc(ShortType):
    """Read with and without its name; printed with it, as Intel's ops do."""

    type_class = TensorDescType
    type: TypeDirective

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_list(self.type.get(op), printer.print_attribute)


@irdl_custom_directive
class ResultType(CustomDirective):
    """The type of the only result, which may be in parentheses in MLIR's function types: `-> (tensor<64x32xf16>)`."""

    type: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        found = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        self.type.set(state, tuple([parser.parse_type()] if found is None else found))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_list(self.type.get(op), printer.print_attribute)


@irdl_custom_directive
class Token(CustomDirective):
    """`[%dep]` after an operand in tensor memory: the token to wait for; `[]` if there is only a new token."""

    dep: OptionalOperandVariable
    token: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if not parser.parse_optional_punctuation("["):
            self.dep.set_empty(state)
            self.dep.set_types(state, ())
            self.token.set_empty(state)
            return
        self.token.set(state, (AsyncTokenType(),))
        operand = parser.parse_optional_unresolved_operand()
        self.dep.set(state, operand)
        self.dep.set_types(state, () if operand is None else (AsyncTokenType(),))
        parser.parse_punctuation("]")

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        if not self.token.get(op):
            return
        dep = self.dep.get(op)
        with printer.in_square_brackets():
            if dep is not None:
                printer.print_ssa_value(dep)
        state.last_was_punctuation = True
        state.should_emit_space = True


@irdl_custom_directive
class BarriersAndPreds(CustomDirective):
    """`, %bar0[%pred0], %bar1[%pred1]`: barriers to arrive at, each under its predicate."""

    barriers: VariadicOperandVariable
    preds: VariadicOperandVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        pairs: list[tuple[UnresolvedOperand, UnresolvedOperand]] = []
        while parser.parse_optional_punctuation(","):
            barrier = parser.parse_unresolved_operand()
            with parser.in_square_brackets():
                pairs.append((barrier, parser.parse_unresolved_operand()))
        self.barriers.set(state, tuple(barrier for barrier, _ in pairs))
        self.preds.set(state, tuple(pred for _, pred in pairs))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for barrier, pred in zip(self.barriers.get(op), self.preds.get(op), strict=True):
            printer.print_string(", ")
            printer.print_ssa_value(barrier)
            with printer.in_square_brackets():
                printer.print_ssa_value(pred)
        state.last_was_punctuation = False
        state.should_emit_space = True
