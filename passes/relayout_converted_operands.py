"""`relayout-converted-operands`: tiles of 8 bits are converted in a layout that stores them without bank conflicts.

    %k = tt.load %pointers : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %w = tt.fp_to_fp %k : ... -> tensor<128x64xbf16, #blocked>
    ttg.local_store %w, %b : ... -> !ttg.memdesc<128x64xbf16, #nvmma_shared>       wgmma reads it

In the layout of the load, the stores of wide tiles meet in banks, by two ways (`dotload.layout.converted_stores`). With
the pass the loop goes on from a raw tile in shared memory, which Triton's pipeliner feeds by asynchronous copies as it
did before, in a layout in which they do not:

    %raw = ttg.local_alloc %k : ... -> !ttg.memdesc<128x64xf8E4M3FN, #raw>
    %r = ttg.local_load %raw : ... -> tensor<128x64xf8E4M3FN, #linear>
    %w = tt.fp_to_fp %r : ... -> tensor<128x64xbf16, #linear>
    ttg.local_store %w, %b

Operands that are unpacked from integers, of which a row of memory has one column each, are computed in a layout of
whole vectors of 16 bytes along the contiguous dim (`rematerialization.unpacked`); Triton's has single elements.

The pass runs behind `stage-dot-operands`, which decides what is stored and to how many buffers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext import gpu, ttg
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import LocalAllocOp, LocalLoadOp, LocalStoreOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.access import MAX_LANE_BYTES, addresses, vector_access
from dotload.layout.converted_stores import ConvertedStore, plan_converted_store, store_access
from dotload.layout.encodings import NvmmaShared
from dotload.layout.linear import LinearLayout
from dotload.layout.nvidia_targets import WARP_LANES
from dotload.layout.raw_tiles import Tile
from dotload.passes import remarks
from dotload.passes.ir.constants import is_zero
from dotload.passes.ir.conversions import BYTE, RANK, conversions_of_bytes, converted
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import encoding_attribute, layout_of, linear_attribute, memory_layout
from dotload.passes.ir.loops import loop_around
from dotload.passes.ir.memory import memory_type
from dotload.passes.operand_staging.candidates import contiguous_axis, swizzle_of
from dotload.passes.operand_staging.latencies import LATENCY, held_bytes, load_ahead
from dotload.passes.operand_staging.remark_texts import conflicts
from dotload.passes.rematerialization.unpacked import Unpacked, packed_tiles
from dotload.passes.rewriting import RewritePass

BARRIERS = (gpu.BarrierOp, ttg.BarrierOp)
"""Of all threads, as a user writes them."""


@dataclass(frozen=True)
class StoredTile:
    """A tile that a loop loads, the ops that convert it one after the other, and what stores the last one's result.

    `target`: the layout of the memory that it is stored to.
    """

    loop: scf.ForOp
    load: LoadOp
    conversions: tuple[Operation, ...]
    store: LocalStoreOp | LocalAllocOp
    target: NvmmaShared

    @property
    def tile(self) -> Tile:
        """As it is loaded: x is the contiguous dim."""
        x_axis, shape = contiguous_axis(self.load), tensor_type(self.load.results[0]).get_shape()
        return Tile(x_axis, shape[x_axis], shape[1 - x_axis], BYTE)


# Candidates


def find_tile(load: LoadOp) -> StoredTile | None:
    """The tile, if all that a loop does with it is to convert it to a wider type, and to store it for wgmma."""
    loop, conversions = load.parent_op(), conversions_of_bytes(load)
    if not isinstance(loop, scf.ForOp) or not conversions or not is_pipelined_loop(loop):
        return None
    if load.other is not None and not is_zero(load.other):  # Triton puts it in behind the copy, which fills with zeros
        return None
    store = only_user(conversions[-1].results[0])
    if not isinstance(store, LocalStoreOp | LocalAllocOp):
        return None
    target = swizzle_of(memory_type(store.dst if isinstance(store, LocalStoreOp) else store.result).encoding)
    is_wide = target is not None and target.element_bits == element_bits(tensor_type(conversions[-1].results[0])) > BYTE
    return StoredTile(loop, load, tuple(conversions), store, target) if target is not None and is_wide else None


def is_pipelined_loop(loop: scf.ForOp) -> bool:
    """Whether Triton pipelines such a loop: no other loop is in it, and no barrier."""
    return not any(op is not loop and isinstance(op, (scf.ForOp, scf.WhileOp, *BARRIERS)) for op in loop.walk())


# Plan


def plan(found: StoredTile) -> ConvertedStore | None:
    """Layouts that store the tile in fewer wavefronts than that of the load does; None where there are none."""
    tensor = tensor_type(found.load.results[0])
    assert isinstance(tensor.encoding, attrs.BlockedEncoding)
    store = plan_converted_store(found.tile, found.target, math.prod(tensor.encoding.warps_per_cta))
    as_loaded = store_access(layout_of(found.load.results[0]), found.tile, found.target)
    return store if store is not None and store.write.total_wavefronts < as_loaded.total_wavefronts else None


def give_latency(found: StoredTile, num_stages: int) -> bool:
    """Have Triton's pipeliner load the tile ahead, which by itself would not find it any more; whether it will."""
    return LATENCY in found.load.attributes or load_ahead(found.loop, held_bytes(found.loop), num_stages)


# Emit


def emit(found: StoredTile, store: ConvertedStore) -> None:
    """Stage the tile, and convert it in the layout of the plan."""
    loaded = found.load.results[0]
    raw = Emitter.after(found.load).stage(loaded, store.raw)
    tensor = tensor_type(loaded)
    held = TensorType(tensor.element_type, tensor.shape, encoding_attribute(store.registers))
    value = Emitter.before(found.conversions[0], found.load).add(LocalLoadOp(raw, held))
    for op in found.conversions:
        value = converted(op, value, held, Emitter.before(op))
    found.store.operands[0] = value
    for op in reversed(found.conversions):
        Rewriter.erase_op(op)


# Operands that are unpacked


def better_layout(alloc: LocalAllocOp) -> attrs.EncodingAttr | None:
    """A layout in which an operand is unpacked and stored in fewer wavefronts; None where there is none.

    The dim that is contiguous in the operand's memory is not K, and is contiguous in the packed tiles: else threads
    would read these, and load rows of scales, in smaller pieces.
    """
    loop, source = loop_around(alloc), alloc.src
    if loop is None or source is None or swizzle_of(memory_type(alloc.result).encoding) is None:
        return None
    k_axes = {1 - use.index for use in alloc.result.uses if isinstance(use.operation, WarpGroupDotOp)}
    if len(k_axes) != 1:
        return None
    layout = layout_of_vectors(alloc, *k_axes)
    if layout is None or wavefronts(alloc, layout) >= wavefronts(alloc, layout_of(source)):
        return None
    tiles = packed_tiles(source, attribute := linear_attribute(layout), loop)
    along = 1 - next(iter(k_axes))
    return attribute if tiles and all(contiguous_dim(tile) == along for tile in tiles) else None


def contiguous_dim(tile: SSAValue) -> int:
    """The dim of a loaded tile that is contiguous in memory."""
    encoding = tensor_type(tile).encoding
    assert isinstance(encoding, attrs.BlockedEncoding)
    return encoding.order[0]


def wavefronts(alloc: LocalAllocOp, layout: LinearLayout) -> int:
    """Of storing the operand from registers in a layout."""
    bits = element_bits(memory_type(alloc.result))
    return vector_access(addresses(layout, memory_layout(alloc.result), bits), "store").total_wavefronts


def layout_of_vectors(alloc: LocalAllocOp, k_axis: int) -> LinearLayout | None:
    """Vectors of 16 bytes along the dim that is contiguous in the memory, and lanes along it first.

    Registers count along K first: neighbouring ones are unpacked from one integer.
    """
    assert alloc.src is not None
    tensor, target = tensor_type(alloc.src), swizzle_of(memory_type(alloc.result).encoding)
    if not isinstance(tensor.encoding, attrs.BlockedEncoding) or target is None or len(tensor.get_shape()) != RANK:
        return None
    x_axis, warps = 0 if target.transposed else 1, math.prod(tensor.encoding.warps_per_cta)
    if x_axis == k_axis:
        return None
    width, depth = tensor.get_shape()[x_axis], tensor.get_shape()[1 - x_axis]
    vector = MAX_LANE_BYTES * BYTE // element_bits(tensor)
    lanes = min(WARP_LANES, width // vector)
    rows = WARP_LANES // max(1, lanes) * warps
    if not lanes or depth < rows:
        return None

    def dims(along: int, across: int) -> tuple[int, int]:
        return (along, across) if x_axis == 0 else (across, along)

    sizes, threads = dims(vector, depth // rows), dims(lanes, WARP_LANES // lanes)
    blocked = enc.layout_of(enc.Blocked(sizes, threads, dims(1, warps), (x_axis, 1 - x_axis)), tensor.get_shape())
    registers = sorted(blocked.bases[enc.REGISTER], key=lambda basis: basis[x_axis])
    return LinearLayout.from_bases({**blocked.bases, enc.REGISTER: registers}, blocked.out_sizes)


def emit_unpacked(alloc: LocalAllocOp, layout: attrs.EncodingAttr) -> None:
    """Unpack the operand in the layout."""
    source, unpacked = alloc.operands[0], Unpacked()
    alloc.operands[0] = unpacked.of(source, layout)
    unpacked.erase_old(source)


@dataclass(frozen=True)
class RelayoutConvertedOperandsPass(RewritePass):
    """Convert 8-bit operands of wgmma in a layout that stores them without bank conflicts.

    `num_stages`: the kernel's option of that name, 0 where it is not known; then only loops whose loads have a
    latency are looked at.
    """

    name: ClassVar[str] = "relayout-converted-operands"

    num_stages: int = 0

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Look at every load."""
        changed = False
        for found in filter(None, map(find_tile, of_kind(list(op.walk()), LoadOp))):
            store = plan(found)
            if store is not None and give_latency(found, self.num_stages):
                remarks.emit("passed", self.name, found.load, self.describe(found, store))
                emit(found, store)
                changed = True
        for alloc in of_kind(list(op.walk()), LocalAllocOp):
            if (layout := better_layout(alloc)) is not None:
                shape = "x".join(map(str, memory_type(alloc.result).get_shape()))
                remarks.emit("passed", self.name, alloc, f"operand {shape} is unpacked in vectors of 16 bytes")
                emit_unpacked(alloc, layout)
                changed = True
        return changed

    @staticmethod
    def describe(found: StoredTile, store: ConvertedStore) -> str:
        """The text of the remark."""
        shape, write = "x".join(map(str, found.tile.shape)), store.write
        return f"tile {shape} is converted in another layout: {write.mnemonic}, {conflicts(write.conflict_ways)}"
