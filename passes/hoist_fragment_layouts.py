"""`hoist-fragment-layouts`: convert or unpack tiles in the layout of mma.sync's fragments.

    %f = tt.fp_to_fp %k : tensor<128x64xf8E4M3FN, #blocked> -> tensor<128x64xf32, #blocked>
    %s = arith.mulf %f, %scale                                              %scale: a splat
    %h = arith.truncf %s : ... to tensor<128x64xbf16, #blocked>
    %b = ttg.convert_layout %h : ... -> tensor<128x64xbf16, #dot_op>

Triton hoists such a layout conversion to the load, where it moves half the bytes and lets the load become an
asynchronous copy to shared memory. But it does not hoist past an op with two operands, such as the scale of an fp8
cache. This pass does:

    %r = ttg.convert_layout %k : ... -> tensor<128x64xf8E4M3FN, #dot_op>
    %f = tt.fp_to_fp %r
    ...

If values are transposed in shared memory on the way, as in latent attention, a `tt.trans` takes them from the same
tile. The pass pays if no two warps have the same fragments, so that no element is converted twice.

Weights with their own scales, or unpacked by shifts from bytes or integers, are rematerialized in the layout of
fragments, back to the packed tile (`rematerialization.unpacking`), which shared memory then holds.

`stage-dot-operands` runs next, and takes the tiles whose order in memory differs from the fragments'.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import TransOp
from dotload.dialect_ext.tt_memory import Load
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, LocalLoadOp, MemDescTransOp
from dotload.dialect_ext.typed import tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.layout.views import Transpose
from dotload.layout.widths import BYTE_BITS
from dotload.passes.ir.conversions import conversions_of_bytes, converted
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import are_apart, encoding_of, is_of_fragments, layout_of, linear_attribute
from dotload.passes.ir.loops import feeds_dot, loop_around
from dotload.passes.ir.targets import is_in_cluster
from dotload.passes.operand_staging.latencies import load_copies_ahead, may_load_ahead
from dotload.passes.operand_staging.loop_loads import stages_of
from dotload.passes.operand_staging.reasons import ACCESSED_BY_BYTES, PACK_MORE, READ_BY_BYTES
from dotload.passes.operand_staging.remark_texts import shape_text
from dotload.passes.operand_staging.unstaged import index_of_operand, name_of_load
from dotload.passes.rematerialization.unpacked import Unpacked
from dotload.passes.rematerialization.unpacking import (
    is_k_major,
    is_loaded_tile,
    load_of,
    pack_several,
    packed_tiles,
    unpacking_of,
)
from dotload.passes.rewriting import RewritePass

ADVICE = {
    True: PACK_MORE,
    False: "load it from a matrix whose K is contiguous, or pack more than two numbers along K in an integer",
}
"""By whether K is contiguous: what makes threads read wider."""


@dataclass(frozen=True)
class Sink:
    """Ops that bring a converted tile into the layout of fragments, in order; the last one's result is `fragments`."""

    ops: tuple[Operation, ...]

    @property
    def fragments(self) -> OpResult:
        """The operand of dots, or what it is computed from."""
        return self.ops[-1].results[0]

    @property
    def source(self) -> SSAValue:
        """The value that is brought there."""
        return self.ops[0].operands[0]

    @property
    def views(self) -> list[Transpose]:
        """The views of the source that the fragments have: a transpose, or none."""
        return [Transpose((1, 0))] if sum(isinstance(op, MemDescTransOp) for op in self.ops) % 2 == 1 else []

    @property
    def layout(self) -> attrs.EncodingAttr:
        """The layout of the source in which its view has that of the fragments."""
        layout = layout_of(self.fragments)  # a transpose is its own inverse
        return linear_attribute(self.views[0].layout(layout)) if self.views else encoding_of(self.fragments)

    def replace(self, value: SSAValue, emitter: Emitter) -> None:
        """Let dots take fragments made of `value`, which is the source in its layout."""
        for view in self.views:
            value = emitter.insert(TransOp(value, view.order, tensor_type(self.fragments)))
        self.end_in(value)

    def end_in(self, fragments: SSAValue) -> None:
        """Let dots take these fragments."""
        self.fragments.replace_all_uses_with(fragments)
        for op in reversed(self.ops):
            Rewriter.erase_op(op)


@dataclass(frozen=True)
class ConvertedTile:
    """A loaded tile, the ops that convert it in order, and the sinks of the last one's result."""

    load: Load
    conversions: tuple[Operation, ...]
    sinks: tuple[Sink, ...]


# Candidates


def find_tile(load: Load) -> ConvertedTile | None:
    """The tile, if it is only converted, for dots of mma.sync."""
    conversions = conversions_of_bytes(load)
    if loop_around(load) is None or not conversions:
        return None
    value = conversions[-1].results[0]
    if element_bits(value.type) != 2 * BYTE_BITS:
        return None
    sinks = [sink_of(use.operation) for use in value.uses]
    found = tuple(sink for sink in sinks if sink is not None and fills_words(sink.fragments))
    return ConvertedTile(load, tuple(conversions), found) if found and len(found) == len(sinks) else None


def sink_of(op: Operation) -> Sink | None:
    """The ops from this one to the fragments that dots take; None if the result has other uses."""
    if isinstance(op, LocalAllocOp) and op.src is None:
        return None
    ops = [op]
    while isinstance(ops[-1], LocalAllocOp | MemDescTransOp):
        users = [use.operation for use in ops[-1].results[0].uses]
        if len(users) != 1:
            return None
        ops += users
    if not isinstance(ops[-1], ConvertLayoutOp | LocalLoadOp):
        return None
    return Sink(tuple(ops)) if feeds_dot(ops[-1]) else None


def fills_words(fragments: SSAValue) -> bool:
    """Whether each byte is in one register of one lane, and each lane has whole words along k."""
    encoding = tensor_type(fragments).encoding
    has_words = isinstance(encoding, attrs.DotOperandEncoding) and encoding.k_width * BYTE_BITS >= REGISTER_BITS
    return has_words and are_apart(tensor_type(fragments))


# Emit


def emit(tile: ConvertedTile) -> None:
    """Convert the tile in each layout in which dots take it."""
    for sink in tile.sinks:
        emitter = Emitter.before(sink.ops[0], tile.load)
        loaded = emitter.tensor_views(tile.load.results[0], sink.views)
        value = emitter.in_layout(loaded, encoding_of(sink.fragments))
        for op in tile.conversions:
            value = converted(op, value, emitter)
        sink.end_in(value)
    for op in reversed(tile.conversions):
        Rewriter.erase_op(op)


# Unpacked tiles


def is_unpacked(sink: Sink) -> bool:
    """Whether fragments are computed from smaller tiles, or from rows and columns, by ops that may have any layout."""
    loop = loop_around(sink.ops[0])
    if loop is None or not are_apart(tensor_type(sink.fragments)):
        return False
    tiles = packed_tiles(sink.source, sink.layout, loop)
    if tiles is None:
        return False
    narrow = [tile for tile in tiles if element_bits(tile.type) < REGISTER_BITS]
    return fills_words(sink.fragments) or pack_several(narrow, sink.source)


def values_of(sink: Sink) -> frozenset[SSAValue]:
    """What is recomputed for a candidate."""
    unpacking = unpacking_of(sink.source, sink.layout)
    return frozenset() if unpacking is None else unpacking.computed


def emit_unpacked(sink: Sink, num_stages: int) -> None:
    """Unpack the operand in the layout of fragments."""
    source, loop = sink.source, loop_around(sink.ops[0])
    assert loop is not None
    unpacked = Unpacked(may_stage=may_load_ahead(loop, num_stages))
    sink.replace(unpacked.of(source, sink.layout), Emitter.before(sink.ops[0]))
    unpacked.erase_old(source)
    if unpacked.staged:
        load_copies_ahead(loop, num_stages)


# Rows


def is_row_of_unpacked(sink: Sink) -> bool:
    """Whether a row or column of scales is converted to the layout of fragments, like the tile that it scales.

    Triton brings both there if it can. If the row has at least one element per thread, Triton moves both back after the
    pipeliner, to the layout in which the row is loaded (isExpensiveLoadOrStore), and converts the operand to fragments
    through shared memory.
    """
    fragments, loop, source = tensor_type(sink.fragments), loop_around(sink.ops[0]), sink.source
    if loop is None or is_loaded_tile(source) or not is_of_fragments(fragments):
        return False
    threads = layout_of(source).in_sizes[enc.LANE] * layout_of(source).in_sizes[enc.WARP]
    if math.prod(fragments.get_shape()) < threads:
        return False
    row = unpacking_of(source, sink.layout)
    is_row = row is not None and not row.tiles
    return is_row and any(map(is_narrow_tile, loop.walk()))


def is_narrow_tile(op: Operation) -> bool:
    """Whether an op brings a tile of bytes or words to the layout in which it is converted or unpacked for a dot."""
    if not isinstance(op, ConvertLayoutOp | LocalLoadOp) or not feeds_dot(op):
        return False
    source = op.src.owner.operands[0] if isinstance(op.src.owner, LocalAllocOp) else op.src
    is_packed = isinstance(tensor_type(source).element_type, IntegerType)
    return is_loaded_tile(source) and (is_packed or element_bits(source.type) < 2 * BYTE_BITS)


@dataclass(frozen=True)
class HoistFragmentLayoutsPass(RewritePass):
    """Convert 8-bit tiles to the layout of mma.sync's fragments before their elements are converted.

    `num_stages`: the kernel's option of that name, 0 if unknown.
    """

    name = "hoist-fragment-layouts"

    num_stages: int = 0

    def rewrite(self, module: ModuleOp) -> bool:
        if is_in_cluster(module):  # the layouts that values are recomputed in are those of one CTA
            return False
        loads = [each for each in module.walk() if isinstance(each, Load)]
        tiles = [tile for load in loads if (tile := find_tile(load)) is not None]
        for tile in tiles:
            shape = shape_text(tensor_type(tile.load.results[0]).get_shape())
            self.passed(tile.load, f"tile {shape} is converted in the layout of fragments")
            emit(tile)
        unpacked = self.hoist_unpacked(module, is_unpacked, "operand {} is unpacked")
        rows = self.hoist_unpacked(module, is_row_of_unpacked, "row {} of an unpacked operand is loaded")
        return bool(tiles) or unpacked or rows

    def tell_of_bytes(self, sink: Sink) -> None:
        """Report packed tiles that threads read by single bytes, as copies do not change the order of bytes.

        Without copies, Triton chooses the accesses that bring a tile into this layout.
        """
        loop, unpacking = loop_around(sink.ops[0]), unpacking_of(sink.source, sink.layout)
        if unpacking is None or not isinstance(loop, scf.ForOp) or stages_of(loop, self.num_stages) == 1:
            return
        for tile, layout in unpacking.read_by_bytes():
            load, has_k_first = load_of(tile), is_k_major(tile, layout)
            name = name_of_load(load, index_of_operand(sink.ops[-1]), is_k_major=has_k_first)
            self.analysis(load, f"{READ_BY_BYTES}; {ADVICE[has_k_first]}: {name}", ACCESSED_BY_BYTES)

    def hoist_unpacked(self, module: ModuleOp, is_candidate: Callable[[Sink], bool], what: str) -> bool:
        """Rematerialize the sources of candidates in the layout of fragments; `what`: the remark's format."""
        ops = [each for each in module.walk() if isinstance(each, ConvertLayoutOp | LocalAllocOp)]
        found = [sink for op in ops if (sink := sink_of(op)) is not None and is_candidate(sink)]
        inner = {value for sink in found for value in values_of(sink)}  # `narrow-k-width` converts once more
        outer = [sink for sink in found if sink.fragments not in inner]
        for sink in outer:
            shape = shape_text(tensor_type(sink.fragments).get_shape())
            self.passed(sink.ops[-1], f"{what.format(shape)} in the layout of fragments")
            self.tell_of_bytes(sink)
            emit_unpacked(sink, self.num_stages)
        return bool(outer)
