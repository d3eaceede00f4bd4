"""`relayout-converted-operands`: convert 8-bit tiles in a layout that stores them without bank conflicts.

    %k = tt.load %pointers : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %w = tt.fp_to_fp %k : ... -> tensor<128x64xbf16, #blocked>
    ttg.local_store %w, %b : ... -> !ttg.memdesc<128x64xbf16, #nvmma_shared>       wgmma reads it

In the layout of the load, the stores of wide tiles have two-way bank conflicts (`dotload.layout.converted_stores`). The
pass stages the raw tile in shared memory, which Triton's pipeliner fills by asynchronous copies as before, and reads it
in a layout without conflicts:

    %raw = ttg.local_alloc %k : ... -> !ttg.memdesc<128x64xf8E4M3FN, #raw>
    %r = ttg.local_load %raw : ... -> tensor<128x64xf8E4M3FN, #linear>
    %w = tt.fp_to_fp %r : ... -> tensor<128x64xbf16, #linear>
    ttg.local_store %w, %b

The value may be computed from scales as well, which are then computed in that layout. If the tile is loaded with K
contiguous, it is stored so: wgmma reads 16 bits in either order.

The pass runs after `stage-dot-operands`, which decides what is stored and to how many buffers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import TransOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import LocalAllocOp, LocalLoadOp, LocalStoreOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits, with_encoding
from dotload.layout.converted_stores import ConvertedStore, plan_converted_store, store_access
from dotload.layout.encodings import SWIZZLE_BYTES, NvmmaShared
from dotload.layout.raw_tiles import VECTOR_BYTES, Tile
from dotload.layout.widths import BYTE_BITS, HALF_BITS, RANK
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import contiguous_axis, encoding_attribute, layout_of
from dotload.passes.ir.loads import may_fill_with_zeros
from dotload.passes.ir.loops import is_pipelined_loop
from dotload.passes.ir.memory import memory_type, stored_memory
from dotload.passes.operand_staging.candidates import swizzle_of
from dotload.passes.operand_staging.latencies import LATENCY, load_ahead, load_copies_ahead, may_load_ahead
from dotload.passes.operand_staging.loop_memory import held_bytes
from dotload.passes.operand_staging.remark_texts import conflicts
from dotload.passes.operand_staging.unstaged import index_of_operand, name_of_load
from dotload.passes.rematerialization.unpacked import Unpacked
from dotload.passes.rematerialization.unpacking import elements_in_thread, loaded_tiles, unpacking_of
from dotload.passes.rewriting import RewritePass


@dataclass(frozen=True)
class StoredTile:
    """A tile that a loop loads, the value that it is converted to, and the op that stores this value.

    `target`: the layout in which it will be stored. `is_transposed`: the value has the two dims of the tile exchanged.
    """

    loop: scf.ForOp
    load: LoadOp
    store: LocalStoreOp | LocalAllocOp
    value: SSAValue
    target: NvmmaShared
    is_transposed: bool

    @property
    def tile(self) -> Tile:
        """The tile, with the dims of the value: x is the dim that is contiguous in memory."""
        return Tile.of(tensor_type(self.value).get_shape(), axis_in_value(self.load, self.is_transposed), BYTE_BITS)


# Candidates


def find_tile(store: LocalStoreOp | LocalAllocOp) -> StoredTile | None:
    """The tile, if a loop only converts it to a wider type and stores it for wgmma."""
    loop, value = store.parent_op(), store.src
    if not isinstance(loop, scf.ForOp) or value is None or not is_pipelined_loop(loop):
        return None
    tiles = [load for load in loaded_tiles(value, loop) if is_whole(load, value)]
    if len(tiles) != 1 or not may_fill_with_zeros(tiles[0]):
        return None  # Triton inserts what masks leave out after the copy, which fills with zeros
    exchanged = is_transposed(value, tiles[0], loop)
    target = target_for(store, axis_in_value(tiles[0], exchanged))
    if target is None or not target.element_bits == element_bits(value.type) > BYTE_BITS:
        return None
    return StoredTile(loop, tiles[0], store, value, target, exchanged)


def is_whole(load: LoadOp, value: SSAValue) -> bool:
    """Whether a load is of bytes, one for each element of the value; scales are fewer."""
    tensor, sizes = tensor_type(load.result), sorted(tensor_type(value).get_shape())
    is_of_bytes = element_bits(tensor) == BYTE_BITS and isinstance(tensor.encoding, attrs.BlockedEncoding)
    return is_of_bytes and len(sizes) == RANK and sorted(tensor.get_shape()) == sizes


def is_transposed(value: SSAValue, load: LoadOp, loop: Operation) -> bool:
    """Whether the two dims of a loaded tile are exchanged in a value that is computed from it."""
    op = value.owner
    assert isinstance(op, Operation)
    if op is load:
        return False
    source = next(operand for operand in op.operands if load in loaded_tiles(operand, loop))
    return isinstance(op, TransOp) != is_transposed(source, load, loop)


def axis_in_value(load: LoadOp, is_transposed: bool) -> int:
    """The dim of a value computed from a tile along which the tile is contiguous in memory."""
    return contiguous_axis(load) ^ is_transposed


def target_for(store: LocalStoreOp | LocalAllocOp, axis: int) -> NvmmaShared | None:
    """The layout of the stored tile, with the order of a tile that is contiguous along `axis` if only dots read it.

    wgmma reads elements of 16 bits in either order.
    """
    memory = stored_memory(store)
    target, shape = swizzle_of(memory_type(memory).encoding), memory_type(memory).get_shape()
    if target is None or target.element_bits != HALF_BITS or target.transposed == (axis == 0):
        return target
    if not isinstance(store, LocalAllocOp) or not all(isinstance(use.operation, WarpGroupDotOp) for use in memory.uses):
        return target
    row_bytes = shape[axis] * HALF_BITS // BYTE_BITS
    return replace(target, transposed=not target.transposed, swizzle_bytes=min(row_bytes, max(SWIZZLE_BYTES)))


# Plan


def plan(found: StoredTile) -> ConvertedStore | None:
    """Layouts that store the tile in fewer wavefronts than the layout in which it is converted; None if none do."""
    tensor = tensor_type(found.load.result)
    assert isinstance(tensor.encoding, attrs.BlockedEncoding)
    warps = math.prod(tensor.encoding.warps_per_cta)
    store = plan_converted_store(found.tile, found.target, warps)
    before = swizzle_of(memory_type(stored_memory(found.store)).encoding)
    assert before is not None
    as_computed = store_access(layout_of(found.value), found.tile, before)
    if store is None or store.write.total_wavefronts >= as_computed.total_wavefronts:
        return None
    return store if may_be_computed(found, encoding_attribute(store.registers)) else None


def may_be_computed(found: StoredTile, layout: attrs.EncodingAttr) -> bool:
    """Whether the converted tile may be computed in a layout, in which each run of bytes has one scale."""
    unpacking = unpacking_of(found.value, layout)
    if unpacking is None or not unpacking.is_only_use:
        return False
    runs = elements_in_thread(found.value, layout) // VECTOR_BYTES
    return all(elements_in_thread(*each) <= runs for each in unpacking.tiles if each[0] is not found.load.result)


def give_latency(found: StoredTile, num_stages: int) -> bool:
    """Make Triton's pipeliner, which no longer finds the tile by itself, load it ahead; returns whether it will."""
    if LATENCY in found.load.attributes or load_ahead(found.loop, held_bytes(found.loop), num_stages):
        return True
    if may_load_ahead(found.loop, num_stages):
        load_copies_ahead(found.loop, num_stages)
    return LATENCY in found.load.attributes


# Emit


def emit(found: StoredTile, store: ConvertedStore) -> None:
    """Stage the tile, and convert it in the layout of the plan."""
    tile, layout = found.load.result, encoding_attribute(store.registers)
    emitter, unpacked = Emitter.after(found.load), Unpacked()
    order = store.raw.order[::-1] if found.is_transposed else store.raw.order
    raw = emitter.stage(tile, replace(store.raw, order=order))
    unpacking = unpacking_of(found.value, layout)
    assert unpacking is not None
    of_tile = dict(unpacking.tiles)[tile]
    unpacked.known[tile, of_tile] = emitter.insert(LocalLoadOp(raw, with_encoding(tensor_type(tile), of_tile)))
    value = unpacked.of(found.value, layout)
    if isinstance(found.store, LocalAllocOp):
        stored = Emitter.before(found.store).stage(value, found.target)
        found.store.result.replace_all_uses_with(stored)
        Rewriter.erase_op(found.store)
    else:
        found.store.operands[0] = value
    unpacked.erase_old(found.value)


@dataclass(frozen=True)
class RelayoutConvertedOperandsPass(RewritePass):
    """Convert 8-bit operands of wgmma in a layout that stores them without bank conflicts.

    `num_stages`: the kernel's option of that name, 0 if unknown; then only loops whose loads have a latency count.
    """

    name = "relayout-converted-operands"

    num_stages: int = 0

    def rewrite(self, module: ModuleOp) -> bool:
        changed, ops = False, list(module.walk())
        for found in filter(None, map(find_tile, (*of_kind(ops, LocalStoreOp), *of_kind(ops, LocalAllocOp)))):
            store = plan(found)
            if store is not None and give_latency(found, self.num_stages):
                self.passed(found.load, self.describe(found, store))
                emit(found, store)
                changed = True
        return changed

    @staticmethod
    def describe(found: StoredTile, store: ConvertedStore) -> str:
        """The text of the remark."""
        memory, write = stored_memory(found.store).owner, store.write
        index = index_of_operand(memory) if isinstance(memory, Operation) else None
        name = name_of_load(found.load, index)
        return f"{name} is converted in another layout: {write.mnemonic}, {conflicts(write.conflict_ways)}"
