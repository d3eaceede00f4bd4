"""`hoist-scale-selects`: turn a select of an operand's scaled elements into a select of the scales.

Triton decomposes `tl.dot_scaled` if the hardware has no such product. The scale of a group of 32 elements is NaN if its
byte is 255. Up to Triton 3.8, each product is selected:

    %s = tt.reshape (tt.broadcast (tt.expand_dims %scale))          64 x 8 scales of 64 x 256 elements
    %m = tt.reshape (tt.broadcast (tt.expand_dims %is_nan))
    %p = arith.mulf %x, %s
    %r = arith.select %m, %nan, %p                                  takes packed products apart, one by one

becomes

    %t = arith.select %is_nan, %nan, %scale
    %s = tt.reshape (tt.broadcast (tt.expand_dims %t))
    %r = arith.mulf %x, %s

The product of anything with NaN is NaN. In Triton 3.9 the scales themselves are NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import takewhile

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.arith import SelectOp
from dotload.dialect_ext.tt_compute import BroadcastOp, ExpandDimsOp, ReshapeOp, TransOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.passes.ir.constants import splat_of
from dotload.passes.ir.def_use import are_alike, erase_unused, ops_behind
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.motion import copy_of
from dotload.passes.rewriting import RewritePass

VIEWS = (ExpandDimsOp, BroadcastOp, ReshapeOp, TransOp, ConvertLayoutOp)
"""Ops that bring each element of a small tensor to elements of a large one."""


@dataclass(frozen=True)
class Hoisted:
    """A select of NaN where `condition` is true of a scale. `views` expand scales to elements, the last one first."""

    select: SelectOp
    product: arith.MulfOp
    condition: SSAValue
    scale: SSAValue
    views: tuple[Operation, ...]


# Candidates and plan


def plan(select: SelectOp) -> Hoisted | None:
    """The select of scales to replace this select; None if there is none."""
    number, product = splat_of(select.lhs), select.rhs.owner
    if number is None or not math.isnan(number) or not isinstance(product, arith.MulfOp):
        return None
    for scales in product.operands:
        both = zip(ops_behind(select.cond, VIEWS), ops_behind(scales, VIEWS), strict=False)
        same = list(takewhile(lambda views: is_same_view(*views), both))
        if any(isinstance(view, BroadcastOp) for view, _ in same):
            condition, scale = (view.operands[0] for view in same[-1])
            return Hoisted(select, product, condition, scale, tuple(view for _, view in same))
    return None


def is_same_view(one: Operation, other: Operation) -> bool:
    """Whether two ops are the same view of tensors of one shape and layout."""
    values = ((one.operands[0], other.operands[0]), (one.results[0], other.results[0]))
    types = [map(tensor_type, each) for each in values]
    return are_alike(one, other) and all((a.shape, a.encoding) == (b.shape, b.encoding) for a, b in types)


# Emit


def emit(found: Hoisted) -> None:
    """Select among the scales, and multiply by them, in place of the select."""
    emitter = Emitter.before(found.select)
    nan = emitter.splat(math.nan, tensor_type(found.scale))
    old, new = found.scale, emitter.insert(SelectOp(found.condition, nan, found.scale))
    for view in reversed(found.views):
        old, new = view.results[0], emitter.insert(copy_of(view, {old: new}))
    product = emitter.insert(copy_of(found.product, {old: new}))
    found.select.result.replace_all_uses_with(product)
    erase_unused([found.select.result])


@dataclass(frozen=True)
class HoistScaleSelectsPass(RewritePass):
    """Select among scales instead of the products with them."""

    name = "hoist-scale-selects"

    def rewrite(self, module: ModuleOp) -> bool:
        found = [each for select in of_kind(module.walk(), SelectOp) if (each := plan(select)) is not None]
        for each in found:
            count = math.prod(tensor_type(each.scale).get_shape())
            self.passed(each.select, f"the select of NaN is applied to {count} scales before the product")
            emit(each)
        return bool(found)
