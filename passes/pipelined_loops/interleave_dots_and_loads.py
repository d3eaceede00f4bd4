"""`interleave-dots-and-loads`: load a loop's next tiles in the middle of its dots, not after the last.

    read fragments of D1; D1 += dot                       read fragments of D1, of D2
    read fragments of D2; D2 += dot                       D1 += dot; wait for the dots of the iteration before
    load the next tiles                                   load the next tiles
                                                          D2 += dot

The loads and reads between an iteration's last dot and the next one's first take a warp longer than tensor cores take
for the parts in flight. With this pass, each dot runs while a share of them is issued. A gated MLP is such a loop:
silu(A B) * (A D).

Loads that `mark-free-buffers` has marked may stand anywhere behind the wait for the iteration's tile. They follow the
first dot, or the first half of the parts of a single one.

Others write buffers from which the iteration's reads, or dots of the previous one, may still read. They follow the
first of several dots. Each warpgroup waits for its own dots of the previous iteration; if a load overwrites what these
read, a CTA barrier follows. Fragments are read before that barrier, since tiles that are read into registers may have
no buffer to spare; convert-staged-operands-to-llvm places the barrier between their reads and the loads.

A loop that waits for a dot at once has nothing to gain.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import is_pure
from dotload.dialect_ext.ttg import AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, LocalLoadOp
from dotload.dialect_ext.ttng import WarpGroupDotWaitOp
from dotload.dialect_ext.typed import of_kind
from dotload.dialect_ext.types import element_bits
from dotload.layout.nvidia_targets import MAX_THREAD_REGISTERS
from dotload.layout.reject import Reject
from dotload.layout.widths import BYTE_BITS
from dotload.passes.ir.loops import wgmma_dots
from dotload.passes.ir.memory import buffer_count, buffers_of, index_of
from dotload.passes.ir.motion import hoist_above, walk
from dotload.passes.ir.wgmma import limit_in_flight, shared_operands, waits_for_all
from dotload.passes.operand_staging.facts import writes_free_buffer
from dotload.passes.pipelined_loops import cta_barriers
from dotload.passes.pipelined_loops.async_completion import check_overwrites, copies_of
from dotload.passes.pipelined_loops.cta_barriers import TMA_COPIES
from dotload.passes.pipelined_loops.loop_dots import sums_of
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.pipelined_loops.splits import registers_in_flight, splits_of, taker_of
from dotload.passes.rewriting import LoopPass

STAYING = (WarpGroupDotWaitOp, AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp, scf.YieldOp)
"""Ops after the first dot, besides dots and pure ops, that a rewritten loop may have."""


@dataclass(frozen=True)
class Interleaving:
    """What moves: `reads` of fragments above `first`, and `loads` above `second`.

    `started`: if the loads wait for the dots of the previous iteration, the number of parts of dots that the iteration
    has started by the last wait above `second`. `needs_barrier`: whether they need a CTA barrier before them.
    """

    reads: tuple[LocalLoadOp, ...]
    first: Operation
    loads: tuple[Operation, ...]
    second: Operation
    started: int | None = None
    needs_barrier: bool = False


# Plan


def plan(loop: scf.ForOp, *, operands_stay: bool) -> Interleaving | None:
    """What to move; None if no loads follow several dots or parts; raises Reject if they have to.

    `operands_stay`: loads of tiles that dots read from shared memory do not move, unless they write free buffers.
    """
    dots, reads = wgmma_dots(loop), staged_reads(loop.body.block.ops)
    sums = sums_of(loop) if reads else []
    if not sums or any(waits_for_all(parts[-1].wait) for parts in sums):
        return None
    if any(element_bits(dot.a.type) != BYTE_BITS for dot in dots):
        return None  # loops of wider elements have not been measured
    if len(sums) < 2 and not any(map(writes_free_buffer, walk(dots[-1]))):
        return None
    parts = [part.dot for parts in sums for part in parts]
    first, second = parts[0], sums[1][0].dot if len(sums) > 1 else parts[len(parts) // 2]
    late = tuple(staged_reads(walk(taker_of(first))))
    found = Interleaving(late, taker_of(first), loads_behind(dots[-1], ()), taker_of(second))
    if not all(map(writes_free_buffer, of_kind(found.loads, AsyncCopyGlobalToLocalOp))):
        if len(sums) < 2:
            return None
        found = into_used_buffers(found, loop, operands_stay=operands_stay, started=len(sums[0]))
    elif registers_in_flight(loop.body.block) > MAX_THREAD_REGISTERS:
        found = replace(found, reads=())
    if not found.loads or first is second:
        return None
    if (op := op_in_the_way(found, loop)) is None:
        return found
    if len(sums) < 2:
        return None
    raise Reject(LoopReason.EFFECTS, value=op.name)


def into_used_buffers(found: Interleaving, loop: scf.ForOp, *, operands_stay: bool, started: int) -> Interleaving:
    """The same for loads into buffers from which the previous iteration's dots, or this one's reads, may still read."""
    dots, reads = wgmma_dots(loop), staged_reads(loop.body.block.ops)
    memories = [memory for dot in dots for memory in shared_operands(dot)]
    read_by_dots = {buffers_of(memory) for memory in memories}
    loads = loads_behind(dots[-1], read_by_dots if operands_stay else ())
    if loads:
        copies = of_kind(loads, AsyncCopyGlobalToLocalOp)
        check_overwrites(loop, memories, copies)
        written = {buffers_of(copy.result) for copy in copies}
        check_indices([each for each in (*memories, *(read.src for read in reads)) if buffers_of(each) in written])
        if (taken := registers_in_flight(loop.body.block)) > MAX_THREAD_REGISTERS:
            raise Reject(LoopReason.FRAGMENTS, value=taken)
        needs_barrier = not written.isdisjoint(read_by_dots)
        return replace(found, loads=loads, started=started, needs_barrier=needs_barrier)
    return replace(found, loads=())


def loads_behind(dot: Operation, staying: Collection[SSAValue | None]) -> tuple[Operation, ...]:
    """The asynchronous copies after a dot, except those to the buffers `staying`, each with the op that commits it."""
    behind, found = set(walk(dot)), list[Operation]()
    if any(isinstance(op, TMA_COPIES) for op in behind):
        raise Reject(LoopReason.MBARRIERS)
    for commit in of_kind(walk(dot), AsyncCommitGroupOp):
        copies = [copy for copy in copies_of(commit) if copy in behind]
        if not copies or len(copies) < len(commit.inputTokens):
            raise Reject(LoopReason.COMPLETION)
        if not any(buffers_of(copy.result) in staying for copy in copies):
            found += [*copies, commit]
    return tuple(found)


def check_indices(memories: list[SSAValue]) -> None:
    """Check that the tiles with this many buffers are all read at one index, this iteration's. Loads write another."""
    indices = {(buffer_count(memory), index.index) for memory in memories if (index := index_of(memory))}
    if len(indices) > len({count for count, _ in indices}):
        raise Reject(LoopReason.ITERATIONS)


def op_in_the_way(found: Interleaving, loop: scf.ForOp) -> Operation | None:
    """The first op after the first dot that has effects other than those of dots, reads of fragments and loads."""
    dots = wgmma_dots(loop)
    known = {*dots, *staged_reads(loop.body.block.ops), *(value.op for dot in dots for value in splits_of(dot))}
    for op in walk(found.first):
        if op not in known and not isinstance(op, STAYING) and not is_pure(op):
            return op
    return None


# Emit


def emit(found: Interleaving, loop: scf.ForOp) -> None:
    """Move reads and loads, and wait for the dots of the previous iteration if the loads overwrite what they read."""
    hoist_above(found.first, found.reads, loop)
    hoist_above(found.second, found.loads, loop)
    if found.started is not None:
        wait = next(op for op in walk(found.loads[0], backwards=True) if isinstance(op, WarpGroupDotWaitOp))
        limit_in_flight(wait, found.started)
    if found.needs_barrier:
        cta_barriers.insert(found.loads[0], found.loads[0])


@dataclass(frozen=True)
class InterleaveDotsAndLoadsPass(LoopPass):
    """Load the next tiles in the middle of the dots of an iteration.

    `operands_stay`: except tiles that dots read from shared memory. From version 3.7 on, Triton would place a fence
    between these loads and the next dot, though the dot reads other buffers.
    """

    name = "interleave-dots-and-loads"

    operands_stay: bool = False

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        if (found := plan(loop, operands_stay=self.operands_stay)) is None:
            return False
        self.passed(found.second, "the next tiles are loaded between the dots of the loop")
        emit(found, loop)
        return True
