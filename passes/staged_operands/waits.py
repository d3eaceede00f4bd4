"""Waits for wgmma: where one is needed, and what it hands on.

`ttng.warp_group_dot_wait` becomes inline assembly that takes the registers of its operands and hands them on, so that
nothing touches them above it. What Triton and LLVM spend on a wait grows with them: a thread has 128 of an accumulator
of 128x256 in 8 warps. Between asynchronous products none has to be handed on. Each wgmma takes the accumulator and
hands it on itself, and LLVM keeps these, and the wait, in their order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, i32
from xdsl.ir import Operation, SSAValue, Use
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.passes.emitter import Emitter, names_of
from dotload.passes.staged_operands import barriers
from dotload.passes.staged_operands.lifetimes import keep_alive
from dotload.passes.staged_operands.loops import (
    ACCUMULATOR,
    WARP_LANES,
    alloc_of,
    before_views,
    slot_of,
    walk,
)
from dotload.passes.typed import as_tensor, of_kind, tensor_type


def wait_behind(op: Operation, result: SSAValue, origin: Operation) -> None:
    """Wait for the product behind `op`, for all that use it, unless all do so at a wait right behind already."""
    following = op.next_op
    if isinstance(following, WarpGroupDotWaitOp) and following.pendings.value.data == 0:
        if all(use.operation is following for use in result.uses):
            return
    uses = list(result.uses)
    finished = Emitter.after(op, origin).add(WarpGroupDotWaitOp([result], 0))
    for use in uses:
        use.operation.operands[use.index] = finished


def drop_repeated(loop: scf.ForOp) -> None:
    """Take out of the loop waits for all products right behind another such wait, which they wait for."""
    for wait in of_kind(loop.body.block.ops, WarpGroupDotWaitOp):
        before = wait.prev_op
        if not isinstance(before, WarpGroupDotWaitOp) or before.pendings.value.data != 0:
            continue
        if all(value.owner is before for value in wait.inputs):
            for waited, value in zip(wait.outputs, list(wait.inputs), strict=True):
                waited.replace_all_uses_with(value)
            Rewriter.erase_op(wait)


def leave_to_products(loop: scf.ForOp) -> None:
    """Take out of the loop's waits the accumulators that only products and other waits go on with."""
    for wait in of_kind(loop.body.block.ops, WarpGroupDotWaitOp):
        handed = zip(wait.inputs, wait.outputs, strict=True)
        kept = [place for place, pair in enumerate(handed) if not is_left_to_products(*pair, loop)]
        if len(kept) < len(wait.outputs):
            hand_on(wait, kept)


def leave_memory(loop: scf.ForOp) -> None:
    """Take out of the loop's waits the tiles that nobody uses behind them, where these stay taken all the same.

    What holds one tile alone is given up where all warps meet next: Triton has them meet before, if they do not.
    """
    for wait in of_kind(loop.body.block.ops, WarpGroupDotWaitOp):
        places = range(len(wait.inputs))
        idle = [place for place in places if is_idle(wait, place, loop)]
        kept, meeting = [place for place in places if place not in idle], barriers.meeting_behind(wait)
        if not idle or not kept:
            continue
        for memory in [wait.inputs[place] for place in idle]:
            if meeting is not None and slot_of(memory) is None:
                keep_alive(before_views(memory), meeting)
        hand_on(wait, kept)


def is_idle(wait: WarpGroupDotWaitOp, place: int, loop: scf.ForOp) -> bool:
    """Whether the wait hands on a tile there that stays taken without it, and nobody uses behind it.

    Tiles that a loop uses in turn stay. Of one that is allocated in the loop, the wait has to be the end.
    """
    memory, alloc = wait.inputs[place], alloc_of(wait.inputs[place])
    if wait.outputs[place].first_use or alloc is None:
        return False
    if slot_of(memory) is not None:
        return not loop.is_ancestor(alloc)
    behind = {wait, *walk(wait)}
    ends = [use.operation for value in names_of(alloc.result) for use in value.uses if use.operation in behind]
    is_last = ends == [wait] and alloc.parent_block() is wait.parent_block()
    return is_last and wait.pendings.value.data == 0 and barriers.meeting_behind(wait) is not None


def is_left_to_products(value: SSAValue, waited: SSAValue, loop: scf.ForOp) -> bool:
    """Whether `value` is what a product of the loop has made, and `waited`, the same behind the wait, is only added to.

    By products of this iteration or the next, that is, or taken by other waits: each of those keeps its place among the
    products, so that it does not matter here how many it leaves running.
    """
    tensor = as_tensor(value.type)
    if tensor is None or not isinstance(tensor.encoding, attrs.NvidiaMmaEncoding):
        return False
    if not isinstance(value.owner, WarpGroupDotOp) and value.owner is not loop.body.block:
        return False
    uses = list(waited.uses)
    carried = [use for use in uses if use.operation is loop.body.block.last_op]
    for use in carried:
        if not all(isinstance(after.operation, WarpGroupDotWaitOp) for after in loop.results[use.index].uses):
            return False
        uses += loop.body.block.args[1 + use.index].uses
    return bool(uses) and all(use in carried or is_added_to(use) for use in uses)


def is_added_to(use: Use) -> bool:
    """Whether what uses the accumulator is an asynchronous product that adds to it, or a wait."""
    if isinstance(use.operation, WarpGroupDotOp):
        return use.index == ACCUMULATOR and bool(use.operation.isAsync.value.data)
    return isinstance(use.operation, WarpGroupDotWaitOp)


def hand_on(wait: WarpGroupDotWaitOp, kept: Sequence[int]) -> None:
    """Have the wait hand on no more than its operands at these places.

    Registers stand first among them: Triton 3.6 knows memory that a wait hands on as any but its first result.
    """
    handed, inputs = list(wait.inputs), [wait.inputs[place] for place in kept]
    if not any(isinstance(value.type, TensorType) for value in inputs):
        inputs.insert(0, emit_token(wait))
    light = WarpGroupDotWaitOp(inputs, wait.pendings.value.data, is_local=wait.warpGroupLocal is not None)
    light.attributes.update(wait.attributes)
    Emitter.before(wait).run(light)
    for place, result in zip(kept, light.outputs[len(inputs) - len(kept) :], strict=True):
        handed[place] = result
    for old, new in zip(wait.outputs, handed, strict=True):
        old.replace_all_uses_with(new)
    Rewriter.erase_op(wait)


def emit_token(wait: WarpGroupDotWaitOp) -> SSAValue:
    """What the wait hands on where that would be nothing: Triton wants an operand, of two registers at least."""
    accumulator = next(value for value in wait.inputs if isinstance(value.type, TensorType))
    encoding = tensor_type(accumulator).encoding
    assert isinstance(encoding, attrs.NvidiaMmaEncoding)
    value = token_value(math.prod(encoding.warps_per_cta))
    return Emitter.before(wait).add(arith.ConstantOp(value, value.type))


@lru_cache(maxsize=16)
def token_value(warps: int) -> DenseIntOrFPElementsAttr:
    """Two zeros that each thread of so many warps has."""
    alike = attrs.LinearEncoding.of(
        register=((1,),),
        lane=((0,),) * (WARP_LANES.bit_length() - 1),
        warp=((0,),) * (warps.bit_length() - 1),
        block=(),
    )
    return DenseIntOrFPElementsAttr.from_list(TensorType(i32, [2], alike), [0])
