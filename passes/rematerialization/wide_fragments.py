"""Fragments of mma.sync with more consecutive k, so that a packed operand is read by whole words.

Triton gives a thread as many consecutive k of both operands as make 32 bits of the narrower one (kWidth). Since 3.9, it
does not see that two numbers share a byte: a thread then reads 16 bits of the packed tile at a time. The order of k
within a dot is free, if it is the same in both operands.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.layout.widths import BYTE_BITS
from dotload.passes.ir.def_use import erase_unused
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import encoding_attribute, is_of_fragments
from dotload.passes.ir.loops import loop_around
from dotload.passes.rematerialization.unpacked import has_runs, packed_tiles, unpacking_of


def widen_fragments(module: ModuleOp) -> bool:
    """Double kWidth where a thread then reads a packed operand by 32 bits, not 16; returns whether any has changed."""
    dots = [dot for dot in of_kind(list(module.walk()), DotOp) if may_widen(dot)]
    for dot in dots:
        widen(dot)
    return bool(dots)


def may_widen(dot: DotOp) -> bool:
    """Whether one operand has 16 bits and is read by half words, and the other is converted for this dot alone."""
    loop, pairs = loop_around(dot), ((dot.a, dot.b), (dot.b, dot.a))
    if loop is None or not all(is_of_fragments(tensor_type(operand)) for operand in (dot.a, dot.b)):
        return False
    return element_bits(dot.a.type) == 2 * BYTE_BITS and any(
        isinstance(other.owner, ConvertLayoutOp) and other.has_one_use() and is_read_by_half_words(operand, loop)
        for operand, other in pairs
    )


def is_read_by_half_words(operand: SSAValue, loop: Operation) -> bool:
    """Whether the operand's packed tile is read by 32 bits in the `wide` layout, so that it is read by 16 bits now."""
    if packed_tiles(operand, wide(operand), loop) is None:
        return False
    unpacking = unpacking_of(operand, wide(operand))
    return unpacking is not None and all(
        has_runs(tile, before, REGISTER_BITS) and not has_runs(tile, before, 2 * REGISTER_BITS)
        for tile, before in unpacking.tiles
    )


def wide(operand: SSAValue) -> attrs.EncodingAttr:
    """The layout in which a thread has twice as many consecutive k of a dot's operand."""
    encoding = tensor_type(operand).encoding
    assert isinstance(encoding, attrs.EncodingAttr)
    fragments = encoding.to_encoding()
    assert isinstance(fragments, enc.DotOperand)
    return encoding_attribute(replace(fragments, k_width=2 * fragments.k_width))


def widen(dot: DotOp) -> None:
    """Bring both operands to their `wide` layouts."""
    for index, operand in ((0, dot.a), (1, dot.b)):
        source = operand.owner.src if isinstance(operand.owner, ConvertLayoutOp) else operand
        dot.operands[index] = Emitter.before(dot).in_layout(source, wide(operand))
        erase_unused([operand])
