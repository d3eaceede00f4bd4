"""Reshapes and transposes of layouts agree with numpy's."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dotload.layout.linear import LinearLayout
from dotload.layout.views import Reshape, Transpose, joined, parted

SIZES = st.lists(st.integers(0, 2).map(lambda bits: 1 << bits), min_size=1, max_size=4)


def row_major(shape):
    """The row-major layout: the element at each offset is numpy's."""
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


def by_registers(shape):
    """The same layout, as a map from registers."""
    layout = row_major(shape)
    return LinearLayout.from_bases({"register": layout.bases["offset"], "lane": ()}, layout.out_sizes)


@given(SIZES)
def test_joined_tensors_alternate_and_are_parted_again(shape):
    layout = by_registers(shape)
    both = joined(layout)
    places = np.arange(2 * math.prod(shape)).reshape(*shape, 2)
    assert [places[tuple(each)] for each in both.table()] == list(range(2 * math.prod(shape)))
    assert parted(both) == layout


def test_layouts_that_are_of_no_join_are_not_parted():
    row = {"register": ((1, 0), (0, 1)), "lane": ()}
    assert parted(LinearLayout.from_bases(row, {"dim0": 2, "dim1": 2})) is None
    mixed = {"register": ((0, 1), (1, 1)), "lane": ()}
    assert parted(LinearLayout.from_bases(mixed, {"dim0": 2, "dim1": 2})) is None
