"""Loops that copy the next operand while the product of the present ones runs.

Where the fragments of a loop's product are read from raw tiles, getting operands ready takes the warps longer than the
product takes the tensor cores. One iteration of such a loop, as it comes from Triton's pipeliner and as it leaves here:

    wait for tile i, meet                     wait for product i - 1, make copy i visible
    copy tile i K-major, read fragments i     read fragments i
    make the copy visible, meet               wait for tile i + 1, meet
    product i, in parts                       product i, in one piece
    load tile i + ahead                       copy tile i + 1 K-major
                                              load tile i + ahead

Loads through TMA are waited for by each warp alone, and warps meet behind the start of the product (`arrivals`).

A loop that waits for its product in the same iteration, and goes on with it, has both operands in memory: no product is
to be waited for when its iterations start, and there are no fragments.

The first copy is made before the loop. What an iteration writes was last used before a meeting: a raw tile when its
fragments were read, a K-major copy by the product before. Fragments are read behind the wait for the product before, as
ptxas takes the registers that a wgmma in flight still reads to be free.

`plan` looks at the loop before the reads in it are lowered, `arrange` and `copy_ahead` rewrite it before and behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, llvm, scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.tt_compute import SplitOp
from dotload.dialect_ext.ttg import (
    AsyncCommitGroupOp,
    AsyncCopyGlobalToLocalOp,
    AsyncWaitOp,
    LocalLoadOp,
    LocalStoreOp,
    MemDescSubsliceOp,
)
from dotload.dialect_ext.ttng import (
    BarrierExpectOp,
    FenceAsyncSharedOp,
    WaitBarrierOp,
    WarpGroupDotOp,
    WarpGroupDotWaitOp,
)
from dotload.dialect_ext.ttng_tma import AsyncTMACopyGlobalToLocalOp
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout.byte_transposes import WORD_BYTES
from dotload.passes.emitter import Emitter, memory_type
from dotload.passes.staged_operands import barriers
from dotload.passes.staged_operands.arrivals import Arrival, arrival_of
from dotload.passes.staged_operands.loops import (
    SLOTS,
    alternates,
    clone,
    constant_of,
    is_numeric,
    is_only_product,
    move,
    products,
    raise_above,
    send,
    serving_only,
    slice_of,
    slot_of,
    slots_of,
    walk,
)
from dotload.passes.staged_operands.overlap import AHEAD
from dotload.passes.staged_operands.parts import Part, cuts_of, erase_unused
from dotload.passes.staged_operands.waits import wait_behind
from dotload.passes.staged_operands.warp_builder import SHARED_POINTER
from dotload.passes.typed import dims_of, of_kind, tensor_type


@dataclass(frozen=True)
class Rotation:
    """A loop that can be rotated.

    `fragments`: A of its product, uncut; None where that is in memory too, and the product over when its iteration is.
    `memories`: the operands that are in memory, uncut; `arrival`: how the loop's loads arrive.
    """

    loop: scf.ForOp
    parts: tuple[Part, ...]
    fragments: LocalLoadOp | None
    memories: tuple[SSAValue, ...]
    arrival: Arrival

    @property
    def place(self) -> Operation:
        """The first wait for loads: what is to happen before all warps meet goes in front of it."""
        return self.arrival.waits[0]

    @property
    def product(self) -> WarpGroupDotOp:
        """The product, or its first part."""
        return self.parts[0].product


# Plan

STAYING = frozenset(
    kind.name
    for kind in (
        AsyncWaitOp,
        AsyncCopyGlobalToLocalOp,
        AsyncCommitGroupOp,
        WaitBarrierOp,
        BarrierExpectOp,
        AsyncTMACopyGlobalToLocalOp,
        scf.YieldOp,
    )
)
"""Ops that stay where they are: what loads a tile and waits for it, and the end of the loop."""


def plan(loop: scf.ForOp, reads: Sequence[LocalLoadOp], copies: Sequence[Operation]) -> Rotation | None:
    """How to rotate the loop, where nothing stands against it.

    `reads` and `copies`: the reads that will be lowered, and the stores that will be with them.
    """
    found = find_rotation(loop)
    if found is None:
        return None
    ops = list(loop.body.block.ops)
    mine = [op for op in of_kind(ops, LocalLoadOp) if op in reads]
    known = {*mine, *(value.op for part in found.parts for value in cuts_of(part.product))}
    if not all(op in known or may_stay(op, mine) for op in ops):
        return None
    if not found.arrival.loads_behind(found.parts[-1].product):
        return None
    if found.fragments is not None and found.fragments not in mine:
        return None
    stores = of_kind(ops, LocalStoreOp)
    copied = [op.result for op in mine if op is not found.fragments]
    if [op.operands[0] for op in stores] != copied or not all(is_ready_early(op, loop) for op in mine):
        return None
    if not all(op in copies for op in stores) or (stores and not of_kind(ops, FenceAsyncSharedOp)):
        return None
    if not stores and (found.fragments is None or runs_on(found.parts[-1])):
        return None  # it overlaps what it can, and more loads are under way
    return found if may_load_less(found, mine) and is_left_alone(found, stores) else None


def find_rotation(loop: scf.ForOp) -> Rotation | None:
    """The loop's product and how its loads arrive, whether the loop may be rotated or not."""
    arrival, awaited = arrival_of(loop), find_awaited(loop)
    if arrival is None:
        return None
    if awaited is not None:
        return Rotation(loop, (awaited,), None, (awaited.product.a, awaited.product.b), arrival)
    parts = find_parts(loop)
    fragments, memory = (uncut_fragments(parts), uncut_memory(parts)) if parts else (None, None)
    if fragments is None or memory is None:
        return None
    return Rotation(loop, tuple(parts), fragments, (memory,), arrival)


def find_awaited(loop: scf.ForOp) -> Part | None:
    """The only product of a loop where both its operands are in memory and it is over when the iteration is."""
    product = next(iter(products(loop)), None)
    if product is None or not is_only_product(product) or not isinstance(product.a.type, MemDescType):
        return None
    waits = (op for op in walk(product) if isinstance(op, WarpGroupDotWaitOp) and op.pendings.value.data == 0)
    wait = next(waits, None)
    return Part(product, wait) if wait is not None else None


def find_parts(loop: scf.ForOp) -> list[Part]:
    """The parts of the only product of a loop that does nothing with the accumulator but add to it; [] for others."""
    block = loop.body.block
    inside = of_kind(loop.walk(), WarpGroupDotOp)
    waits = of_kind(loop.walk(), WarpGroupDotWaitOp)
    if not inside or len(inside) != len(waits):
        return []
    value: SSAValue = inside[0].c
    if not isinstance(value, BlockArgument) or value.block is not block:
        return []
    position = value.index - 1
    for product, wait in zip(inside, waits, strict=True):
        is_chained = product.c is value and value.has_one_use() and product.d.has_one_use()
        is_awaited = wait.inputs[0] is product.d and not any(result.first_use for result in wait.outputs[1:])
        adds = product.useC is None or constant_of(product.useC) not in (None, 0)
        if not is_chained or not is_awaited or not adds or not product.isAsync.value.data:
            return []
        value = wait.outputs[0]
    last = block.last_op
    assert isinstance(last, scf.YieldOp)
    if not value.has_one_use() or last.operands[position] is not value:
        return []
    return [Part(product, wait) for product, wait in zip(inside, waits, strict=True)]


def runs_on(part: Part) -> bool:
    """Whether a part may still be running when its iteration ends, in a loop that stays as it is."""
    return part.wait.pendings.value.data > 0 and element_bits(tensor_type(part.product.a)) != WORD_BYTES * 8


def may_stay(op: Operation, reads: Sequence[LocalLoadOp]) -> bool:
    """Whether the op may stay where it is while the reads, and the stores of what they read, move."""
    if op.name == LocalStoreOp.name:
        return op.operands[0].owner in reads
    if op.name in STAYING:
        return True
    is_bound = op.name == LocalLoadOp.name or op.dialect_name() in ("llvm", "builtin") or bool(op.regions)
    return not is_bound and barriers.is_harmless(op)


def uncut_fragments(parts: Sequence[Part]) -> LocalLoadOp | None:
    """The read that brings A of the whole product, if the parts have its parts in order."""
    loads: set[SSAValue] = set()
    for place, part in enumerate(parts):
        cuts = cuts_of(part.product)
        halves = [value.index for value in cuts if isinstance(value.op, SplitOp)]  # the last cut first
        if sum(half << level for level, half in enumerate(halves)) != place or 1 << len(halves) != len(parts):
            return None
        loads.add(cuts[-1].op.operands[0] if cuts else part.product.a)
    load = loads.pop().owner
    return load if isinstance(load, LocalLoadOp) and not loads else None


def uncut_memory(parts: Sequence[Part]) -> SSAValue | None:
    """B of the whole product, if the parts have its parts in order."""
    wholes: set[SSAValue] = set()
    for place, part in enumerate(parts):
        value: SSAValue = part.product.b
        offsets = (0, 0)
        if isinstance(value, OpResult) and isinstance(value.op, MemDescSubsliceOp):
            offsets, value = dims_of(value.op.offsets), value.op.src
        k = memory_type(value).get_shape()[0] // len(parts)
        if offsets != (place * k, 0) or memory_type(part.product.b).get_shape()[0] != k:
            return None
        wholes.add(value)
    return wholes.pop() if len(wholes) == 1 else None


def may_load_less(rotation: Rotation, reads: Sequence[LocalLoadOp]) -> bool:
    """Whether one tile less may be under way when an iteration starts, and a raw tile outlives the next iteration."""
    ahead = rotation.arrival.ahead
    return ahead >= AHEAD and all(slots_of(op.src) >= ahead for op in reads)


def is_left_alone(rotation: Rotation, stores: Sequence[LocalStoreOp]) -> bool:
    """Whether nothing writes what the product reads while it does: asynchronous copies, or the stores of a copy."""
    stored = [op.dst for op in stores]
    slots = [slot for slot in map(slot_of, rotation.memories) if slot is not None]
    copies = [slot for slot in slots if slot.result in stored]
    if len(slots) != len(rotation.memories) or len(copies) != len(stores):
        return False
    if not all(slots_of(slot.result) == SLOTS and alternates(slot.index, rotation.loop) for slot in copies):
        return False
    return all(slot in copies or slots_of(slot.result) > rotation.arrival.ahead for slot in slots)


def is_ready_early(read: LocalLoadOp, loop: scf.ForOp) -> bool:
    """Whether the address of the read, and of that in the next iteration, are computed from numbers alone."""
    slot = slot_of(read.src)
    return slot is not None and len(read.operands) == 1 and is_numeric([slot.index], loop)


# Emit


def arrange(rotation: Rotation, *, local_waits: bool) -> None:
    """Put above the meeting what has to happen before it: the wait for the product before, fences, fragments.

    `local_waits`: Triton has all warps meet at a wait that does not say it is for the warp's group alone.
    """
    place, fragments = rotation.place, rotation.fragments
    above = Emitter.before(place, rotation.product)
    finished = above.add(WarpGroupDotWaitOp([rotation.product.c], 0, is_local=local_waits)) if fragments else None
    fences = of_kind(rotation.loop.body.block.ops, FenceAsyncSharedOp)
    for fence in fences[1:]:  # of other parts
        Rewriter.erase_op(fence)
    for fence in fences[:1]:
        move(fence, place)
    if fragments is not None and finished is not None:
        raise_above(place, [fragments], rotation.loop)
        join_parts(rotation, fragments, finished)


def join_parts(rotation: Rotation, fragments: LocalLoadOp, finished: SSAValue) -> None:
    """One product for all its parts, which adds to `finished`, and runs on behind the end of the iteration."""
    first = rotation.product
    assert isinstance(first.c, BlockArgument)
    outside, (memory,) = rotation.loop.results[first.c.index - 1], rotation.memories
    product = WarpGroupDotOp(fragments.result, memory, finished, is_async=True)
    product.properties.update(first.properties)
    result = Emitter.before(first).add(product)
    rotation.parts[-1].wait.outputs[0].replace_all_uses_with(result)
    for part in reversed(rotation.parts):
        cut = [part.product.a, part.product.b]
        Rewriter.erase_op(part.wait)
        Rewriter.erase_op(part.product)
        erase_unused(cut)
    wait_behind(rotation.loop, outside, product)


def await_products(loop: scf.ForOp, reads: Sequence[LocalLoadOp]) -> None:
    """Where a loop stays as it is, and words are read straight into the registers of A, wait for all of a product.

    Triton's pipeliner lets the last part run on, but ptxas takes the registers that it reads to be free. Bytes are
    permuted into them behind the wait for the part before.
    """
    for product in products(loop):
        cuts = cuts_of(product)
        is_last = all(value.index for value in cuts if isinstance(value.op, SplitOp))
        load = cuts[-1].op.operands[0].owner if cuts else product.a.owner
        if not is_last or load not in reads or element_bits(tensor_type(product.a)) != WORD_BYTES * 8:
            continue
        users = [use.operation for use in product.d.uses]
        for wait in [user for user in users if isinstance(user, WarpGroupDotWaitOp)]:
            wait.pendings = IntegerAttr(0, i32)
        if not any(isinstance(user, WarpGroupDotWaitOp) for user in users):
            wait_behind(product, product.d, product)


def copy_ahead(rotation: Rotation) -> None:
    """Copy K-major one iteration ahead; reads and stores are in the LLVM dialect now."""
    loop, waits = rotation.loop, rotation.arrival.waits
    block, last = loop.body.block, loop.body.block.last_op
    assert isinstance(last, scf.YieldOp)
    storing = slice_of([op for op in block.ops if is_store(op)], loop)
    reading = slice_of([op for op in storing if is_read(op)], loop)
    rotation.arrival.prepare(loop)
    arguments: list[SSAValue] = list(block.args)
    ahead = slice_of([*waits, *storing], loop)
    clone(ahead, InsertPoint.before(loop), dict(zip(arguments, (loop.lb, *loop.iter_args), strict=True)))
    variable = Emitter.before(rotation.place).add(arith.AddiOp(block.args[0], loop.step))
    following = dict(zip(arguments, (variable, *last.operands), strict=True))
    needed = {following[value].owner for op in ahead for value in op.operands if value in following}
    raise_above(rotation.place, needed, loop)
    rotation.arrival.wait_for_next(loop, following)
    product = products(loop)[0]
    sent = serving_only(storing)
    send(reading, InsertPoint.before(product), following, sent)
    send([op for op in storing if op not in reading], InsertPoint.after(product), following, sent)
    rotation.arrival.meet(loop, product)
    for op in reversed(storing):
        if op not in sent and not any(result.first_use for result in op.results):
            Rewriter.erase_op(op)
    for slot in map(slot_of, rotation.memories):
        assert slot is not None
        barriers.after_read(loop, slot.src)  # of the last product; and behind the last copy, of one that nobody wants


def is_read(op: Operation) -> bool:
    """Whether the op reads a raw tile."""
    return (op.name == llvm.LoadOp.name and op.operands[0].type == SHARED_POINTER) or calls(op, ".ldmatrix.")


def is_store(op: Operation) -> bool:
    """Whether the op stores a K-major copy."""
    return (op.name == llvm.StoreOp.name and op.operands[1].type == SHARED_POINTER) or calls(op, ".stmatrix.")


def calls(op: Operation, name: str) -> bool:
    """Whether the op calls an intrinsic with this in its name."""
    return op.name == llvm.CallIntrinsicOp.name and name in cast("llvm.CallIntrinsicOp", op).intrin.data
