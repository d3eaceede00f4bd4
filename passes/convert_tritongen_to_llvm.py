"""`convert-tritongen-to-llvm`: lower ops of dialect `triton_gen` to calls of builtins in the LLVM dialect.

    %v = triton_gen.2Dblockload %ptr, %w, %h, %pitch, %x, %y {elem_size_in_bits = 16, tile_width = 16, ...}
  becomes
    %room = llvm.alloca %c8 x i16 : (i32) -> !llvm.ptr
    llvm.call spir_funccc @_Z32__spirv_Subgroup2DBlockLoadINTELiiiiPU3AS1viiiDv2_iPv(
        %c2, %c16, %c8, %c1, %aligned, %wider, %h, %pitch, %corner, %room)
    %v = llvm.load %room : !llvm.ptr -> vector<8xi16>

A message without a SPIR-V builtin becomes an intrinsic of GenISA, the IR of Intel's graphics compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from dotload.dialect_ext.triton_gen import BlockMessageOp
from dotload.dialect_ext.triton_gen_matrix import BdpasOp, DpasOp
from dotload.dialect_ext.triton_gen_subgroup import (
    BarrierOp,
    FToTf32Op,
    PredicatedLoadOp,
    PredicatedStoreOp,
    SplitBarrierSignalOp,
    SplitBarrierWaitOp,
    SubGroupBlockReadOp,
    SubGroupBlockWriteOp,
)
from dotload.dialect_ext.typed import number_of
from dotload.passes.errors import LocatedFailure, option_of
from dotload.passes.tritongen import block_messages, matrix, subgroup
from dotload.passes.tritongen.asserts import assert_legal
from dotload.passes.tritongen.builder import GenBuilder
from dotload.passes.tritongen.forms import BASE_ALIGNMENT, LTS_DRIVER, Spelling, spirv_obstacle

_OTHERS: Mapping[type[Operation], Callable[[GenBuilder, Any], None]] = {
    BdpasOp: matrix.lower_by_genisa,
    SubGroupBlockReadOp: subgroup.lower_block_read,
    SubGroupBlockWriteOp: subgroup.lower_block_write,
    PredicatedLoadOp: subgroup.lower_predicated_load,
    PredicatedStoreOp: subgroup.lower_predicated_store,
    BarrierOp: subgroup.lower_barrier,
    SplitBarrierSignalOp: subgroup.lower_split_barrier,
    SplitBarrierWaitOp: subgroup.lower_split_barrier,
    FToTf32Op: subgroup.lower_f_to_tf32,
}


@dataclass(frozen=True)
class ConvertTritongenToLLVMPass(ModulePass):
    """Lower `triton_gen` ops to calls of builtins in the LLVM dialect.

    `emit` is spirv, genisa (for LTS drivers), or auto: SPIR-V's builtins, and GenISA's intrinsics for messages without
    one. `asserts` checks at run time the hardware's rules for width, height, pitch and x of 2D block messages.
    """

    name = "convert-tritongen-to-llvm"

    emit: str = Spelling.AUTO.value
    asserts: bool = False

    def __post_init__(self) -> None:
        option_of(Spelling, "emit", self.emit)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        spelling = option_of(Spelling, "emit", self.emit)
        for each in list(op.walk()):
            if isinstance(each, BlockMessageOp):
                self._lower_message(each, op, spelling)
            elif isinstance(each, DpasOp):
                by_genisa = spelling is Spelling.GENISA or LTS_DRIVER in op.attributes
                lower = matrix.lower_by_genisa if by_genisa else matrix.lower_dpas_by_spirv
                lower(GenBuilder(each, op), each)
            elif (lower := _OTHERS.get(type(each))) is not None:
                lower(GenBuilder(each, op), each)

    def _lower_message(self, message: BlockMessageOp, module: ModuleOp, spelling: Spelling) -> None:
        builder = GenBuilder(message, module)
        obstacle = spirv_obstacle(message, module)
        if obstacle is not None and spelling is Spelling.SPIRV:
            raise LocatedFailure(message, f"{message.name}: {obstacle}; emit=auto or genisa lowers it")
        alignment = number_of(module.attributes.get(BASE_ALIGNMENT))
        takes_any = alignment is not None and alignment <= _SMALL_ALIGNMENT_BYTES
        aligned = takes_any or block_messages.is_aligned(message.ptr)
        if self.asserts:
            assert_legal(builder, message, aligned=aligned)
        by_genisa = spelling is Spelling.GENISA or obstacle is not None
        lower = block_messages.lower_by_genisa if by_genisa else block_messages.lower_by_spirv
        lower(builder, message, aligned=aligned)


_SMALL_ALIGNMENT_BYTES = 4
"""Every pointer to load from is aligned to this: a target that requires no more needs no skew."""
