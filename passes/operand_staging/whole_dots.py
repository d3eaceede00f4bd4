"""Dots that Triton's pipeliner is not to split along k, since `pipeline-operand-copies` would join the parts again."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import scf
from xdsl.ir import Operation

from dotload.dialect_ext.ttg import LocalAllocOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.layout.byte_transposes import WORD_BITS
from dotload.passes.ir.loops import is_only_dot
from dotload.passes.ir.wgmma import wait_behind
from dotload.passes.operand_staging import latencies
from dotload.passes.operand_staging.plan import Plan


def keep_whole(dots: Iterable[tuple[Operation, Plan | None]], num_stages: int) -> None:
    """Have Triton's pipeliner leave these dots whole: it does so where something waits for one in its iteration."""
    for dot, plan in dots:
        if plan is not None and is_joined_later(dot, plan, num_stages):
            wait_behind(dot, dot.results[0], dot)


def is_joined_later(dot: Operation, plan: Plan, num_stages: int) -> bool:
    """Whether `pipeline-operand-copies` makes one dot of the parts that Triton's pipeliner would split it into.

    It does so in a loop that it takes, of a dot of 32-bit words: no part has bytes to be permuted for it.
    """
    loop = dot.parent_op()
    if not isinstance(dot, WarpGroupDotOp) or not isinstance(loop, scf.ForOp) or not plan.registers:
        return False
    ((operand, _),) = plan.registers
    if operand.tile.element_bits != WORD_BITS or not is_only_dot(dot):
        return False
    if [use.operation for use in dot.d.uses] != [loop.body.block.last_op]:
        return False
    loads = latencies.loads_of(loop)
    is_straight = all(isinstance(use.operation, LocalAllocOp) for load in loads for use in load.results[0].uses)
    has_regions = any(op.regions for op in loop.body.block.ops)
    return latencies.tiles_ahead(loop, num_stages) >= latencies.AHEAD and is_straight and not has_regions
