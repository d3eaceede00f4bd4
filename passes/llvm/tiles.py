"""Addresses of tiles in shared memory, as Triton's type converter lowers memory descriptors."""

from __future__ import annotations

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from dotload.dialect_ext.ttg import LocalAllocOp, MemDescIndexOp
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.passes.ir.layouts import memory_layout
from dotload.passes.ir.memory import memory_type
from dotload.passes.llvm.types import struct_type
from dotload.passes.llvm.warp_builder import SHARED_POINTER, WarpBuilder


def base_pointer(builder: WarpBuilder, memory: SSAValue) -> SSAValue:
    """The start of a tile in shared memory; for one of several buffers, counted from the first.

    This leaves no op that picks the buffer. Triton 3.9 visits all addresses of each such op, twice.
    """
    index = memory.owner
    if not isinstance(index, MemDescIndexOp) or not isinstance(index.src.owner, LocalAllocOp):
        return pointer_of(builder, memory)
    elements = 1 << len(memory_layout(memory).bases[enc.OFFSET])  # of this CTA's part, in a cluster
    distance = elements * element_bits(memory_type(memory)) // 8
    return builder.advance(pointer_of(builder, index.src), builder.mul(index.index, distance))


def pointer_of(builder: WarpBuilder, memory: SSAValue) -> SSAValue:
    """The first field of the struct to which Triton's type converter lowers a memory descriptor."""
    rank = len(memory_type(memory).get_shape())
    return builder.field(builder.cast(memory, struct_type([SHARED_POINTER, *[i32] * rank])), 0)
