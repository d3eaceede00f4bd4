"""Byte transposes: compared with numpy's transposes, and with instructions simulated on memory byte by byte."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sampling import sampled

from dotload.layout import staging
from dotload.layout.access import Addresses, addresses, count_matrix_wavefronts, count_wavefronts
from dotload.layout.byte_transposes import Exchange, deposit_bits, exchanges, offset, prove_read, read_words
from dotload.layout.encodings import DotOperand, NvidiaMma, NvmmaShared
from dotload.layout.raw_tiles import Tile

FRAGMENT = (0, 1)
TILES = [(axis, x, k) for axis in (0, 1) for x in (64, 128, 256) for k in (64, 128)]


# Exchanges


def words_by_axes(bits, in_word):
    """All register numbers, as words whose bytes `in_word` counts, computed by numpy with one axis of size 2 per
    bit."""
    numbers = np.arange(1 << bits).reshape((2,) * bits)  # axis -1 - b is bit b
    moved = np.moveaxis(numbers, [-1 - bit for bit in in_word], [-1 - position for position in range(len(in_word))])
    return {int(word[0]): word for word in moved.reshape(-1, 1 << len(in_word))}


def concatenated(a, b, picks):
    return np.concatenate([a, b])[list(picks)]


@st.composite
def bit_changes(draw):
    bits = draw(st.integers(2, 8))
    before, after = (tuple(draw(st.permutations(range(bits)))[:2]) for _ in range(2))
    return bits, before, after


@given(bit_changes())
def test_exchanges_lead_to_the_wanted_order(change):
    bits, before, after = change
    words = words_by_axes(bits, before)
    for step in exchanges(before, after):
        words = step.apply(words, concatenated)
    expected = words_by_axes(bits, after)
    assert words.keys() == expected.keys()
    assert all(np.array_equal(words[key], expected[key]) for key in expected)


@given(bit_changes())
def test_there_is_one_exchange_for_each_bit_that_crosses(change):
    _, before, after = change
    crossing = set(after) - set(before)
    steps = exchanges(before, after)
    assert len(steps) == len(crossing) + (not crossing and before != after)
    assert {step.entering for step in steps} - {None} == crossing
    assert {step.leaving for step in steps} - {None} == set(before) - set(after)


@given(bit_changes())
def test_a_step_makes_every_word_by_one_shuffle(change):
    bits, before, after = change
    made = []

    def shuffle(a, b, picks):
        assert sorted(set(picks)) == sorted(picks), "no byte twice"
        made.append(picks)
        return concatenated(a, b, picks)

    words = words_by_axes(bits, before)
    for step in exchanges(before, after):
        words = step.apply(words, shuffle)
    assert len(made) == len(exchanges(before, after)) << bits - 2


@pytest.mark.parametrize("rows", [4, 16])
@pytest.mark.parametrize("columns", [4, 16])
def test_a_matrix_of_bytes_is_transposed(rows, columns):
    """Words that hold four columns of a row become words that hold four rows of a column."""
    matrix = np.random.default_rng(rows).permutation(rows * columns).reshape(rows, columns)
    row_bits = rows.bit_length() - 1
    words = {
        row | column << row_bits: matrix[row, column : column + 4]
        for row in range(rows)
        for column in range(0, columns, 4)
    }
    for step in exchanges((row_bits, row_bits + 1), FRAGMENT):
        words = step.apply(words, concatenated)
    assert len(words) == rows * columns // 4
    for key, word in words.items():
        row, column = key & rows - 1, key >> row_bits
        assert np.array_equal(word, matrix.T[column, row : row + 4])


def selector(picks):
    """The selector of prmt.b32: four bits per byte, the lowest first (PTX ISA, prmt)."""
    return sum(pick << 4 * position for position, pick in enumerate(picks))


@pytest.mark.parametrize(
    ("before", "selectors"),
    [((2, 0), [(0x6420, 0x7531)]), ((2, 1), [(0x6240, 0x7351)]), ((2, 3), [(0x6240, 0x7351), (0x5410, 0x7632)])],
    ids=["pair of the low bit", "pair of the high bit", "4x4"],
)
def test_the_selectors_of_prmt(before, selectors):
    steps = exchanges(before, FRAGMENT)
    assert [(selector(step.picks(0)), selector(step.picks(1))) for step in steps] == selectors


def test_bytes_that_only_change_places():
    (step,) = exchanges((1, 0), FRAGMENT)
    assert (step.entering, step.leaving, selector(step.picks(0))) == (None, None, 0x3120)
    assert exchanges(FRAGMENT, FRAGMENT) == ()


# Reads, simulated on memory


def play(read, where):
    """What each lane of warp 0 holds after the read: element numbers [lane, register], -1 for what was not read.

    Written from the PTX ISA, not from the code under test: ld.shared takes neighbouring bytes; ldmatrix.trans of b16
    elements gives lane 4g + c elements g of rows 2c and 2c + 1, and lanes 8m .. 8m + 7 have the rows' addresses; prmt
    picks a byte of two words by each digit of a selector, which may be another one in each lane.
    """
    size = 1 << len(where.register)
    per_word = 32 // where.element_bits
    memory = np.arange(4096 * 64)
    words = {}
    for step in range(1 << len(read.iteration_bits)):
        first = deposit_bits(step, read.iteration_bits)
        starts = [offset(lane, read.lanes) ^ offset(first, where.register) for lane in range(32)]
        for number in range(1 << len(read.vector_bits)):
            held = np.empty((32, per_word), dtype=np.int64)
            for lane in range(32):
                if read.is_matrix:
                    pair, couple = divmod(lane, 4)
                    rows = [starts[8 * number + 2 * couple], starts[8 * number + 2 * couple + 1]]
                    held[lane] = [memory[row + 2 * pair + byte] for row in rows for byte in (0, 1)]
                elif read.half_bit is not None:
                    halves = starts[lane], starts[lane] ^ where.register[read.half_bit]
                    assert not any(half % 2 for half in halves), "aligned to what is read"
                    held[lane] = [memory[half + byte] for half in halves for byte in (0, 1)]
                else:
                    start = starts[lane] + per_word * number
                    assert starts[lane] % (per_word << len(read.vector_bits)) == 0, "aligned to what is read"
                    held[lane] = memory[start : start + per_word]
            words[first | deposit_bits(number, read.vector_bits)] = held
    for number, step in enumerate(read.exchanges):
        turn = read.word_swap_lane if number == 0 else None
        words = step.apply(words, lambda a, b, picks, turn=turn: permuted(a, b, picks, turn))
    registers = np.full((32, size), -1)
    for key, held in words.items():
        for byte in range(held.shape[1]):
            registers[:, key | byte] = held[:, byte]
    return registers


def permuted(a, b, picks, turn):
    """prmt in each lane; in lanes with bit `turn`, the bit of each digit that selects the word is inverted."""
    both = np.concatenate([a, b], axis=1)
    after = np.empty_like(a)
    for lane in range(32):
        digits = selector(picks) ^ (0x4444 if turn is not None and lane >> turn & 1 else 0)
        after[lane] = [both[lane, digits >> 4 * byte & 7] for byte in range(after.shape[1])]
    return after


def plays_right(read, where):
    return np.array_equal(play(read, where), where.table()[0])


def swizzled(draw, column, chunk):
    """The column of a row that may move 16-byte chunks (`chunk` elements) of lower address bits."""
    if column < 8 * chunk:
        return column
    return column ^ chunk * draw(st.integers(0, 7))


@st.composite
def layouts_of_words(draw, element_bits=8):
    """Registers that ld.shared can fill; the other bits are random."""
    low = [1, 2] if element_bits == 8 else []
    others = draw(st.permutations([1 << bit for bit in range(len(low), 12)]))
    count, warps = draw(st.integers(len(low) + 1, 5)), draw(st.integers(0, 1))
    columns = [swizzled(draw, column, 128 // element_bits) for column in others]
    lanes, rest = columns[:5], columns[5:]
    registers = draw(st.permutations([*low, *rest[: count - len(low)]]))
    return Addresses(tuple(registers), tuple(lanes), tuple(rest[6 : 6 + warps]), element_bits)


@st.composite
def layouts_of_pairs(draw):
    """Registers that ldmatrix.trans can fill: groups of lanes walk the pairs of a row of 16 bytes."""
    rows = [swizzled(draw, column, 16) for column in draw(st.permutations([1 << bit for bit in range(4, 12)]))]
    count = draw(st.integers(2, 4))
    registers = list(rows[2 : 2 + count])
    registers.insert(draw(st.integers(2, count)), 1)
    return Addresses(tuple(registers), (*rows[:2], 2, 4, 8), (rows[7],), 8)


@given(st.one_of(layouts_of_words(), layouts_of_words(32), layouts_of_pairs()))
def test_the_read_that_is_chosen_gives_every_register_its_element(where):
    read = read_words(where)
    assert read is not None
    assert plays_right(read, where)
    assert prove_read(read, where)


@given(layouts_of_pairs())
def test_pairs_are_read_by_ldmatrix_and_one_exchange(where):
    read = read_words(where)
    assert read.is_matrix
    assert len(read.exchanges) == 1
    assert read.permutes == 1 << len(where.register) - 2


@given(st.one_of(layouts_of_words(), layouts_of_words(32)))
def test_wavefronts_of_vectors_are_counted_bank_by_bank(where):
    read = read_words(where)
    starts = [offset(lane, read.lanes) * where.element_bits // 8 for lane in range(32)]
    assert count_wavefronts(starts, read.access.lane_bytes) == read.access.wavefronts
    assert read.access.lane_bytes == 4 << len(read.vector_bits)
    assert read.access.instructions == 1 << len(read.iteration_bits)


# Tiles as TMA writes them


def arrived(k=128):
    """Fragments of wgmma's A in a tile that TMA has written, k x 128 bytes."""
    mma = NvidiaMma(3, 0, (4, 1), (16, 128, 32))
    tile = Tile(1, 128, k, 8, NvmmaShared(128, False, 8))
    route = staging.plan_register_route(tile, DotOperand(0, mma, 4))
    return addresses(route.held, route.raw.to_linear_layout(tile.shape), 8)


@pytest.mark.parametrize("k", [32, 64, 128])
def test_a_turn_reads_a_tile_of_tma_without_conflicts(k):
    where = arrived(k)
    read = read_words(where)
    assert read.word_swap_lane is not None
    assert read.is_matrix
    assert read_words(where, may_swap_words=False).access.conflict_ways == 2
    starts = [offset(lane, read.lanes) for lane in range(32)]
    assert (
        count_matrix_wavefronts(starts[: 8 << len(read.vector_bits)])
        == read.access.wavefronts
        == 1 << len(read.vector_bits)
    )
    assert plays_right(read, where)


def test_a_proof_sees_a_turn_of_the_wrong_lanes():
    read = read_words(arrived())
    assert prove_read(read, arrived())
    assert not prove_read(dataclasses.replace(read, word_swap_lane=None), arrived())
    assert not prove_read(dataclasses.replace(read, word_swap_lane=1 - read.word_swap_lane), arrived())


@given(st.one_of(layouts_of_words(), layouts_of_words(32), layouts_of_pairs()), st.data())
def test_the_words_of_some_registers_are_those_that_they_are_made_of(where, data):
    """Each word carries its number through the exchanges, as a set."""
    read = read_words(where)
    counted = len(read.in_word)
    count = len(read.vector_bits) + len(read.iteration_bits)
    keys = [deposit_bits(number, (*read.vector_bits, *read.iteration_bits)) for number in range(1 << count)]
    made = {key: frozenset([key]) for key in keys}
    for step in read.exchanges:
        made = step.apply(made, lambda a, b, picks: a | b)
    registers = data.draw(st.lists(st.integers(0, (1 << len(where.register)) - 1), min_size=1))
    mask = 0b11 if counted else 0
    assert read.words_of(registers) == frozenset().union(*(made[register & ~mask] for register in registers))


# Broken plans


BROKEN = ("lanes", "in_word", "exchanges", "iteration_bits", "vector_bits")


def swap(values, a, b):
    values = list(values)
    values[a], values[b] = values[b], values[a]
    return tuple(values)


@given(st.one_of(layouts_of_words(), layouts_of_pairs()), st.sampled_from(BROKEN), st.data())
def test_the_proof_sees_what_playing_sees(where, field, data):
    """The proof accepts exactly the plans whose simulation is right, of plans with swapped entries or other
    exchanges."""
    read = read_words(where)
    values = getattr(read, field)
    if field == "exchanges":
        assume(values)
        at = data.draw(st.integers(0, len(values) - 1))
        wrong = Exchange(values[at].before, values[at].after[::-1])
        broken = dataclasses.replace(read, exchanges=(*values[:at], wrong, *values[at + 1 :]))
        assume(at == len(values) - 1)  # otherwise the next exchange would not fit
    else:
        assume(len(values) > 1)
        a, b = (data.draw(st.integers(0, len(values) - 1)) for _ in range(2))
        broken = dataclasses.replace(read, **{field: swap(values, a, b)})
    assert prove_read(broken, where) == plays_right(broken, where)


WORDS = Addresses((128, 256, 1, 2), (4, 8, 16, 32, 64), (), 8)
PAIRS = Addresses((16, 128, 1, 256), (32, 64, 2, 4, 8), (), 8)
ROWS = Addresses((1, 2, 128, 256), (4, 8, 16, 32, 64), (), 8)


def test_the_plans_that_are_broken_below():
    assert [step.before for step in read_words(WORDS).exchanges] == [(2, 3), (0, 3)]
    assert read_words(PAIRS).is_matrix
    assert read_words(PAIRS).in_word == (2, 0)
    assert all(prove_read(read_words(where), where) for where in (WORDS, PAIRS, ROWS))


@pytest.mark.parametrize(
    ("where", "changes"),
    [
        (WORDS, {"lanes": (8, 4, 16, 32, 64)}),
        (WORDS, {"lanes": (4, 8, 16, 32, 128)}),
        (WORDS, {"in_word": (3, 2), "exchanges": exchanges((3, 2), FRAGMENT)}),
        (WORDS, {"exchanges": ()}),
        (WORDS, {"exchanges": (Exchange((2, 3), (0, 3)), Exchange((0, 3), (1, 0)))}),
        (WORDS, {"exchanges": (Exchange((2, 3), (3, 0)), Exchange((0, 3), (0, 1)))}),
        (PAIRS, {"lanes": (16, 64, 32, 128, 256)}),
        (PAIRS, {"lanes": (16, 32, 64, 256, 128)}),
        (PAIRS, {"in_word": (0, 2), "exchanges": exchanges((0, 2), FRAGMENT)}),
        (PAIRS, {"exchanges": (Exchange((2, 0), (1, 0)),)}),
        (PAIRS, {"exchanges": ()}),
        (PAIRS, {"vector_bits": (1,)}),
        (ROWS, {"iteration_bits": (2,)}),
    ],
)
def test_the_proof_refuses_a_wrong_plan(where, changes):
    broken = dataclasses.replace(read_words(where), **changes)
    assert not plays_right(broken, where)
    assert not prove_read(broken, where)


@pytest.mark.parametrize(
    "where",
    [
        Addresses((128, 256, 2, 4), (1, 8, 16, 32, 64), (), 8),
        Addresses((128, 256, 1, 2, 0), (4, 8, 16, 32, 64), (), 8),
        Addresses((1,), (2, 4, 8, 16, 32), (), 8),
        Addresses((1, 2, 64), (4, 8, 16, 32), (), 8),
        Addresses((1, 2), (4, 8, 16, 32, 64), (), 16),
        Addresses((1, 2), (5, 8, 16, 32, 64), (), 8),
        Addresses((16, 128, 1, 256 ^ 4), (32, 64, 2, 4, 8), (), 8),
        Addresses((16, 128, 1, 256), (32, 64, 2, 4, 8), (512 ^ 8,), 8),
    ],
    ids=["bytes in lanes", "copies", "two bytes", "16 lanes", "16 bits", "not aligned", "rows not aligned", "warps"],
)
def test_registers_that_no_words_fill(where):
    assert read_words(where) is None


# The tiles of GEMM


def matrix_reads(tile, warps):
    """The reads of an operand as stage-dot-operands plans them, with the places of their registers."""
    route = staging.plan_wgmma_registers(tile, 128, warps)
    yield route.words, addresses(route.held, route.raw.to_linear_layout(tile.shape), 8)
    shared = staging.plan_shared_route(tile, NvmmaShared(min(128, tile.k), tile.x_axis == 1, 8), warps)
    raw, held = (layout.to_linear_layout(tile.shape) for layout in (shared.raw, shared.registers))
    yield shared.words, addresses(held, raw, 8)
    converted = staging.plan_converted_registers(tile, 1 - tile.x_axis, 64, warps, 16)
    yield converted.words, addresses(converted.held, converted.raw.to_linear_layout(tile.shape), 8)


@pytest.mark.parametrize("rows", [64, 128])
@pytest.mark.parametrize("k", [32, 128])
def test_halves_of_words_are_read_from_k_major_tiles(rows, k):
    """Fragments of 16-bit elements have two k at each of two rows."""
    tile = Tile(1, k, rows, 8)
    route = staging.plan_converted_registers(tile, 1, 64, 4, 16)
    where = addresses(route.held, route.raw.to_linear_layout(tile.shape), 8)
    read = route.words
    assert (read.half_bit, read.permutes, read.access.lane_bytes) == (1, 1 << len(where.register) - 2, 2)
    assert plays_right(read, where)
    assert prove_read(read, where)
    starts = [offset(lane, read.lanes) for lane in range(32)]
    assert count_wavefronts(starts, 2) == read.access.wavefronts == 1
    assert not prove_read(dataclasses.replace(read, half_bit=2), where)


@pytest.mark.parametrize(
    ("tile", "warps"),
    sampled([(Tile(axis, x, k, 8), warps) for axis, x, k in TILES for warps in (4, 8)], 4),
    ids=str,
)
def test_reads_of_tiles_are_right_and_free_of_conflicts_by_simulation_of_the_banks(tile, warps):
    for read, where in matrix_reads(tile, warps):
        assert plays_right(read, where)
        for warp in range(1 << len(where.warp)):
            for step in range(1 << len(read.iteration_bits)):
                constant = offset(warp, where.warp) ^ offset(deposit_bits(step, read.iteration_bits), where.register)
                rows = [constant ^ offset(lane, read.lanes) for lane in range(8 << len(read.vector_bits))]
                assert count_matrix_wavefronts(rows) == read.access.wavefronts == read.access.least_wavefronts
        assert read.access.instructions == 1 << len(read.iteration_bits)
        assert read.access.warps == 1 << len(where.warp)
