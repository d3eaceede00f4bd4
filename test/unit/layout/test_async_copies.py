"""Vectors of cp.async, against the addresses of all elements, listed by numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotload.layout.access import Addresses
from dotload.layout.async_copies import VECTOR_BYTES, async_vectors


@st.composite
def tiles(draw: st.DrawFn) -> Addresses:
    """A tile whose threads hold runs of 16 bytes: the other address bits are theirs in any order, swizzled."""
    bits = draw(st.sampled_from([8, 16, 32]))
    run = {8: 4, 16: 3, 32: 2}[bits]
    count = draw(st.integers(7, 9))
    order = [1 << run + bit for bit in draw(st.permutations(range(count)))]
    at = [column ^ draw(st.sampled_from([0, *order[:place]])) for place, column in enumerate(order)]
    return Addresses((*(1 << bit for bit in range(run)), *at[7:]), tuple(at[:5]), tuple(at[5:7]), bits)


@given(tiles())
def test_vectors_cover_a_threads_elements(where: Addresses) -> None:
    vectors, table = async_vectors(where, 16), where.table()
    assert vectors is not None
    size, element_bytes = VECTOR_BYTES * 8 // where.element_bits, where.element_bits // 8
    found = np.full(table.shape[2], -1)
    for element, place in zip(vectors.elements, vectors.places, strict=True):
        found[element : element + size] = place // element_bytes ^ np.arange(size)
    assert np.array_equal(table[0, 0], found)
    assert np.array_equal(table, table[:, :, :1] ^ found)


ROWS = Addresses((1, 2, 4, 8, 2048), (16, 32, 64, 128, 256), (512, 1024), 8)


@pytest.mark.parametrize(
    ("where", "contiguity"),
    [
        (ROWS, 8),
        (Addresses((1, 2, 8, 4, 2048), ROWS.lane, ROWS.warp, 8), 16),
        (Addresses((1, 2, 4, 8, 2048), (16, 32, 64, 128, 0), ROWS.warp, 8), 16),
        (Addresses((1, 2, 4, 8, 0), ROWS.lane, ROWS.warp, 8), 16),
        (Addresses((1, 2, 4, 8, 2048), (16, 32, 64, 128, 260), ROWS.warp, 8), 16),
        (Addresses((1, 2, 4), ROWS.lane, ROWS.warp, 8), 16),
    ],
    ids=["short runs", "other order", "copies in lanes", "copies in registers", "not aligned", "few registers"],
)
def test_other_tiles_have_none(where: Addresses, contiguity: int) -> None:
    assert async_vectors(ROWS, 16) is not None
    assert async_vectors(where, contiguity) is None
