"""WMMA storage: the manual's stride table, its alignment rule, and where the two disagree."""

import itertools

import numpy as np
import pytest

from dotload.layout.linear import LayoutError
from dotload.layout.wmma import WMMA_SHAPES, WmmaMatrix

# PTX ISA, "Matrix Storage for WMMA", default strides: A row, A column, B row, B column, accumulator row and column.
STRIDES = {
    (16, 16, 16): (16, 16, 16, 16, 16, 16),
    (8, 32, 16): (16, 8, 32, 16, 32, 8),
    (32, 8, 16): (16, 32, 8, 16, 8, 32),
    (8, 8, 32): (32, 8, 8, 32, 8, 8),
    (8, 8, 128): (128, 8, 8, 128, 8, 8),
    (16, 16, 8): (8, 16, 16, 8, 16, 16),
    (8, 8, 4): (4, 8, 8, 4, 8, 8),
}
TYPE_OF = {shape: dtype for dtype, shapes in WMMA_SHAPES.items() for shape in shapes}


@pytest.mark.parametrize("shape", STRIDES)
def test_default_strides(shape: tuple[int, int, int]) -> None:
    found = tuple(
        WmmaMatrix(operand, shape, order, TYPE_OF[shape]).default_stride
        for operand in "ABC"
        for order in ("row", "col")
    )
    assert found == STRIDES[shape]


def test_every_shape_of_the_table_has_a_type() -> None:
    assert set(TYPE_OF) == set(STRIDES)


def test_the_manuals_alignment_example() -> None:
    """wmma.load.a.sync.aligned.row.m16n16k16.f16: fragment 32 bytes, so p and 2 s are multiples of 32."""
    matrix = WmmaMatrix("A", (16, 16, 16), "row", "f16")
    assert matrix.fragment_bytes == 32
    matrix.check_alignment(0x40, 48)
    with pytest.raises(LayoutError, match="starts at 0x50, not a multiple of 32 bytes"):
        matrix.check_alignment(0x50, 48)
    with pytest.raises(LayoutError, match="a row every 80 bytes: not a multiple of the fragment's 32"):
        matrix.check_alignment(0x40, 40)


def test_two_default_strides_break_the_manuals_own_rule() -> None:
    """Right is: with the default stride those columns and rows start at multiples of 16 bytes, half a fragment."""
    broken = {
        (operand, shape, order)
        for operand, shape, order in itertools.product("AB", WMMA_SHAPES["f16"], ("row", "col"))
        if not WmmaMatrix(operand, shape, order, "f16").default_is_aligned
    }
    assert broken == {("A", (8, 32, 16), "col"), ("B", (32, 8, 16), "row")}
    for operand, shape, order in broken:
        assert WmmaMatrix(operand, shape, order, "f16").stride_bytes() == 16


@pytest.mark.parametrize(
    ("operand", "shape", "dtype", "accumulator", "size"),
    [
        ("A", (8, 32, 16), "s8", "s32", 4),
        ("B", (8, 32, 16), "s8", "s32", 16),
        ("A", (16, 16, 16), "bf16", "f32", 16),
        ("B", (8, 32, 16), "bf16", "f32", 32),
        ("A", (16, 16, 8), "tf32", "f32", 16),
        ("A", (8, 8, 32), "s4", "s32", 4),
        ("A", (8, 8, 128), "b1", "s32", 4),
        ("A", (8, 8, 4), "f64", "f64", 8),
        ("C", (8, 8, 4), "f64", "f64", 16),
        ("C", (16, 16, 16), "f16", "f16", 16),
        ("C", (16, 16, 16), "f16", "f32", 32),
    ],
)
def test_fragment_sizes(operand: str, shape: tuple[int, int, int], dtype: str, accumulator: str, size: int) -> None:
    assert WmmaMatrix(operand, shape, "row", dtype, accumulator).fragment_bytes == size


@pytest.mark.parametrize("order", ["row", "col"])
def test_a_submatrix_is_read_with_the_stride_of_the_whole(order: str) -> None:
    whole = np.arange(64 * 96).reshape((64, 96), order="C" if order == "row" else "F")
    memory = whole.ravel(order="C" if order == "row" else "F")
    stride = 96 if order == "row" else 64
    start = 16 * stride + 32 if order == "row" else 32 * stride + 16
    matrix = WmmaMatrix("B", (16, 16, 16), order, "f16")
    np.testing.assert_array_equal(memory[start + matrix.offsets(stride)], whole[16:32, 32:48])


def test_bad_matrices_are_refused() -> None:
    with pytest.raises(LayoutError, match="no m16n16k8 for f16"):
        WmmaMatrix("A", (16, 16, 8), "row", "f16")
    with pytest.raises(LayoutError, match="no accumulator type f8"):
        WmmaMatrix("C", (16, 16, 16), "row", "f16", "f8")
    with pytest.raises(LayoutError, match="stride 8 is less than the 16"):
        WmmaMatrix("A", (16, 16, 16), "row", "f16").offsets(8)
