"""`narrow-k-width`: let ldmatrix read the operand beside weights that are converted or unpacked.

    %a = ttg.convert_layout %x : ... -> tensor<64x128xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %b = ...                                   computed from bytes: opIdx = 1, kWidth = 4
    %d = tt.dot %a, %b, %acc

kWidth is the number of consecutive k that a lane has of both operands. Triton takes as many as make 32 bits of the
narrowest type that an operand is computed from: four, for bytes. ldmatrix gives a lane two elements of 16 bits. So
Triton reads A by `ld.shared.v2`, and moves each register once more, into the order in which mma.sync takes them, often
for each mma.sync again. If K is contiguous, that is well spent: a lane reads four bytes as one word. It is not

- for row-major bytes, which `stage-dot-operands` has ldmatrix transpose, with any kWidth, unless A has few rows;
- for numbers that share a byte or a word, as a lane reads few of these in any case.

The pass makes kWidth 2 there. Row-major bytes are converted anew in this layout; to unpack numbers in it is left to
`hoist-fragment-layouts`, which runs next. The dot adds the same products in another order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits, with_encoding
from dotload.layout import encodings as enc
from dotload.layout.widths import BYTE_BITS, HALF_BITS
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import LDMATRIX_WIDTH, are_apart, encoding_as, encoding_attribute
from dotload.passes.ir.loops import loop_around
from dotload.passes.ir.memory import are_scales
from dotload.passes.ir.targets import is_in_cluster
from dotload.passes.rematerialization.unpacked import Unpacked
from dotload.passes.rematerialization.unpacking import (
    is_k_major,
    is_loaded_tile,
    pack_several,
    packed_tiles,
    unpacking_of,
)
from dotload.passes.rewriting import RewritePass

FEW_ROWS = 16
"""Up to as many, row-major bytes stay: such loops wait for memory, and tiles became 0.8 to 1.6 times as fast, the best
ones about 1.0 (H200, 3.9.0: `python bench/quantised_weights.py --rows 16 --only row-major`, without this limit)."""


def narrow(operand: SSAValue) -> attrs.EncodingAttr | None:
    """The layout of an operand of 16 bits for mma.sync with two consecutive k in a lane; None if it has no more."""
    fragments = encoding_as(enc.DotOperand, tensor_type(operand).encoding)
    if fragments is None or fragments.k_width <= LDMATRIX_WIDTH or element_bits(operand.type) != HALF_BITS:
        return None
    return encoding_attribute(replace(fragments, k_width=LDMATRIX_WIDTH))


# Candidates


def is_loaded(operand: SSAValue) -> bool:
    """Whether the operand is a loaded tile, which nothing else takes in this layout."""
    conversion = operand.owner
    is_converted = isinstance(conversion, ConvertLayoutOp) and is_loaded_tile(conversion.src)
    return is_converted and operand.has_one_use() and narrow(operand) is not None


def is_row_major(operand: SSAValue, dot: DotOp) -> bool:
    """Whether the operand can be computed in the new layout from one tile of bytes whose K is not contiguous."""
    layout, loop = narrow(operand), loop_around(dot)
    found = None if layout is None else unpacking_of(operand, layout)
    if found is None or loop is None or not (found.is_from_less and found.is_only_use and found.is_in(loop)):
        return False
    tiles = [each for each in found.tiles if not are_scales(each[0], operand)]
    if len(tiles) != 1 or element_bits(tiles[0][0].type) != BYTE_BITS or pack_several([tiles[0][0]], operand):
        return False
    return not is_k_major(*tiles[0])


def is_unpacked(operand: SSAValue, dot: DotOp) -> bool:
    """Whether `hoist-fragment-layouts` can recompute the operand in that layout, from numbers that share elements."""
    layout, loop = narrow(operand), loop_around(dot)
    if layout is None or loop is None or not are_apart(with_encoding(tensor_type(operand), layout)):
        return False
    tiles = packed_tiles(operand, layout, loop)
    return tiles is not None and pack_several(tiles, operand)


# Emit


def emit(dot: DotOp, *, recomputed: SSAValue | None) -> None:
    """Bring both operands to the new layout; `recomputed`: one that is computed in it, from its tile on."""
    for index, operand in enumerate((dot.a, dot.b)):
        layout, unpacked = narrow(operand), Unpacked()
        assert layout is not None
        if operand is recomputed:
            dot.operands[index] = unpacked.of(operand, layout)
        else:
            source = operand.owner.src if isinstance(operand.owner, ConvertLayoutOp) else operand
            dot.operands[index] = Emitter.before(dot).in_layout(source, layout)
        unpacked.erase_old(operand)


@dataclass(frozen=True)
class NarrowKWidthPass(RewritePass):
    """Give a lane two consecutive k of 16 bits, as ldmatrix does, beside converted or unpacked weights."""

    name = "narrow-k-width"

    def rewrite(self, module: ModuleOp) -> bool:
        if is_in_cluster(module):  # the layouts that values are recomputed in are those of one CTA
            return False
        changes = [self.rewrite_dot(dot) for dot in of_kind(module.walk(), DotOp)]
        return any(changes)

    def rewrite_dot(self, dot: DotOp) -> bool:
        """Narrow a dot if one operand is loaded, and the other one computed from bytes or words."""
        *_, rows, columns = tensor_type(dot.d).get_shape()
        operands = ((dot.a, dot.b, rows), (dot.b, dot.a, columns))
        for _, weights, others in (each for each in operands if is_loaded(each[0])):
            is_recomputed = others > FEW_ROWS and is_row_major(weights, dot)
            if is_recomputed or is_unpacked(weights, dot):
                self.passed(dot, "ldmatrix reads the operand beside narrower weights: kWidth is 2")
                emit(dot, recomputed=weights if is_recomputed else None)
                return True
        return False
