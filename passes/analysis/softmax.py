"""Softmax within a loop: exponentials of scores minus the row maximum, as in attention.

    %most = "tt.reduce"(%s) ... arith.maxnumf
    %m = arith.maxnumf %running, %most            %running: carried by the loop, -inf at first
    %d = arith.subf %s, %m                        %m broadcast over the rows of %s
    %p = math.exp2 %d

A kernel in which all scores of a row may be -inf subtracts 0 instead of a maximum of -inf. Its loop carries either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from xdsl.dialects import arith, math, scf
from xdsl.ir import Operation, SSAValue, Use

from dotload.dialect_ext.arith import CmpfOp, SelectOp
from dotload.dialect_ext.tt_compute import BroadcastOp, DotOp, ExpandDimsOp
from dotload.dialect_ext.tt_regions import ReduceOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.passes.ir.constants import is_zero, splat_of
from dotload.passes.ir.def_use import behind, only_user, ops_behind, uses_behind
from dotload.passes.ir.loops import Carried, carried_by_loop

SPREADING = (BroadcastOp, ConvertLayoutOp, ExpandDimsOp)
"""Ops that broadcast a vector of rows to a tensor."""
EXPONENTIALS = (math.ExpOp, math.Exp2Op)
CORRECTING = (*EXPONENTIALS, *SPREADING)
"""Ops that turn a difference of maxima into a correction factor for a tensor."""
ROUNDING = (ConvertLayoutOp, arith.TruncFOp)
"""Ops between the exponentials and their sum."""
MAXIMA = ("arith.maxnumf", "arith.maximumf")
IS_NUMBER = {"ogt": True, "one": True, "une": True, "oeq": False, "ueq": False, "ule": False}
"""Predicates that compare a maximum with -inf: whether they are true of numbers."""


@dataclass(frozen=True)
class Softmax:
    """exp(s - m): `exponentials` of scores minus `subtracted`, the maxima of their rows.

    `maximum`: as `subtracted`, but with -inf where that has 0 instead. `running`: the running maximum that the loop
    carries, if any.
    """

    exponentials: SSAValue
    maximum: SSAValue
    subtracted: SSAValue
    running: Carried | None

    @property
    def restarts(self) -> bool:
        """Whether the running maximum becomes 0, not -inf, after a row whose scores are all -inf. Scores below 0 then
        no longer raise it, and all exponentials of a row may be arbitrarily small."""
        back = None if self.running is None else behind(self.running.back, (ConvertLayoutOp,))
        return back is not None and back is not behind(self.maximum, (ConvertLayoutOp,))


def find_softmax(exponentials: SSAValue, loop: scf.ForOp) -> Softmax | None:
    """The softmax that computes these exponentials."""
    difference = exponentials.owner.operands[0].owner if isinstance(exponentials.owner, EXPONENTIALS) else None
    if not isinstance(difference, arith.SubfOp):
        return None
    axes = [view.axis for view in ops_behind(difference.rhs, SPREADING) if isinstance(view, ExpandDimsOp)]
    subtracted = behind(difference.rhs, SPREADING)
    maximum = without_zeros(subtracted)
    for running, reduced in maxima_of(maximum, subtracted, loop):
        reduction = behind(reduced, (ConvertLayoutOp,)).owner
        if isinstance(reduction, ReduceOp) and reduces_by_maximum(reduction) and axes == [reduction.axis]:
            if of_same(reduction.srcs, difference.lhs):
                return Softmax(exponentials, maximum, subtracted, running)
    return None


def without_zeros(value: SSAValue) -> SSAValue:
    """The value without a select that replaces -inf by 0; the value itself if there is no such select."""
    match value.owner:
        case SelectOp(cond=SSAValue(owner=CmpfOp(lhs=number, rhs=bound) as compared), lhs=first, rhs=second):
            of_numbers = IS_NUMBER.get(CmpfOp.PREDICATES.name_of(compared.predicate))
            kept, other = (first, second) if of_numbers else (second, first)
            if of_numbers is not None and splat_of(bound) == -inf and kept is number and is_zero(other):
                return kept
        case _:
            pass
    return value


def maxima_of(maximum: SSAValue, subtracted: SSAValue, loop: scf.ForOp) -> Iterator[tuple[Carried | None, SSAValue]]:
    """The candidates for a tile's maximum: the value itself, or its other operand beside the running maximum."""
    yield None, maximum
    if isinstance(owner := maximum.owner, Operation) and owner.name in MAXIMA:
        first, second = owner.operands
        for carried, reduced in ((first, second), (second, first)):
            if (running := running_maximum(carried, (maximum, subtracted), loop)) is not None:
                yield running, reduced


def running_maximum(value: SSAValue, following: Sequence[SSAValue], loop: scf.ForOp) -> Carried | None:
    """The value as one that the loop carries, starting at -inf, and replaces by one of `following`."""
    carried = carried_by_loop(behind(value, (ConvertLayoutOp,)))
    if carried is None or carried.loop is not loop or splat_of(carried.init) != -inf:
        return None
    return carried if behind(carried.back, (ConvertLayoutOp,)) in following else None


def only_corrects(softmax: Softmax) -> bool:
    """Whether another running maximum, in rows without scores so far, only changes what sums are relative to.

    This holds if the loop uses the running maximum only to find the next one, and to correct its carried sums of
    exponentials by the difference; these sums are 0 as long as scores are -inf. Exponentials and `subtracted` must have
    no other uses.
    """
    assert softmax.running is not None
    corrected: list[Operation | None] = []
    for use in softmax.running.argument.uses:
        op = use.operation
        if op is softmax.maximum.owner:
            continue
        if not isinstance(op, arith.SubfOp) or use.index != 0 or op.rhs is not softmax.subtracted:
            return False
        factors = uses_behind(op, lambda user: isinstance(user, CORRECTING))
        corrected += [summed(each, softmax) for each in factors if not isinstance(each.operation, CORRECTING)]
    return None not in corrected and stays_within(softmax, corrected)


def summed(factor: Use, softmax: Softmax) -> Operation | None:
    """The op that adds exponentials to the carried sum that is multiplied by the factor; None for any other use."""
    product, running = factor.operation, softmax.running
    assert running is not None
    if not isinstance(product, arith.MulfOp):
        return None
    carried = carried_by_loop(product.operands[1 - factor.index])
    total = only_user(product.result)
    if carried is None or total is None or product.operands[1 - factor.index] is not carried.argument:
        return None
    if carried.loop is not running.loop or carried.back.owner is not total or not only_user(carried.back):
        return None
    match total:
        case DotOp() if total.c is product.result:
            added = dict.fromkeys(total.operands[:2], total)
        case arith.AddfOp():
            reductions = (behind(operand, (ConvertLayoutOp,)).owner for operand in total.operands)
            added = {each.srcs[0]: each for each in reductions if isinstance(each, ReduceOp)}
        case _:
            added = dict[SSAValue, Operation]()
    return next((op for value, op in added.items() if behind(value, ROUNDING) is softmax.exponentials), None)


def stays_within(softmax: Softmax, sums: Sequence[Operation | None]) -> bool:
    """Whether exponentials are used for these sums alone, and `subtracted` for the exponentials alone."""
    assert softmax.running is not None
    power, end = softmax.exponentials.owner, softmax.running.loop.body.block.last_op
    assert isinstance(power, Operation)
    difference, select = power.operands[0].owner, softmax.subtracted.owner
    assert isinstance(difference, Operation)
    assert isinstance(select, Operation)
    corrections = [use.operation for use in softmax.running.argument.uses]
    return (
        users_behind(power, ROUNDING) <= set(sums)
        and users_behind(select, SPREADING) <= {difference, end, *corrections}
        and {use.operation for use in softmax.maximum.uses} <= {select, select.operands[0].owner}
        and only_user(difference.results[0]) is power
        and softmax.running.back is softmax.subtracted
    )


def users_behind(op: Operation, kinds: tuple[type[Operation], ...]) -> set[Operation | None]:
    """The users of the op's results; users of these kinds are passed through."""
    users = (use.operation for use in uses_behind(op, lambda user: isinstance(user, kinds)))
    return {user for user in users if not isinstance(user, kinds)}


def reduces_by_maximum(reduction: ReduceOp) -> bool:
    """Whether the region of a reduction returns the larger of two numbers, and does nothing else."""
    block = reduction.combineOp.block
    larger, *others = block.ops
    is_all = len(others) == 1 and list(others[0].operands) == list(larger.results)
    return is_all and larger.name in MAXIMA and set(larger.operands) == set(block.args)


def of_same(sources: Sequence[SSAValue], scores: SSAValue) -> bool:
    """Whether the sources are the scores alone, in any layout."""
    return [behind(source, (ConvertLayoutOp,)) for source in sources] == [behind(scores, (ConvertLayoutOp,))]
