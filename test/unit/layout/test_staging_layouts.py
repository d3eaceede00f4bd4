"""Layouts of plans: swizzles are bijections, ldmatrix.trans has no bank conflicts, and one exchange suffices."""

import numpy as np
import pytest
from sampling import sampled

from dotload.layout import staging
from dotload.layout.access import addresses, vector_access
from dotload.layout.byte_transposes import prove_read
from dotload.layout.encodings import Blocked, DotOperand, NvidiaMma, NvmmaShared, SharedLinear
from dotload.layout.linear import LinearLayout
from dotload.layout.operand_permutations import byte_pair_permutation
from dotload.layout.raw_tiles import Tile, xor_layouts
from dotload.layout.word_stores import copy_words, prove_copy

TILES = [Tile(axis, x, k, 8) for axis in (0, 1) for x in (64, 128, 256) for k in (64, 128)]
SMALL = [Tile(0, 16, 16, 8), Tile(1, 32, 128, 8), Tile(1, 128, 8, 8), Tile(0, 64, 32, 32), Tile(1, 8, 8, 32)]


def numbered(layout: LinearLayout, tile: Tile) -> np.ndarray:
    """The row-by-row number of the element at each offset, computed point by point."""
    at = layout.apply({"offset": np.arange(tile.x * tile.k), "block": 0})
    return at["dim0"] * tile.shape[1] + at["dim1"]


@pytest.mark.parametrize("tile", sampled(TILES + SMALL, 6, always=lambda tile: tile.x < 32), ids=str)
def test_every_swizzle_is_a_bijection(tile):
    layouts = list(xor_layouts(tile))
    for raw in (*layouts, *xor_layouts(tile, for_both_orders=True)):
        held = numbered(raw.to_linear_layout(tile.shape), tile)
        assert np.array_equal(np.sort(held), np.arange(tile.x * tile.k))
    assert len(set(layouts)) == len(layouts)


@pytest.mark.parametrize("tile", TILES + SMALL, ids=str)
def test_the_first_layout_is_plain(tile):
    first = next(xor_layouts(tile)).to_linear_layout(tile.shape)
    order = np.arange(tile.x * tile.k).reshape(tile.shape)
    assert np.array_equal(numbered(first, tile), (order.T if tile.x_axis == 0 else order).ravel())


@pytest.mark.parametrize("tile", sampled([tile for tile in TILES if tile.k == 64], 2), ids=str)
def test_swizzles_move_whole_chunks_within_a_row_of_banks(tile):
    """16 neighbouring bytes stay neighbours, in order; a row of k keeps its 128 bytes, or all of its own if
    shorter."""
    row = min(tile.x, 128)
    plain = numbered(next(xor_layouts(tile)).to_linear_layout(tile.shape), tile).reshape(-1, row)
    for raw in xor_layouts(tile):
        held = numbered(raw.to_linear_layout(tile.shape), tile).reshape(-1, row)
        chunks, unmoved = held.reshape(-1, 16), plain.reshape(-1, 16)
        assert {tuple(chunk) for chunk in chunks} == {tuple(chunk) for chunk in unmoved}
        assert np.array_equal(np.sort(held), np.sort(plain))


@pytest.mark.parametrize("tile", [Tile(0, x, k, 8) for x in (64, 128, 512) for k in (32, 64)], ids=str)
def test_a_tile_is_read_in_both_orders_without_conflicts(tile):
    """By columns as without the other read, and by rows: eight neighbours lie in eight groups of banks."""
    fragments = DotOperand(1, NvidiaMma(2, 0, (1, 4), (16, 8)), 4)
    alone = staging.plan_register_route(tile, fragments)
    route = staging.plan_register_route(tile, fragments, (fragments,))
    assert route.cost == alone.cost
    assert route.read.conflict_ways == 1
    assert staging.prove(route)
    held = numbered(route.raw.to_linear_layout(tile.shape), tile)
    offset = np.empty_like(held)
    offset[held] = np.arange(held.size)
    groups = offset.reshape(tile.shape).T.reshape(tile.k // 8, 8, tile.x)[..., ::16] // 16 % 8
    assert (np.sort(groups, 1) == np.arange(8)[None, :, None]).all()


def test_three_bits_of_k_move_the_chunks_where_rows_fill_the_banks():
    """Rows of 128 bytes: each choice of three of the six bits of k, in each order, and the plain layout."""
    assert len(list(xor_layouts(Tile(1, 128, 64, 8)))) == 1 + 6 * 5 * 4


def register_route(tile, warps):
    return staging.plan_wgmma_registers(tile, 128, warps)


def shared_route(tile, warps):
    return staging.plan_shared_route(tile, NvmmaShared(tile.k, tile.x_axis == 1, 8), warps)


def where_of(route):
    """The places in the raw tile of the registers that the route reads into."""
    raw = route.raw.to_linear_layout(route.tile.shape)
    if isinstance(route, staging.SharedRoute):
        return addresses(route.registers.to_linear_layout(route.tile.shape), raw, 8)
    return addresses(route.held, raw, 8)


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("tile", TILES, ids=str)
@pytest.mark.parametrize("plan", [register_route, shared_route])
def test_tiles_of_bytes_are_read_by_ldmatrix_and_one_exchange(plan, tile, warps):
    route = plan(tile, warps)
    where = where_of(route)
    held = warps * 32 << len(where.register)  # bytes, with copies: 64 rows of x are too few for 8 warps
    assert held == tile.x * tile.k or (held == 2 * tile.x * tile.k and tile.x == 64 and warps == 8)
    assert isinstance(route.raw, SharedLinear)
    assert route.read == route.words.access
    assert route.read.mnemonic == "ldmatrix.m8n8.x4.trans.shared.b16"
    assert route.read.conflict_ways == 1
    assert route.read.total_wavefronts == held // 128
    assert len(route.words.exchanges) == 1
    assert route.words.permutes * warps == held // 128
    assert staging.prove(route)
    if plan is register_route:
        assert prove_read(route.words, where)
        return
    target = addresses(
        route.registers.to_linear_layout(tile.shape), route.target.to_linear_layout(tile.shape), tile.element_bits
    )
    read, store = copy_words(where, target)
    assert (read, store.access) == (route.words, route.write)
    assert prove_copy(read, store, where, target)


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("tile", TILES, ids=str)
def test_copies_are_stored_by_vectors_of_k_without_conflicts(tile, warps):
    route = shared_route(tile, warps)
    assert route.write.lane_bytes == 16
    assert route.write.conflict_ways == 1
    assert route.registers.register[:4] == tuple((0, 1 << b) if tile.x_axis == 0 else (1 << b, 0) for b in range(4))


@pytest.mark.parametrize("k", [32, 64])
def test_32_bit_elements_are_read_in_pairs(k):
    """Two neighbours become rows r and r + 8 of wgmma's A, which one lane has in registers."""
    tile = Tile(1, 128, k, 32)
    route = staging.plan_wgmma_registers(tile, 128, 4)
    assert [route.permutation(n) for n in (0, 1, 2, 3, 16)] == [0, 8, 1, 9, 16]
    assert route.words.exchanges == ()
    assert route.read.mnemonic == "ld.shared.v2.b32"
    assert route.read.conflict_ways == 1
    assert staging.prove(route)


def test_the_pair_is_two_registers_of_a_lane_and_its_row_eight_groups_of_lanes():
    """wgmma's A: registers hold rows r and r + 8, groups of four lanes the rows 0 to 7."""
    route = register_route(Tile(1, 64, 64, 8), 4)
    assert route.permutation.image[:4] == (3, 0, 1, 2)
    assert [route.permutation(n) for n in (0, 1, 2, 3, 4, 16)] == [0, 8, 1, 9, 2, 16]


@pytest.mark.parametrize("tile", [Tile(1, 64, 16, 32), Tile(1, 64, 64, 16)], ids=str)
def test_pairs_are_of_bytes(tile):
    mma = staging.wgmma_grids(64, 64, 4, tile.element_bits, "float")[0]
    assert byte_pair_permutation(tile, DotOperand(0, mma, 32 // tile.element_bits)) is None


@pytest.mark.parametrize("tile", TILES, ids=str)
@pytest.mark.parametrize("plan", [register_route, shared_route])
def test_the_asynchronous_copy_into_the_raw_tile_has_no_conflicts(plan, tile):
    """The layout of Triton's coalescing for 8 warps: 16 bytes per lane along x, adjacent rows next to each other."""
    across = tile.x // 16
    per_axis = [(16, 1), (across, 32 // across), (1, 8)]
    sizes = [pair if tile.x_axis == 0 else pair[::-1] for pair in per_axis]
    source = Blocked(*sizes, (tile.x_axis, 1 - tile.x_axis)).to_linear_layout(tile.shape)
    where = addresses(source, plan(tile, 8).raw.to_linear_layout(tile.shape), 8)
    write = vector_access(where, "store")
    assert write.lane_bytes == 16
    assert write.conflict_ways == 1


# Tiles as TMA writes them


def arrived(x, k, bits):
    return Tile(1, x, k, bits, NvmmaShared(min(128, x * bits // 8), False, bits))


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("k_bytes", [64, 128])
@pytest.mark.parametrize("x", [64, 128, 256])
@pytest.mark.parametrize("bits", [8, 32])
def test_the_raw_layout_is_what_tma_writes_and_is_read_without_conflicts(bits, x, k_bytes, warps):
    tile = arrived(x, k_bytes * 8 // bits, bits)
    registers = staging.plan_wgmma_registers(tile, 128, warps)
    target = NvmmaShared(k_bytes, True, bits)
    shared = staging.plan_shared_route(tile, target, warps)
    for route in (registers, shared):
        assert route.raw == tile.arrives
        assert route.read.conflict_ways == 1
        assert staging.prove(route)
    assert shared.write.conflict_ways == 1
    assert shared.write.lane_bytes == 16


def test_words_of_one_element_are_read_from_different_banks_by_renaming():
    """Lanes walk the two pairs of a chunk, and a bit of the chunk that the four k of a fragment do not move."""
    route = staging.plan_wgmma_registers(arrived(128, 32, 32), 128, 4)
    assert route.read.mnemonic == "ld.shared.v2.b32"
    lanes = [1 << route.permutation.inverse.image[bit] for bit in range(3)]
    assert lanes == [2, 16, 4]  # the third fills a sector of the result
    free = staging.plan_wgmma_registers(Tile(1, 128, 32, 32), 128, 4)
    assert [1 << free.permutation.inverse.image[bit] for bit in range(3)] == [2, 4, 8]
