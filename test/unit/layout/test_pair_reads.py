"""Reads of pairs: named bytes are followed one by one through memory, registers, PRMT and join, and compared with the
layouts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dotload.layout import encodings as enc
from dotload.layout.access import addresses
from dotload.layout.byte_transposes import read_words
from dotload.layout.linear import LayoutError, LinearLayout
from dotload.layout.pair_reads import PairRead, read_pairs
from dotload.layout.raw_tiles import Tile
from dotload.layout.staging import RegisterRoute, plan_wgmma_registers

SHAPES = [(128, 128), (64, 256), (256, 64), (64, 64)]


def planned(k: int, x: int, arrives: enc.NvmmaShared | None) -> RegisterRoute:
    route = plan_wgmma_registers(Tile(1, x, k, 8, arrives), 128, 4)
    assert route is not None
    return route


def prmt(a: list, b: list, selector: int) -> list:
    """prmt as in the PTX ISA: each digit picks one of the eight bytes of two words."""
    both = [*a, *b]
    return [both[selector >> 4 * byte & 7] for byte in range(4)]


def played_through(read: PairRead, memory: LinearLayout) -> dict[tuple[int, int], list]:
    """(warp, lane) -> the names of the bytes that the registers hold after the join; names are coordinates."""
    names = [tuple(coordinate) for coordinate in memory.table()]
    view = LinearLayout.from_bases({enc.OFFSET: read.offset}, dict(zip(memory.out_dims, read.shape, strict=True)))
    offset_of = {tuple(coordinate): offset for offset, coordinate in enumerate(view.table())}
    held: dict[tuple[int, int], list] = {}
    warps, lanes = read.pairs.in_sizes.get(enc.WARP, 1), read.pairs.in_sizes[enc.LANE]
    for warp, lane in itertools.product(range(warps), range(lanes)):
        pairs = []
        for register in range(read.pairs.in_sizes[enc.REGISTER]):
            at = read.pairs.apply({enc.REGISTER: register, enc.LANE: lane, enc.WARP: warp})
            offset = offset_of[tuple(at.values())]
            pairs.append([names[2 * offset], names[2 * offset + 1]])
        change = 0
        for each in read.changes:
            change ^= each.digits if lane >> each.lane_bit & 1 else 0
        first, second = [], []
        for pack in range(0, len(pairs), 4):
            low, high = [*pairs[pack], *pairs[pack + 1]], [*pairs[pack + 2], *pairs[pack + 3]]
            first += prmt(low, high, read.selectors[0] ^ change)
            second += prmt(low, high, read.selectors[1] ^ change)
        held[warp, lane] = [name for both in zip(first, second, strict=True) for name in both]
    return held


@pytest.mark.parametrize(("k", "x"), SHAPES)
@pytest.mark.parametrize("by_tma", [False, True])
def test_each_register_holds_its_element(k: int, x: int, by_tma: bool) -> None:
    route = planned(k, x, enc.NvmmaShared(min(128, x), False, 8) if by_tma else None)
    memory = enc.layout_of(route.raw, (k, x))
    words = read_words(addresses(route.held, memory, 8), may_swap_words=by_tma)
    assert words is not None
    read = read_pairs(words, route.held, memory)
    ordered = read.ordered(route.held)
    for (warp, lane), names in played_through(read, memory).items():
        for register, name in enumerate(names):
            at = ordered.apply({enc.REGISTER: register, enc.LANE: lane, enc.WARP: warp, enc.BLOCK: 0})
            assert tuple(at.values()) == name


def test_lanes_of_tma_tiles_swap_words() -> None:
    """Without swaps, the rows that one ldmatrix reads would lie in the same banks."""
    route = planned(128, 64, enc.NvmmaShared(64, False, 8))
    memory = enc.layout_of(route.raw, (128, 64))
    words = read_words(addresses(route.held, memory, 8))
    assert words is not None
    assert words.word_swap_lane is not None
    (change,) = read_pairs(words, route.held, memory).changes
    assert (change.lane_bit, change.digits) == (words.word_swap_lane, 0x4444)


def test_lanes_swap_the_elements_of_pairs() -> None:
    """Lane bit 2 walks both elements of a pair: its lanes take the two bytes in the other order."""
    memory = enc.layout_of(enc.SwizzledShared(1, 1, 1, (1, 0)), (16, 16))
    registers, lanes = ((1, 0), (2, 0), (0, 1)), ((4, 0), (8, 0), (0, 3), (0, 4), (0, 8))
    held = LinearLayout.from_bases({enc.REGISTER: registers, enc.LANE: lanes, enc.WARP: ()}, memory.out_sizes)
    words = read_words(addresses(held, memory, 8))
    assert words is not None
    read = read_pairs(words, held, memory)
    assert (2, 0x1111) in [(change.lane_bit, change.digits) for change in read.changes]
    ordered = read.ordered(held)
    for (warp, lane), names in played_through(read, memory).items():
        found = [ordered.apply({enc.REGISTER: register, enc.LANE: lane, enc.WARP: warp}) for register in range(8)]
        assert [tuple(at.values()) for at in found] == names


def test_reads_that_are_not_of_pairs_are_refused() -> None:
    memory = enc.layout_of(enc.SwizzledShared(16, 1, 2, (1, 0)), (4, 128))
    registers = ((1, 0), (2, 0), (0, 1), (0, 2))
    lanes = tuple((0, 4 << bit) for bit in range(5))
    held = LinearLayout.from_bases(
        {enc.REGISTER: registers, enc.LANE: lanes, enc.WARP: ()}, dict(zip(("dim0", "dim1"), (4, 128), strict=True))
    )
    words = read_words(addresses(held, memory, 8))
    assert words is not None
    with pytest.raises(LayoutError, match="ldmatrix"):
        read_pairs(words, held, memory)


def test_all_registers_are_covered() -> None:
    route = planned(128, 128, None)
    memory = enc.layout_of(route.raw, (128, 128))
    words = read_words(addresses(route.held, memory, 8))
    assert words is not None
    read = read_pairs(words, route.held, memory)
    assert sorted(read.order) == list(range(len(route.held.bases[enc.REGISTER])))
    assert np.prod(read.shape) == 128 * 64
