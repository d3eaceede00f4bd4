"""Results of dots that a loop goes on with: the ops that scale and accumulate them."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import ReshapeOp, TransOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.passes.ir.def_use import only_user, uses_behind

VIEWS = (ReshapeOp, TransOp, ConvertLayoutOp)
"""Ops that restore the order of a result's rows, which reads of A have permuted."""


def in_order(result: SSAValue) -> SSAValue:
    """A dot's result after the ops that restore the order of its rows."""
    while isinstance(user := only_user(result), VIEWS):
        result = user.results[0]
    return result


def computing_with(dot: WarpGroupDotOp) -> set[Operation]:
    """The elementwise ops that compute from the dot's result, directly or not."""

    def follows(user: Operation) -> bool:
        return is_elementwise(user) or isinstance(user, (WarpGroupDotWaitOp, *VIEWS))

    return {use.operation for use in uses_behind(dot, follows) if is_elementwise(use.operation)}
