"""Renaming by reshape and transpose: on arrays by numpy, on layouts by their elements."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotload.layout.linear import LayoutError, LinearLayout
from dotload.layout.views import BitPermutation, Reshape, apply_views, check_rename, rename_and_place


@st.composite
def renamings(draw):
    """A shape of two dims, the dim that is renamed, the permutation of its bits, the order of the result."""
    axis = draw(st.integers(0, 1))
    permutation = BitPermutation(tuple(draw(st.permutations(range(draw(st.integers(1, 6)))))))
    other = 1 << draw(st.integers(0, 3))
    shape = (permutation.size, other) if axis == 0 else (other, permutation.size)
    return shape, axis, permutation, draw(st.sampled_from([(0, 1), (1, 0)]))


@given(renamings())
def test_views_rename_as_promised(case):
    assert check_rename(rename_and_place(*case), *case)


@given(renamings())
def test_the_check_sees_a_wrong_renaming(case):
    shape, axis, permutation, order = case
    swapped = BitPermutation(tuple(reversed(permutation.image)))
    if swapped != permutation:
        assert not check_rename(rename_and_place(shape, axis, swapped, order), shape, axis, permutation, order)


@given(renamings())
def test_a_layout_follows_the_array(case):
    """The element at each offset gets the coordinate that numpy gives it."""
    shape, *_ = case
    rows, columns = shape
    layout = LinearLayout.identity(columns, "offset", "dim1") * LinearLayout.identity(rows, "offset", "dim0")
    layout = layout.transpose_outs(["dim0", "dim1"])
    views = rename_and_place(*case)
    values = np.arange(rows * columns).reshape(shape)
    for view in views:
        values = view.apply(values)
    viewed = apply_views(views, layout)
    assert tuple(viewed.out_sizes.values()) == values.shape
    for offset, coordinate in enumerate(viewed.table()):
        assert values[tuple(coordinate)] == offset


@given(st.permutations(range(5)))
def test_inverse(image):
    permutation = BitPermutation(tuple(image))
    assert [permutation.inverse(permutation(x)) for x in range(32)] == list(range(32))


def test_a_reshape_splits_row_major():
    assert Reshape((2, 8)).apply(np.arange(16))[1, 0] == 8


def test_errors():
    with pytest.raises(LayoutError, match="not a permutation of 2 bits"):
        BitPermutation((0, 2))
    with pytest.raises(LayoutError, match="a permutation of 4 indices does not fit dim 1"):
        rename_and_place((4, 8), 1, BitPermutation((1, 0)), (0, 1))
