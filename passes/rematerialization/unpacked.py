"""Values with an `unpacking_of` them, in the requested layouts: views are repeated, tiles are read from shared memory.

Tiles get the layout by a conversion, which Triton's pipeliner turns into a read of shared memory, or from dotload's own
copy there. Rows and columns of scales are loaded again in the layout; their pointers are recomputed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import BroadcastOp
from dotload.dialect_ext.tt_memory import DescriptorLoadOp, Load, LoadOp
from dotload.dialect_ext.ttg import LocalLoadOp
from dotload.dialect_ext.typed import tensor_type
from dotload.dialect_ext.types import element_bits, with_encoding
from dotload.layout import encodings as enc
from dotload.layout.access import addresses, vector_access
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.layout.raw_tiles import Tile, raw_layouts
from dotload.layout.views import Reshape
from dotload.layout.widths import RANK
from dotload.passes.ir.def_use import erase_unused
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import layout_in, linear_attribute
from dotload.passes.ir.motion import copy_of
from dotload.passes.rematerialization.layouts import InLayout, Layouts
from dotload.passes.rematerialization.unpacking import (
    VIEWS,
    is_broadcast,
    is_loaded_tile,
    is_read_in_runs,
    needed,
)


def is_staged(load: LoadOp, layout: attrs.EncodingAttr) -> bool:
    """Whether a tile is read from dotload's own copy: in pieces of less than 4 bytes, or if a swizzle helps.

    Triton's copy has none.
    """
    tensor = tensor_type(load.result)
    if len(tensor.get_shape()) != RANK or not isinstance(tensor.encoding, attrs.BlockedEncoding):
        return False
    return not is_read_in_runs(load.result, layout, REGISTER_BITS) or layout_of_copy(load, layout).max_phase > 1


def layout_of_copy(load: LoadOp, layout: attrs.EncodingAttr) -> enc.SwizzledShared:
    """The simplest of the swizzles with which a tile is read in the layout in the fewest wavefronts."""
    tensor = tensor_type(load.result)
    assert isinstance(tensor.encoding, attrs.BlockedEncoding)
    shape, axis, bits = tuple(tensor.get_shape()), tensor.encoding.order[0], element_bits(tensor)
    tile, wanted = Tile.of(shape, axis, bits), layout_in(load.result, layout)

    def wavefronts(raw: enc.SwizzledShared) -> int:
        return vector_access(addresses(wanted, enc.layout_of(raw, shape), bits)).total_wavefronts

    return min(raw_layouts(tile), key=wavefronts)


def broadcast(value: SSAValue, type_: TensorType[Attribute], emitter: Emitter) -> SSAValue:
    """The tensor broadcast along a new last dim."""
    *outer, _ = type_.get_shape()
    single = emitter.tensor_views(value, [Reshape((*outer, 1))])
    assert isinstance(type_.encoding, attrs.EncodingAttr)
    return emitter.insert(BroadcastOp(emitter.in_layout(single, type_.encoding), type_))


@dataclass
class Unpacked(Layouts):
    """Values with an `unpacking_of` them, in the requested layouts.

    `may_stage`: whether tiles may go through dotload's own copy in shared memory. `staged`: their loads, which Triton's
    pipeliner does not find (`operand_staging.latencies`).
    """

    may_stage: bool = False
    staged: list[LoadOp] = field(default_factory=list[LoadOp])

    @classmethod
    def operands(cls, op: Operation, form: attrs.EncodingAttr) -> Sequence[InLayout] | None:
        """What the op's result is unpacked from."""
        return needed(op.results[0], form)

    def computed(self, op: Operation, form: attrs.EncodingAttr, operands: Mapping[SSAValue, SSAValue]) -> SSAValue:
        """The op's result in a layout."""
        if isinstance(op, Load):
            return self.loaded(op, form)
        if not isinstance(op, VIEWS):
            return super().computed(op, form, operands)
        emitter, tensor = Emitter.after(op), tensor_type(op.results[0])
        if is_broadcast(op, form):
            return broadcast(operands[op.operands[0]], with_encoding(tensor, form), emitter)
        copy = copy_of(op, operands)
        # A row in a tile's layout is smaller than that: Triton infers a layout of the row's size, an equal one. A cast,
        # since Triton would remove a conversion, and give the tile a layout in which lanes repeat elements.
        is_row = isinstance(form, attrs.LinearEncoding)
        own = linear_attribute(layout_in(op.results[0], form)) if is_row else form
        made = emitter.insert_as(copy, with_encoding(tensor, own))
        return made if own == form else emitter.cast(made, with_encoding(tensor, form))

    def loaded(self, load: Load, form: attrs.EncodingAttr) -> SSAValue:
        """A load in a layout: rows and columns are loaded in it, tiles are converted to it."""
        emitter = Emitter.after(load)
        if isinstance(load, DescriptorLoadOp):
            return emitter.in_layout(load.result, form)
        if not is_loaded_tile(load.result):
            return self.load(load, form).results[0]
        if not self.may_stage or not is_staged(load, form):
            return emitter.in_layout(load.result, form)
        self.staged.append(load)
        memory = emitter.stage(load.result, layout_of_copy(load, form))
        return emitter.insert(LocalLoadOp(memory, with_encoding(tensor_type(load.result), form)))

    def erase_old(self, source: SSAValue) -> None:
        """Erase the old ops of recomputed values that have become dead, old loads of rows included."""
        erase_unused([source])
        for load in [each.owner for each, _ in self.known if isinstance(each.owner, LoadOp) and not each.first_use]:
            addresses_of = list(load.operands)
            Rewriter.erase_op(load)
            erase_unused(addresses_of)
