"""Permutations of k agree with the figures of the PTX ISA (wgmma.mma_async: fragments of D, and of A in registers)."""

import pytest

from dotload.layout.encodings import Blocked, DotOperand, NvidiaMma, layout_of
from dotload.layout.operand_permutations import accumulator_permutation

LANES, ROWS = 32, 64


def columns_of(lane: int, size: int) -> set[tuple[int, int]]:
    """The elements of a warp's 16 rows of D that a lane holds."""
    rows = lane // 4, lane // 4 + 8
    return {(row, 8 * group + 2 * (lane % 4) + half) for row in rows for group in range(size // 8) for half in (0, 1)}


def fragments_of(lane: int, size: int, element_bits: int) -> set[tuple[int, int]]:
    """The elements of A that a lane holds: words of four bytes or one number, four of these in a row."""
    in_word = 32 // element_bits
    rows = lane // 4, lane // 4 + 8
    words = range(size // (4 * in_word))
    ks = [4 * in_word * word + in_word * (lane % 4) + at for word in words for at in range(in_word)]
    return {(row, k) for row in rows for k in ks}


@pytest.mark.parametrize("element_bits", [8, 32])
@pytest.mark.parametrize("size", [32, 64, 128])
@pytest.mark.parametrize("warps", [(4, 1), (8, 1)], ids=str)
def test_columns_of_a_lane_become_its_fragments(element_bits, size, warps):
    k = 256 // element_bits
    accumulator = NvidiaMma(3, 0, warps, (16, size, k))
    fragments = DotOperand(0, NvidiaMma(3, 0, warps, (16, 64, k)), 32 // element_bits)
    shape = (ROWS, size)
    permutation = accumulator_permutation(layout_of(accumulator, shape), layout_of(fragments, shape))
    assert permutation is not None
    assert not permutation.is_identity
    for lane in range(LANES):
        permuted = {(row, permutation(column)) for row, column in columns_of(lane, size)}
        assert permuted == fragments_of(lane, size, element_bits)


def test_16_bits_stay_as_they_are():
    accumulator = NvidiaMma(3, 0, (4, 1), (16, 64, 16))
    layouts = [layout_of(each, (ROWS, 64)) for each in (accumulator, DotOperand(0, accumulator, 2))]
    permutation = accumulator_permutation(*layouts)
    assert permutation is not None
    assert permutation.is_identity


@pytest.mark.parametrize(
    "source",
    [
        Blocked((1, 16), (8, 4), (4, 1), (1, 0)),  # a lane has 16 neighbours of a row
        Blocked((1, 1), (1, 32), (4, 1), (1, 0)),  # only lane bits walk along columns
        NvidiaMma(3, 0, (4, 2), (16, 32, 32)),  # each of two warpgroups has half of the columns
    ],
    ids=str,
)
def test_lanes_that_hold_other_rows(source):
    warps = (4, 2) if isinstance(source, NvidiaMma) else (4, 1)
    fragments = DotOperand(0, NvidiaMma(3, 0, warps, (16, 64, 32)), 4)
    assert accumulator_permutation(layout_of(source, (ROWS, 64)), layout_of(fragments, (ROWS, 64))) is None
