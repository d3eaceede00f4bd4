"""`fold-operand-masks`: load an operand under the mask by which it is cleared, and under its own if it has one.

    %v = tt.load %p, %inside, %zeros : tensor<32x128x!tt.ptr<f8E4M3FN>>      %all = arith.andi %inside, %window
    %w = tt.fp_to_fp %v : ... -> tensor<32x128xbf16>                         %v = tt.load %p, %all, %zeros
    %m = arith.select %window, %w, %nothing                                  %w = tt.fp_to_fp %v
    %d = tt.dot %p, %m, %acc                                                 %d = tt.dot %p, %w, %acc

Attention with a sliding window clears the values outside the window, in case they are NaN. The select has a second
operand, so the tile is not staged in 8 bits, as loaded. With the merged mask, what is not loaded is zero, and so is its
conversion. Triton does the same if load and select are adjacent and have one mask (CombineSelectMaskedLoadPattern).
A load without a mask gets that of the select: `tl.where(inside, tl.load(p), 0)`.

Candidates: tiles in a loop, loaded without a mask, or with zeros or nothing elsewhere, that only conversions and the
select use. They have 8 bits, or are 32-bit operands of tf32 that are not K-major: other tiles need no staging. The mask
must be computed by arithmetic, which is moved above the load.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue, Use
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.arith import SelectOp
from dotload.dialect_ext.traits import is_elementwise, is_pure
from dotload.dialect_ext.tt_compute import BitcastOp, DotOp, SplatOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.typed import of_kind, shape_of, tensor_type
from dotload.dialect_ext.types import element_bits, mask_type
from dotload.layout.byte_transposes import WORD_BYTES
from dotload.layout.widths import BYTE_BITS
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.constants import is_zero
from dotload.passes.ir.conversions import CONVERSIONS, conversions_of
from dotload.passes.ir.def_use import only_user, uses_behind
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loads import load_like, may_fill_with_zeros
from dotload.passes.ir.loops import DOTS, feeds_dot, function_around
from dotload.passes.ir.motion import backward_slice, hoist_above
from dotload.passes.operand_staging.candidates import K_MAJOR_BITS
from dotload.passes.rewriting import LoopPass

OF_ZERO_ZERO = (*CONVERSIONS, BitcastOp, arith.ExtSIOp, arith.ExtUIOp)
"""Ops that map zero to zero."""

TF32 = 0
"""The input precision of a dot that rounds 32-bit operands to tf32 (Triton's InputPrecision)."""

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
        if tile is None or not feeds_dot(load) or not is_arithmetic(tile.select.cond, loop):
            continue
        if is_staged_if_loaded(tile) and (not tile.is_scaled or is_same_but_along_k(tile)):
            yield tile


def find_tile(load: LoadOp, loop: scf.ForOp) -> MaskedTile | None:
    """The tile, if it is only converted and then cleared."""
    if load.is_volatile or not may_fill_with_zeros(load) or element_bits(load.result.type) not in K_MAJOR_BITS:
        return None
    conversions = conversions_of(load.result)
    products = [op for op in conversions if not isinstance(op, OF_ZERO_ZERO)]
    if not all(scales(op, loop) for op in products):
        return None
    value = conversions[-1].results[0] if conversions else load.result
    match only_user(value):
        case SelectOp(cond=condition, lhs=kept, rhs=cleared) as select if kept is value and is_zero(cleared):
            is_alike = condition.type == mask_type(load.ptr.type) and select.parent_block() is load.parent_block()
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
    mask, shape = Strides.behind(tile.select.cond).of(tile.select.cond), shape_of(tile.select.cond.type)
    uses = [use for use in uses_behind(tile.select, is_elementwise) if not is_elementwise(use.operation)]
    axes = [use.index - OPERANDS for use in uses]
    return all(map(is_operand, uses)) and all(mask.is_same_in_groups(axis, shape[axis]) for axis in axes)


def is_operand(use: Use) -> bool:
    """Whether the use is A or B of a dot."""
    return isinstance(use.operation, DotOp) and use.index < OPERANDS


def is_staged_if_loaded(tile: MaskedTile) -> bool:
    """Whether the tile is copied asynchronously under the mask, and a dot then needs another order of its elements.

    The mask must be constant over the fewest neighbours that are copied in one piece, words of bytes. Of a 32-bit tile,
    it must be over as many: a thread copies 16 bytes at once, as without the mask.
    """
    bits = element_bits(tile.load.result.type)
    strides = Strides(function_around(tile.load))
    pointers, mask = strides.of(tile.load.ptr), strides.of(tile.select.cond)
    axes = [axis for axis, stride in enumerate(pointers.strides) if stride == bits // BYTE_BITS]
    stays_in_pieces = all(mask.is_same_in_groups(axis, WORD_BYTES) for axis in axes)
    return stays_in_pieces and (bits == BYTE_BITS or is_tf32_along(axes, tile))


def is_tf32_along(axes: Sequence[int], tile: MaskedTile) -> bool:
    """Whether only dots of tf32 take the tile, with these dims contiguous that are not K: rows of A, columns of B."""
    return bool(axes) and all(
        is_operand(use) and has_tf32(use.operation) and axes == [use.index] for use in tile.select.result.uses
    )


def has_tf32(dot: Operation) -> bool:
    """Whether a dot of 32-bit operands runs on tensor cores."""
    return isinstance(dot, DotOp) and dot.inputPrecision.value.data == TF32


def is_arithmetic(mask: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the loop computes the mask without loads and dots."""
    ops = backward_slice([mask.owner], loop)
    return all(is_pure(op) and not op.regions and not isinstance(op, DOTS) for op in ops)


# Emit


def emit(tile: MaskedTile, loop: scf.ForOp) -> None:
    """Load under both masks, and remove the select."""
    load, condition = tile.load, tile.select.cond
    hoist_above(load, [condition.owner], loop)
    emitter = Emitter.before(load)
    mask = condition if load.mask is None else emitter.insert(arith.AndIOp(load.mask, condition))
    other = emitter.splat(0, tensor_type(load.result)) if load.other is None else load.other
    Rewriter.replace_op(load, (), [emitter.insert(load_like(load, load.ptr, mask, other))])
    Rewriter.replace_op(tile.select, (), [tile.select.lhs])


@dataclass(frozen=True)
class FoldOperandMasksPass(LoopPass):
    """Load operands under the mask by which they are cleared."""

    name = "fold-operand-masks"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        tiles = list(find_tiles(loop))
        for tile in tiles:
            self.passed(tile.load, "the tile is loaded under the mask that sets it to zero")
            emit(tile, loop)
        return bool(tiles)
