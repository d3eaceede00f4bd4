"""The subgroup ops of dialect `triton_gen` other than 2D blocks and matrices.

sub_group_block_read, sub_group_block_write    cl_intel_subgroups: value i of lane l is element i * lanes + l
predicated_load, predicated_store              SPV_INTEL_predicated_io
barrier, split_barrier_signal, split_barrier_wait
f_to_tf32
"""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, IntegerAttr, i1, i32, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import TYPE
from dotload.dialect_ext.directives import Enum
from dotload.dialect_ext.typed import as_integer, as_vector

GLOBAL_SPACE, LOCAL_SPACE = 1, 3
# Elements of a lane in one block access: one, or a vector of these lengths (cl_intel_subgroups_char: 16 bytes too).
_BLOCK_BITS = (8, 16, 32, 64)
_BLOCK_LENGTHS = {8: (2, 4, 8, 16), 16: (2, 4, 8), 32: (2, 4, 8), 64: (2, 4, 8)}


def address_space(type_: Attribute) -> int | None:
    """The address space of an LLVM pointer; None for other types."""
    if not isinstance(type_, LLVMPointerType):
        return None
    return int(getattr(type_.addr_space, "data", 0))


def _verify_block(pointer: SSAValue, value: Attribute, where: str) -> None:
    if address_space(pointer.type) not in (GLOBAL_SPACE, LOCAL_SPACE):
        raise VerifyException(
            f"operand #0 must be LLVM pointer in local or global OpenCL address space, but got '{pointer.type}'"
        )
    vector = as_vector(value)
    element = as_integer(value if vector is None else vector.element_type)
    bits = 0 if element is None else element.width.data
    fits = bits in _BLOCK_BITS and (vector is None or vector.get_shape()[0] in _BLOCK_LENGTHS[bits])
    if not fits:
        raise VerifyException(f"{where} must be Valid sub-group block memory access type, but got '{value}'")


@irdl_op_definition
class SubGroupBlockReadOp(IRDLOperation):
    """`%v = triton_gen.sub_group_block_read %ptr : !llvm.ptr<3> -> vector<8xi16>`"""

    name = "triton_gen.sub_group_block_read"
    ptr = operand_def()
    res = result_def()
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$ptr attr-dict `:` type($ptr) `->` type($res)"

    def verify_(self) -> None:
        _verify_block(self.ptr, self.res.type, "result #0")


@irdl_op_definition
class SubGroupBlockWriteOp(IRDLOperation):
    """`triton_gen.sub_group_block_write %ptr, %v : !llvm.ptr<3>, vector<8xi16>`"""

    name = "triton_gen.sub_group_block_write"
    ptr = operand_def()
    val = operand_def()
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$ptr `,` $val attr-dict `:` type($ptr) `,` type($val)"

    def verify_(self) -> None:
        _verify_block(self.ptr, self.val.type, "operand #1")


@irdl_op_definition
class PredicatedLoadOp(IRDLOperation):
    """A load in lanes whose predicate holds; other lanes get the default value and ignore the pointer.

    %v = triton_gen.predicated_load %ptr, %alignment, %predicate, %default {cache_control = Default}
           : (!llvm.ptr<1>, i64, i1, i32) -> i32
    """

    name = "triton_gen.predicated_load"
    ptr = operand_def(LLVMPointerType)
    alignment = operand_def(i64)
    predicate = operand_def(i1)
    default_value = operand_def(TYPE)
    cache_control = prop_def(enums.LOAD_CACHE_CONTROL, default_value=IntegerAttr(0, i32))
    res = result_def(TYPE)
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "operands ` ` `{` `cache_control` `=` custom<Enum>($cache_control) `}` attr-dict "
        "`:` functional-type(operands, $res)"
    )


@irdl_op_definition
class PredicatedStoreOp(IRDLOperation):
    """A store by lanes whose predicate holds.

    triton_gen.predicated_store %ptr, %value, %alignment, %predicate {cache_control = Default}
      : (!llvm.ptr<1>, i32, i64, i1)
    """

    name = "triton_gen.predicated_store"
    ptr = operand_def(LLVMPointerType)
    value = operand_def(TYPE)
    alignment = operand_def(i64)
    predicate = operand_def(i1)
    cache_control = prop_def(enums.STORE_CACHE_CONTROL, default_value=IntegerAttr(0, i32))
    custom_directives = (Enum,)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "operands ` ` `{` `cache_control` `=` custom<Enum>($cache_control) `}` attr-dict `:` `(` type(operands) `)`"
    )


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """All work-items of the group synchronize; `triton_gen.barrier {mem_fence = Local}`."""

    name = "triton_gen.barrier"
    mem_fence = prop_def(enums.MEM_FENCE)
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "` ` `{` `mem_fence` `=` custom<Enum>($mem_fence) `}` attr-dict"


class SplitBarrierOp(IRDLOperation):
    """Half of a barrier; both halves name the same fence and scope."""

    mem_fence = prop_def(enums.MEM_FENCE)
    mem_scope = prop_def(enums.MEM_SCOPE)


_SPLIT_BARRIER = (
    "` ` `{` `mem_fence` `=` custom<Enum>($mem_fence) `,` `mem_scope` `=` custom<Enum>($mem_scope) `}` attr-dict"
)


@irdl_op_definition
class SplitBarrierSignalOp(SplitBarrierOp):
    """Signal this work-item's arrival without waiting: `... {mem_fence = None, mem_scope = WorkGroup}`."""

    name = "triton_gen.split_barrier_signal"
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = _SPLIT_BARRIER


@irdl_op_definition
class SplitBarrierWaitOp(SplitBarrierOp):
    """Wait until all work-items have arrived."""

    name = "triton_gen.split_barrier_wait"
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = _SPLIT_BARRIER


@irdl_op_definition
class FToTf32Op(IRDLOperation):
    """f32 rounded to the precision of tf32, to nearest even."""

    name = "triton_gen.f_to_tf32"
    arg = operand_def(TYPE)
    res = result_def(TYPE)
    traits = traits_def(Pure())
    assembly_format = "$arg attr-dict `:` type($res)"

    def verify_(self) -> None:
        vector = as_vector(self.arg.type)
        if not isinstance(self.arg.type if vector is None else vector.element_type, Float32Type):
            raise VerifyException(f"operand #0 must be f32 or a vector of it, but got '{self.arg.type}'")
