"""`rematerialize-descriptors`: descriptors of wgmma are computed in the loop, where few registers are left for them.

wgmma takes a tile of shared memory by a descriptor: its address, and how it is laid out (PTX ISA, matrix descriptor).
A dot has one for every 32 bytes of k. Of a tile that is at the same address in every iteration, LLVM computes all of
them before the loop, and ptxas keeps them in registers, or spills them and the accumulator. This pass takes the tile as
buffer 0 of one, by a number that LLVM does not know:

    %zero = tt.elementwise_inline_asm "mov.b32 $0, $1;" {pure = false} %c0 : i32 -> i32
    %buffers = ttg.memdesc_reinterpret %q : !ttg.memdesc<64x512, ...> -> !ttg.memdesc<1x64x512, ...>
    %tile = ttg.memdesc_index %buffers[%zero]
    %d = ttng.warp_group_dot %tile, ...

ptxas does know it: what is left in the loop are additions of constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i32
from xdsl.ir import SSAValue

from dotload.dialect_ext.tt_compute import ElementwiseInlineAsmOp
from dotload.dialect_ext.ttg import LocalAllocOp, MemDescIndexOp, MemDescReinterpretOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout.nvidia_targets import MAX_THREAD_REGISTERS
from dotload.layout.widths import BYTE_BITS
from dotload.passes import remarks
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import accumulator_registers, wgmma_dots
from dotload.passes.ir.memory import before_views, buffers_type, memory_type
from dotload.passes.rewriting import LoopPass

BYTES_OF_K = 32
"""Of one wgmma, in all types (PTX ISA, wgmma, shapes)."""
MANY = 16
"""Fewer descriptors are not worth it: attention with heads of 128 has 8 of its queries."""


@dataclass(frozen=True)
class FixedOperand:
    """An operand of a dot, A or B, that lies at one address, and its descriptors."""

    dot: WarpGroupDotOp
    place: int
    descriptors: int

    @property
    def memory(self) -> SSAValue:
        """The tile."""
        return self.dot.operands[self.place]


def fixed_operands(loop: scf.ForOp) -> list[FixedOperand]:
    """Those of the dots of a loop."""
    found: list[FixedOperand] = []
    for dot in wgmma_dots(loop):
        for place, memory in enumerate((dot.a, dot.b)):
            if is_fixed(memory):
                depth = memory_type(memory).get_shape()[1 - place]
                bytes_of_k = depth * element_bits(memory_type(memory)) // BYTE_BITS
                found.append(FixedOperand(dot, place, bytes_of_k // BYTES_OF_K))
    return found


def is_fixed(memory: SSAValue) -> bool:
    """Whether it is a whole allocation, of one tile: these have one address."""
    type_ = memory.type
    if not isinstance(type_, MemDescType) or [dim.data for dim in type_.alloc_shape] != list(type_.get_shape()):
        return False
    return isinstance(before_views(memory).owner, LocalAllocOp)


def emit(loop: scf.ForOp, operands: list[FixedOperand]) -> None:
    """Take the operands by a number that is unknown in each iteration."""
    assert loop.body.block.first_op is not None
    top = Emitter.before(loop.body.block.first_op)
    known = top.add(arith.ConstantOp(IntegerAttr(0, i32), i32))
    zero = top.add(ElementwiseInlineAsmOp("mov.b32 $0, $1;", "=r,r", [known], [i32], is_pure=False))
    for operand in operands:
        emitter, tile = Emitter.before(operand.dot), memory_type(operand.memory)
        one = buffers_type(tile, 1, mutable=isinstance(tile.mutable, UnitAttr))
        buffers = emitter.add(MemDescReinterpretOp(operand.memory, one))
        operand.dot.operands[operand.place] = emitter.add(MemDescIndexOp(buffers, zero, tile))


@dataclass(frozen=True)
class RematerializeDescriptorsPass(LoopPass):
    """Compute descriptors of wgmma in loops that have few registers for them."""

    name: ClassVar[str] = "rematerialize-descriptors"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Rewrite a loop with many of them, whose dots' results take more than half of a thread's registers."""
        operands = fixed_operands(loop)
        descriptors = sum(each.descriptors for each in operands)
        if descriptors < MANY or 2 * accumulator_registers(loop) <= MAX_THREAD_REGISTERS:
            return False
        remarks.emit("passed", self.name, loop, f"{descriptors} descriptors of wgmma are computed in the loop")
        emit(loop, operands)
        return True
