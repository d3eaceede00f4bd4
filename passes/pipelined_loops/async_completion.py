"""Completion of a pipelined loop's asynchronous copies: commit groups of cp.async, or mbarriers of TMA.

    ttg.async_wait {num = 2}                          the groups of this tile; two later ones may be in flight
    %bar = ttg.memdesc_index %bars[%i]                TMA: an mbarrier for each buffer
    ttng.wait_barrier %bar, %phase

Triton's membar places a CTA barrier after an async_wait. At an mbarrier, each warp waits for itself. A loop whose
copies run under its dots has these barriers while a dot is in flight:

    dot i starts
    CTA barrier             all warps are done with dot i - 1, whose K-major copy is overwritten now
    store copy i + 1, barrier_expect, fence
    CTA barrier             copy i + 1 is there; all have read the raw tiles that TMA overwrites now
    start the next loads
    CTA barrier             if membar would place one before the next dot

The last one is needed if the dot reads a tile of TMA in shared memory, and in any case with Triton 3.6 and 3.7.

Without a K-major copy, tile i + 1 is not needed before dot i starts. Then the wait for its mbarriers ends the
iteration, and between two dots of a warpgroup there are only the reads of the fragments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.ttg import AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp
from dotload.dialect_ext.ttng import BarrierExpectOp, FenceAsyncSharedOp, WaitBarrierOp
from dotload.dialect_ext.ttng_tma import AsyncTMACopyGlobalToLocalOp
from dotload.dialect_ext.typed import of_kind
from dotload.layout.reject import Reject
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import terminator
from dotload.passes.ir.memory import before_views, buffer_count, buffers_of, index_of
from dotload.passes.ir.motion import backward_slice, clone, hoist_above, is_scalar_arithmetic, move, walk
from dotload.passes.pipelined_loops import cta_barriers
from dotload.passes.pipelined_loops.reasons import LoopReason

TMA_OPS = (BarrierExpectOp, AsyncTMACopyGlobalToLocalOp)
"""Ops that start a TMA load."""
WAITS = (AsyncWaitOp.name, WaitBarrierOp.name)
"""Ops that wait for a tile."""


@dataclass(frozen=True)
class CommitGroups:
    """cp.async: `wait` for groups, of which an iteration commits `per_tile`.

    `waits`, here and in Mbarriers: the ops after which the iteration's tile is complete.
    """

    wait: AsyncWaitOp
    per_tile: int

    @property
    def waits(self) -> tuple[Operation, ...]:
        return (self.wait,)

    @property
    def tiles_ahead(self) -> int:
        """The number of tiles already requested when an iteration starts; 0 if not known."""
        groups = self.wait.num.value.data
        return groups // self.per_tile + 1 if self.per_tile and not groups % self.per_tile else 0

    def loads_behind(self, dot: Operation) -> bool:
        """Whether the next loads start after the dot; it makes no difference here."""
        return True

    def prepare(self, loop: scf.ForOp) -> None:
        """Nothing to do: membar has a CTA barrier at the wait, and empty groups complete at once."""

    def wait_for_next(self, loop: scf.ForOp, following: Mapping[SSAValue, SSAValue]) -> None:
        """Wait for the tile of the next iteration as well."""
        self.wait.num = IntegerAttr(self.wait.num.value.data - self.per_tile, self.wait.num.type)

    def arrange_behind(self, loop: scf.ForOp, dot: Operation, *, is_copied: bool, barrier_at_end: bool) -> None:
        """Nothing to do: the CTA barrier is at the wait."""


@dataclass(frozen=True)
class Mbarriers:
    """TMA: `waits` for mbarriers; `tiles_ahead` tiles are already requested when an iteration starts."""

    waits: tuple[WaitBarrierOp, ...]
    tiles_ahead: int

    def loads_behind(self, dot: Operation) -> bool:
        """Whether the next loads, and their expectations at mbarriers, are after the dot."""
        return not any(isinstance(op, TMA_OPS) for op in walk(dot, backwards=True))

    def prepare(self, loop: scf.ForOp) -> None:
        """Place a CTA barrier before the loop, and wait only for tiles of iterations that exist."""
        cta_barriers.insert(loop, loop)
        runs = Emitter.before(self.waits[0]).insert(arith.CmpiOp(loop.body.block.args[0], loop.ub, "slt"))
        for wait in self.waits:
            wait.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [1, 1, 1, 0])
            wait.operands = [wait.alloc, wait.phase, runs]

    def wait_for_next(self, loop: scf.ForOp, following: Mapping[SSAValue, SSAValue]) -> None:
        """Wait for the tile of the next iteration instead of this one's."""
        clone(backward_slice(self.waits, loop), InsertPoint.before(self.waits[0]), dict(following))
        predicate = self.waits[0].pred
        for wait in self.waits:
            Rewriter.erase_op(wait)
        assert predicate is not None
        assert isinstance(predicate.owner, arith.CmpiOp)
        Rewriter.erase_op(predicate.owner)

    def arrange_behind(self, loop: scf.ForOp, dot: Operation, *, is_copied: bool, barrier_at_end: bool) -> None:
        """Arrange what follows the start of the dot: CTA barriers, the next loads, and, without a copy, the wait.

        Until 3.7, membar places a barrier between loads of TMA and waits if there is none (`barrier_at_end`); 3.8 and
        3.9 place one before each expectation in any case, and all of them between TMA and a dot that reads the tile.
        A tile that was read into registers needs no fence before TMA overwrites it: the dot has taken the values.
        """
        assert dot.next_op is not None
        ops, end = list(loop.body.block.ops), terminator(loop.body.block)
        fences, loads = of_kind(ops, FenceAsyncSharedOp), of_kind(ops, AsyncTMACopyGlobalToLocalOp)
        first, loaded = loads[0], {buffers_of(load.tile) for load in loads}
        if is_copied:
            cta_barriers.insert(dot.next_op, dot)
        hoist_above(first, of_kind(ops, BarrierExpectOp), loop)
        clone(fences[:1], InsertPoint.before(loop), {})
        cta_barriers.insert(loop, dot)
        for fence in fences:
            move(fence, first)
        cta_barriers.insert(first, first)
        if barrier_at_end or any(buffers_of(operand) in loaded for operand in dot.operands):
            cta_barriers.insert(end, first)
        if not is_copied:
            for wait in of_kind(ops, WaitBarrierOp):
                move(wait, end)


AsyncCompletion = CommitGroups | Mbarriers


def copies_of(commit: AsyncCommitGroupOp) -> list[AsyncCopyGlobalToLocalOp]:
    """The copies of a commit group."""
    owners = (token.owner for token in commit.inputTokens)
    return [owner for owner in owners if isinstance(owner, AsyncCopyGlobalToLocalOp)]


def completion_of(loop: scf.ForOp) -> AsyncCompletion | None:
    """How the loop's loads complete; None if not known, or if there is more than one way."""
    ops = list(loop.body.block.ops)
    waits = [op for op in ops if op.name in WAITS]
    if len(waits) == 1 and isinstance(waits[0], AsyncWaitOp):
        return CommitGroups(waits[0], len(of_kind(ops, AsyncCommitGroupOp)))
    mbarriers = tuple(of_kind(waits, WaitBarrierOp))
    if not waits or len(mbarriers) != len(waits) or not all(is_movable(wait, loop) for wait in mbarriers):
        return None
    copies = of_kind(ops, AsyncTMACopyGlobalToLocalOp)
    asked_for = {tiles_before(copy, loop) for copy in copies}
    waited = {buffers_of(wait.alloc) for wait in mbarriers}
    if len(asked_for) != 1 or waited != {buffers_of(copy.mbarrier) for copy in copies}:
        return None
    return Mbarriers(mbarriers, asked_for.pop())


def is_movable(wait: WaitBarrierOp, loop: scf.ForOp) -> bool:
    """Whether the wait may move to the previous iteration: it has no predicate, and its mbarrier is pure arithmetic."""
    index = index_of(wait.alloc)
    if index is None or wait.pred is not None or wait.deps:
        return False
    return is_scalar_arithmetic((index.index, wait.phase), loop)


def tiles_before(copy: AsyncTMACopyGlobalToLocalOp, loop: scf.ForOp) -> int:
    """How many tiles are requested before the loop, to the same buffers as in it."""
    above = of_kind(walk(loop, backwards=True), AsyncTMACopyGlobalToLocalOp)
    buffers = buffers_of(copy.tile)
    return sum(buffers is not None and buffers_of(op.tile) is buffers for op in above)


def check_overwrites(loop: scf.ForOp, memories: list[SSAValue], loads: list[AsyncCopyGlobalToLocalOp]) -> None:
    """Check that no load overwrites what the iteration's dots read, and that no other op of the loop writes it."""
    if any(buffers_of(memory) is None and loop.is_ancestor(before_views(memory).owner) for memory in memories):
        raise Reject(LoopReason.OPERANDS)
    completion = completion_of(loop)
    if not isinstance(completion, CommitGroups) or not completion.tiles_ahead:
        raise Reject(LoopReason.COMPLETION)
    written = {buffers_of(load.result) for load in loads}
    if None in written:
        raise Reject(LoopReason.ADDRESS)
    loaded = [memory for memory in memories if buffers_of(memory) in written]
    if any(buffer_count(memory) <= completion.tiles_ahead for memory in loaded):
        raise Reject(LoopReason.OVERWRITTEN)
