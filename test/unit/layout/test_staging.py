"""Plans for non-K-major operands have no bank conflicts and pass the proof, and the proof rejects wrong plans."""

import dataclasses

import numpy as np
import pytest
from sampling import sampled

from dotload.layout import staging
from dotload.layout.encodings import DotOperand, NvidiaMma, NvmmaShared
from dotload.layout.index_permutation import BitPermutation, IndexPermutation
from dotload.layout.raw_tiles import Tile

SHAPES = [(64, 64), (64, 128), (128, 64), (128, 128), (256, 64), (256, 128)]


def wgmma_routes():
    for x, k in SHAPES:
        for axis in (0, 1):
            for warps in (4, 8):
                for bits in (8, 32):
                    k_elements = k * 8 // bits
                    tile = Tile(axis, x, k_elements, bits)
                    yield tile, 128, warps


@pytest.mark.parametrize(("tile", "other", "warps"), sampled(wgmma_routes(), 16), ids=str)
def test_every_route_to_wgmma_is_proved(tile, other, warps):
    register = staging.plan_wgmma_registers(tile, other, warps)
    target = NvmmaShared(min(128, tile.k * tile.element_bits // 8), tile.x_axis == 1, tile.element_bits)
    shared = staging.plan_shared_route(tile, target, warps)
    assert staging.prove(register)
    assert staging.prove(shared)
    assert register.read.conflict_ways == 1
    assert shared.write.lane_bytes == 16
    assert shared.read.conflict_ways == 1


@pytest.mark.parametrize(
    ("tile", "k_axis", "warps"),
    sampled(
        [(Tile(axis, x, k, 8), k_axis, w) for x, k in SHAPES for axis in (0, 1) for k_axis in (0, 1) for w in (4, 8)],
        6,
    ),
    ids=str,
)
def test_every_route_of_a_converted_tile_is_proved(tile, k_axis, warps):
    """Fragments are those of 16-bit elements, two k per register; K-major tiles are read by as many."""
    rows, k = tile.shape[1 - k_axis], tile.shape[k_axis]
    route = staging.plan_converted_registers(tile, k_axis, 64, warps, 16)
    assert staging.prove(route)
    assert route.operand_shape == (rows, k)
    assert (route.operand.k_width, route.operand.parent.instr_shape[2]) == (2, 16)
    assert route.permutation.size == rows
    assert route.read.conflict_ways == 1
    if k_axis == tile.x_axis:
        assert route.permutation.is_identity
        assert route.read.lane_bytes == 2
    else:
        assert route.words.is_matrix


def test_a_converted_tile_too_small_for_a_warpgroup_has_no_route():
    assert staging.plan_converted_registers(Tile(1, 32, 64, 8), 0, 64, 4, 16) is None


def test_a_tile_too_small_for_a_warpgroup_has_no_register_route():
    assert staging.plan_wgmma_registers(Tile(1, 32, 128, 8), 64, 4) is None


def test_the_tile_of_the_headline():
    """fp8, 128x256x128 on 8 warps: the layouts of the benchmarks."""
    route = staging.plan_wgmma_registers(Tile(1, 256, 128, 8), 128, 8)
    assert route.raw.offset[:8] == tuple((0, 1 << bit) for bit in range(8))
    assert route.raw.offset[8:] == ((1, 16), (2, 0), (4, 32), (8, 64), (16, 0), (32, 0), (64, 0))
    assert route.permutation.image == (3, 0, 1, 2, 4, 5, 6, 7)
    assert route.operand.parent == NvidiaMma(3, 0, (8, 1), (16, 128, 32))
    assert route.read.total_wavefronts == 256 * 128 // 128


@pytest.mark.parametrize("k_width", [4, 8])
@pytest.mark.parametrize("index", [0, 1])
def test_routes_to_mma_sync_are_proved(index, k_width):
    mma = NvidiaMma(2, 0, (2, 2), (16, 8))
    route = staging.plan_register_route(Tile(index, 128, 64, 8), DotOperand(index, mma, k_width))
    assert staging.prove(route)
    assert route.read.mnemonic == "ldmatrix.m8n8.x4.trans.shared.b16"


@pytest.mark.parametrize("index", [0, 1])
def test_a_tile_of_less_k_than_an_instruction_is_read_by_words_of_one_lane(index):
    """Triton's own conversion reads registers that hold copies: four x of a word are registers of one lane."""
    mma = NvidiaMma(2, 0, (2, 2), (16, 8))
    route = staging.plan_register_route(Tile(index, 128, 16, 8), DotOperand(index, mma, 4))
    assert staging.prove(route)
    assert route.words is None
    assert route.read.lane_bytes == 4


WORDS = staging.plan_wgmma_registers(Tile(1, 256, 128, 8), 128, 8)
SHARED = staging.plan_shared_route(Tile(1, 128, 128, 8), NvmmaShared(128, True, 8), 8)
BROKEN = {
    "an element of the tile lost": dataclasses.replace(
        WORDS, raw=dataclasses.replace(WORDS.raw, offset=((0, 0), *WORDS.raw.offset[1:]))
    ),
    "a register bit lost": dataclasses.replace(
        SHARED,
        registers=dataclasses.replace(SHARED.registers, register=((0, 0), *SHARED.registers.register[1:])),
    ),
    "words read in another order": dataclasses.replace(
        SHARED, words=dataclasses.replace(SHARED.words, vector_bits=SHARED.words.vector_bits[::-1])
    ),
    "words stored elsewhere": dataclasses.replace(
        SHARED, store=dataclasses.replace(SHARED.store, lanes=SHARED.store.lanes[::-1])
    ),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
def test_the_proof_refuses_a_broken_plan(broken):
    assert not staging.prove(broken)


def test_the_proof_refuses_registers_of_other_names():
    route = dataclasses.replace(WORDS)
    transposed = IndexPermutation.of(WORDS.operand_shape, (None, None), (1, 0))
    vars(route)["held"] = transposed.layout(WORDS.operand.to_linear_layout(WORDS.operand_shape))
    assert not staging.prove.__wrapped__(route)  # not the cached result of its equal


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("columns", [None, BitPermutation((0, 1)), BitPermutation((1, 0))])
@pytest.mark.parametrize("rows", [None, BitPermutation((0, 1, 2)), BitPermutation((2, 0, 1))])
def test_the_result_is_named_back(rows, columns, transposed):
    """Row r and column c of the accumulator are mapped to their places in the result."""
    shape = (8, 4)
    product = np.arange(32).reshape(shape)
    at = [[p(x) if p else x for x in range(size)] for p, size in zip((rows, columns), shape, strict=True)]
    accumulator = np.empty_like(product)
    accumulator[np.ix_(*at)] = product
    if transposed:
        product = product.T
    renaming = staging.result_permutation(shape, [rows, columns], transposed=transposed)
    assert renaming.shape == product.shape
    for name, value in np.ndenumerate(accumulator):
        assert product[renaming(name)] == value
