"""wgmma dots: their operands in shared memory, transposed ones, those in flight, and the waits for them."""

from __future__ import annotations

from typing import TypeGuard

from xdsl.dialects.builtin import IntegerAttr, IntegerType, UnitAttr, i32
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout.widths import WORD_BITS
from dotload.passes.ir.def_use import replace_uses_except
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.motion import around, walk

TRANSPOSED = "dotload.transposed"
"""The attribute of a dot whose A is the transpose of the kernel's B. Remarks name operands as the kernel has them."""


def mark_transposed(dot: WarpGroupDotOp) -> None:
    """Mark the dot: its operands have changed places."""
    dot.attributes[TRANSPOSED] = UnitAttr()


def is_marked_transposed(op: Operation) -> bool:
    """Whether the operands of a dot have changed places."""
    return TRANSPOSED in op.attributes


def shared_operands(dot: WarpGroupDotOp) -> list[SSAValue]:
    """A and B of a dot, without an A in registers."""
    return [operand for operand in (dot.a, dot.b) if isinstance(operand.type, MemDescType)]


def waits_for_all(op: Operation) -> TypeGuard[WarpGroupDotWaitOp]:
    """Whether no wgmma of the thread is in flight after the op."""
    return isinstance(op, WarpGroupDotWaitOp) and op.pendings.value.data == 0


def wait_behind(op: Operation, result: SSAValue, origin: Operation) -> None:
    """Wait for the dot after `op`, on behalf of all its users, unless a wait directly after it already does so."""
    following = op.next_op
    if following is not None and waits_for_all(following):
        if all(use.operation is following for use in result.uses):
            return
    wait = WarpGroupDotWaitOp([result], 0)
    replace_uses_except(result, Emitter.after(op, origin).insert(wait), wait)


def wait_between(dot: WarpGroupDotOp, op: Operation) -> tuple[WarpGroupDotWaitOp, int] | None:
    """The last wait of a loop behind the dot before `op` runs next, and the number of dots between dot and wait.

    None if there is no wait. One that leaves no more dots in flight than this number waits for the dot.
    """
    if not (waits := of_kind(around(dot, op), WarpGroupDotWaitOp)):
        return None
    return waits[-1], len(of_kind(around(dot, waits[-1]), WarpGroupDotOp))


def limit_in_flight(wait: WarpGroupDotWaitOp, limit: int) -> bool:
    """Let a wait leave no more than so many dots in flight; returns whether it left more."""
    if wait.pendings.value.data <= limit:
        return False
    wait.pendings = IntegerAttr(limit, i32)
    return True


def last_wait(op: Operation) -> WarpGroupDotWaitOp | None:
    """The wait above `op` in its block with no dot between it and `op`; None if there is none."""
    for above in walk(op, backwards=True):
        if isinstance(above, WarpGroupDotOp):
            return None
        if waits_for_all(above):
            return above
    return None


def is_split_along_k(dot: Operation) -> bool:
    """Whether Triton's pipeliner splits a dot with A in registers along k, so that part of it stays in flight."""
    accumulator, a = tensor_type(dot.results[0]), tensor_type(dot.operands[0])
    return not isinstance(accumulator.element_type, IntegerType) and element_bits(a) < WORD_BITS
