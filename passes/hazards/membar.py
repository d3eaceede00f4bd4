"""The CTA barriers that Triton's membar analysis (lib/Analysis/Membar.cpp) will place, for the ops that it sees.

    before an op    that reads or writes memory which an op above, with no barrier in between, has written; or that
                    writes memory which one above has read
    after           ttg.async_wait and ttng.async_tma_store_wait

Buffers of an allocation are distinguished if their indices are constants, as in Triton 3.9; earlier versions place more
barriers. An op with scratch memory has a barrier of its own, between its writes and its reads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from dotload.dialect_ext.ttg import AsyncWaitOp, MemDescIndexOp
from dotload.dialect_ext.ttng import BarrierExpectOp, InitBarrierOp, InvalBarrierOp, WaitBarrierOp
from dotload.dialect_ext.ttng_tma import AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp, TMAStoreWaitOp
from dotload.dialect_ext.types import MemDescType
from dotload.passes.hazards.accesses import OF_MBARRIERS, accesses_of
from dotload.passes.hazards.lifetimes import roots_of
from dotload.passes.hazards.values import VIEWS, Buffer, Root
from dotload.passes.ir.constants import constant_of
from dotload.passes.ir.def_use import behind
from dotload.passes.ir.loops import BARRIERS
from dotload.passes.ir.scratch import takes_scratch

Shares = Callable[[Root, Root], bool]
"""Whether two allocations share memory."""

IN_ANY_ORDER = (
    (InitBarrierOp,),
    (InvalBarrierOp,),
    (WaitBarrierOp, BarrierExpectOp, AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp),
)
"""Between ops of one kind on mbarriers there is no barrier (Triton's NVIDIA backend, `canSkipBarSync`)."""

BARRIER_BEHIND = (AsyncWaitOp, TMAStoreWaitOp)


@dataclass(frozen=True)
class Effect:
    """An op reads or writes a buffer, or all buffers of an allocation."""

    op: Operation
    buffer: Buffer
    writes: bool


def barriers_of(
    function: Operation, shares: Shares, effects: Callable[[Operation], tuple[Effect, ...]]
) -> frozenset[Operation]:
    """The ops that have a barrier before them, in a function whose allocations share memory as `shares` says."""
    placing = _Placing(shares, effects)
    placing.region(function.regions[0], frozenset())
    return frozenset(placing.before)


@dataclass
class _Placing:
    """The barriers of a function as they are placed, `before` ops."""

    shares: Shares
    effects: Callable[[Operation], tuple[Effect, ...]]
    before: set[Operation] = field(default_factory=set[Operation])

    def region(self, region: Region, seen: frozenset[Effect]) -> frozenset[Effect]:
        """The effects that no barrier follows at the end of the region."""
        entering: dict[Block, frozenset[Effect]] = {region.blocks[0]: seen}
        waiting, leaving = [region.blocks[0]], seen if not region.blocks[0].ops else frozenset[Effect]()
        while waiting:
            block = waiting.pop(0)
            leaving_block = self._block(block, entering[block])
            last = block.last_op
            if last is None or not last.successors:
                leaving |= leaving_block
                continue
            for successor in last.successors:
                known = entering.get(successor)
                if known is None or not leaving_block <= known:
                    entering[successor] = (known or frozenset[Effect]()) | leaving_block
                    waiting.append(successor)
        return leaving

    def _block(self, block: Block, seen: frozenset[Effect]) -> frozenset[Effect]:
        for op in block.ops:
            seen = self._op(op, seen)
        return seen

    def _op(self, op: Operation, seen: frozenset[Effect]) -> frozenset[Effect]:
        if isinstance(op, scf.IfOp):
            branches = [self.region(region, seen) if region.blocks else seen for region in op.regions]
            return frozenset[Effect]().union(*branches)
        if isinstance(op, scf.ForOp | scf.WhileOp):
            return self._loop(op, seen)
        if is_barrier(op) or isinstance(op, BARRIER_BEHIND):
            return frozenset()
        own = self.effects(op)
        if op in self.before or any(self._conflict(before, after) for before in seen for after in own):
            self.before.add(op)
            seen = frozenset()
        is_synced = any(effect.buffer.root is op for effect in own)
        return frozenset(own) if is_synced else seen.union(own)

    def _loop(self, loop: scf.ForOp | scf.WhileOp, seen: frozenset[Effect]) -> frozenset[Effect]:
        while True:
            leaving = self.region(loop.regions[0], seen) if isinstance(loop, scf.WhileOp) else seen
            behind = self.region(loop.regions[-1], leaving)
            if behind <= seen:
                return leaving
            seen |= behind

    def _conflict(self, before: Effect, after: Effect) -> bool:
        one, other = before.buffer, after.buffer
        if not (before.writes or after.writes) or not self.shares(one.root, other.root):
            return False
        if one.root is other.root and not one.overlaps(other):
            return False
        return not any(isinstance(before.op, kinds) and isinstance(after.op, kinds) for kinds in IN_ANY_ORDER)


def effects_of(op: Operation) -> tuple[Effect, ...]:
    """An op's effects, as membar sees them."""
    effects: list[Effect] = []
    for access in accesses_of(op):
        if not access.agent.is_by_words:
            index = index_of_buffer(access.memory)
            effects += [Effect(op, Buffer(root, index), access.writes) for root in roots_of(access.memory)]
    if isinstance(op, OF_MBARRIERS):
        effects += [Effect(op, Buffer(root), writes=True) for root in roots_of(mbarrier_of(op))]
    if takes_scratch(op):
        effects.append(Effect(op, Buffer(op), writes=True))
    return tuple(effects)


def index_of_buffer(memory: SSAValue) -> int | None:
    """The index of the buffer, if it is a constant."""
    index = behind(memory, VIEWS).owner
    return constant_of(index.index) if isinstance(index, MemDescIndexOp) else None


def mbarrier_of(op: Operation) -> SSAValue:
    """The mbarrier that an op uses: the first of its memory descriptors."""
    return next(value for value in op.operands if isinstance(value.type, MemDescType))


def is_barrier(op: Operation) -> bool:
    """Whether all warps of the block synchronize at the op."""
    return (isinstance(op, BARRIERS) and op.is_for_all_warps) or op.name == "nvvm.barrier0"
