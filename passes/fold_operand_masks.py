"""`fold-operand-masks`: merge the mask of a converted operand into the mask of its load.

    %v = tt.load %p, %inside, %zeros : tensor<32x128x!tt.ptr<f8E4M3FN>>      %all = arith.andi %inside, %window
    %w = tt.fp_to_fp %v : ... -> tensor<32x128xbf16>                         %v = tt.load %p, %all, %zeros
    %m = arith.select %window, %w, %nothing                                  %w = tt.fp_to_fp %v
    %d = tt.dot %p, %m, %acc                                                 %d = tt.dot %p, %w, %acc

Attention with a sliding window clears the values outside the window, in case they are NaN. The select has a second
operand, so the tile is not staged in 8 bits, as loaded. With the merged mask, what is not loaded is zero, and so is its
conversion. Triton does the same if load and select are adjacent and have one mask (CombineSelectMaskedLoadPattern).

Candidates: 8-bit tiles in a loop, loaded under a mask with zeros elsewhere, that only conversions and the select use.
The mask must be computed by arithmetic, which is moved above the load.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue, Use
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.arith import ExtFOp, SelectOp, TruncFOp
from dotload.dialect_ext.traits import is_elementwise, is_pure
from dotload.dialect_ext.tt_compute import BitcastOp, DotOp, FpToFpOp, SplatOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.typed import of_kind, shape_of
from dotload.dialect_ext.types import element_bits
from dotload.layout.byte_transposes import WORD_BYTES
from dotload.layout.widths import BYTE_BITS
from dotload.passes.analysis.stride_info import Info
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.constants import is_zero
from dotload.passes.ir.conversions import conversions_of
from dotload.passes.ir.def_use import only_user, uses_behind
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import DOTS, feeds_dot
from dotload.passes.ir.motion import backward_slice, hoist_above
from dotload.passes.rewriting import LoopPass

OF_ZERO_ZERO = (FpToFpOp, ExtFOp, TruncFOp, BitcastOp, arith.SIToFPOp, arith.UIToFPOp, arith.ExtSIOp, arith.ExtUIOp)
"""Ops that map zero to zero."""

OPERANDS = 2
"""A and B of a dot. The dim that A or B shares with C is at this distance from its last: rows of A, columns of B."""


@dataclass(frozen=True)
class MaskedTile:
    """A loaded tile that is converted, and then cleared where the select's condition is false.

    `is_scaled`: one of the conversions multiplies by a number that may be NaN.
    """

    load: LoadOp
    select: SelectOp
    is_scaled: bool


# Candidates


def find_tiles(loop: scf.ForOp) -> Iterator[MaskedTile]:
    """The tiles of a loop whose masks can be computed above their loads."""
    for load in of_kind(loop.body.block.ops, LoadOp):
        tile = find_tile(load, loop)
        if tile and feeds_dot(load) and is_arithmetic(tile.select.cond, loop) and stays_in_words(tile):
            if not tile.is_scaled or is_same_but_along_k(tile):
                yield tile


def find_tile(load: LoadOp, loop: scf.ForOp) -> MaskedTile | None:
    """The tile, if it is only converted and then cleared."""
    is_masked = load.mask is not None and is_zero(load.other) and not load.is_volatile
    if not is_masked or load.mask is None or element_bits(load.result.type) != BYTE_BITS:
        return None
    conversions = conversions_of(load.result)
    products = [op for op in conversions if not isinstance(op, OF_ZERO_ZERO)]
    if not all(scales(op, loop) for op in products):
        return None
    value = conversions[-1].results[0] if conversions else load.result
    match only_user(value):
        case SelectOp(cond=condition, lhs=kept, rhs=cleared) as select if kept is value and is_zero(cleared):
            is_alike = condition.type == load.mask.type and select.parent_block() is load.parent_block()
            return MaskedTile(load, select, bool(products)) if is_alike else None
        case _:
            return None


def scales(op: Operation, loop: scf.ForOp) -> bool:
    """Whether an op multiplies by a number that is the same in all iterations.

    If `is_same_but_along_k` holds, such a factor that is NaN or infinite spoils the results whatever is cleared. A
    factor that changes between iterations does not: the elements that it makes NaN may all be outside the window.
    """
    factors = [operand.owner for operand in op.operands] if isinstance(op, arith.MulfOp) else []
    return any(isinstance(factor, SplatOp) and is_invariant(factor.src, loop) for factor in factors)


def is_invariant(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether a scalar comes from before the loop, or is loaded from the same address in each iteration."""
    return not loop.is_ancestor(value.owner) or (
        isinstance(value.owner, LoadOp) and is_invariant(value.owner.ptr, loop)
    )


def is_same_but_along_k(tile: MaskedTile) -> bool:
    """Whether in the dots that take the tile, the cleared elements are the same for each row, or column, of the result.

    A scale that is NaN then makes all rows, or columns, NaN. It must not reach one that is cleared throughout.
    """
    mask = Strides.behind(tile.select.cond).of(tile.select.cond)
    uses = (use for use in uses_behind(tile.select, is_elementwise) if not is_elementwise(use.operation))
    return all(is_operand(use) and is_same_along(mask, use.index - OPERANDS, tile) for use in uses)


def is_operand(use: Use) -> bool:
    """Whether the use is A or B of a dot."""
    return isinstance(use.operation, DotOp) and use.index < OPERANDS


def is_same_along(mask: Info, axis: int, tile: MaskedTile) -> bool:
    """Whether the mask of a tile is constant along a dim."""
    return mask.is_same_in_groups(axis, shape_of(tile.select.cond.type)[axis])


def stays_in_words(tile: MaskedTile) -> bool:
    """Whether the mask is constant within each word of memory, so that the tile is still copied asynchronously."""
    pointers, mask = (Strides.behind(value).of(value) for value in (tile.load.ptr, tile.select.cond))
    axes = [axis for axis, stride in enumerate(pointers.strides) if stride == 1]
    return all(mask.is_same_in_groups(axis, WORD_BYTES) for axis in axes)


def is_arithmetic(mask: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the loop computes the mask without loads and dots."""
    ops = backward_slice([mask.owner], loop)
    return all(is_pure(op) and not op.regions and not isinstance(op, DOTS) for op in ops)


# Emit


def emit(tile: MaskedTile, loop: scf.ForOp) -> None:
    """Load under both masks, and remove the select."""
    hoist_above(tile.load, [tile.select.cond.owner], loop)
    inside = tile.load.mask
    assert inside is not None
    both = Emitter.before(tile.load).insert(arith.AndIOp(inside, tile.select.cond))
    tile.load.operands = [both if operand is inside else operand for operand in tile.load.operands]
    Rewriter.replace_op(tile.select, (), [tile.select.lhs])


@dataclass(frozen=True)
class FoldOperandMasksPass(LoopPass):
    """Load converted operands under the mask by which they are cleared."""

    name = "fold-operand-masks"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        tiles = list(find_tiles(loop))
        for tile in tiles:
            self.passed(tile.load, "the tile is loaded under the mask that sets it to zero")
            emit(tile, loop)
        return bool(tiles)
