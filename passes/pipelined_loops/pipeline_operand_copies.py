"""`pipeline-operand-copies`: run the K-major copy of tile i+1 under the dot of tile i.

If a loop reads its dot's fragments from raw tiles, the warps take longer to prepare operands than the tensor cores take
for the dot. This pass skews such a loop by one stage. One iteration, from Triton's pipeliner and after the pass:

    wait for tile i, CTA barrier              wait for dot i - 1, fence copy i
    copy tile i K-major, read fragments i     read fragments i
    fence, CTA barrier                        wait for tile i + 1, CTA barrier
    dot i, split along k                      dot i, whole
    load tile i + ahead                       copy tile i + 1 K-major
                                              load tile i + ahead

For TMA loads, each warp waits alone, and the CTA barrier comes after the start of the dot (`async_completion`). If no
tile is copied, that wait is the iteration's last op.

If a loop waits for its dot in the same iteration, and goes on with the result, no dot is in flight when an iteration
starts: there is no previous dot to wait for, and there are no parts to join.

The first copy is made before the loop; the last iteration copies a tile that is not used. Every tile that an iteration
overwrites was last read before a CTA barrier: a raw tile when its fragments were read, a K-major copy by the previous
dot. Fragments are read after the wait for the previous dot, which reads the same registers while it is in flight.

All of this is TTGIR. The pass places the CTA barriers that its order of ops needs, and marks the accesses
(`dotload.barriers_placed`), for a lowering that Triton's membar does not see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.ttg import AsyncCopyGlobalToLocalOp, AsyncWaitOp, LocalLoadOp, LocalStoreOp
from dotload.dialect_ext.ttng import (
    BarrierExpectOp,
    FenceAsyncSharedOp,
    WaitBarrierOp,
    WarpGroupDotOp,
    WarpGroupDotWaitOp,
)
from dotload.dialect_ext.ttng_tma import AsyncTMACopyGlobalToLocalOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.reject import Reject
from dotload.layout.widths import WORD_BITS
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import terminator, wgmma_dots
from dotload.passes.ir.memory import buffer_count, index_of
from dotload.passes.ir.motion import (
    backward_slice,
    clone,
    hoist_above,
    is_scalar_arithmetic,
    move,
    move_or_clone,
    used_only_within,
)
from dotload.passes.ir.wgmma import wait_behind
from dotload.passes.operand_staging.facts import double_buffer_of, mark_barriers_placed
from dotload.passes.operand_staging.latencies import AHEAD
from dotload.passes.pipelined_loops import cta_barriers
from dotload.passes.pipelined_loops.async_completion import AsyncCompletion, completion_of
from dotload.passes.pipelined_loops.loop_dots import LoopDot, find_loop_dot
from dotload.passes.pipelined_loops.reads import fragments_of, is_converted, staged_reads
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.pipelined_loops.splits import Part, erase_part, splits_of
from dotload.passes.rewriting import LoopPass


@dataclass(frozen=True)
class Skew:
    """A loop that can be skewed: `dot`, its operands, and how its loads complete."""

    loop: scf.ForOp
    dot: LoopDot
    completion: AsyncCompletion
    reads: tuple[LocalLoadOp, ...]
    stores: tuple[LocalStoreOp, ...]

    @property
    def place(self) -> Operation:
        """The first wait for loads: ops that have to run before the CTA barrier go above it."""
        return self.completion.waits[0]


# Plan

STAYING = (
    *(AsyncWaitOp, AsyncCopyGlobalToLocalOp, WaitBarrierOp, BarrierExpectOp, AsyncTMACopyGlobalToLocalOp),
    scf.YieldOp,
)
"""Ops with effects on shared memory that stay in place: tile loads, waits for them, the loop's end."""


def plan(loop: scf.ForOp) -> Skew | None:
    """The skew of the loop; None if it has nothing to gain; raises Reject if it is impossible."""
    ops = list(loop.body.block.ops)
    reads = staged_reads(ops)
    if all(map(is_converted, reads)) or not wgmma_dots(loop):
        return None  # no tile is copied: conversions in registers do not get in the way of other warps
    if (completion := completion_of(loop)) is None:
        raise Reject(LoopReason.COMPLETION)
    found = Skew(loop, find_loop_dot(loop), completion, tuple(reads), tuple(of_kind(ops, LocalStoreOp)))
    if not found.stores and (found.dot.is_awaited or stays_in_flight(found.dot.last)):
        return None  # part of the dot is already in flight when an iteration ends, and more loads are in flight
    check_ops(found, ops)
    check_copies(found)
    check_buffers(found)
    return found


def check_ops(skew: Skew, ops: Sequence[Operation]) -> None:
    """Check that every op of the loop is known to tolerate the move of the reads, and of the stores of their values."""
    known = {*skew.reads, *(value.op for part in skew.dot.parts for value in splits_of(part.dot))}
    known |= {fragments_of(read).owner for read in skew.reads}
    for op in ops:
        if op not in known and not may_stay(op, skew.reads):
            raise Reject(LoopReason.EFFECTS, value=op.name)
    if not skew.completion.loads_behind(skew.dot.last.dot):
        raise Reject(LoopReason.LOADS_BEFORE_DOT)


def may_stay(op: Operation, reads: Sequence[LocalLoadOp]) -> bool:
    """Whether the op may stay where it is while the reads, and the stores of what they read, move."""
    if isinstance(op, LocalStoreOp):
        return op.src.owner in reads
    if isinstance(op, STAYING):
        return True
    is_bound = isinstance(op, LocalLoadOp) or op.dialect_name() in ("llvm", "builtin") or bool(op.regions)
    return not is_bound and cta_barriers.leaves_tiles(op)


def check_copies(skew: Skew) -> None:
    """Check that each staged tile is read for the fragments or for one K-major copy, which is fenced."""
    fragments = skew.dot.read
    if fragments is not None and fragments not in skew.reads:
        raise Reject(LoopReason.OTHER_READS)
    copied = [read.result for read in skew.reads if read is not fragments]
    if [store.src for store in skew.stores] != copied or not all(value.has_one_use() for value in copied):
        raise Reject(LoopReason.OTHER_READS)
    if not all(is_ready_early(read, skew.loop) for read in skew.reads):
        raise Reject(LoopReason.ADDRESS)
    if skew.stores and not of_kind(skew.loop.body.block.ops, FenceAsyncSharedOp):
        raise Reject(LoopReason.NOT_FENCED)


def is_ready_early(read: LocalLoadOp, loop: scf.ForOp) -> bool:
    """Whether the read's address, and that of the next iteration, are computed by arithmetic alone."""
    index = index_of(read.src)
    return index is not None and read.token is None and is_scalar_arithmetic([index.index], loop)


def stays_in_flight(part: Part) -> bool:
    """Whether a part may still be in flight when its iteration ends, in a loop that stays as it is."""
    return part.wait.pendings.value.data > 0 and element_bits(tensor_type(part.dot.a)) != WORD_BITS


def check_buffers(skew: Skew) -> None:
    """Check that one tile fewer may be in flight, and that nothing writes what the dot reads while it does."""
    ahead = skew.completion.tiles_ahead
    if ahead < AHEAD:
        raise Reject(LoopReason.FEW_TILES, value=ahead, limit=AHEAD)
    for read in skew.reads:
        if buffer_count(read.src) < ahead:
            raise Reject(LoopReason.FEW_BUFFERS, value=buffer_count(read.src), limit=ahead)
    stored = [store.dst for store in skew.stores]
    indices = [index for index in map(index_of, skew.dot.memories) if index is not None]
    copies = [index for index in indices if index.result in stored]
    if len(indices) != len(skew.dot.memories) or len(copies) != len(skew.stores):
        raise Reject(LoopReason.OPERANDS)
    if any(double_buffer_of(index.result, skew.loop) is None for index in copies):
        raise Reject(LoopReason.OVERWRITTEN)
    if any(index not in copies and buffer_count(index.result) <= ahead for index in indices):
        raise Reject(LoopReason.OVERWRITTEN)


# Emit


def emit(skew: Skew, *, barrier_at_end: bool) -> None:
    """Skew the loop by one stage."""
    for access in (*skew.reads, *skew.stores):
        mark_barriers_placed(access)
    arrange(skew)
    copy_ahead(skew, barrier_at_end=barrier_at_end)


def arrange(skew: Skew) -> None:
    """Move above the CTA barrier what has to happen before it: the wait for the previous dot, fences, fragments."""
    place, read = skew.place, skew.dot.read
    above = Emitter.before(place, skew.dot.first)
    in_flight = read is not None and not skew.dot.is_awaited
    finished = above.insert(WarpGroupDotWaitOp([skew.dot.first.c], 0)) if in_flight else None
    fences = of_kind(skew.loop.body.block.ops, FenceAsyncSharedOp)
    for fence in fences[1:]:  # of other parts
        Rewriter.erase_op(fence)
    for fence in fences[:1]:
        move(fence, place)
    if read is not None:
        fragments = fragments_of(read)
        assert isinstance(fragments.owner, Operation)
        hoist_above(place, [fragments.owner], skew.loop)
        if finished is not None:
            join_parts(skew, fragments, finished)


def join_parts(skew: Skew, fragments: SSAValue, finished: SSAValue) -> None:
    """Join the parts into one dot, which accumulates into `finished` and is in flight when the iteration ends."""
    first = skew.dot.first
    assert isinstance(first.c, BlockArgument)
    outside, (memory,) = skew.loop.results[first.c.index - 1], skew.dot.memories
    dot = WarpGroupDotOp(fragments, memory, finished, is_async=True)
    dot.properties.update(first.properties)
    result = Emitter.before(first).insert(dot)
    skew.dot.last.wait.outputs[0].replace_all_uses_with(result)
    for part in reversed(skew.dot.parts):
        erase_part(part.dot, part.wait)
    wait_behind(skew.loop, outside, dot)


def copy_ahead(skew: Skew, *, barrier_at_end: bool) -> None:
    """Copy K-major one iteration ahead: read before the dot starts, store while it runs."""
    loop, waits = skew.loop, skew.completion.waits
    block = loop.body.block
    storing = backward_slice(skew.stores, loop)
    reading = backward_slice([store.src.owner for store in skew.stores], loop)
    skew.completion.prepare(loop)
    arguments: list[SSAValue] = list(block.args)
    ahead = backward_slice([*waits, *storing], loop)
    clone(ahead, InsertPoint.before(loop), dict(zip(arguments, (loop.lb, *loop.iter_args), strict=True)))
    variable = Emitter.before(skew.place).insert(arith.AddiOp(block.args[0], loop.step))
    following = dict(zip(arguments, (variable, *terminator(block).operands), strict=True))
    needed = {following[value].owner for op in ahead for value in op.operands if value in following}
    hoist_above(skew.place, needed, loop)
    skew.completion.wait_for_next(loop, following)
    dot = wgmma_dots(loop)[0]
    moved = used_only_within(storing)
    move_or_clone(reading, InsertPoint.before(dot), following, moved)
    move_or_clone([op for op in storing if op not in reading], InsertPoint.after(dot), following, moved)
    skew.completion.arrange_behind(loop, dot, is_copied=bool(skew.stores), barrier_at_end=barrier_at_end)
    for index in map(index_of, skew.dot.memories):
        assert index is not None
        cta_barriers.after_read(loop, index.src)  # of the last dot; and after the last copy, which is not used


@dataclass(frozen=True)
class PipelineOperandCopiesPass(LoopPass):
    """Copy the next operand K-major while the present dot runs: a stage skew of pipelined loops.

    `barrier_at_end`: end an iteration with a CTA barrier, as membar places one before the next wait for TMA otherwise
    (Triton 3.6 and 3.7).
    """

    name = "pipeline-operand-copies"
    barrier_at_end: bool = False

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        if (skew := plan(loop)) is None:
            return False
        at = skew.dot.read or skew.dot.first
        self.passed(at, "operands are made ready one iteration ahead, while the dot runs")
        emit(skew, barrier_at_end=self.barrier_at_end)
        return True
