"""`narrow-k-width`: let ldmatrix read the operand beside unpacked weights.

    %a = ttg.convert_layout %x : ... -> tensor<16x128xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %b = ...                               unpacked from bytes of two numbers: opIdx = 1, kWidth = 4
    %d = tt.dot %a, %b, %acc

kWidth is the number of consecutive k that a lane has of both operands. Triton takes as many as make 32 bits of the
narrowest type that an operand is computed from: four, for bytes. ldmatrix gives a lane two elements of 16 bits. So
Triton reads A by `ld.shared.v2`, and moves each register once more, into the order in which mma.sync takes them. Bytes
of one number each are worth that, as a lane reads a word of them at once. Numbers that share a byte or a word are not:

    %c = ttg.convert_layout %x : ... -> tensor<16x128xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %e = ttg.convert_layout %b : ... -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    %d = tt.dot %c, %e, %acc

`hoist-fragment-layouts`, which runs next, recomputes %b in the new layout. The dot adds the same products in another
order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits, with_encoding
from dotload.layout import encodings as enc
from dotload.layout.widths import HALF_BITS
from dotload.passes.ir.def_use import erase_unused
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import are_apart, encoding_as, encoding_attribute
from dotload.passes.ir.loops import loop_around
from dotload.passes.ir.targets import is_in_cluster
from dotload.passes.rematerialization.unpacking import is_loaded_tile, pack_several, packed_tiles
from dotload.passes.rewriting import RewritePass

LDMATRIX_WIDTH = 2
"""Consecutive elements of 16 bits that ldmatrix gives a lane."""


def narrow(operand: SSAValue) -> attrs.EncodingAttr | None:
    """The layout of an operand of 16 bits for mma.sync with two consecutive k in a lane; None if it has no more."""
    fragments = encoding_as(enc.DotOperand, tensor_type(operand).encoding)
    if fragments is None or fragments.k_width <= LDMATRIX_WIDTH or element_bits(operand.type) != HALF_BITS:
        return None
    return encoding_attribute(replace(fragments, k_width=LDMATRIX_WIDTH))


def is_candidate(dot: DotOp) -> bool:
    """Whether one operand is loaded for this dot alone, and the other unpacked."""
    return any(is_loaded(loaded) and is_unpacked(other, dot) for loaded, other in ((dot.a, dot.b), (dot.b, dot.a)))


def is_loaded(operand: SSAValue) -> bool:
    """Whether the operand is a loaded tile, which nothing else takes in this layout."""
    conversion = operand.owner
    is_converted = isinstance(conversion, ConvertLayoutOp) and is_loaded_tile(conversion.src)
    return is_converted and operand.has_one_use() and narrow(operand) is not None


def is_unpacked(operand: SSAValue, dot: Operation) -> bool:
    """Whether `hoist-fragment-layouts` can recompute the operand in that layout, from numbers that share elements."""
    layout, loop = narrow(operand), loop_around(dot)
    if layout is None or loop is None or not are_apart(with_encoding(tensor_type(operand), layout)):
        return False
    tiles = packed_tiles(operand, layout, loop)
    return tiles is not None and pack_several(tiles, operand)


def emit(dot: DotOp) -> None:
    """Convert both operands to the new layout."""
    for index, operand in enumerate((dot.a, dot.b)):
        source = operand.owner.src if isinstance(operand.owner, ConvertLayoutOp) else operand
        layout = narrow(operand)
        assert layout is not None
        dot.operands[index] = Emitter.before(dot).in_layout(source, layout)
        erase_unused([operand])


@dataclass(frozen=True)
class NarrowKWidthPass(RewritePass):
    """Give a lane two consecutive k of 16 bits, beside unpacked weights, as ldmatrix does."""

    name = "narrow-k-width"

    def rewrite(self, module: ModuleOp) -> bool:
        if is_in_cluster(module):
            return False
        dots = [dot for dot in of_kind(module.walk(), DotOp) if is_candidate(dot)]
        for dot in dots:
            self.passed(dot, "ldmatrix reads the operand beside unpacked weights: kWidth is 2")
            emit(dot)
        return bool(dots)
