"""Layouts in which tiles are widened: every element is stored, and bank conflicts are counted lane by lane, with an
independent formula of wgmma's swizzle."""

import numpy as np
import pytest
from sampling import sampled

from dotload.layout.converted_stores import plan_converted_store
from dotload.layout.encodings import NvmmaShared
from dotload.layout.raw_tiles import Tile

TILES = [Tile(axis, x, k, 8) for axis in (0, 1) for x in (64, 128, 256, 512) for k in (32, 64, 128)]
CHUNK = 16
"""Bytes of a thread's access; 8 lanes access a row of all banks together."""


def swizzled(row, byte, rows):
    """The address of a byte of a wide row: halves of 128 bytes one after the other, chunks swapped by the row."""
    return byte // 128 * rows * 128 + row * 128 + (byte % 128 // CHUNK ^ row % 8) * CHUNK + byte % CHUNK


def lanes(plan, tile, warps):
    """The (row, position in the row) of each element that a lane holds, in order of its registers."""
    table = plan.registers.to_linear_layout(tile.shape).table().reshape(warps, 32, -1, 2)
    return table[..., 1 - tile.x_axis], table[..., tile.x_axis]


def ways(addresses):
    """The largest number of eight neighbouring lanes that access one group of banks (16 bytes)."""
    groups = (addresses // CHUNK % 8).reshape(-1, 8)
    return max(np.bincount(group).max() for group in groups)


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("tile", sampled(TILES, 6), ids=str)
def test_a_wide_tile_is_stored_without_conflicts(tile, warps):
    plan = plan_converted_store(tile, NvmmaShared(128, tile.x_axis == 0, 16), warps)
    assert plan.read.conflict_ways == plan.write.conflict_ways == 1
    rows, places = lanes(plan, tile, warps)
    if tile.x * tile.k >= warps * 32 * CHUNK:
        assert np.unique(rows * tile.x + places).size == rows.size == tile.x * tile.k
    for first in range(0, rows.shape[-1], CHUNK):
        run = places[..., first : first + CHUNK]
        assert (run == run[..., :1] + np.arange(CHUNK)).all()
        assert (run[..., 0] % CHUNK == 0).all()
        for half in (0, 8):
            at = swizzled(rows[..., first + half], 2 * places[..., first + half], tile.k)
            assert ways(at.ravel()) == 1


@pytest.mark.parametrize("tile", sampled([tile for tile in TILES if tile.x >= 128], 4), ids=str)
def test_the_raw_tile_is_read_without_conflicts(tile):
    """The swizzle moves whole 16-byte chunks, so asynchronous copies can fill the tile."""
    plan = plan_converted_store(tile, NvmmaShared(128, tile.x_axis == 0, 16), 4)
    raw = plan.raw.to_linear_layout(tile.shape).table()
    offset = np.empty(tile.shape, int)
    offset[raw[:, 0], raw[:, 1]] = np.arange(len(raw))
    rows, places = lanes(plan, tile, 4)
    for first in range(0, rows.shape[-1], CHUNK):
        at = offset[(places, rows) if tile.x_axis == 0 else (rows, places)][..., first : first + CHUNK]
        assert (at == at[..., :1] + np.arange(CHUNK)).all()
        assert ways(at[..., 0].ravel()) == 1


def test_a_tile_with_less_than_16_bytes_for_each_lane_has_none():
    assert plan_converted_store(Tile(1, 128, 2, 8), NvmmaShared(128, False, 16), 4) is None
