"""Products and sums that LLVM or ptxas may fuse into one instruction, which rounds once (`enable_fp_fusion`).

LLVM and ptxas see scalars, so ops that only move elements between tensors do not prevent fusion.
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
"""Ops whose results are elements of their operands, some of them from other threads."""
PASSING = (*MOVING_REGISTERS, arith.NegfOp)
"""Ops through which a product reaches a sum; a negated product is subtracted."""
SUMS = (arith.AddfOp, arith.SubfOp)


def may_be_fused(op: Operation) -> bool:
    """Whether the op is a product that feeds a sum, or a sum that has a product as an operand."""
    return goes_to_sum(op) if isinstance(op, arith.MulfOp) else any(map(is_product, op.operands))


def goes_to_sum(op: Operation) -> bool:
    """Whether the op's result is added to or subtracted from something."""
    return any(isinstance(use.operation, SUMS) for use in uses_behind(op, lambda user: isinstance(user, PASSING)))


def is_product(value: SSAValue) -> bool:
    """Whether the value, or one of the values it is assembled from, is a product."""
    parts = reached([value], lambda each: each.owner.operands if isinstance(each.owner, PASSING) else ())
    return any(isinstance(part.owner, arith.MulfOp) for part in parts)
