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

The pass runs after `stage-dot-operands`, which decides what is stored and to how many buffers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import LocalAllocOp, LocalLoadOp, LocalStoreOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits, with_encoding
from dotload.layout.converted_stores import ConvertedStore, plan_converted_store, store_access
from dotload.layout.encodings import NvmmaShared
from dotload.layout.raw_tiles import Tile
from dotload.layout.widths import BYTE_BITS
from dotload.passes.ir.constants import is_zero
from dotload.passes.ir.conversions import conversions_of_bytes, converted
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import contiguous_axis, encoding_attribute, layout_of
from dotload.passes.ir.loops import is_pipelined_loop
from dotload.passes.ir.memory import memory_type, stored_memory
from dotload.passes.operand_staging.candidates import swizzle_of
from dotload.passes.operand_staging.latencies import LATENCY, load_ahead
from dotload.passes.operand_staging.loop_memory import held_bytes
from dotload.passes.operand_staging.remark_texts import conflicts, shape_text
from dotload.passes.rewriting import RewritePass


@dataclass(frozen=True)
class StoredTile:
    """A tile that a loop loads, the ops that convert it in order, and the op that stores the last one's result.

    `target`: the layout of the memory that it is stored to.
    """

    loop: scf.ForOp
    load: LoadOp
    conversions: tuple[Operation, ...]
    store: LocalStoreOp | LocalAllocOp
    target: NvmmaShared

    @property
    def tile(self) -> Tile:
        """The tile as it is loaded: x is the contiguous dim."""
        return Tile.of(tensor_type(self.load.result).get_shape(), contiguous_axis(self.load), BYTE_BITS)


# Candidates


def find_tile(load: LoadOp) -> StoredTile | None:
    """The tile, if a loop only converts it to a wider type and stores it for wgmma."""
    loop, conversions = load.parent_op(), conversions_of_bytes(load)
    if not isinstance(loop, scf.ForOp) or not conversions or not is_pipelined_loop(loop):
        return None
    if load.other is not None and not is_zero(load.other):  # Triton inserts it after the copy, which fills with zeros
        return None
    store = only_user(conversions[-1].results[0])
    if not isinstance(store, LocalStoreOp | LocalAllocOp):
        return None
    target = swizzle_of(memory_type(stored_memory(store)).encoding)
    is_wide = target is not None and target.element_bits == element_bits(conversions[-1].results[0].type) > BYTE_BITS
    return StoredTile(loop, load, tuple(conversions), store, target) if target is not None and is_wide else None


# Plan


def plan(found: StoredTile) -> ConvertedStore | None:
    """Layouts that store the tile in fewer wavefronts than the load's layout; None if there are none."""
    tensor = tensor_type(found.load.results[0])
    assert isinstance(tensor.encoding, attrs.BlockedEncoding)
    store = plan_converted_store(found.tile, found.target, math.prod(tensor.encoding.warps_per_cta))
    as_loaded = store_access(layout_of(found.load.results[0]), found.tile, found.target)
    return store if store is not None and store.write.total_wavefronts < as_loaded.total_wavefronts else None


def give_latency(found: StoredTile, num_stages: int) -> bool:
    """Make Triton's pipeliner, which no longer finds the tile by itself, load it ahead; returns whether it will."""
    return LATENCY in found.load.attributes or load_ahead(found.loop, held_bytes(found.loop), num_stages)


# Emit


def emit(found: StoredTile, store: ConvertedStore) -> None:
    """Stage the tile, and convert it in the layout of the plan."""
    loaded = found.load.results[0]
    raw = Emitter.after(found.load).stage(loaded, store.raw)
    held = with_encoding(tensor_type(loaded), encoding_attribute(store.registers))
    value = Emitter.before(found.conversions[0], found.load).insert(LocalLoadOp(raw, held))
    for op in found.conversions:
        value = converted(op, value, held, Emitter.before(op))
    found.store.operands[0] = value
    for op in reversed(found.conversions):
        Rewriter.erase_op(op)


# The pass


@dataclass(frozen=True)
class RelayoutConvertedOperandsPass(RewritePass):
    """Convert 8-bit operands of wgmma in a layout that stores them without bank conflicts.

    `num_stages`: the kernel's option of that name, 0 if unknown; then only loops whose loads have a latency count.
    """

    name = "relayout-converted-operands"

    num_stages: int = 0

    def rewrite(self, module: ModuleOp) -> bool:
        """Look at every load."""
        changed = False
        for found in filter(None, map(find_tile, of_kind(module.walk(), LoadOp))):
            store = plan(found)
            if store is not None and give_latency(found, self.num_stages):
                self.passed(found.load, self.describe(found, store))
                emit(found, store)
                changed = True
        return changed

    @staticmethod
    def describe(found: StoredTile, store: ConvertedStore) -> str:
        """The text of the remark."""
        shape, write = shape_text(found.tile.shape), store.write
        return f"tile {shape} is converted in another layout: {write.mnemonic}, {conflicts(write.conflict_ways)}"
