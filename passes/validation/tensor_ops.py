"""Ops on whole tensors: views, products, loads and stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, bf16, f16, f32
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext.typed import dims_of, integer_property, shape_of
from dotload.dialect_ext.types import PointerType, element_bits, element_of
from dotload.layout.widths import BYTE_BITS
from dotload.passes.operand_staging import packed_conversions
from dotload.passes.operand_staging.packed_integers import meanings
from dotload.passes.validation.arithmetic import (
    ARITHMETIC,
    RING,
    arithmetic,
    combined,
    computed,
    name_of_number,
    names_of,
    size_of,
)
from dotload.passes.validation.machine import Invalid, Machine, Memory, Run, Unsupported, Value
from dotload.passes.validation.names import (
    Integers,
    Names,
    as_names,
    at_addresses,
    drawn,
    is_integers,
    is_tensor,
    seed_of,
)

PROGRAMS = 64
"""The number of programs that a kernel sees: persistent ones then take about one tile."""


def viewed(function: Callable[[Operation], Callable[[Any], Any]]) -> Run:
    """An op that rearranges elements, given its function on arrays."""

    def run(machine: Machine, op: Operation) -> Sequence[Value]:
        value, move = machine.values[op.operands[0]], function(op)
        return [value.map(move) if isinstance(value, Names) else np.asarray(move(value))]

    return run


def shaped(op: Operation) -> tuple[int, ...]:
    """The shape of the result."""
    return shape_of(op.results[0].type)


def order_of(op: Operation) -> tuple[int, ...]:
    """The op's order of dims."""
    order: Any = op.properties["order"]
    return tuple(dims_of(order))


def split(machine: Machine, op: Operation) -> Sequence[Value]:
    """tt.split"""
    value = machine.values[op.operands[0]]
    assert is_tensor(value)
    halves: list[Callable[[Any], Any]] = [lambda x: x[..., 0], lambda x: x[..., 1]]
    return [value.map(half) if isinstance(value, Names) else half(value) for half in halves]


def join(machine: Machine, op: Operation) -> Sequence[Value]:
    """tt.join"""
    a, b = machine.of(op.operands)
    if is_integers(a) and is_integers(b):
        return [np.stack([a, b], -1)]
    assert isinstance(a, Names)
    assert isinstance(b, Names)
    if a.parts is None or b.parts is None:
        return [Names(a.size, np.stack([a.elements, b.elements], -1))]
    return [Names(a.size, None, np.stack([a.parts, b.parts], -2))]


def operand_of(machine: Machine, value: Value) -> Any:
    """The names of a product's operand, in registers or shared memory."""
    return machine.read(value).elements if isinstance(value, Memory) else names_of(value)


def dot(machine: Machine, op: Operation) -> Sequence[Value]:
    """tt.dot, ttng.warp_group_dot"""
    a, b, c, *use = machine.of(op.operands)
    with np.errstate(over="ignore"):
        product = np.matmul(operand_of(machine, a), operand_of(machine, b))
        is_added = not use or not is_integers(use[0]) or bool(use[0])
        return [Names(4, product + names_of(c) if is_added else product)]


def reduce(machine: Machine, op: Operation) -> Sequence[Value]:
    """tt.reduce: a sum, or a name drawn from all elements in any order."""
    axis, values = integer_property(op, "axis"), [names_of(value) for value in machine.of(op.operands)]
    inner = [each.name for each in op.regions[0].block.ops]
    with np.errstate(over="ignore"):
        if inner[:-1] in (["arith.addf"], ["arith.addi"]):
            return [Names(size_of(op.results[0].type), values[0].sum(axis, dtype=np.uint64))]
        total = drawn(*values).sum(axis, dtype=np.uint64)
    kind = seed_of(" ".join(inner))
    return [Names(size_of(result.type), drawn(kind, place, total)) for place, result in enumerate(op.results)]


ADDRESS_BITS, SMALL_NUMBERS = 32, np.uint64(64)
"""The least bits of integers in global memory that may be addresses, and how many such integers there are."""


def loaded(addresses: Integers, type_: Attribute) -> Value:
    """The values at addresses: integers of 32 bits or more may themselves be addresses, and are small numbers."""
    names, element = at_addresses(addresses, size_of(type_)), element_of(type_)
    if isinstance(element, PointerType) or (isinstance(element, IntegerType) and element_bits(type_) >= ADDRESS_BITS):
        return np.asarray(names.elements % SMALL_NUMBERS, np.int64)
    return names


def masked(found: Value, mask: Value | None, other: Value | None, size: int) -> Value:
    """The loaded values where the mask is true; zeros, or `other`, elsewhere."""
    if mask is None:
        return found
    if not is_integers(mask):
        raise Unsupported("a mask that depends on memory")
    if is_integers(found):
        return np.where(mask, found, other if is_integers(other) else 0)
    assert isinstance(found, Names)
    rest = as_names(other, size).bytes if is_tensor(other) else np.zeros((), np.uint64)
    return Names(size, None, np.where(np.asarray(mask, bool)[..., None], found.bytes, rest))


def load(machine: Machine, op: Operation) -> Sequence[Value]:
    """tt.load"""
    named: Any = op
    mask, other = (machine.values[value] if value is not None else None for value in (named.mask, named.other))
    type_ = op.results[0].type
    return [masked(loaded(machine.integers(named.ptr), type_), mask, other, size_of(type_))]


def store(machine: Machine, op: Operation) -> Sequence[Value]:
    """tt.store"""
    named: Any = op
    store_at(machine, named.ptr, named.value, named.mask)
    return []


def store_at(machine: Machine, pointers: SSAValue, stored: SSAValue, mask: SSAValue | None) -> None:
    """Store where the mask is true."""
    value, size = machine.values[stored], size_of(stored.type)
    if not is_tensor(value):
        raise Invalid("a store of no tensor")
    kept = None if mask is None else machine.integers(mask)
    machine.store(machine.integers(pointers), as_names(value, size), kept)


BYTES_OF_PAIRS = "prmt.b32 $0, $2, $3, 0x6420; prmt.b32 $1, $2, $3, 0x7531;"
"""The first bytes of four 16-bit elements, and their second bytes (PTX ISA, prmt)."""


ARITHMETIC_OF = {asm: name for (name, _), asm in packed_conversions.ARITHMETIC.items()}
"""The op that PTX on pairs implements."""


def assembly(machine: Machine, op: Operation) -> Sequence[Value]:
    """tt.elementwise_inline_asm: pairs as their bytes; packed PTX is the op that it implements; any other text is an
    operation of its own.
    """
    text: Any = op.properties["asm_string"]
    packed: Any = op.properties["packed_element"]
    if packed.value.data == packed_conversions.ELEMENTS and text.data == BYTES_OF_PAIRS:
        (pairs,) = (as_names(each, 2).bytes for each in machine.of(op.operands) if is_tensor(each))
        return [Names(1, None, pairs[..., byte : byte + 1]) for byte in (0, 1)]
    if (meaning := meanings().get(text.data)) is not None:
        elements = RING["arith.subi"](names_of(machine.values[op.operands[0]]), np.uint64(meaning.before % 2**64))
        made = drawn(seed_of(f"{meaning.op} {element_of(op.results[0].type)} []"), elements)
        behind = name_of_number(float(meaning.behind))
        return [Names(size_of(op.results[0].type), RING["arith.subf"](made, behind))]
    if (name := ARITHMETIC_OF.get(text.data)) is not None:
        flags = {"fastmath": arith.FastMathFlagsAttr("none")}
        return [combined(name, op.results[0].type, flags, machine.of(op.operands))]
    if packed.value.data != 1 or len(op.results) != 1:
        raise Unsupported(f"assembly: {text.data}")
    return [computed(op, machine.of(op.operands))]


def convert_float(machine: Machine, op: Operation) -> Sequence[Value]:
    """tt.fp_to_fp and arith.truncf: 8-bit floats become f32 through f16, as Triton converts them.

    All wider floats have all integers of 8 bits: these become 16-bit floats through another type as they do directly.
    """
    (operand,), result, first = op.operands, op.results[0].type, op.operands[0].owner
    is_of_integers = isinstance(first, arith.SIToFPOp | arith.UIToFPOp)
    if is_of_integers and element_bits(first.input.type) == BYTE_BITS and element_of(result) in (f16, bf16):
        return [combined(first.name, result, first.properties, machine.of(first.operands))]
    if element_bits(operand.type) != BYTE_BITS or element_of(result) != f32:
        return arithmetic(machine, op)
    halves = combined(op.name, f16, op.properties, machine.of(op.operands))
    return [combined("arith.extf", result, {}, [halves])]


def add_atomically(machine: Machine, op: Operation) -> Sequence[Value]:
    """tt.atomic_rmw: stores the combined value; the old contents have a name of their own."""
    named: Any = op
    store_at(machine, named.ptr, named.val, named.mask)
    return [computed(op, [machine.values[named.ptr], machine.values[named.val]])]


def advance(machine: Machine, op: Operation) -> Sequence[Value]:
    """tt.addptr: the address at a distance in elements."""
    pointers, steps = (machine.integers(value) for value in op.operands)
    pointer: Any = element_of(op.operands[0].type)
    return [pointers + steps * size_of(pointer.pointee)]


TENSOR_OPS: dict[str, Run] = {
    **ARITHMETIC,
    "tt.addptr": advance,
    "tt.make_range": lambda _, op: [np.arange(integer_property(op, "start"), integer_property(op, "end"))],
    "tt.fp_to_fp": convert_float,
    "arith.truncf": convert_float,
    "tt.clampf": arithmetic,
    "tt.elementwise_inline_asm": assembly,
    "tt.extern_elementwise": arithmetic,
    "tt.atomic_rmw": add_atomically,
    "tt.dot": dot,
    "ttng.warp_group_dot": dot,
    "tt.reduce": reduce,
    "tt.load": load,
    "tt.store": store,
    "tt.split": split,
    "tt.join": join,
    "tt.trans": viewed(lambda op: lambda x: np.transpose(x, order_of(op))),
    "tt.reshape": viewed(lambda op: lambda x: np.reshape(x, shaped(op))),
    "tt.expand_dims": viewed(lambda op: lambda x: np.expand_dims(x, integer_property(op, "axis"))),
    "tt.broadcast": viewed(lambda op: lambda x: np.broadcast_to(x, shaped(op))),
    "tt.splat": viewed(lambda op: lambda x: np.broadcast_to(x, shaped(op))),
    "tt.unsplat": viewed(lambda op: lambda x: np.reshape(x, ())),
    "tt.bitcast": viewed(lambda op: lambda x: x),
    "ttg.convert_layout": viewed(lambda op: lambda x: x),
    "tt.get_program_id": lambda machine, op: [np.asarray(1)],
    "tt.get_num_programs": lambda machine, op: [np.asarray(PROGRAMS)],
}
