"""Reshapes and transposes of layouts follow numpy's."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dotload.layout.linear import LinearLayout
from dotload.layout.views import Reshape, Transpose

SIZES = st.lists(st.integers(0, 2).map(lambda bits: 1 << bits), min_size=1, max_size=4)


def row_major(shape):
    """The layout in which the element at each offset is the one that numpy counts there."""
    layout = LinearLayout.empty()
    for dim in reversed(range(len(shape))):
        layout *= LinearLayout.identity(shape[dim], "offset", f"dim{dim}")
    return layout.transpose_outs([f"dim{dim}" for dim in range(len(shape))])


def assert_follows(layout, values):
    assert tuple(layout.out_sizes.values()) == values.shape
    for offset, coordinate in enumerate(layout.table()):
        assert values[tuple(coordinate)] == offset


@given(SIZES, st.data())
def test_transpose(shape, data):
    order = tuple(data.draw(st.permutations(range(len(shape)))))
    values = np.arange(math.prod(shape)).reshape(shape)
    assert_follows(Transpose(order).layout(row_major(shape)), values.transpose(order))


@given(SIZES, st.data())
def test_reshape(shape, data):
    bits = math.prod(shape).bit_length() - 1
    cuts = sorted(data.draw(st.lists(st.integers(0, bits), max_size=3)))
    new = tuple(1 << high - low for low, high in zip([0, *cuts], [*cuts, bits], strict=True))
    values = np.arange(math.prod(shape)).reshape(shape)
    assert_follows(Reshape(new).layout(row_major(shape)), values.reshape(new))
