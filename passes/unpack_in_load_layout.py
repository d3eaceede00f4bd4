"""`unpack-in-load-layout`: unpack a tile in the layout in which it is loaded.

    %p = tt.load %pointers : tensor<8x32x!tt.ptr<i32>, #loaded>                      eight values a number
    %c = ttg.convert_layout %p                                                       by single elements
    ... repeated along K, shifted, masked, converted, scaled                         tensor<64x32xf16, #other>
    %b = ttg.local_alloc %w                                                          in single elements

Triton derives the layout of the unpacked tile from that of the repetition, in which each thread has consecutive k of
one column. Here a thread unpacks the numbers that it has loaded, and stores runs of columns:

    %w = ...                                                                         tensor<64x32xf16, #linear>
    %b = ttg.local_alloc %w                                                          in vectors

Candidates: operands of 16 bits, which matrix units take in either order, that are unpacked along the dim that is not
contiguous in memory, and that neither `hoist-fragment-layouts` nor `unpack-operands-in-registers` has taken: too few
columns for the warps, or a loop of one stage.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp
from dotload.dialect_ext.typed import tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.linear import LinearLayout, log2_exact
from dotload.layout.widths import HALF_BITS
from dotload.passes.ir.layouts import layout_of, linear_attribute
from dotload.passes.ir.loops import feeds_dot, loop_around
from dotload.passes.operand_staging.remark_texts import shape_text
from dotload.passes.rematerialization.unpacked import Unpacked
from dotload.passes.rematerialization.unpacking import loaded_tiles, unpacking_of
from dotload.passes.rewriting import RewritePass


def layout_for(op: Operation) -> attrs.LinearEncoding | None:
    """The layout in which the op's operand is unpacked as it was loaded; None if it is not unpacked so."""
    loop = loop_around(op)
    if loop is None or not isinstance(op, ConvertLayoutOp | LocalAllocOp) or not op.operands or not feeds_dot(op):
        return None
    source = op.operands[0]
    if element_bits(source.type) != HALF_BITS:
        return None
    loads = loaded_tiles(source, loop)
    layout = as_loaded(source, loads[0]) if len(loads) == 1 else None
    unpacking = None if layout is None else unpacking_of(source, layout)
    if unpacking is None or not (unpacking.is_from_less and unpacking.is_only_use):
        return None
    return layout


def as_loaded(value: SSAValue, load: LoadOp) -> attrs.LinearEncoding | None:
    """The layout of a value that a tile is unpacked to, such that a thread has what it has of the tile.

    None unless the tile is packed along the dim that is not contiguous.
    """
    packed, encoding = tensor_type(load.result), tensor_type(load.result).encoding
    sizes, wanted = packed.get_shape(), tensor_type(value).get_shape()
    if not isinstance(encoding, attrs.BlockedEncoding) or len(sizes) != len(wanted):
        return None
    axis = encoding.order[-1]
    times = wanted[axis] // sizes[axis]
    if times < 2 or list(wanted) != [size * (times if dim == axis else 1) for dim, size in enumerate(sizes)]:
        return None
    return linear_attribute(repeated(layout_of(load.result), axis, times))


def repeated(layout: LinearLayout, axis: int, times: int) -> LinearLayout:
    """The layout of a tensor that is `times` as large along a dim; a thread has all repetitions of its elements."""

    def moved(basis: tuple[int, ...], by: int) -> tuple[int, ...]:
        return tuple(by * step if dim == axis else step for dim, step in enumerate(basis))

    unit = tuple(int(dim == axis) for dim in range(len(layout.out_dims)))
    bases = {name: [moved(basis, times) for basis in found] for name, found in layout.bases.items()}
    bases[enc.REGISTER] += [moved(unit, 1 << bit) for bit in range(log2_exact(times))]
    sizes = {name: size * (times if dim == axis else 1) for dim, (name, size) in enumerate(layout.out_sizes.items())}
    return LinearLayout.from_bases(bases, sizes)


@dataclass(frozen=True)
class UnpackInLoadLayoutPass(RewritePass):
    """Unpack operands of dots in the layout in which their packed tile is loaded."""

    name = "unpack-in-load-layout"

    def rewrite(self, module: ModuleOp) -> bool:
        changed = False
        for taker in list(module.walk()):
            layout = layout_for(taker)
            if layout is not None:
                source, unpacked = taker.operands[0], Unpacked()
                shape = shape_text(tensor_type(source).get_shape())
                self.passed(taker, f"operand {shape} is unpacked in the layout in which it is loaded")
                taker.operands[0] = unpacked.of(source, layout)
                unpacked.erase_old(source)
                changed = True
        return changed
