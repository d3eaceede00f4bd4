"""The accumulator of a dot: what carries it, and whether its indices may be permuted."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from dotload.layout.reject import Reject
from dotload.passes.ir.loops import loop_around
from dotload.passes.operand_staging.layout_propagation import is_partial
from dotload.passes.operand_staging.reasons import StagingReason


@dataclass(frozen=True)
class Accumulator:
    """An accumulator whose indices may be permuted.

    `loop` and `position`: the scf.for that carries it and its place among the carried values; None outside of loops.
    `is_partial`: no loop carries it, though the dot is in one, which goes on with the result element by element.
    """

    init: SSAValue
    result: SSAValue
    loop: scf.ForOp | None = None
    position: int = 0
    is_partial: bool = False


def find_accumulator(dot: Operation) -> Accumulator:
    """The accumulator, when nothing but the dot looks at it; raises Reject otherwise."""
    init, result = dot.operands[2], dot.results[0]
    if loop_around(dot) is None:
        return Accumulator(init, result)
    if is_partial(dot):
        return Accumulator(init, result, is_partial=True)
    loop = dot.parent_op()
    if not isinstance(init, BlockArgument) or init.block is not dot.parent_block() or init.index == 0:
        raise Reject(StagingReason.ACCUMULATOR_CARRIED)
    if not isinstance(loop, scf.ForOp):
        raise Reject(StagingReason.WHILE_LOOP)
    position = init.index - 1
    uses = list(result.uses)
    if len(list(init.uses)) != 1 or len(uses) != 1 or not isinstance(uses[0].operation, scf.YieldOp):
        raise Reject(StagingReason.ACCUMULATOR_USED)
    if uses[0].index != position:
        raise Reject(StagingReason.ACCUMULATOR_MOVES)
    return Accumulator(loop.iter_args[position], loop.results[position], loop, position)
