"""Loops that give up the second tile of a K-major copy, for room: another block's, or their own registers'.

Two tiles in turn (`staged_operands.overlap`) let a product run on while the next operand is copied. Where the second
tile is what keeps another block off the multiprocessor, that block would hide more. A loop that waits for all of its
products anyway before it copies, as attention does between its two, needs one tile and one more meeting (left):

    wait for tile i, meet                     wait for the product before
    first product, wait for all               wait for tile i, meet
    meet                                      copy tile i K-major
    copy tile i K-major                       first product, wait for it
    make the copy visible, meet               make the copy visible, meet
    second product                            second product

The form on the right is for loops whose accumulators do not fit into the registers of a thread side by side. ptxas runs
such products a few rows at a time, one after the other, and the words of a copy between them would not find registers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.ttg import AsyncWaitOp, LocalAllocOp, LocalDeallocOp, LocalLoadOp, LocalStoreOp, MemDescIndexOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.layout.occupancy import THREAD_REGISTERS, resident_blocks
from dotload.passes.emitter import PASSING_ON, Emitter, memory_bytes, memory_type, ring_of
from dotload.passes.staged_operands import barriers
from dotload.passes.staged_operands.arrivals import Groups, arrival_of
from dotload.passes.staged_operands.loops import (
    SLOTS,
    accumulator_registers,
    alternates,
    products,
    slice_of,
    slots_of,
    walk,
    warps_of,
)


@dataclass(frozen=True)
class Sharing:
    """A loop that can do with one tile.

    `read` and `store`: its copy; `slot`: what picks the tile; `finished`: the wait for all products before it;
    `meeting`: the wait for the loop's loads, where the copy is to move up behind it; `blocks`: those that run then.
    """

    loop: scf.ForOp
    read: LocalLoadOp
    store: LocalStoreOp
    slot: MemDescIndexOp
    finished: WarpGroupDotWaitOp
    meeting: AsyncWaitOp | None
    blocks: int

    @property
    def carried(self) -> list[SSAValue]:
        """The accumulators of the iteration before that the loop waits for."""
        return [value for value in self.finished.inputs if value.owner is self.loop.body.block]

    @property
    def told(self) -> str:
        """One line for the remark."""
        where = "before the loop's products" if self.meeting else "between them"
        blocks = "1 block runs" if self.blocks == 1 else f"{self.blocks} blocks run side by side"
        return f"its copy takes one tile instead of two and is made {where}; {blocks}"


# Plan


def plan(loop: scf.ForOp, read: LocalLoadOp, store: Operation) -> Sharing | None:
    """How the loop does with one tile for what it reads and stores, where that lets another block run."""
    if not isinstance(store, LocalStoreOp) or {read.parent_op(), store.parent_op()} != {loop}:
        return None
    slot, finished = store.dst.owner, last_wait(read)
    if not isinstance(slot, MemDescIndexOp) or finished is None or not is_used_in_turn(slot, loop):
        return None
    if not all(use.operation is store or use.operation in products(loop) for use in slot.result.uses):
        return None
    warps, total = warps_of(products(loop)), shared_bytes(loop)
    blocks = resident_blocks(warps, total - memory_bytes(slot.result))
    found = Sharing(loop, read, store, slot, finished, None, blocks)
    if accumulator_registers(loop) > THREAD_REGISTERS and (meeting := meeting_of(found)) is not None:
        return replace(found, meeting=meeting)
    return found if blocks > resident_blocks(warps, total) else None


def last_wait(read: Operation) -> WarpGroupDotWaitOp | None:
    """The wait behind which no product of the thread is under way when the op runs."""
    for op in walk(read, backwards=True):
        if isinstance(op, WarpGroupDotOp):
            return None
        if isinstance(op, WarpGroupDotWaitOp) and op.pendings.value.data == 0:
            return op
    return None


def is_used_in_turn(slot: MemDescIndexOp, loop: scf.ForOp) -> bool:
    """Whether the tile is one of two that nobody else uses."""
    if slots_of(slot.result) != SLOTS or not alternates(slot.index, loop):
        return False
    return all(use.operation is slot or isinstance(use.operation, LocalDeallocOp) for use in slot.src.uses)


def shared_bytes(loop: scf.ForOp) -> int:
    """The shared memory that is taken while the loop runs, without what ops take for themselves."""
    return sum(memory_bytes(alloc.result) for alloc in allocs_around(loop)) + sum(
        memory_bytes(op.result) for op in loop.walk() if isinstance(op, LocalAllocOp)
    )


def allocs_around(loop: scf.ForOp) -> Iterator[LocalAllocOp]:
    """The tiles that were there before the loop, and are still."""
    inner: Operation | None = loop
    while inner is not None:
        above = list(walk(inner, backwards=True))
        freed = {op.operands[0] for op in above if isinstance(op, LocalDeallocOp)}
        yield from (op for op in above if isinstance(op, LocalAllocOp) and op.result not in freed)
        inner = inner.parent_op()


def meeting_of(sharing: Sharing) -> AsyncWaitOp | None:
    """The wait for the loop's loads, if all that the copy is computed by may move up behind it."""
    arrival = arrival_of(sharing.loop)
    if not isinstance(arrival, Groups) or not sharing.carried or len(sharing.read.operands) != 1:
        return None
    movable = (LocalLoadOp, LocalStoreOp, MemDescIndexOp, *PASSING_ON)
    moved = below(arrival.wait, sharing)
    is_known = all(isinstance(op, movable) or op.dialect_name() == "arith" for op in moved)
    return arrival.wait if is_known and sharing.store in moved else None


def below(meeting: AsyncWaitOp, sharing: Sharing) -> list[Operation]:
    """The copy and what it is computed by, as far as it stands below the wait."""
    following = set(walk(meeting))
    return [op for op in slice_of([sharing.store], sharing.loop) if op in following]


# Emit


def share(sharing: Sharing) -> None:
    """Make the loop do with one tile; to be called before the copy is lowered."""
    slot = sharing.slot
    first = Emitter.before(slot).add(arith.ConstantOp(IntegerAttr(0, i32), i32))
    slot.operands[1] = first
    Rewriter.replace_value_with_new_type(slot.src, ring_of(memory_type(slot.result), 1))
    if sharing.meeting is None:
        barriers.insert(sharing.read, sharing.read)
        return
    copy_first(sharing, sharing.meeting)


def copy_first(sharing: Sharing, meeting: AsyncWaitOp) -> None:
    """Wait for the products of the iteration before, and copy, as soon as all warps have met."""
    block, carried = sharing.loop.body.block, sharing.carried
    uses = [(value, list(value.uses)) for value in carried]
    assert block.first_op is not None
    emitter = Emitter.before(block.first_op, sharing.finished)
    wait = WarpGroupDotWaitOp(carried, 0)
    emitter.run(wait)
    for (_, replaced), finished in zip(uses, wait.outputs, strict=True):
        for use in replaced:
            use.operation.operands[use.index] = finished
    place: Operation = meeting
    for op in below(meeting, sharing):
        op.detach()
        Rewriter.insert_op(op, InsertPoint.after(place))
        place = op
