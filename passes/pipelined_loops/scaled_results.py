"""Results of dots that a loop goes on with: the ops that multiply and add them up."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import ReshapeOp, TransOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.passes.ir.def_use import only_user, uses_behind

VIEWS = (ReshapeOp, TransOp, ConvertLayoutOp)
"""What brings rows of a result back into order that reads of A have permuted."""


def in_order(result: SSAValue) -> SSAValue:
    """A dot's result behind the ops that bring its rows into order."""
    while isinstance(user := only_user(result), VIEWS):
        result = user.results[0]
    return result


def computing_with(dot: WarpGroupDotOp) -> set[Operation]:
    """The ops that compute with the dot's result, element by element, and with what comes of that."""

    def follows(user: Operation) -> bool:
        return is_elementwise(user) or isinstance(user, (WarpGroupDotWaitOp, *VIEWS))

    return {use.operation for use in uses_behind(dot, follows) if is_elementwise(use.operation)}
