"""LLVM's intrinsics that xDSL lacks, in MLIR's syntax.

    %r = llvm.intr.trunc(%a) {fastmathFlags = #llvm.fastmath<nnan>} : (f32) -> f32
    %r = llvm.intr.smin(%a, %b) : (i32, i32) -> i32
    %r = llvm.intr.ldexp(%a, %n) : (f32, i32) -> f32
    %r = "llvm.intr.abs"(%a) <{is_int_min_poison = false}> : (i32) -> i32
    llvm.intr.assume %c : i1
    llvm.intr.dbg.value #variable #llvm.di_expression<> = %a : i32

Intrinsics with a flag have no custom syntax in MLIR either.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, i1
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from dotload.dialect_ext.constraints import OTHER, TYPE, int_attr
from dotload.dialect_ext.llvm_bundles import AssumeOp
from dotload.dialect_ext.typed import create

_PREFIX = "llvm.intr."
_IN_DICT = (ParsePropInAttrDict(),)
# Of one type, by the number of operands.
_OF_FLOATS = {
    1: (
        *("trunc", "round", "roundeven", "rint", "nearbyint", "exp10", "log10"),
        *("tan", "sinh", "cosh", "tanh", "asin", "acos", "atan"),
    ),
    2: ("maximum", "minimum", "atan2"),
    3: ("fmuladd",),
}
_OF_INTEGERS = {
    1: ("ctpop", "bitreverse", "bswap"),
    2: ("smax", "smin", "umax", "umin", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat", "sshl.sat", "ushl.sat"),
    3: ("fshl", "fshr"),
}
# Of several types: a float and an integer, an integer from a float, an element from a vector, a number and a flag.
_MIXED_FLOATS = (
    *("powi", "ldexp", "frexp"),
    *(f"vector.reduce.{name}" for name in ("fmax", "fmin", "fmaximum", "fminimum")),
)
_MIXED = (
    *("lround", "llround", "lrint", "llrint", "scmp", "ucmp"),
    *(f"{name}.with.overflow" for name in ("sadd", "uadd", "ssub", "usub", "smul", "umul")),
    *(f"vector.reduce.{name}" for name in ("add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin")),
)
# Name -> its flag: whether the case that the flag names gives poison.
_FLAGGED = {"abs": "is_int_min_poison", "ctlz": "is_zero_poison", "cttz": "is_zero_poison"}
_STOPPING = ("trap", "debugtrap")
_FORMAT = "`(` operands `)` attr-dict `:` functional-type(operands, $res)"


class Unary(IRDLOperation):
    """An intrinsic of one operand."""

    arg = operand_def(TYPE)
    res = result_def(TYPE)
    traits = traits_def(Pure())


class Binary(IRDLOperation):
    """An intrinsic of two operands."""

    lhs = operand_def(TYPE)
    rhs = operand_def(TYPE)
    res = result_def(TYPE)
    traits = traits_def(Pure())


class Ternary(IRDLOperation):
    """An intrinsic of three operands."""

    a = operand_def(TYPE)
    b = operand_def(TYPE)
    c = operand_def(TYPE)
    res = result_def(TYPE)
    traits = traits_def(Pure())


class Mixed(IRDLOperation):
    """An intrinsic of operands and a result of different types."""

    arguments = var_operand_def()
    res = result_def(OTHER)
    traits = traits_def(Pure())


class Stop(IRDLOperation):
    """A trap."""

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"


_BY_COUNT = {1: Unary, 2: Binary, 3: Ternary}
_FLAGS = {"fastmathFlags": prop_def(llvm.FastMathAttr, default_value=llvm.FastMathAttr("none"))}


def _defined(base: type[IRDLOperation], name: str, **more: Any) -> type[IRDLOperation]:
    namespace: dict[str, Any] = {"__doc__": base.__doc__, "__module__": __name__, "name": _PREFIX + name, **more}
    return irdl_op_definition(type(f"{name.replace('.', '_').capitalize()}Op", (base,), namespace))


def _with_syntax(base: type[IRDLOperation], name: str, **more: Any) -> type[IRDLOperation]:
    return _defined(base, name, assembly_format=_FORMAT, irdl_options=_IN_DICT, **more)


@irdl_op_definition
class ExpectOp(IRDLOperation):
    """The value, which is probably the expected one."""

    name = "llvm.intr.expect"
    val = operand_def(TYPE)
    expected = operand_def(TYPE)
    res = result_def(TYPE)
    traits = traits_def(Pure())
    assembly_format = "$val `,` $expected attr-dict `:` type($val)"


@irdl_op_definition
class MaskedLoadOp(IRDLOperation):
    """The elements of a vector whose mask is true; the others from `pass_thru`."""

    name = "llvm.intr.masked.load"
    data = operand_def(llvm.LLVMPointerType)
    mask = operand_def()
    pass_thru = var_operand_def()
    alignment = prop_def(int_attr(32))
    res = result_def()
    irdl_options = _IN_DICT
    traits = traits_def(MemoryReadEffect())
    assembly_format = "operands attr-dict `:` functional-type(operands, $res)"


class Lifetime(IRDLOperation):
    """`llvm.intr.lifetime.start %p : !llvm.ptr`, up to LLVM 21 with a size before the pointer."""

    ptr = operand_def(llvm.LLVMPointerType)
    size = opt_prop_def(IntegerAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        size = parser.parse_optional_integer(allow_boolean=False)
        if size is not None:
            parser.parse_punctuation(",")
        pointer = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return create(
            cls,
            operands=[parser.resolve_operand(pointer, parser.parse_type())],
            properties={} if size is None else {"size": IntegerAttr(size, 64)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" " if self.size is None else f" {self.size.value.data}, ")
        printer.print_ssa_value(self.ptr)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)


class VariableArguments(IRDLOperation):
    """The begin or the end of an access to the arguments of a variadic function."""

    arg_list = operand_def(llvm.LLVMPointerType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$arg_list attr-dict `:` type($arg_list)"


@irdl_op_definition
class CopyVariableArgumentsOp(IRDLOperation):
    """`llvm.intr.vacopy %from to %to : !llvm.ptr, !llvm.ptr`"""

    name = "llvm.intr.vacopy"
    src_list = operand_def(llvm.LLVMPointerType)
    dest_list = operand_def(llvm.LLVMPointerType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$src_list `to` $dest_list attr-dict `:` type($src_list) `,` type($dest_list)"


class DebugVariable(IRDLOperation):
    """Where a variable of the source has its value, or its address, from here on."""

    varInfo = prop_def()
    locationExpr = opt_prop_def()
    value = operand_def()
    irdl_options = _IN_DICT
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$varInfo ($locationExpr^)? `=` $value `:` type($value) attr-dict"


@irdl_op_definition
class DebugLabelOp(IRDLOperation):
    """A label of the source."""

    name = "llvm.intr.dbg.label"
    label = prop_def()
    irdl_options = _IN_DICT
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$label attr-dict"


INTRINSICS: tuple[type[IRDLOperation], ...] = (
    *(_with_syntax(_BY_COUNT[count], name, **_FLAGS) for count, names in _OF_FLOATS.items() for name in names),
    *(_with_syntax(_BY_COUNT[count], name) for count, names in _OF_INTEGERS.items() for name in names),
    *(_with_syntax(Mixed, name, **_FLAGS) for name in _MIXED_FLOATS),
    *(_with_syntax(Mixed, name) for name in _MIXED),
    *(_defined(Unary, name, **{flag: prop_def(BoolAttr.constr(i1))}) for name, flag in _FLAGGED.items()),
    *(_defined(Stop, name) for name in _STOPPING),
    *(_defined(Lifetime, f"lifetime.{end}") for end in ("start", "end")),
    *(_defined(VariableArguments, f"va{end}") for end in ("start", "end")),
    *(_defined(DebugVariable, f"dbg.{name}") for name in ("value", "declare")),
    *(AssumeOp, ExpectOp, MaskedLoadOp, DebugLabelOp, CopyVariableArgumentsOp),
)
