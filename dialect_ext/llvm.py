"""Dialect `llvm`: xDSL's, plus the few ops of Triton's lowerings that xDSL lacks."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import StringAttr, i8
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from dotload.dialect_ext.constraints import OTHER, TYPE, Derived
from dotload.dialect_ext.llvm_arithmetic import ARITHMETIC, UIToFPOp
from dotload.dialect_ext.llvm_constrained import CONSTRAINED
from dotload.dialect_ext.llvm_control import CONTROL
from dotload.dialect_ext.llvm_functions import CallOp, FuncOp, MemoryEffectsAttr
from dotload.dialect_ext.llvm_intrinsics import INTRINSICS
from dotload.dialect_ext.llvm_memory import ACCESSES
from dotload.dialect_ext.operations import extended
from dotload.dialect_ext.typed import as_vector, number_of


def _vector_element(type_: Attribute) -> Attribute:
    vector = as_vector(type_)
    if vector is None:
        raise ValueError(f"expected a vector, got {type_}")
    return vector.element_type


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """`%e = llvm.extractelement %v[%i : i32] : vector<8xf32>`"""

    name = "llvm.extractelement"
    vector = operand_def(TYPE)
    position = operand_def(OTHER)
    res = result_def(Derived("TYPE", _vector_element))
    traits = traits_def(Pure())
    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"


@irdl_op_definition
class PoisonOp(IRDLOperation):
    """A poison value."""

    name = "llvm.mlir.poison"
    res = result_def(TYPE)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"


class Cast(IRDLOperation):
    """`%r = llvm.x %a : type to type`"""

    arg = operand_def(TYPE)
    res = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$arg attr-dict `:` type($arg) `to` type($res)"


@irdl_op_definition
class AddrSpaceCastOp(Cast):
    """A pointer in another address space."""

    name = "llvm.addrspacecast"


@irdl_op_definition
class FPToSIOp(Cast):
    """Float to signed integer."""

    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(Cast):
    """Float to unsigned integer."""

    name = "llvm.fptoui"


@irdl_op_definition
class FreezeOp(IRDLOperation):
    """Replace poison by an arbitrary fixed value."""

    name = "llvm.freeze"
    val = operand_def(TYPE)
    res = result_def(TYPE)
    traits = traits_def(Pure())
    assembly_format = "$val attr-dict `:` type($val)"


@irdl_op_definition
class ZeroOp(IRDLOperation):
    """A zero of any type: xDSL's op does not support vectors."""

    name = "llvm.mlir.zero"
    res = result_def(TYPE)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, type_: Attribute):
        super().__init__(result_types=[type_])


@irdl_op_definition
class ConstantOp(llvm.ConstantOp):
    """`%c = llvm.mlir.constant(64 : i64) : i64`; xDSL omits the first type."""

    name = "llvm.mlir.constant"
    result = result_def(TYPE)
    value = prop_def(Attribute)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        """Nothing beyond the definition above; xDSL's verifier would look for its own fields."""

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_attribute(self.value)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


class GlobalOp(llvm.GlobalOp):
    r"""`llvm.mlir.global internal constant @text("\C3\A9")`: two bytes, which xDSL counts as one character."""

    @classmethod
    def parse(cls, parser: Parser) -> llvm.GlobalOp:
        op = super().parse(parser)
        if isinstance(op.value, StringAttr) and op.global_type == _bytes(len(op.value.data)):
            op.global_type = _bytes(len(op.value.data.encode()))
        return op

    def print(self, printer: Printer) -> None:
        visibility = self.visibility_
        if number_of(visibility) == 0:  # the default, which MLIR's syntax leaves out
            self.visibility_ = None
        super().print(printer)
        self.visibility_ = visibility


def _bytes(count: int) -> llvm.LLVMArrayType:
    return llvm.LLVMArrayType(count, i8)


REPLACED = (ZeroOp, CallOp, FuncOp, ConstantOp, GlobalOp, *ACCESSES, *ARITHMETIC, *CONTROL)
OWN = (ExtractElementOp, PoisonOp, AddrSpaceCastOp, UIToFPOp, FPToSIOp, FPToUIOp, FreezeOp, *CONSTRAINED, *INTRINSICS)
_KNOWN = {op.name for op in llvm.LLVM.operations}

# The calling conventions of GPUs, which xDSL's list lacks (LLVM's CConv.td).
llvm.LLVM_CALLING_CONVS.update(("spir_funccc", "spir_kernelcc", "ptx_kernelcc", "ptx_devicecc", "amdgpu_kernelcc"))
SPIR_FUNCTION = llvm.CallingConventionAttr("spir_funccc")
"""The calling convention of the device's builtin functions."""

# Ops that a later xDSL defines itself replace these.
LLVM = extended(llvm.LLVM, [*REPLACED, *(op for op in OWN if op.name not in _KNOWN)], [MemoryEffectsAttr])
