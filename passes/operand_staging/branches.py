"""Waits for dots whose results only branches use, for the sake of Triton 3.6.

Its pipeliner leaves a dot in flight whose tiles have several buffers, as staged ones have, if only branches and the
loop's yield use the result. It then asks which value the loop carries, and crashes if it carries none. With a wait
behind the dot, the loop itself uses the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.passes.ir.flow import reached, targets
from dotload.passes.ir.loops import loops_of, wgmma_dots
from dotload.passes.ir.wgmma import wait_behind


def await_for_branches(staged: Sequence[Operation]) -> None:
    """Wait at once for each dot whose result only branches use, in the loops of these dots."""
    for dot in [dot for loop in loops_of(staged) for dot in wgmma_dots(loop)]:
        if is_left_to_branches(dot):
            wait_behind(dot, dot.d, dot)


def is_left_to_branches(dot: WarpGroupDotOp) -> bool:
    """Whether no op of the dot's block uses the result, nor what branches make of it by yielding it."""

    def yielded(value: SSAValue) -> list[SSAValue]:
        inner = [use for use in value.uses if use.operation.parent_op() is not dot.parent_op()]
        return [made for use in inner for made in targets(use)]

    uses = [use for value in reached([dot.d], yielded) for use in value.uses]
    return all(use.operation.parent_op() is not dot.parent_op() for use in uses)
