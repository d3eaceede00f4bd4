"""Dialect `ttig`: Intel's part of Triton GPU (`triton_intel_gpu` up to Triton 3.3).

2d_block_load              one tile at [x, y] of a tensor in memory, by 2D block loads         ttig_loads.py
2d_block_load_from_ptr     the same from a tensor of pointers, whose tile shape says how it lies in memory
extract_desc               one field of a tensor descriptor: shapes, then strides, then the base pointer
prefetch, descriptor_prefetch      bring a tile into the cache                                 ttig_prefetches.py
glue, extract, broadcast, sub_group_transpose, alloc    pieces of tensors                      ttig_tiles.py
"""

from __future__ import annotations

from xdsl.ir import Dialect

from dotload.dialect_ext.encodings import (
    DpasEncoding,
    LegacyDpasEncoding,
    LegacyWarpEncoding,
    Subgroup2DBlockEncoding,
    WarpEncoding,
)
from dotload.dialect_ext.ttig_loads import (
    COLUMN_MAJOR,
    ROW_MAJOR,
    BlockLoadFromPtrOp,
    BlockLoadOp,
    ExtractDescOp,
)
from dotload.dialect_ext.ttig_prefetches import DescriptorPrefetchOp, LegacyPrefetchOp, PrefetchOp
from dotload.dialect_ext.ttig_tiles import LEGACY_TILES, TILES

__all__ = [
    "COLUMN_MAJOR",
    "ROW_MAJOR",
    "TRITON_INTEL_GPU",
    "TTIG",
    "BlockLoadFromPtrOp",
    "BlockLoadOp",
    "DescriptorPrefetchOp",
    "ExtractDescOp",
    "PrefetchOp",
]

TTIG = Dialect(
    "ttig",
    [BlockLoadOp, BlockLoadFromPtrOp, PrefetchOp, DescriptorPrefetchOp, ExtractDescOp, *TILES],
    [DpasEncoding, Subgroup2DBlockEncoding, WarpEncoding],
)

# The name of the dialect up to Triton 3.3.
TRITON_INTEL_GPU = Dialect(
    "triton_intel_gpu", [LegacyPrefetchOp, *LEGACY_TILES], [LegacyDpasEncoding, LegacyWarpEncoding]
)
