"""Softmax within a loop: exponentials of scores less their maximum, as attention has them.

%most = "tt.reduce"(%s) ... arith.maxnumf
%m = arith.maxnumf %running, %most            %running: carried by the loop, -inf at first
%d = arith.subf %s, %m                        %m spread over the rows of %s
%p = math.exp2 %d
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from xdsl.dialects import arith, math, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from dotload.dialect_ext.tt_compute import BroadcastOp, ExpandDimsOp
from dotload.dialect_ext.tt_regions import ReduceOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.passes.ir.constants import splat_of
from dotload.passes.ir.def_use import behind, ops_behind

SPREADING = (BroadcastOp, ConvertLayoutOp, ExpandDimsOp)
"""What makes a vector of rows a tensor."""
MAXIMA = ("arith.maxnumf", "arith.maximumf")


def are_probabilities(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether a tensor is exp(s - m), with m the maxima of the rows of s, or the running maxima of the loop."""
    power = value.owner
    difference = power.operands[0].owner if isinstance(power, math.ExpOp | math.Exp2Op) else None
    if not isinstance(difference, arith.SubfOp):
        return False
    views = ops_behind(difference.rhs, SPREADING)
    axes = [view.axis for view in views if isinstance(view, ExpandDimsOp)]
    maxima = maxima_of(behind(difference.rhs, SPREADING), difference.lhs, loop)
    return any(axes == [reduction.axis] for reduction in maxima)


def maxima_of(value: SSAValue, scores: SSAValue, loop: scf.ForOp) -> Iterator[ReduceOp]:
    """The op that takes the maxima of the scores, where the value is what it gives, or the running maximum of that."""
    owner, candidates = value.owner, [value]
    if isinstance(owner, Operation) and owner.name in MAXIMA:
        first, second = owner.operands
        candidates = [each for each, other in ((first, second), (second, first)) if runs(other, value, loop)]
    for owner in (behind(each, (ConvertLayoutOp,)).owner for each in candidates):
        if isinstance(owner, ReduceOp) and reduces_by_maximum(owner) and of_same(owner.srcs, scores):
            yield owner


def runs(carried: SSAValue, maximum: SSAValue, loop: scf.ForOp) -> bool:
    """Whether a value is what the loop carries from -inf and replaces by the maximum."""
    carried = behind(carried, (ConvertLayoutOp,))
    if not isinstance(carried, BlockArgument) or carried.block is not loop.body.block or carried.index == 0:
        return False
    end = loop.body.block.last_op
    assert end is not None
    following = behind(end.operands[carried.index - 1], (ConvertLayoutOp,))
    return following is maximum and splat_of(loop.iter_args[carried.index - 1]) == -inf


def reduces_by_maximum(reduction: ReduceOp) -> bool:
    """Whether the region of a reduction gives the larger of two numbers, and does nothing else."""
    block = reduction.combineOp.block
    larger, *others = block.ops
    is_all = len(others) == 1 and list(others[0].operands) == list(larger.results)
    return is_all and larger.name in MAXIMA and set(larger.operands) == set(block.args)


def of_same(sources: Sequence[SSAValue], scores: SSAValue) -> bool:
    """Whether these are the scores alone, in whatever layout."""
    return [behind(source, (ConvertLayoutOp,)) for source in sources] == [behind(scores, (ConvertLayoutOp,))]
