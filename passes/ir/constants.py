"""Constants: integers and splats."""

from __future__ import annotations

import math
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, IntegerAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext.typed import Integer, is_splat, number_of_splat


def constant_of(value: SSAValue) -> int | None:
    """The integer that the value is known to be; None if not known."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as constant):
            return constant.value.data
        case _:
            return None


def splat_of(value: SSAValue | None) -> float | None:
    """The number that all elements of a constant are equal to; None for other values."""
    owner = None if value is None else value.owner
    if not isinstance(owner, Operation) or owner.name != "arith.constant":
        return None
    constant = owner.properties.get("value", owner.attributes.get("value"))
    return number_of_splat(constant) if is_splat(constant) else None


def uniform_number(value: SSAValue) -> float | None:
    """The constant that a value, or each of its elements, is; None if it is not known to be one."""
    constant = constant_of(value)
    return splat_of(value) if constant is None else constant


def is_zero(value: SSAValue | None) -> bool:
    """Whether a value is a constant of zeros with all bits 0, as copies fill; -0.0 is not."""
    number = splat_of(value)
    return number == 0 and math.copysign(1, number) == 1


def splat(number: float, type_: TensorType[Attribute]) -> arith.ConstantOp:
    """A tensor whose elements are all the same number."""
    constant: DenseIntOrFPElementsAttr[Any]
    if isinstance(type_.element_type, AnyFloat):
        constant = DenseIntOrFPElementsAttr.from_list(cast("TensorType[AnyFloat]", type_), [number])
    else:
        constant = DenseIntOrFPElementsAttr.from_list(cast("TensorType[Integer]", type_), [int(number)])
    return arith.ConstantOp(constant, type_)
