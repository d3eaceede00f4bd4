"""Stores of words are simulated lane by lane as in the PTX ISA, and bank conflicts are counted from addresses."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotload.layout.access import Addresses, addresses, count_matrix_wavefronts, count_wavefronts
from dotload.layout.byte_transposes import deposit_bits, offset
from dotload.layout.encodings import NvmmaShared
from dotload.layout.raw_tiles import Tile
from dotload.layout.run_layouts import matrix_run_layouts
from dotload.layout.word_stores import copy_words, prove_copy, store_words


def play(store, where):
    """What lies in memory after warp 0 has stored: byte or word offset -> (lane, register).

    st.shared writes the words of a lane in a row; of matrix m of an stmatrix, lane 4r + c holds word c of row r, and
    lane 8m + r has the row's address.
    """
    memory = {}
    per_word = 32 // where.element_bits
    for step in range(1 << len(store.iteration_bits)):
        first = deposit_bits(step, store.iteration_bits)
        starts = [offset(lane, store.lanes) ^ offset(first, where.register) for lane in range(32)]
        for number in range(1 << len(store.vector_bits)):
            for lane in range(32):
                row, column = divmod(lane, 4)
                at = (
                    starts[8 * number + row] + per_word * column
                    if store.is_matrix
                    else starts[lane] + per_word * number
                )
                for element in range(per_word):
                    assert at + element not in memory, "nothing is written twice"
                    memory[at + element] = (lane, first | deposit_bits(number, store.vector_bits) | element)
    return memory


def plays_right(store, where):
    places = where.table()[0]
    wanted = {int(places[lane, register]): (lane, register) for lane, register in np.ndindex(*places.shape)}
    return play(store, where) == wanted


def conflict_free_passes(store, where):
    starts = [offset(lane, store.lanes) * where.element_bits // 8 for lane in range(32)]
    if store.is_matrix:
        return count_matrix_wavefronts(starts[: 8 << len(store.vector_bits)])
    return count_wavefronts(starts, store.access.lane_bytes, "store")


@st.composite
def layouts(draw, element_bits):
    """Words of neighbouring registers, with the other bits random; half of them as stmatrix has them."""
    in_word = {8: [1, 2], 32: []}[element_bits]
    others = [1 << bit for bit in range(len(in_word), 11)]
    lanes = [4, 8] if element_bits == 8 and draw(st.booleans()) else []
    rest = draw(st.permutations([column for column in others if column not in lanes]))
    count = 5 - len(lanes)
    registers = rest[count : count + draw(st.integers(1, 3))]
    return Addresses((*in_word, *registers), (*lanes, *rest[:count]), (), element_bits)


@given(st.one_of(layouts(8), layouts(32)))
def test_every_register_goes_to_its_place(where):
    store = store_words(where)
    assert store is not None
    assert plays_right(store, where)
    assert conflict_free_passes(store, where) == store.access.wavefronts


def test_registers_that_are_no_words_are_not_stored():
    assert store_words(Addresses((2, 1, 4), (8, 16, 32, 64, 128), (), 8)) is None
    assert store_words(Addresses((1, 2, 0), (8, 16, 32, 64, 128), (), 8)) is None
    assert store_words(Addresses((1, 2, 4), (8, 16, 32, 64, 128), (), 16)) is None


def k_major(tile, registers):
    target = NvmmaShared(min(128, tile.k), tile.x_axis == 1, 8)
    return addresses(registers.to_linear_layout(tile.shape), target.to_linear_layout(tile.shape), 8)


def arrived(tile, registers):
    return addresses(registers.to_linear_layout(tile.shape), tile.arrives.to_linear_layout(tile.shape), 8)


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("k", [32, 64, 128])
@pytest.mark.parametrize("x", [64, 128, 256])
def test_tiles_of_tma_are_copied_by_matrices_without_conflicts(x, k, warps):
    tile = Tile(1, x, k, 8, NvmmaShared(min(128, x), False, 8))
    registers = next(matrix_run_layouts(tile, warps))
    source, target = arrived(tile, registers), k_major(tile, registers)
    read, store = copy_words(source, target)
    assert read.access.conflict_ways == store.access.conflict_ways == 1
    assert store.is_matrix
    assert prove_copy(read, store, source, target)
    assert store_words(target).access.conflict_ways == 2, "without the byte swap"
    assert read.byte_swap_lane is not None


def test_a_flip_that_only_one_side_knows_of_is_seen():
    tile = Tile(1, 128, 128, 8, NvmmaShared(128, False, 8))
    registers = next(matrix_run_layouts(tile, 4))
    source, target = arrived(tile, registers), k_major(tile, registers)
    read, store = copy_words(source, target)
    assert prove_copy(read, store, source, target)
    assert not prove_copy(dataclasses.replace(read, byte_swap_lane=None), store, source, target)
    assert not prove_copy(read, store_words(target), source, target)
    assert not prove_copy(read, dataclasses.replace(store, vector_bits=store.vector_bits[::-1]), source, target)
