"""Waits for wgmma: where one is needed, and what it hands on.

`ttng.warp_group_dot_wait` becomes inline assembly that takes the registers of its operands and hands them on, so that
nothing touches them above it. What Triton and LLVM spend on a wait grows with them: a thread has 128 of an accumulator
of 128x256 in 8 warps. Between products none has to be handed on. Each wgmma takes the accumulator and hands it on
itself, and LLVM keeps these, and the wait, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, i32
from xdsl.ir import Operation, SSAValue, Use
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.passes.emitter import Emitter
from dotload.passes.staged_operands.loops import WARP_LANES, warps_of

ACCUMULATOR = 2
"""The place of C among the operands of a product."""


def wait_behind(op: Operation, result: SSAValue, origin: Operation) -> None:
    """Wait for the product behind `op`, for all that use it, unless a wait stands there already."""
    following = op.next_op
    if isinstance(following, WarpGroupDotWaitOp) and following.pendings.value.data == 0:
        if all(use.operation is following for use in result.uses):
            return
    uses = list(result.uses)
    finished = Emitter.after(op, origin).add(WarpGroupDotWaitOp([result], 0))
    for use in uses:
        use.operation.operands[use.index] = finished


def leave_to_products(loop: scf.ForOp) -> None:
    """Take out of the loop's waits what only products, and waits behind the loop, go on with."""
    token: SSAValue | None = None
    for wait in [op for op in loop.body.block.ops if isinstance(op, WarpGroupDotWaitOp)]:
        kept = [place for place, result in enumerate(wait.outputs) if not goes_to_products(result, loop)]
        if len(kept) < len(wait.outputs):
            token = token or emit_token(loop)
            hand_on(wait, kept, token)


def hand_on(wait: WarpGroupDotWaitOp, kept: Sequence[int], token: SSAValue) -> None:
    """Have the wait hand on no more than what stands at these places among its operands; `token` where that is nothing.

    Triton 3.6 hands on memory as well, but not in the first place.
    """
    handed, inputs = list(wait.inputs), [wait.inputs[place] for place in kept]
    if not any(isinstance(value.type, TensorType) for value in inputs):
        inputs.insert(0, token)
    light = WarpGroupDotWaitOp(inputs, wait.pendings.value.data, is_local=wait.warpGroupLocal is not None)
    Emitter.before(wait).run(light)
    for place, result in zip(kept, light.outputs[len(inputs) - len(kept) :], strict=True):
        handed[place] = result
    for old, new in zip(wait.outputs, handed, strict=True):
        old.replace_all_uses_with(new)
    Rewriter.erase_op(wait)


def goes_to_products(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the value is an accumulator that nothing but products, of this iteration or the next, adds to."""
    uses = list(value.uses)
    carried = [use for use in uses if use.operation is loop.body.block.last_op]
    for use in carried:
        if not all(isinstance(after.operation, WarpGroupDotWaitOp) for after in loop.results[use.index].uses):
            return False
        uses += loop.body.block.args[1 + use.index].uses
    return bool(uses) and all(use in carried or is_added_to(use) for use in uses)


def is_added_to(use: Use) -> bool:
    """Whether what uses the accumulator is a product, or a wait, which is looked at itself."""
    if isinstance(use.operation, WarpGroupDotOp):
        return use.index == ACCUMULATOR
    return isinstance(use.operation, WarpGroupDotWaitOp)


def emit_token(loop: scf.ForOp) -> SSAValue:
    """What a wait hands on that has nothing to hand on: Triton wants an operand, of two registers at least."""
    warps = warps_of([op for op in loop.body.block.ops if isinstance(op, WarpGroupDotOp)])
    encoding = attrs.LinearEncoding.of(
        register=((1,),),
        lane=((0,),) * (WARP_LANES.bit_length() - 1),
        warp=((0,),) * (warps.bit_length() - 1),
        block=(),
    )
    tensor = TensorType(i32, [2], encoding)
    return Emitter.before(loop).add(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(tensor, [0]), tensor))
