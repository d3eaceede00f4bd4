"""Dialect `arith` as Triton uses it: xDSL's, with its scalar-only ops extended to tensors.

xDSL's `cmpi`, `cmpf` and `select` take and return a single i1; here conditions have the shape and encoding of their
operands. The ops derive from xDSL's classes, so that code written for those finds them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import ClassVar, cast

from typing_extensions import Self
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, VectorType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import OTHER, TYPE, Derived, EnumConstraint
from dotload.dialect_ext.operations import OwnSyntax, extended, redefined
from dotload.dialect_ext.typed import create, number_of
from dotload.dialect_ext.types import element_bits, same_shape

INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""Names, indexed by the number of arith.cmpi's predicate."""
_FLOAT = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
INTEGER_PREDICATE = EnumConstraint("CmpIPredicate", {name: code for code, name in enumerate(INTEGER_PREDICATES)}, i64)
FLOAT_PREDICATE = EnumConstraint(
    "CmpFPredicate",
    {name: code for code, name in enumerate(("false", *_FLOAT, "true"))},
    i64,
)


def condition_type(type_: Attribute) -> Attribute:
    """i1 in the shape of `type_`."""
    if isinstance(type_, VectorType):
        return VectorType(i1, type_.shape, type_.scalable_dims)
    return same_shape(type_, i1)


class Comparison(IRDLOperation):
    """Base of both comparisons: `%c = arith.cmpi slt, %a, %b : tensor<8xi32, #e>`."""

    PREDICATES: ClassVar[EnumConstraint]

    lhs = operand_def(TYPE)
    rhs = operand_def(TYPE)
    result = result_def(Derived("TYPE", condition_type))
    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, predicate: str):
        lhs = SSAValue.get(lhs)
        IRDLOperation.__init__(
            self,
            operands=[lhs, rhs],
            result_types=[condition_type(lhs.type)],
            properties={"predicate": self.PREDICATES.attr(predicate)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start, cases = parser.pos, cls.PREDICATES.cases
        word = parser.parse_optional_str_literal() or parser.parse_identifier(context_msg=" as predicate")
        if word not in cases:
            parser.raise_error(f"expected the predicate to be one of: {', '.join(cases)}", start, parser.pos)
        parser.parse_punctuation(",")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        properties: dict[str, Attribute] = {"predicate": cls.PREDICATES.attr(word)}
        if (flags := _parse_flags(parser)) is not None:
            properties[flags[0]] = flags[1]
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        type_ = parser.parse_type()
        return create(
            cls,
            operands=parser.resolve_operands((lhs, rhs), (type_, type_), position),
            result_types=[condition_type(type_)],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        predicate = cast("IntegerAttr", self.properties["predicate"])
        printer.print_string(f" {self.PREDICATES.name_of(predicate)}, ")
        printer.print_list((self.lhs, self.rhs), printer.print_operand)
        _print_flags(self, printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)

    def verify_(self) -> None:
        """Replace xDSL's own check, which requires a scalar; the constraints suffice."""


@irdl_op_definition
class CmpiOp(Comparison, arith.CmpiOp):
    """`%c = arith.cmpi slt, %a, %b : tensor<8xi32, #e>`"""

    name = "arith.cmpi"
    PREDICATES: ClassVar[EnumConstraint] = INTEGER_PREDICATE
    predicate = prop_def(INTEGER_PREDICATE)


@irdl_op_definition
class CmpfOp(Comparison, arith.CmpfOp):
    """`%c = arith.cmpf olt, %a, %b : tensor<8xf32, #e>`"""

    name = "arith.cmpf"
    PREDICATES: ClassVar[EnumConstraint] = FLOAT_PREDICATE
    predicate = prop_def(FLOAT_PREDICATE)
    fastmath = prop_def(arith.FastMathFlagsAttr, default_value=arith.FastMathFlagsAttr("none"))


@irdl_op_definition
class SelectOp(IRDLOperation):
    """`arith.select %c, %a, %b : tensor<8xi1, #e>, tensor<8xf32, #e>`; the condition's type is written when not i1."""

    name = "arith.select"
    cond = operand_def()
    lhs = operand_def(TYPE)
    rhs = operand_def(TYPE)
    result = result_def(TYPE)
    traits = traits_def(Pure())

    def __init__(self, cond: SSAValue | Operation, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        lhs = SSAValue.get(lhs)
        super().__init__(operands=[cond, lhs, rhs], result_types=[lhs.type])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        operands = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        *condition, value = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        types = [*(condition or [i1]), value, value]
        return create(
            cls,
            operands=parser.resolve_operands(operands, types, position),
            result_types=[value],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        if self.cond.type not in (i1, condition_type(self.result.type)):
            raise VerifyException(f"condition {self.cond.type} does not have the shape of {self.result.type}")


# How the bits of a cast's operand compare with those of its result.
_WIDTHS: Mapping[str, Callable[[int, int], bool]] = {
    **dict.fromkeys(("arith.extf", "arith.extsi", "arith.extui"), operator.lt),
    **dict.fromkeys(("arith.truncf", "arith.trunci"), operator.gt),
    "arith.bitcast": operator.eq,
}


class Cast(IRDLOperation):
    """Base of the casts: `arith.extsi %x : tensor<8xi32, #e> to tensor<8xi64, #e>`.

    xDSL's class checks the element types, if it checks scalars; this class checks that the shape stays, and that an
    extension makes elements wider and a truncation makes them narrower.
    """

    input = operand_def()
    result = result_def()
    assembly_format = None
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        operand = parser.parse_unresolved_operand()
        properties: dict[str, Attribute] = {}
        while (flags := _parse_flags(parser)) is not None:
            properties[flags[0]] = flags[1]
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_keyword("to")
        return create(
            cls,
            operands=[parser.resolve_operand(operand, source)],
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.input)
        _print_flags(self, printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.input.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        if condition_type(self.input.type) != condition_type(self.result.type):
            raise VerifyException(f"{self.input.type} and {self.result.type} differ in shape or encoding")
        if self.name == "arith.index_cast" and self.input.type == self.result.type:
            raise VerifyException(f"{self.input.type} and {self.result.type} are cast incompatible")
        fits = _WIDTHS.get(self.name)
        if fits is not None and not fits(element_bits(self.input.type), element_bits(self.result.type)):
            raise VerifyException(f"{self.input.type} and {self.result.type} are cast incompatible")


_KEYWORDS = {"fastmath": "fastmath", "overflowFlags": "overflow"}
_NON_NEGATIVE = "nonNeg"


def _parse_flags(parser: Parser) -> tuple[str, Attribute] | None:
    if parser.parse_optional_keyword("fastmath"):
        return "fastmath", arith.FastMathFlagsAttr(arith.FastMathFlagsAttr.parse_parameter(parser))
    if parser.parse_optional_keyword("overflow"):
        return "overflowFlags", arith.IntegerOverflowAttr(arith.IntegerOverflowAttr.parse_parameter(parser))
    if parser.parse_optional_keyword("nneg"):
        return _NON_NEGATIVE, UnitAttr()
    for name in enums.ARITH_ROUNDING.cases:
        if parser.parse_optional_keyword(name):
            return "roundingmode", enums.ARITH_ROUNDING.attr(name)
    return None


def _print_flags(op: IRDLOperation, printer: Printer) -> None:
    if _NON_NEGATIVE in op.properties:
        printer.print_string(" nneg")
    if (rounding := number_of(op.properties.get("roundingmode"))) is not None:
        printer.print_string(f" {tuple(enums.ARITH_ROUNDING.cases)[rounding]}")
    for name, flags in op.properties.items():
        if isinstance(flags, (arith.FastMathFlagsAttr, arith.IntegerOverflowAttr)) and flags.data:
            printer.print_string(f" {_KEYWORDS[name]}")
            flags.print_parameter(printer)


def _tensor_cast(scalar_cast: type[IRDLOperation], flags: type[Attribute] | None = None) -> type[IRDLOperation]:
    """xDSL's cast with `Cast`'s syntax and rules; `flags` is the class of its optional flags."""
    if flags is None:
        return redefined(scalar_cast, Cast)
    name = "fastmath" if flags is arith.FastMathFlagsAttr else "overflowFlags"
    return redefined(scalar_cast, Cast, **{name: opt_prop_def(flags)})


def _unsigned_cast(scalar_cast: type[IRDLOperation]) -> type[IRDLOperation]:
    """A cast of an unsigned integer; with `nneg` it is not negative as a signed one."""
    return redefined(scalar_cast, Cast, **{_NON_NEGATIVE: opt_prop_def(UnitAttr)})


BitcastOp = _tensor_cast(arith.BitcastOp)
IndexCastOp = _tensor_cast(arith.IndexCastOp)
ExtSIOp = _tensor_cast(arith.ExtSIOp)
ExtUIOp = _unsigned_cast(arith.ExtUIOp)
FPToSIOp = _tensor_cast(arith.FPToSIOp)
FPToUIOp = _tensor_cast(arith.FPToUIOp)
SIToFPOp = _tensor_cast(arith.SIToFPOp)
UIToFPOp = _unsigned_cast(arith.UIToFPOp)
TruncIOp = _tensor_cast(arith.TruncIOp, arith.IntegerOverflowAttr)
ExtFOp = _tensor_cast(arith.ExtFOp, arith.FastMathFlagsAttr)
TruncFOp = redefined(
    *(arith.TruncFOp, Cast),
    fastmath=opt_prop_def(arith.FastMathFlagsAttr),
    roundingmode=opt_prop_def(enums.ARITH_ROUNDING),
)


class Exact(OwnSyntax):
    """Base of divisions and shifts to the right: `arith.divsi %a, %b exact : i32`, if nothing remains."""

    lhs = operand_def(TYPE)
    rhs = operand_def(TYPE)
    result = result_def(TYPE)
    isExact = opt_prop_def(UnitAttr)
    assembly_format = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"


DivSIOp = redefined(arith.DivSIOp, Exact)
DivUIOp = redefined(arith.DivUIOp, Exact)
ShRSIOp = redefined(arith.ShRSIOp, Exact)
ShRUIOp = redefined(arith.ShRUIOp, Exact)


@irdl_op_definition
class RemFOp(IRDLOperation):
    """Remainder of a division of floats; xDSL does not have it."""

    name = "arith.remf"
    lhs = operand_def(TYPE)
    rhs = operand_def(TYPE)
    result = result_def(TYPE)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


@irdl_op_definition
class IndexCastUIOp(IRDLOperation):
    """Cast between index and an unsigned integer; xDSL does not have it."""

    name = "arith.index_castui"
    input = operand_def(TYPE)
    result = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"


OWN: tuple[type[Operation], ...] = (
    CmpiOp,
    CmpfOp,
    SelectOp,
    BitcastOp,
    IndexCastOp,
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    FPToUIOp,
    SIToFPOp,
    UIToFPOp,
    TruncIOp,
    ExtFOp,
    TruncFOp,
    RemFOp,
    IndexCastUIOp,
    DivSIOp,
    DivUIOp,
    ShRSIOp,
    ShRUIOp,
)

ARITH = extended(arith.Arith, OWN)
