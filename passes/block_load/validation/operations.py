"""Lane-local ops on names: arithmetic, vectors and structs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext.typed import as_integer, as_vector, integer_property
from dotload.dialect_ext.types import element_bits
from dotload.passes.block_load.validation.names import (
    UNKNOWN,
    ZERO,
    Coordinates,
    Data,
    Fields,
    Numbers,
    Struct,
    Undefined,
    Value,
    Wrong,
    literals,
    shaped,
)
from dotload.passes.ir.integers import compared, evaluated, wrapped

_ARITHMETIC = tuple(
    f"arith.{name}" for name in ("addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrui", "shrsi")
)
_SAME = ("arith.extsi", "arith.extui", "arith.index_cast", "arith.trunci", "llvm.ptrtoint", "llvm.inttoptr")


class LaneOperations:
    """The known values of `warps` x `lanes`, and the ops that compute further ones."""

    def __init__(self, warps: int, lanes: int):
        self.warps, self.lanes = warps, lanes
        self.known: dict[SSAValue, Value] = {}
        self._splats: dict[tuple[int, int], Numbers] = {}

    def numbers(self, value: SSAValue) -> Numbers:
        known = self.known[value]
        if not isinstance(known, Numbers):
            raise Wrong(f"{value.type} where a number should be")
        return known

    def data(self, value: SSAValue) -> Data:
        known = self.known[value]
        if isinstance(known, Numbers) and known.bits % 8 == 0:
            return known.names()
        if not isinstance(known, Data):
            raise Wrong(f"{value.type} where data should be")
        return known

    def splat(self, number: int, bits: int) -> Numbers:
        """The same number in all lanes."""
        if (number, bits) not in self._splats:
            values = np.full((self.warps, self.lanes), number, np.int64)
            self._splats[number, bits] = Numbers(wrapped(values, bits), bits)
        return self._splats[number, bits]

    # Numbers

    def either(self, op: Operation) -> Value:
        """Bitwise or: if one of two bytes is zero, the result is the other; equal bytes stay."""
        one, other = map(self.data, op.operands)
        both = np.where((other.names == ZERO) | (other.names == one.names), one.names, UNKNOWN)
        return Data(np.where(one.names == ZERO, other.names, both), one.element_bytes)

    def arithmetic(self, op: Operation) -> Value:
        a, b = map(self.numbers, op.operands)
        return Numbers(evaluated(op.name, a.values, b.values, a.bits), a.bits)

    def same(self, op: Operation) -> Value:
        number, type_ = self.numbers(op.operands[0]), op.results[0].type
        integer = as_integer(type_)
        bits = integer.width.data if integer is not None else 64 if isinstance(type_, LLVMPointerType) else number.bits
        return Numbers(wrapped(number.values, bits), bits)

    def compare(self, op: Operation) -> Value:
        a, b = map(self.numbers, op.operands)
        holds = compared(integer_property(op, "predicate"), a.values, b.values, a.bits)
        return Numbers(holds.astype(np.int64), 1)

    def select(self, op: Operation) -> Value:
        condition = self.numbers(op.operands[0]).values != 0
        a, b = self.known[op.operands[1]], self.known[op.operands[2]]
        if isinstance(a, Numbers) and isinstance(b, Numbers):
            return Numbers(np.where(condition, a.values, b.values), a.bits)
        one, other = self.data(op.operands[1]), self.data(op.operands[2])
        return Data(np.where(condition[..., None], one.names, other.names), one.element_bytes)

    def constant(self, op: Operation) -> Value:
        value = op.properties.get("value", op.attributes.get("value"))
        match value:
            case IntegerAttr(value=number, type=type_):
                integer = as_integer(type_)
                return self.splat(number.data, 64 if integer is None else integer.width.data)
            case FloatAttr(value=number, type=type_):
                names = literals(type_.pack((number.data,)))
                return Data(np.broadcast_to(np.array(names), (self.warps, self.lanes, len(names))), len(names))
            case _:
                raise Wrong(f"a constant {value}")

    def zeros(self, op: Operation) -> Value:
        length, size = vector_of(op.results[0].type)
        return Data(np.full((self.warps, self.lanes, length * size), ZERO), size)

    # Structure

    def undefined(self, op: Operation) -> Value:
        if (vector := as_vector(op.results[0].type)) is not None and as_integer(vector.element_type) is not None:
            return Coordinates((None,) * vector.element_count())
        return Undefined()

    def insert_element(self, op: Operation) -> Value:
        whole, position = self.known[op.operands[0]], self._position(op.operands[2])
        if not isinstance(whole, Coordinates) or not 0 <= position < len(whole.entries):
            raise Wrong("an element set where there is none")
        entries = list(whole.entries)
        entries[position] = self.numbers(op.operands[1])
        return Coordinates(tuple(entries))

    def extract_element(self, op: Operation) -> Value:
        vector, position = self.data(op.operands[0]), self._position(op.operands[1])
        elements = vector.elements
        if not 0 <= position < elements.shape[2]:
            raise Wrong(f"element {position} of a vector of {elements.shape[2]}")
        return Data(elements[:, :, position], vector.element_bytes)

    def _position(self, value: SSAValue) -> int:
        """An index into a vector, the same in all lanes."""
        numbers = self.numbers(value).values
        if (numbers != numbers[0, 0]).any():
            raise Wrong("the position of an element is not the same in all lanes")
        return int(numbers[0, 0])

    def shuffle(self, op: Operation) -> Value:
        a, b = map(self.data, op.operands)
        picks = _integers(op.properties["mask"])
        both, length = a.elements, a.elements.shape[2]
        if any(not 0 <= pick < 2 * length for pick in picks):
            raise Wrong(f"a shuffle takes element {max(picks)} of {2 * length}")
        if max(picks) >= length:
            both = np.concatenate([both, b.elements], axis=2)
        return Data(shaped(both[:, :, picks], self.warps, self.lanes, -1), a.element_bytes)

    def bitcast(self, op: Operation) -> Value:
        data, (length, size) = self.data(op.operands[0]), vector_of(op.results[0].type)
        if data.names.shape[2] != length * size:
            raise Wrong(f"a bitcast of {data.names.shape[2]} bytes to {length * size}")
        return Data(data.names, size)

    def insert_value(self, op: Operation) -> Value:
        below, (position,) = self.known[op.operands[0]], _integers(op.properties["position"])
        return Struct(below if isinstance(below, Struct) else None, position, self.known[op.operands[1]])

    def extract_value(self, op: Operation) -> Value:
        whole, (position,) = self.known[op.operands[0]], _integers(op.properties["position"])
        if not isinstance(whole, Fields) or not 0 <= position < len(whole.fields):
            raise Wrong("a field of something that has none")
        return whole.fields[position]

    def cast(self, op: Operation) -> Value:
        value = self.known[op.operands[0]]
        if isinstance(value, Struct | Undefined):
            raise Wrong("a cast of what was not asked for")
        return value


LANE_HANDLERS: dict[str, Callable[[LaneOperations, Operation], Value]] = {
    **dict.fromkeys(_ARITHMETIC, LaneOperations.arithmetic),
    **dict.fromkeys(_SAME, LaneOperations.same),
    "llvm.or": LaneOperations.either,
    "arith.cmpi": LaneOperations.compare,
    "arith.select": LaneOperations.select,
    "arith.constant": LaneOperations.constant,
    "llvm.mlir.constant": LaneOperations.constant,
    "llvm.mlir.zero": LaneOperations.zeros,
    "llvm.mlir.undef": LaneOperations.undefined,
    "llvm.insertelement": LaneOperations.insert_element,
    "llvm.extractelement": LaneOperations.extract_element,
    "llvm.shufflevector": LaneOperations.shuffle,
    "llvm.bitcast": LaneOperations.bitcast,
    "llvm.insertvalue": LaneOperations.insert_value,
    "llvm.extractvalue": LaneOperations.extract_value,
    "builtin.unrealized_conversion_cast": LaneOperations.cast,
}


def _integers(attribute: Attribute) -> list[int]:
    assert isinstance(attribute, DenseArrayBase)
    return [int(value) for value in attribute.get_values()]


def vector_of(type_: Attribute) -> tuple[int, int]:
    """The length of a vector type and the bytes of its elements; length 1 for a scalar."""
    vector = as_vector(type_)
    if vector is None:
        return 1, element_bits(type_) // 8
    return vector.element_count(), element_bits(vector.element_type) // 8
