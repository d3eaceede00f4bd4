"""Register hazards of a wgmma in flight.

A wgmma writes its accumulator until a wait for it: an op that uses the result without the wait may be scheduled above
the wait. It also reads its A until then, and the next iteration's A may overwrite these registers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import TensorType, UnrealizedConversionCastOp
from xdsl.ir import Operation, OpResult, SSAValue

from dotload.dialect_ext.arith import SelectOp
from dotload.dialect_ext.tt_compute import BitcastOp, ReshapeOp, SplitOp, TransOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.passes.hazards.findings import Finding, Hazard
from dotload.passes.hazards.values import is_shared_pointer
from dotload.passes.ir.flow import targets
from dotload.passes.ir.loops import ACCUMULATOR
from dotload.passes.ir.motion import walk

RENAMING = (BitcastOp, ReshapeOp, SplitOp, TransOp, ConvertLayoutOp, UnrealizedConversionCastOp)
"""Ops whose result is in the operand's registers."""
FIXED = (arith.ConstantOp, llvm.UndefOp)
RENAMING_WORDS = ("llvm.bitcast", "llvm.extractvalue", "llvm.extractelement", "llvm.insertelement", "llvm.insertvalue")


Watch = tuple[Hazard, WarpGroupDotOp]
"""A wgmma during whose flight an op may not run, and the hazard if it does."""
Watched = dict[Operation, set[Watch]]


def watched_in(function: Operation) -> Watched:
    """For each op that writes A of a wgmma or uses its result: the wgmmas during whose flight it may not run."""
    found: defaultdict[Operation, set[Watch]] = defaultdict(set)
    for dot in function.walk():
        if not isinstance(dot, WarpGroupDotOp) or not dot.isAsync.value.data:
            continue
        if isinstance(dot.a.type, TensorType):
            for maker in makers_behind(dot.a, set()):
                found[maker].add((Hazard.REGISTERS_IN_FLIGHT, dot))
        for user in uses_of(dot, through_waits=True):
            found[user].add((Hazard.RESULT_IN_FLIGHT, dot))
    return found


def makers_behind(value: SSAValue, seen: set[SSAValue]) -> Iterator[Operation]:
    """The ops that write the registers of a value: loads, permutations and any other op that does not only rename."""
    if value in seen or not isinstance(value, OpResult):
        return
    seen.add(value)
    op = value.op
    if isinstance(op, RENAMING) or op.name in RENAMING_WORDS:
        for operand in op.operands:
            yield from makers_behind(operand, seen)
    elif isinstance(op, llvm.LoadOp) and not is_shared_pointer(op.ptr):
        for store in stores_above(op):
            yield from makers_behind(store.operands[0], seen)
    elif op.parent_op() is not None and not isinstance(op, FIXED):
        yield op


def stores_above(load: llvm.LoadOp) -> Iterator[llvm.StoreOp]:
    """The stores to a thread's local memory directly above the load from it."""
    for op in walk(load, backwards=True):
        if not isinstance(op, llvm.StoreOp):
            return
        yield op


def unwaited_uses(dot: WarpGroupDotOp) -> Iterator[Finding]:
    """Uses of an asynchronous wgmma's result without a wait before them."""
    if dot.isAsync.value.data:
        yield from (Finding(Hazard.RESULT_IN_FLIGHT, user, dot) for user in uses_of(dot, through_waits=False))


def uses_of(dot: WarpGroupDotOp, *, through_waits: bool) -> Iterator[Operation]:
    """The users of a result, except those that accumulate into it; also after waits that may leave it in flight."""
    seen: set[SSAValue] = set()
    waiting: list[SSAValue] = [dot.d]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            match use.operation:
                case WarpGroupDotWaitOp() as wait:
                    if through_waits and wait.pendings.value.data:
                        waiting.append(wait.outputs[use.index])
                case WarpGroupDotOp() as next_dot if use.index == ACCUMULATOR and next_dot.isAsync.value.data:
                    continue
                case SelectOp():
                    waiting += use.operation.results  # as in Triton's flattened loops; ptxas serializes such dots
                case _ if handed_on := targets(use):
                    waiting += handed_on
                case other:
                    yield other
