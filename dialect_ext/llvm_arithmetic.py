"""LLVM's arithmetic with the parts that xDSL lacks: comparisons and selections of vectors and pointers, flags of casts,
attributes of assembly's operands."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, UnitAttr, VectorType, i1
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import OTHER, TYPE, Derived
from dotload.dialect_ext.directives import Enum, QuotedEnum
from dotload.dialect_ext.operations import OwnSyntax
from dotload.dialect_ext.typed import as_vector, number_of

_IN_DICT = (ParsePropInAttrDict(),)
_NO_FLAGS = llvm.FastMathAttr("none")


def _truth(type_: Attribute) -> Attribute:
    vector = as_vector(type_)
    return i1 if vector is None else VectorType(i1, vector.shape, vector.scalable_dims)


class Comparison(OwnSyntax):
    """`%c = llvm.icmp "slt" %a, %b : i32`, also of vectors; icmp also of pointers."""

    lhs = operand_def(TYPE)
    rhs = operand_def(TYPE)
    res = result_def(Derived("TYPE", _truth))
    irdl_options = _IN_DICT
    custom_directives = (QuotedEnum,)
    traits = traits_def(Pure())
    assembly_format = "custom<QuotedEnum>($predicate) $lhs `,` $rhs attr-dict `:` type($lhs)"


@irdl_op_definition
class ICmpOp(Comparison, llvm.ICmpOp):
    """A comparison of integers or pointers."""

    name = "llvm.icmp"
    predicate = prop_def(enums.LLVM_ICMP)


@irdl_op_definition
class FCmpOp(Comparison, llvm.FCmpOp):
    """A comparison of floats."""

    name = "llvm.fcmp"
    predicate = prop_def(enums.LLVM_FCMP)
    fastmathFlags = prop_def(llvm.FastMathAttr, default_value=_NO_FLAGS)


@irdl_op_definition
class SelectOp(OwnSyntax, llvm.SelectOp):
    """`%r = llvm.select %c, %a, %b : i1, f32`; the condition may be a vector."""

    name = "llvm.select"
    cond = operand_def(OTHER)
    lhs = operand_def(TYPE)
    rhs = operand_def(TYPE)
    res = result_def(TYPE)
    fastmathFlags = prop_def(llvm.FastMathAttr, default_value=_NO_FLAGS)
    irdl_options = _IN_DICT
    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"

    def verify_(self, verify_nested_ops: bool = True) -> None:
        if self.cond.type not in (i1, _truth(self.res.type)):
            raise VerifyException(f"condition {self.cond.type} does not have the shape of {self.res.type}")


class FloatCast(OwnSyntax):
    """`%r = llvm.fptrunc %a {fastmathFlags = #llvm.fastmath<fast>} : f32 to f16`"""

    arg = operand_def(TYPE)
    result = result_def(OTHER)
    fastmathFlags = opt_prop_def(llvm.FastMathAttr)
    irdl_options = _IN_DICT
    traits = traits_def(Pure())
    assembly_format = "$arg attr-dict `:` type($arg) `to` type($result)"


@irdl_op_definition
class FPExtOp(FloatCast, llvm.FPExtOp):
    """Conversion to a wider float."""

    name = "llvm.fpext"


@irdl_op_definition
class FPTruncOp(FloatCast, llvm.FPTruncOp):
    """Conversion to a narrower float."""

    name = "llvm.fptrunc"


@irdl_op_definition
class UIToFPOp(IRDLOperation):
    """Unsigned integer to float; with `nneg` it is not negative as a signed one."""

    name = "llvm.uitofp"
    nonNeg = opt_prop_def(UnitAttr)
    arg = operand_def(TYPE)
    res = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "(`nneg` $nonNeg^)? $arg attr-dict `:` type($arg) `to` type($res)"


@irdl_op_definition
class TruncOp(llvm.TruncOp):
    """`%r = llvm.trunc %a overflow<nsw> : i64 to i32`; MLIR's generic form has the flags as a number."""

    name = "llvm.trunc"
    arg = operand_def(TYPE)
    res = result_def(OTHER)
    overflowFlags = opt_prop_def(llvm.OverflowAttr | IntegerAttr)

    def verify_(self) -> None:
        """Nothing beyond the definition above; xDSL's verifier would look for its own."""

    def print(self, printer: Printer) -> None:
        if (number := number_of(self.overflowFlags)) is not None:
            self.overflowFlags = llvm.OverflowAttr.from_int(number)
        super().print(printer)


@irdl_op_definition
class InlineAsmOp(OwnSyntax, llvm.InlineAsmOp):
    """`%r = llvm.inline_asm asm_dialect = att operand_attrs = [] "mov $0, $1;", "=r,r" %a : (i32) -> i32`"""

    name = "llvm.inline_asm"
    operands_ = var_operand_def()
    res = opt_result_def()
    asm_dialect = opt_prop_def(enums.ASM_DIALECT)
    asm_string = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    has_side_effects = opt_prop_def(UnitAttr)
    is_align_stack = opt_prop_def(UnitAttr)
    tail_call_kind = prop_def(llvm.TailCallKindAttr, default_value=llvm.TailCallKindAttr(llvm.TailCallKind.NONE))
    operand_attrs = opt_prop_def(ArrayAttr)
    irdl_options = _IN_DICT
    custom_directives = (Enum,)
    assembly_format = (
        "(`has_side_effects` $has_side_effects^)? (`is_align_stack` $is_align_stack^)? "
        "(`tail_call_kind` `=` $tail_call_kind^)? (`asm_dialect` `=` custom<Enum>($asm_dialect)^)? "
        "(`operand_attrs` `=` $operand_attrs^)? $asm_string `,` $constraints $operands_ attr-dict "
        "`:` functional-type($operands_, $res)"
    )


ARITHMETIC = (ICmpOp, FCmpOp, SelectOp, FPExtOp, FPTruncOp, TruncOp, InlineAsmOp)
