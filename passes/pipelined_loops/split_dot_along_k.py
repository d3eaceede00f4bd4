"""`split-dot-along-k`: more parts of a dot whose A comes through registers, so that more of it is in flight.

Triton splits a dot with A in registers along k, with a wait after each part: of P parts, P - 1 are in flight while
bytes are permuted for the next. Triton 3.6 makes four parts of 128 bytes of k, later versions two. Where all dots of a
loop are such parts, this pass makes parts of one instruction's k each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block

from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.nvidia_targets import MAX_THREAD_REGISTERS
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.memory import memory_type
from dotload.passes.operand_staging.facts import has_barriers
from dotload.passes.pipelined_loops.reads import fragments_of, staged_reads
from dotload.passes.pipelined_loops.splits import (
    Fragment,
    columns,
    erase_part,
    part_of_memory,
    parts_of,
    registers_in_flight,
    wait_for,
    whole_of,
)
from dotload.passes.rewriting import RewritePass

INSTRUCTION_BYTES = 32
"""Of k, in one wgmma: 256 bits (PTX ISA 9.7.15.2). Of 8-bit elements, as many elements."""


# Plan


def parts_in(block: Block) -> list[Fragment]:
    """The parts of all dots of a block whose A is read in fragments; [] where a read keeps its dot whole."""
    reads = staged_reads(block.ops, "fragments")
    return [] if any(map(has_barriers, reads)) else [part for read in reads for part in parts_of(fragments_of(read))]


def pieces_of(parts: Sequence[Fragment], block: Block) -> int:
    """How many pieces each part should have: 1 where nothing is gained, or parts and waits are not Triton's.

    Waits count the dots of the whole loop, so that there must be no others. Fragments of several tiles have to find
    registers while all but one part are in flight.
    """
    dots = of_kind(block.walk(), WarpGroupDotOp)
    if len(parts) < 2 or len(parts) < len(dots) or len({part.tensor.get_shape()[1] for part in parts}) > 1:
        return 1
    if any(element_bits(tensor_type(dot.a)) != 8 for dot in dots):
        return 1
    if len({whole_of(dot) for dot in dots}) > 1 and registers_in_flight(block) > MAX_THREAD_REGISTERS:
        return 1
    if not all((wait := wait_for(dot)) and wait.pendings.value.data == len(dots) - 1 for dot in dots):
        return 1
    return parts[0].tensor.get_shape()[1] // INSTRUCTION_BYTES


# Emit


def split(part: Fragment, pieces: int, pendings: int) -> None:
    """The part in `pieces` along k, with a wait after each of them that leaves `pendings` in flight."""
    dot, wait = part.dot, wait_for(part.dot)
    assert wait is not None
    emitter, value, use_c = Emitter.before(dot), dot.c, dot.useC
    rows, n, k = part.tensor.get_shape()[0], memory_type(dot.b).get_shape()[1], INSTRUCTION_BYTES
    narrow = TensorType(part.tensor.element_type, [rows, k], part.tensor.encoding)
    for place, a in enumerate(columns(dot.a, pieces, emitter)):
        a = emitter.insert(ConvertLayoutOp(a, narrow))
        memory = emitter.insert(part_of_memory(dot.b, (place * k, 0), (k, n)))
        piece = WarpGroupDotOp(a, memory, value, use_c, is_async=True)
        piece.properties.update(dot.properties)
        waited = WarpGroupDotWaitOp([emitter.insert(piece)], pendings)
        value, use_c = emitter.insert(waited), None
    wait.outputs[0].replace_all_uses_with(value)
    erase_part(dot, wait)


@dataclass(frozen=True)
class SplitDotAlongKPass(RewritePass):
    """Split dots whose A comes out of a staged tile into parts of one instruction's k each."""

    name = "split-dot-along-k"

    def rewrite(self, module: ModuleOp) -> bool:
        """Split the dots of every block that reads fragments, but in loops that keep them whole."""
        blocks = dict.fromkeys(read.parent_block() for read in staged_reads(list(module.walk()), "fragments"))
        changes = [self.split_block(block) for block in blocks if block is not None]
        return any(changes)

    def split_block(self, block: Block) -> bool:
        """Split the dots of a block; whether it changed."""
        parts = parts_in(block)
        if (pieces := pieces_of(parts, block)) == 1:
            return False
        for part in parts:
            split(part, pieces, len(parts) * pieces - 1)
        return True
