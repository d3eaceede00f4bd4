"""The narrowed types of attributes and values agree with what xDSL says."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
    TensorType,
    bf16,
    f16,
    f32,
    i1,
    i8,
    i32,
    i64,
)

from dotload.dialect_ext.typed import is_splat, number_of_splat, retyped


@pytest.mark.parametrize("element", [i1, i32, f16, f32])
@pytest.mark.parametrize("values", [[1], [1, 1, 1, 1], [1, 0, 1, 1], [0, 0, 0, 1]])
def test_a_splat_has_one_value(element, values):
    constant = DenseIntOrFPElementsAttr.from_list(TensorType(element, [len(values)]), values)
    assert is_splat(constant) == constant.is_splat()


def test_zeros_of_both_signs_are_no_splat():
    """A constant of 0.0 and -0.0 is not a splat, although xDSL compares them as equal."""
    assert not is_splat(DenseIntOrFPElementsAttr.from_list(TensorType(f32, [2]), [0.0, -0.0]))


def test_what_is_no_constant_is_no_splat():
    assert not is_splat(None)
    assert not is_splat(i32)


@pytest.mark.parametrize("element", [i1, i8, i32, i64, f16, bf16, f32, Float8E4M3FNType()])
@pytest.mark.parametrize("number", [0, 1, -1])
@pytest.mark.parametrize("count", [1, 8])
def test_the_number_of_a_splat_is_that_of_each_element(element, number, count):
    number = abs(number) if element == i1 else number
    constant = DenseIntOrFPElementsAttr.from_list(TensorType(element, [count]), [number] * count)
    assert [number_of_splat(constant)] * count == list(constant.get_values())


def test_a_splat_of_another_size():
    whole = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [8]), [3.0])
    part = TensorType(f32, [2])
    assert retyped(whole, part) == DenseIntOrFPElementsAttr.from_list(part, [3.0])
