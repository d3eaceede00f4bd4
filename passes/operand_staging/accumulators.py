"""The accumulator of a dot: what carries it, and whether its indices may be permuted."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation

from dotload.layout.reject import Reject
from dotload.passes.ir.loops import ACCUMULATOR, Carried, carried_by_loop, loop_around
from dotload.passes.operand_staging.layout_propagation import is_partial
from dotload.passes.operand_staging.reasons import StagingReason


@dataclass(frozen=True)
class Accumulator:
    """An accumulator whose indices may be permuted.

    `carried`: how a loop carries it; None where none does. `is_partial`: so it is, though the dot is in a loop, which
    goes on with the result element by element.
    """

    carried: Carried | None = None
    is_partial: bool = False


def find_accumulator(dot: Operation) -> Accumulator:
    """The accumulator, when nothing but the dot looks at it; raises Reject otherwise."""
    if loop_around(dot) is None:
        return Accumulator()
    if is_partial(dot):
        return Accumulator(is_partial=True)
    start = dot.operands[ACCUMULATOR]
    if not isinstance(start, BlockArgument) or start.block is not dot.parent_block() or start.index == 0:
        raise Reject(StagingReason.ACCUMULATOR_CARRIED)
    if (carried := carried_by_loop(start)) is None:
        raise Reject(StagingReason.WHILE_LOOP)
    uses = list(dot.results[0].uses)
    if not start.has_one_use() or len(uses) != 1 or not isinstance(uses[0].operation, scf.YieldOp):
        raise Reject(StagingReason.ACCUMULATOR_USED)
    if carried.back is not dot.results[0]:
        raise Reject(StagingReason.ACCUMULATOR_MOVES)
    return Accumulator(carried)
