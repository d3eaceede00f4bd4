"""Permutations of indices: compared with numpy on coordinates, and element by element on layouts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotload.layout.index_permutation import BitPermutation, IndexPermutation
from dotload.layout.linear import LayoutError, LinearLayout
from dotload.layout.views import Transpose


@st.composite
def index_permutations(draw):
    """Random permutations of both dims, transposed or not."""
    permutations = [BitPermutation(tuple(draw(st.permutations(range(draw(st.integers(0, 5))))))) for _ in range(2)]
    return IndexPermutation(tuple(permutations), draw(st.sampled_from([(0, 1), (1, 0)])))


def permuted(permutation, values):
    """The permutation applied to an array, with one axis of size 2 per bit of an index."""
    bits = [len(each.image) for each in permutation.permutations]
    cut = values.reshape([2] * sum(bits))  # the highest bit comes first
    axes = []
    for dim in permutation.order:
        first, image = sum(bits[:dim]), permutation.permutations[dim].image
        axes += [first + bits[dim] - 1 - image.index(bit) for bit in reversed(range(bits[dim]))]
    return cut.transpose(axes).reshape([1 << bits[dim] for dim in permutation.order])


@given(index_permutations())
def test_indices_are_those_that_numpy_gives(permutation):
    shape = [each.size for each in permutation.permutations]
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    after = permuted(permutation, values)
    assert after.shape == permutation.shape
    for coordinate, value in np.ndenumerate(values):
        assert after[permutation(coordinate)] == value


@given(index_permutations())
def test_the_inverse_leads_back(permutation):
    assert permutation.inverse.inverse == permutation
    for coordinate in np.ndindex(*[each.size for each in permutation.permutations]):
        assert permutation.inverse(permutation(coordinate)) == coordinate


@given(index_permutations())
def test_views_give_the_same_indices(permutation):
    shape = [each.size for each in permutation.permutations]
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    after = values
    for view in permutation.views():
        after = after.transpose(view.order) if isinstance(view, Transpose) else after.reshape(view.shape)
    assert np.array_equal(after, permuted(permutation, values))
    assert len(permutation.views()) <= 3


@given(index_permutations())
def test_a_layout_follows_the_array(permutation):
    """The element at each offset gets the coordinate that numpy gives it."""
    rows, columns = (permutation.size for permutation in permutation.permutations)
    layout = LinearLayout.identity(columns, "offset", "dim1") * LinearLayout.identity(rows, "offset", "dim0")
    values = permuted(permutation, np.arange(rows * columns).reshape(rows, columns))
    named = permutation.layout(layout.transpose_outs(["dim0", "dim1"]))
    assert tuple(named.out_sizes.values()) == values.shape
    for offset, coordinate in enumerate(named.table()):
        assert values[tuple(coordinate)] == offset


def test_names_that_stay():
    assert IndexPermutation.of((4, 8), (None, BitPermutation((0, 1, 2)))).is_identity
    assert not IndexPermutation.of((4, 8), (None, BitPermutation((0, 2, 1)))).is_identity
    assert not IndexPermutation.of((4, 4), (None, None), (1, 0)).is_identity


@given(st.permutations(range(5)))
def test_inverse_of_a_permutation(image):
    permutation = BitPermutation(tuple(image))
    assert [permutation.inverse(permutation(x)) for x in range(32)] == list(range(32))


def test_errors():
    with pytest.raises(LayoutError, match="not a permutation of 2 bits"):
        BitPermutation((0, 2))
    with pytest.raises(LayoutError, match=r"an index permutation of \[4, 4\] does not fit \[4, 8\]"):
        IndexPermutation.of((4, 8), (None, BitPermutation((1, 0))))
    with pytest.raises(LayoutError, match=r"an index permutation of \[8, 4\] does not fit \[4, 8\]"):
        IndexPermutation.of((8, 4), (None, None)).layout(
            LinearLayout.identity(4, "offset", "dim0") * LinearLayout.identity(8, "offset", "dim1")
        )
