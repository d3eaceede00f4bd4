"""Division by a power of two is multiplication by its reciprocal, to the last bit."""

from dataclasses import dataclass
from math import frexp

from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp, DivfOp, MulfOp
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

import dotload
from dotload.passes import remarks


def power_of_two(value) -> float | None:
    """The power of two that every element of `value` equals, or None. 2**-14 is f16's smallest normal number."""
    constant = value.owner
    if not isinstance(constant, ConstantOp) or not isinstance(constant.value, DenseIntOrFPElementsAttr):
        return None
    number = constant.value.get_values()[0]
    mantissa, exponent = frexp(number)
    return number if constant.value.is_splat() and abs(mantissa) == 0.5 and abs(exponent - 1) <= 14 else None


class MultiplyByReciprocal(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DivfOp, rewriter: PatternRewriter) -> None:
        divisor = power_of_two(op.rhs)
        if divisor is None:
            remarks.emit("missed", "exact-reciprocal", op, "kept arith.divf: not by a power of two", "DIVISOR")
            return
        reciprocal = ConstantOp(DenseIntOrFPElementsAttr.from_list(op.rhs.type, [1 / divisor]), op.rhs.type)
        rewriter.replace_op(op, [reciprocal, MulfOp(op.lhs, reciprocal.result, op.fastmath)])
        remarks.emit("passed", "exact-reciprocal", op, f"multiplied by {1 / divisor}")


@dotload.register_pass(place=dotload.Place("ttgir", before="tritongpu-coalesce"))
@dataclass(frozen=True)
class ExactReciprocalPass(ModulePass):
    """Turn division by a power of two into multiplication."""

    name = "exact-reciprocal"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(MultiplyByReciprocal(), apply_recursively=False).rewrite_module(op)
