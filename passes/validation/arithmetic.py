"""Arithmetic, on integers and on names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from dotload.dialect_ext.typed import integer_property, shape_of
from dotload.dialect_ext.types import element_bits, element_of
from dotload.passes.ir.integers import FUNCTIONS, compared, evaluated, width_of, wrapped
from dotload.passes.validation.machine import Machine, Run, Unsupported, Value
from dotload.passes.validation.names import (
    Integers,
    Names,
    Words,
    drawn,
    is_integers,
    seed_of,
)

RING: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addi": np.add,
    "arith.addf": np.add,
    "arith.subi": np.subtract,
    "arith.subf": np.subtract,
}
"""Operations on names whose results are known modulo 2^64."""
PASSING = ("arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast", "tt.ptr_to_int", "tt.int_to_ptr")


def size_of(type_: Attribute) -> int:
    """The bytes of an element."""
    return max(1, element_bits(type_) // 8)


def integers(value: Any, type_: Attribute) -> Integers:
    """Integers of the type's width."""
    return wrapped(np.asarray(value, np.int64), width_of(type_))


def arithmetic(machine: Machine, op: Operation) -> Sequence[Value]:
    """An elementwise op: on integers if all operands are integers, else on names."""
    operands, type_ = machine.of(op.operands), op.results[0].type
    if all(is_integers(value) for value in operands) and isinstance(element_of(type_), IntegerType):
        if op.name in PASSING:
            return [integers(operands[0], type_)]
        if op.name in FUNCTIONS:
            with np.errstate(over="ignore"):
                a, b = operands
                return [evaluated(op.name, a, b, width_of(type_))]
    if op.name == "arith.extui" and isinstance(operands[0], Names):
        return [extended(operands[0], size_of(type_))]
    return [computed(op, operands)]


def extended(value: Names, size: int) -> Names:
    """Elements, zero-extended beyond their own bytes."""
    bytes_ = value.bytes
    zeros = np.zeros((*bytes_.shape[:-1], size - value.size), np.uint64)
    return Names(size, None, np.concatenate([bytes_, zeros], -1))


def computed(op: Operation, operands: Sequence[Value]) -> Names:
    """The names of an op's result, from those of its operands."""
    return combined(op.name, op.results[0].type, op.properties, operands)


def combined(name: str, type_: Attribute, properties: Mapping[str, Attribute], operands: Sequence[Value]) -> Names:
    """The names of the result of an op with this name, result type and properties, from its operands."""
    size, elements = size_of(type_), [names_of(value) for value in operands]
    with np.errstate(over="ignore"):
        if name in RING:
            return Names(size, np.asarray(RING[name](*elements)))
        kind = f"{name} {element_of(type_)} {sorted(map(str, properties.items()))}"
        return Names(size, drawn(seed_of(kind), *elements))


def names_of(value: Value) -> Words:
    """A value's elements as names."""
    if isinstance(value, Names):
        return value.elements
    if is_integers(value):
        return value.astype(np.uint64)
    raise Unsupported("arithmetic on a descriptor")


def constant(machine: Machine, op: Operation) -> Sequence[Value]:
    """arith.constant: integers as they are, 0.0 as zero, other numbers as names."""
    value, type_ = op.properties["value"], op.results[0].type
    found = value.get_values() if isinstance(value, DenseIntOrFPElementsAttr) else (scalar_of(value),)
    shape = shape_of(type_)
    if isinstance(element_of(type_), IntegerType) or all(isinstance(each, int) for each in found):
        return [integers(spread(np.asarray(found), shape), type_)]
    return [Names(size_of(type_), spread(np.array([name_of_number(each) for each in found]), shape))]


def name_of_number(number: float) -> np.uint64:
    """0.0 as zero; any other number, -0.0 too, as its own name."""
    return np.uint64(0 if repr(number) in ("0", "0.0") else seed_of(repr(number)))


def spread(values: Any, shape: tuple[int, ...]) -> Any:
    """All elements of a constant, or its splat broadcast."""
    return values.reshape(shape) if values.size > 1 else np.broadcast_to(values.reshape(()), shape)


def scalar_of(value: Attribute) -> int | float:
    """The number of an attribute."""
    assert isinstance(value, IntegerAttr | FloatAttr)
    return value.value.data


def compare(machine: Machine, op: Operation) -> Sequence[Value]:
    """arith.cmpi"""
    a, b = (machine.integers(value) for value in op.operands)
    return [compared(integer_property(op, "predicate"), a, b, width_of(op.operands[0].type)).astype(np.int64)]


def select(machine: Machine, op: Operation) -> Sequence[Value]:
    """arith.select"""
    condition, a, b = machine.of(op.operands)
    if not is_integers(condition):
        return [computed(op, [condition, a, b])]
    if condition.ndim == 0:
        return [a if condition else b]
    if is_integers(a) and is_integers(b):
        return [np.where(condition, a, b)]
    chosen: Words = np.where(np.asarray(condition, np.bool_), names_of(a), names_of(b))
    return [Names(size_of(op.results[0].type), chosen)]


ARITHMETIC: dict[str, Run] = {
    "arith": arithmetic,
    "math": arithmetic,
    "arith.constant": constant,
    "arith.cmpi": compare,
    "arith.select": select,
}
