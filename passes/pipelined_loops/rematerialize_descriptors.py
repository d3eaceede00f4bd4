"""`rematerialize-descriptors`: compute wgmma descriptors in the loop if few registers are left for them.

wgmma takes a tile in shared memory by a descriptor: its address and layout (PTX ISA, matrix descriptor). A dot has one
descriptor for every 32 bytes of k. If a tile has the same address in every iteration, LLVM computes all of them before
the loop, and ptxas keeps them in registers, or spills them and the accumulator. This pass takes the tile as buffer 0 of
one, by an index that LLVM does not know:

    %zero = tt.elementwise_inline_asm "mov.b32 $0, $1;" {pure = false} %c0 : i32 -> i32
    %buffers = ttg.memdesc_reinterpret %q : !ttg.memdesc<64x512, ...> -> !ttg.memdesc<1x64x512, ...>
    %tile = ttg.memdesc_index %buffers[%zero]
    %d = ttng.warp_group_dot %tile, ...

ptxas does know it, so only additions of constants are left in the loop.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr, i32
from xdsl.ir import SSAValue

from dotload.dialect_ext.tt_compute import ElementwiseInlineAsmOp
from dotload.dialect_ext.ttg import LocalAllocOp, MemDescIndexOp, MemDescReinterpretOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout.nvidia_targets import MAX_THREAD_REGISTERS
from dotload.layout.widths import BYTE_BITS
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import accumulator_registers, wgmma_dots
from dotload.passes.ir.memory import before_views, buffers_type, memory_type
from dotload.passes.rewriting import LoopPass

BYTES_OF_K = 32
"""The bytes of k in one wgmma, in all types (PTX ISA, wgmma, shapes)."""
MANY = 16
"""Fewer descriptors do not pay: attention with heads of 128 has 8 for its queries."""


@dataclass(frozen=True)
class FixedOperand:
    """An operand of a dot, A or B, at a loop-invariant address, and its descriptors."""

    dot: WarpGroupDotOp
    place: int
    descriptors: int

    @property
    def memory(self) -> SSAValue:
        """The tile."""
        return self.dot.operands[self.place]


def fixed_operands(loop: scf.ForOp) -> list[FixedOperand]:
    """The fixed operands of a loop's dots."""
    found: list[FixedOperand] = []
    for dot in wgmma_dots(loop):
        for place, memory in enumerate((dot.a, dot.b)):
            if is_fixed(memory):
                depth = memory_type(memory).get_shape()[1 - place]
                bytes_of_k = depth * element_bits(memory_type(memory)) // BYTE_BITS
                found.append(FixedOperand(dot, place, bytes_of_k // BYTES_OF_K))
    return found


def is_fixed(memory: SSAValue) -> bool:
    """Whether the memory is a whole allocation of one tile, which has one address."""
    type_ = memory.type
    if not isinstance(type_, MemDescType) or [dim.data for dim in type_.alloc_shape] != list(type_.get_shape()):
        return False
    return isinstance(before_views(memory).owner, LocalAllocOp)


def emit(loop: scf.ForOp, operands: list[FixedOperand]) -> None:
    """Take the operands by an index that is unknown in each iteration."""
    assert loop.body.block.first_op is not None
    top = Emitter.before(loop.body.block.first_op)
    known = top.constant(0)
    zero = top.insert(ElementwiseInlineAsmOp("mov.b32 $0, $1;", "=r,r", [known], [i32], is_pure=False))
    for operand in operands:
        emitter, tile = Emitter.before(operand.dot), memory_type(operand.memory)
        one = buffers_type(tile, 1, mutable=isinstance(tile.mutable, UnitAttr))
        buffers = emitter.insert(MemDescReinterpretOp(operand.memory, one))
        operand.dot.operands[operand.place] = emitter.insert(MemDescIndexOp(buffers, zero, tile))


@dataclass(frozen=True)
class RematerializeDescriptorsPass(LoopPass):
    """Compute wgmma descriptors inside loops that have few registers for them."""

    name = "rematerialize-descriptors"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Rewrite a loop with many descriptors, whose dots' results take more than half of a thread's registers."""
        operands = fixed_operands(loop)
        descriptors = sum(each.descriptors for each in operands)
        if descriptors < MANY or 2 * accumulator_registers(loop) <= MAX_THREAD_REGISTERS:
            return False
        self.passed(loop, f"{descriptors} wgmma descriptors are computed in the loop")
        emit(loop, operands)
        return True
