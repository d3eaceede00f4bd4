"""`fold-operand-masks`: the mask of a converted operand is that of its load.

    %v = tt.load %p, %inside, %zeros : tensor<32x128x!tt.ptr<f8E4M3FN>>      %all = arith.andi %inside, %window
    %w = tt.fp_to_fp %v : ... -> tensor<32x128xbf16>                         %v = tt.load %p, %all, %zeros
    %m = arith.select %window, %w, %nothing                                  %w = tt.fp_to_fp %v
    %d = tt.dot %p, %m, %acc                                                 %d = tt.dot %p, %w, %acc

Attention with a sliding window clears the values outside of it, so that a number that is none does no harm. The select
has a second operand, so that the tile is not staged as it was loaded, in 8 bits. What is not loaded is zero, and so is
what is converted from it. Triton does the same where load and select stand next to each other with one mask (its
CombineSelectMaskedLoadPattern).

Candidates: tiles of 8 bits in a loop, loaded under a mask and zero else, that only conversions and the select use. What
the mask is computed by must be arithmetic, which is moved above the load.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.arith import ExtFOp, SelectOp, TruncFOp
from dotload.dialect_ext.traits import is_pure
from dotload.dialect_ext.tt_compute import BitcastOp, FpToFpOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.typed import of_kind
from dotload.dialect_ext.types import element_bits
from dotload.passes import remarks
from dotload.passes.ir.constants import is_zero
from dotload.passes.ir.conversions import BYTE, conversions_of
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import DOTS, feeds_dot
from dotload.passes.ir.motion import backward_slice, hoist_above
from dotload.passes.rewriting import LoopPass

OF_ZERO_ZERO = (
    *(FpToFpOp, ExtFOp, TruncFOp, BitcastOp, arith.SIToFPOp, arith.UIToFPOp),
    *(arith.ExtSIOp, arith.ExtUIOp, arith.MulfOp, arith.MuliOp),
)
"""Ops that make zero of zero. (A scale that is no number, or infinite, makes none of anything.)"""


@dataclass(frozen=True)
class MaskedTile:
    """A loaded tile that is converted, and then cleared where the select's condition is false."""

    load: LoadOp
    inside: SSAValue
    converted: SSAValue
    select: SelectOp


# Candidates


def find_tiles(loop: scf.ForOp) -> Iterator[MaskedTile]:
    """The tiles of a loop whose masks can be had above their loads."""
    for load in of_kind(loop.body.block.ops, LoadOp):
        tile = find_tile(load)
        if tile is not None and feeds_dot(load) and is_arithmetic(tile.select.cond, loop):
            yield tile


def find_tile(load: LoadOp) -> MaskedTile | None:
    """The tile, if all that is done with it is to convert and to clear it."""
    is_masked = load.mask is not None and is_zero(load.other) and not load.isVolatile.value.data
    if not is_masked or load.mask is None or element_bits(load.result.type) != BYTE:
        return None
    conversions = conversions_of(load.result)
    if not all(isinstance(op, OF_ZERO_ZERO) for op in conversions):
        return None
    value = conversions[-1].results[0] if conversions else load.result
    users = [use.operation for use in value.uses]
    match users:
        case [SelectOp(cond=condition, lhs=kept, rhs=cleared) as select] if kept is value and is_zero(cleared):
            is_alike = condition.type == load.mask.type and select.parent_block() is load.parent_block()
            return MaskedTile(load, load.mask, value, select) if is_alike else None
        case _:
            return None


def is_arithmetic(mask: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the loop computes the mask from nothing that it loads or multiplies."""
    return all(is_pure(op) and not isinstance(op, DOTS) for op in backward_slice([mask.owner], loop))


# Emit


def emit(tile: MaskedTile, loop: scf.ForOp) -> None:
    """Load under both masks, and leave the select out."""
    hoist_above(tile.load, [tile.select.cond.owner], loop)
    both = Emitter.before(tile.load).add(arith.AndIOp(tile.inside, tile.select.cond))
    tile.load.operands = [both if operand is tile.inside else operand for operand in tile.load.operands]
    tile.select.result.replace_all_uses_with(tile.converted)
    Rewriter.erase_op(tile.select)


# The pass


@dataclass(frozen=True)
class FoldOperandMasksPass(LoopPass):
    """Load converted operands under the mask by which they are cleared."""

    name: ClassVar[str] = "fold-operand-masks"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Look at the loads of a loop."""
        tiles = list(find_tiles(loop))
        for tile in tiles:
            remarks.emit("passed", self.name, tile.load, "the tile is loaded under the mask that clears it")
            emit(tile, loop)
        return bool(tiles)
