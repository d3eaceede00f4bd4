"""Helpers that narrow xDSL's generic types.

Also creates operations: xDSL 0.74 types this with `typing.Self`, which type checkers for Python 3.10 do not know.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard, TypeVar, cast

from xdsl.dialects.builtin import (
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue

Integer = IntegerType[int]
Kind = TypeVar("Kind", bound=Operation)


def of_kind(ops: Iterable[Operation], kind: type[Kind]) -> list[Kind]:
    """The ops of this kind, compared by name: isinstance would call Python's abc for each of many ops."""
    return [cast("Kind", op) for op in ops if op.name == kind.name]


def create(
    op_type: type[Kind],
    *,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: Mapping[str, Attribute] | None = None,
    attributes: Mapping[str, Attribute] | None = None,
    regions: Sequence[Region] = (),
) -> Kind:
    """`op_type.create` with these parts."""
    return cast("Any", op_type).create(
        operands=operands,
        result_types=result_types,
        properties=properties or {},
        attributes=attributes or {},
        regions=regions,
    )


def clone(op: Kind, value_mapper: dict[SSAValue, SSAValue] | None = None) -> Kind:
    """A copy with its regions, as by `op.clone`; the mapper replaces operands."""
    return cast("Any", op).clone(value_mapper)


def as_tensor(type_: Attribute) -> TensorType[Attribute] | None:
    """The type as a tensor type; None for others."""
    return cast("TensorType[Attribute]", type_) if isinstance(type_, TensorType) else None


def shape_of(type_: Attribute) -> tuple[int, ...]:
    """The shape of a tensor; empty for a scalar."""
    tensor = as_tensor(type_)
    return () if tensor is None else tuple(tensor.get_shape())


def tensor_type(value: SSAValue) -> TensorType[Attribute]:
    """The type of a value that is a tensor."""
    type_ = as_tensor(value.type)
    assert type_ is not None
    return type_


def as_vector(type_: Attribute) -> VectorType[Attribute] | None:
    """The type as a vector type; None for others."""
    return cast("VectorType[Attribute]", type_) if isinstance(type_, VectorType) else None


def vector_parts(value: SSAValue) -> tuple[int, Attribute]:
    """Length and element type of a value that is a vector."""
    type_ = as_vector(value.type)
    assert type_ is not None
    (length,) = type_.get_shape()
    return length, type_.element_type


def as_integer(type_: Attribute) -> Integer | None:
    """The type as an integer type; None for others."""
    return cast("Integer", type_) if isinstance(type_, IntegerType) else None


def integer_type(value: SSAValue) -> Integer:
    """The type of a value that is an integer."""
    type_ = as_integer(value.type)
    assert type_ is not None
    return type_


def number_of(attr: Attribute | None) -> int | None:
    """The value of an integer attribute; None for others."""
    return cast("IntegerAttr[Any]", attr).value.data if isinstance(attr, IntegerAttr) else None


def integer_property(op: Operation, name: str) -> int:
    """An integer property of an op."""
    number = number_of(op.properties[name])
    assert number is not None
    return number


def is_splat(attr: Attribute | None) -> TypeGuard[DenseIntOrFPElementsAttr[Any]]:
    """Whether all elements of a constant are the same, bit for bit; xDSL would first convert each to a number."""
    if not isinstance(attr, DenseIntOrFPElementsAttr):
        return False
    constant = cast("DenseIntOrFPElementsAttr[Any]", attr)
    data, count = constant.data.data, len(constant)
    return bool(data) and data == data[: len(data) // count] * count


def number_of_splat(constant: DenseIntOrFPElementsAttr[Any]) -> float:
    """The number that all elements of a splat are equal to; xDSL would convert each of them."""
    data = constant.data.data
    return constant.get_element_type().unpack(data[: len(data) // len(constant)], 1)[0]


def retyped(constant: DenseIntOrFPElementsAttr[Any], type_: Attribute) -> DenseIntOrFPElementsAttr[Any]:
    """A splat of another type, of any shape, whose elements have the same bytes."""
    data = constant.data.data
    element = data[: len(data) // len(constant)]
    return DenseIntOrFPElementsAttr(cast("Any", type_), BytesAttr(element * math.prod(shape_of(type_))))


def dims_of(attr: Attribute | None) -> tuple[int, ...]:
    """The numbers of a dense array of integers; empty for None."""
    if not isinstance(attr, DenseArrayBase):
        return ()
    return tuple(int(dim) for dim in cast("DenseArrayBase[Integer]", attr).iter_values())
