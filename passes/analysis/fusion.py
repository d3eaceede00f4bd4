"""Products and sums that LLVM or ptxas may compute by one instruction, which rounds once (`enable_fp_fusion`).

They see scalars: whatever only moves elements between tensors does not stand between a product and a sum.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.tt_compute import SplatOp, SplitOp
from dotload.passes.analysis.known_elements import MOVING
from dotload.passes.ir.def_use import uses_behind
from dotload.passes.ir.flow import reached

MOVING_REGISTERS = (*MOVING, SplatOp, SplitOp, UnrealizedConversionCastOp)
"""Ops whose results are in registers of their operands, which some bring from other threads."""
PASSING = (*MOVING_REGISTERS, arith.NegfOp)
"""Ops through which a product is found from a sum: a negated one is taken away."""
SUMS = (arith.AddfOp, arith.SubfOp)


def may_be_fused(op: Operation) -> bool:
    """Whether a product goes to a sum, or a sum has a product in it."""
    return goes_to_sum(op) if isinstance(op, arith.MulfOp) else any(map(is_product, op.operands))


def goes_to_sum(op: Operation) -> bool:
    """Whether the op's result is added to something, or taken away."""
    return any(isinstance(use.operation, SUMS) for use in uses_behind(op, lambda user: isinstance(user, PASSING)))


def is_product(value: SSAValue) -> bool:
    """Whether the value, or a part of it, is a product."""
    parts = reached([value], lambda each: each.owner.operands if isinstance(each.owner, PASSING) else ())
    return any(isinstance(part.owner, arith.MulfOp) for part in parts)
