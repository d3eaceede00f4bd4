"""How the loads of a pipelined loop arrive: in groups of asynchronous copies, or by TMA, which tells an mbarrier.

    ttg.async_wait {num = 2}                     the groups of this tile; two later ones may be under way
    %bar = ttg.memdesc_index %bars[%slot]        TMA: an mbarrier for each tile
    ttng.wait_barrier %bar, %phase

All warps meet at the first, by a barrier that Triton places; at the other, each waits for itself. A rotated loop has
its meetings where they cost nothing then:

    product i starts
    meet                    all are done with product i - 1, whose copy is stored over now
    store copy i + 1, say what the mbarriers are to expect, make the stores visible
    meet                    copy i + 1 is there; all have read the tiles that TMA loads over now
    start the next loads
    meet                    as Triton would have them before the next wait
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.ttg import AsyncCommitGroupOp, AsyncWaitOp
from dotload.dialect_ext.ttng import BarrierExpectOp, FenceAsyncSharedOp, WaitBarrierOp
from dotload.dialect_ext.ttng_tma import AsyncTMACopyGlobalToLocalOp
from dotload.passes.emitter import Emitter
from dotload.passes.staged_operands import barriers
from dotload.passes.staged_operands.loops import clone, is_numeric, move, raise_above, slice_of, slot_of, walk
from dotload.passes.typed import of_kind

LOADING = (BarrierExpectOp, AsyncTMACopyGlobalToLocalOp)
"""What TMA is told."""
WAITS = (AsyncWaitOp.name, WaitBarrierOp.name)
"""What waits for a tile."""


@dataclass(frozen=True)
class Groups:
    """Groups of asynchronous copies: `wait` for them, `per_tile` of which an iteration starts."""

    wait: AsyncWaitOp
    per_tile: int

    @property
    def waits(self) -> tuple[Operation, ...]:
        """The ops behind which the tile of the iteration is there."""
        return (self.wait,)

    @property
    def ahead(self) -> int:
        """How many tiles have been asked for when an iteration starts; 0 where that is not known."""
        groups = self.wait.num.value.data
        return groups // self.per_tile + 1 if self.per_tile and not groups % self.per_tile else 0

    def loads_behind(self, product: Operation) -> bool:
        """Whether the next loads start behind the product; it makes no difference here."""
        return True

    def prepare(self, loop: scf.ForOp) -> None:
        """Nothing to do: warps meet at the wait, and groups of copies that are not made are not waited for."""

    def wait_for_next(self, loop: scf.ForOp, following: Mapping[SSAValue, SSAValue]) -> None:
        """Have the tile of the next iteration arrive as well."""
        self.wait.num = IntegerAttr(self.wait.num.value.data - self.per_tile, self.wait.num.type)

    def meet(self, loop: scf.ForOp, product: Operation) -> None:
        """Nothing to do: warps meet at the wait."""


@dataclass(frozen=True)
class Mbarriers:
    """TMA: `barriers` to wait for; `ahead` tiles have been asked for when an iteration starts."""

    barriers: tuple[WaitBarrierOp, ...]
    ahead: int

    @property
    def waits(self) -> tuple[Operation, ...]:
        """The ops behind which the tile of the iteration is there."""
        return self.barriers

    def loads_behind(self, product: Operation) -> bool:
        """Whether the next loads, and what their mbarriers expect, stand behind the product."""
        return not any(isinstance(op, LOADING) for op in walk(product, backwards=True))

    def prepare(self, loop: scf.ForOp) -> None:
        """Have all warps meet before the loop, and wait only for tiles of iterations that there are."""
        barriers.insert(loop, loop)
        runs = Emitter.before(self.barriers[0]).add(arith.CmpiOp(loop.body.block.args[0], loop.ub, "slt"))
        for wait in self.barriers:
            wait.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [1, 1, 1, 0])
            wait.operands = [wait.alloc, wait.phase, runs]

    def wait_for_next(self, loop: scf.ForOp, following: Mapping[SSAValue, SSAValue]) -> None:
        """Wait for the tile of the next iteration in place of this one's."""
        clone(slice_of(self.barriers, loop), InsertPoint.before(self.barriers[0]), dict(following))
        runs = self.barriers[0].operands[2].owner
        for wait in self.barriers:
            Rewriter.erase_op(wait)
        assert isinstance(runs, arith.CmpiOp)
        Rewriter.erase_op(runs)

    def meet(self, loop: scf.ForOp, product: Operation) -> None:
        """Have all warps meet where tensor cores are busy: behind the start of the product, and around the next loads.

        Between the waits, the expectations and the copies of TMA, Triton places a barrier each where none stands; 3.8
        and 3.9 place one before each expectation in any case. Tiles that were read into registers need no fence before
        TMA loads over them: the product has taken the values.
        """
        assert product.next_op is not None
        barriers.insert(product.next_op, product)
        ops = list(loop.body.block.ops)
        first = next(op for op in ops if isinstance(op, AsyncTMACopyGlobalToLocalOp))
        raise_above(first, [op for op in ops if isinstance(op, BarrierExpectOp)], loop)
        fences = [op for op in ops if isinstance(op, FenceAsyncSharedOp)]
        if fences:
            clone(fences[:1], InsertPoint.before(loop), {})
            barriers.insert(loop, product)
        for fence in fences:
            move(fence, first)
        barriers.insert(first, first)
        barriers.insert(ops[-1], first)


Arrival = Groups | Mbarriers


def arrival_of(loop: scf.ForOp) -> Arrival | None:
    """How what the loop loads arrives; None where that is not known, or by more than one way."""
    ops = list(loop.body.block.ops)
    waits = [op for op in ops if op.name in WAITS]
    if len(waits) == 1 and isinstance(waits[0], AsyncWaitOp):
        return Groups(waits[0], len(of_kind(ops, AsyncCommitGroupOp)))
    mbarriers = tuple(wait for wait in waits if isinstance(wait, WaitBarrierOp))
    if not waits or len(mbarriers) != len(waits) or not all(is_plain(wait, loop) for wait in mbarriers):
        return None
    copies = of_kind(ops, AsyncTMACopyGlobalToLocalOp)
    asked_for = {tiles_before(copy, loop) for copy in copies}
    if len(asked_for) != 1 or {ring_of(wait.alloc) for wait in mbarriers} != {ring_of(barrier_of(op)) for op in copies}:
        return None
    return Mbarriers(mbarriers, asked_for.pop())


def is_plain(wait: WaitBarrierOp, loop: scf.ForOp) -> bool:
    """Whether the wait may be moved to the iteration before: always waited for, the mbarrier computed from numbers."""
    slot = slot_of(wait.alloc)
    return slot is not None and wait.pred is None and not wait.deps and is_numeric((slot.index, wait.phase), loop)


def ring_of(memory: SSAValue) -> SSAValue | None:
    """The tiles, or mbarriers, of which the memory is one."""
    slot = slot_of(memory)
    return slot.src if slot is not None else None


# Triton 3.6 does not say how many coordinates of a copy stand before these.


def barrier_of(copy: AsyncTMACopyGlobalToLocalOp) -> SSAValue:
    """The mbarrier that a copy signals."""
    return copy.operands[-3]


def memory_of(copy: AsyncTMACopyGlobalToLocalOp) -> SSAValue:
    """The memory that a copy fills."""
    return copy.operands[-2]


def tiles_before(copy: AsyncTMACopyGlobalToLocalOp, loop: scf.ForOp) -> int:
    """How many tiles are asked for before the loop, to the same memory as in it."""
    above = [op for op in walk(loop, backwards=True) if isinstance(op, AsyncTMACopyGlobalToLocalOp)]
    ring = ring_of(memory_of(copy))
    return sum(ring is not None and ring_of(memory_of(op)) is ring for op in above)
