"""`add-load-buffers`: one more buffer for the tiles of a loop, so that no load waits for the reads of its iteration.

    3 buffers: iteration i reads buffer i mod 3, and loads the tile of iteration i + 3 into the same one
    4 buffers: iteration i reads buffer i mod 4, and loads the tile of iteration i + 3 into that of iteration i - 1

Triton's pipeliner gives a tile that is read into registers as many buffers as tiles are in flight, so all warps must
have read it before the next load: a CTA barrier in the middle of the dots. A tile that wgmma reads from shared memory
has one buffer more, which is enough if the dots of an iteration are over when the next one starts, and one too few if
some are still in flight then.

The loop gets the buffers if no resident block is lost. `mark-free-buffers` then finds that these loads need no barrier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.ttg import AsyncCopyGlobalToLocalOp, LocalAllocOp, LocalDeallocOp, MemDescIndexOp
from dotload.dialect_ext.typed import as_tensor, integer_type, of_kind, tensor_type
from dotload.layout.nvidia_targets import HOPPER, REGISTER_BITS, UNCERTAIN_REGISTERS
from dotload.passes.ir.constants import constant_of
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import bits_of_thread
from dotload.passes.ir.loops import warps_of, wgmma_dots
from dotload.passes.ir.memory import buffers_type, memory_type, root_of, size_bytes
from dotload.passes.ir.motion import walk
from dotload.passes.ir.scratch import takes_scratch
from dotload.passes.operand_staging.facts import has_barriers
from dotload.passes.pipelined_loops.async_completion import completion_of
from dotload.passes.pipelined_loops.async_vectors import vectors_of
from dotload.passes.pipelined_loops.buffer_liveness import allocated_bytes
from dotload.passes.pipelined_loops.loop_buffers import (
    READS,
    Indices,
    accesses_to,
    is_free,
    values_behind,
    wait_with_barrier,
)
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.pipelined_loops.splits import registers_in_flight
from dotload.passes.rewriting import LoopPass

MIN_SCRATCH_BYTES = 128
"""For the result of an atomic op, which all threads get."""


@dataclass(frozen=True)
class MoreBuffers:
    """The allocations that get one more buffer, and the comparisons that count buffers, with the new numbers."""

    loop: scf.ForOp
    buffers: tuple[SSAValue, ...]
    counts: Mapping[arith.CmpiOp, int]

    @property
    def indices(self) -> Indices:
        """The indices with one more buffer."""
        return Indices(self.loop, self.counts)


# Plan


def plan(loop: scf.ForOp) -> MoreBuffers | None:
    """The buffers to add; None if no load has to wait for reads, or if there is no room."""
    reads, wait = staged_reads(loop.body.block.ops), wait_with_barrier(loop)
    if wait is None or any(map(has_barriers, reads)) or staged_reads(reads, "copy"):
        return None  # a loop with a K-major copy has a barrier between its reads and its loads in any case
    copies, completion = of_kind(walk(wait), AsyncCopyGlobalToLocalOp), completion_of(loop)
    if completion is None or None in map(vectors_of, copies):
        return None
    waiting = [copy for copy in copies if not is_free(copy, wait, Indices(loop))]
    found = more_buffers(loop, waiting, copies)
    if found is None or not keeps_tiles(found, copies, completion.tiles_ahead):
        return None
    return found if all(is_free(copy, wait, found.indices) for copy in copies) and has_room(found) else None


def more_buffers(
    loop: scf.ForOp, waiting: Sequence[AsyncCopyGlobalToLocalOp], copies: Sequence[AsyncCopyGlobalToLocalOp]
) -> MoreBuffers | None:
    """One buffer more for what the `waiting` of a loop's copies load, and for tiles that are counted with these.

    None if the buffers, or the comparisons, are not known.
    """
    compared = {copy: comparisons_of(copy, loop) for copy in copies}
    counts = {limit: count + 1 for copy in waiting for limit, count in compared[copy].items()}
    counted = [copy for copy in copies if copy in waiting or not counts.keys().isdisjoint(compared[copy])]
    if not waiting or not all(compared[copy] and compared[copy].keys() <= counts.keys() for copy in counted):
        return None
    return MoreBuffers(loop, tuple(dict.fromkeys(root_of(copy.result) for copy in counted)), counts)


def comparisons_of(copy: AsyncCopyGlobalToLocalOp, loop: scf.ForOp) -> dict[arith.CmpiOp, int]:
    """The comparisons by which the loop counts the buffers of a load, with the number of buffers; {} if not known."""
    buffers = root_of(copy.result)
    accesses = accesses_to(buffers, loop)
    if accesses is None or not isinstance(buffers.owner, LocalAllocOp) or not is_indexed_by_constants(buffers, loop):
        return {}
    count, found = memory_type(buffers).get_shape()[0], dict[arith.CmpiOp, int]()
    for access in accesses:
        limits = comparisons_behind(access.index, loop)
        if not limits or any(constant_of(limit.operands[1]) != count for limit in limits):
            return {}
        found |= dict.fromkeys(limits, count)
    return found


def is_indexed_by_constants(buffers: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the buffers are accessed by constant indices outside the loop."""
    outside = [use.operation for use in buffers.uses if not loop.is_ancestor(use.operation)]
    indices = of_kind(outside, MemDescIndexOp)
    rest = [op for op in outside if op not in indices]
    return all(isinstance(op, LocalDeallocOp) for op in rest) and None not in (constant_of(op.index) for op in indices)


def comparisons_behind(index: SSAValue, loop: scf.ForOp) -> list[arith.CmpiOp]:
    """The comparisons from which the loop computes an index."""
    owners = dict.fromkeys(value.owner for value in values_behind([index], loop))
    return [owner for owner in owners if isinstance(owner, arith.CmpiOp)]


def keeps_tiles(found: MoreBuffers, copies: Sequence[AsyncCopyGlobalToLocalOp], tiles_ahead: int) -> bool:
    """Whether each read finds its tile: where the load `tiles_ahead` iterations earlier, or before the loop, puts it.

    Indices of other buffers stay as they are.
    """
    loop, old, new = found.loop, Indices(found.loop), found.indices
    others = [index for index in of_kind(loop.walk(), MemDescIndexOp) if index.src not in found.buffers]
    if not all(found.counts.keys().isdisjoint(comparisons_behind(index.index, loop)) for index in others):
        return False
    for copy in copies:
        accesses = accesses_to(root_of(copy.result), loop)
        if not accesses or not tiles_ahead:
            return False
        (written,) = (access.index for access in accesses if access.op is copy)
        for read in (access.index for access in accesses if isinstance(access.op, READS)):
            first = [new.at(read, iteration) == old.at(read, iteration) for iteration in range(tiles_ahead)]
            iterations = new.until_repeated(read, written)
            later = [new.at(read, at + tiles_ahead) == new.at(written, at) for at in iterations]
            if not later or not all(first + later):
                return False
    return True


def has_room(found: MoreBuffers) -> bool:
    """Whether as many blocks are resident as before."""
    loop = found.loop
    warps, registers = warps_of(wgmma_dots(loop)[0].d), registers_in_flight(loop.body.block) + other_sums(loop)
    taken = allocated_bytes(loop) + max(map(scratch_bytes, loop.walk()))
    more = sum(size_bytes(buffers) // memory_type(buffers).get_shape()[0] for buffers in found.buffers)
    blocks = [HOPPER.resident_blocks(warps, size, registers - UNCERTAIN_REGISTERS) for size in (taken, taken + more)]
    return taken + more <= HOPPER.max_block_bytes and blocks[0] == blocks[1]


def scratch_bytes(op: Operation) -> int:
    """The scratch memory that an op may take: twice its operands, which leaves room for padding."""
    if not takes_scratch(op):
        return 0
    return MIN_SCRATCH_BYTES + 2 * sum(size_bytes(value) for value in op.operands if as_tensor(value.type))


def other_sums(loop: scf.ForOp) -> int:
    """Registers of a thread for what the loop carries besides the accumulators of its dots, without pointers."""
    sums = {dot.c for dot in wgmma_dots(loop)}
    carried = [value for value in loop.body.block.args if as_tensor(value.type) and value not in sums]
    kinds = {tensor_type(value).element_type for value in sums}
    return sum(bits_of_thread(value) for value in carried if tensor_type(value).element_type in kinds) // REGISTER_BITS


# Emit


def emit(found: MoreBuffers) -> None:
    """Add the buffers."""
    for buffers in found.buffers:
        tile = next(use.operation for use in buffers.uses if isinstance(use.operation, MemDescIndexOp)).result
        count = memory_type(buffers).get_shape()[0] + 1
        Rewriter.replace_value_with_new_type(buffers, buffers_type(memory_type(tile), count))
    for limit, count in found.counts.items():
        limit.operands[1] = Emitter.before(found.loop, limit).constant(count, integer_type(limit.operands[1]))


@dataclass(frozen=True)
class AddLoadBuffersPass(LoopPass):
    """Add a buffer to tiles whose loads would have to wait for the reads of their iteration."""

    name = "add-load-buffers"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        if (found := plan(loop)) is None:
            return False
        counts = ", ".join(str(memory_type(buffers).get_shape()[0] + 1) for buffers in found.buffers)
        self.passed(loop, f"tiles get one more buffer, {counts} now: their loads do not wait for reads")
        emit(found)
        return True
