"""The LLVM dialect: each thread's ops on words of shared memory, and the conversion of words to tensors.

Matrices of ldmatrix and stmatrix: lane 8 m + r gives the address of row r of matrix m, 16 bytes. Lane l has the l-th
four bytes of a matrix, row by row; with .trans, it has the 16-bit elements in column l / 4 of rows 2 (l % 4) and the
next (PTX ISA, ldmatrix).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import TensorType, UnrealizedConversionCastOp, i8
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext.typed import as_tensor, as_vector, dims_of, vector_parts
from dotload.dialect_ext.types import PointerType
from dotload.layout import encodings as enc
from dotload.passes.validation.arithmetic import size_of
from dotload.passes.validation.machine import WARP, Invalid, Machine, Memory, Room, Run, Unsupported, Value
from dotload.passes.validation.memory_ops import copied
from dotload.passes.validation.names import (
    Integers,
    Names,
    Words,
    as_names,
    drawn,
    first,
    is_integers,
    is_tensor,
    reshaped,
    seed_of,
)

ROWS, ROW_BYTES, WORD = 8, 16, 4
COPY, COPY_BYTES = "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10", 16
MATRIX = re.compile(r"llvm\.nvvm\.(ld|st)matrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?\.b16\.p3")


def bytes_of(type_: Attribute) -> int:
    """The size of a scalar or a vector."""
    vector = as_vector(type_)
    return size_of(type_) if vector is None else size_of(vector.element_type) * vector.element_count()


def element_bytes(vector: SSAValue) -> int:
    """The size of a vector's elements."""
    return size_of(vector_parts(vector)[1])


def parts(machine: Machine, value: Value) -> Words:
    """The bytes of a value, per thread."""
    if not is_tensor(value):
        raise Unsupported("bytes of an address")
    found = as_names(value, WORD).bytes
    return found if len(found) == machine.threads else np.broadcast_to(found, (machine.threads, found.shape[-1]))


def per_thread(machine: Machine, value: Value) -> Integers:
    """An integer, per thread."""
    if not is_integers(value):
        raise Unsupported("an address that depends on memory")
    return np.broadcast_to(value, (machine.threads,))


def intrinsic(machine: Machine, op: Operation) -> Sequence[Value]:
    """llvm.call_intrinsic"""
    assert isinstance(op, llvm.CallIntrinsicOp)
    name, operands = op.intrin.data, machine.of(op.args)
    if name == "llvm.nvvm.read.ptx.sreg.tid.x":
        return [np.arange(machine.threads)]
    if name == "llvm.nvvm.prmt":
        return [permuted(machine, *operands)]
    if (matrix := MATRIX.fullmatch(name)) is None:
        raise Unsupported(name)
    kind, count, is_transposed = matrix[1], int(matrix[2]), matrix[3] is not None
    places = matrix_places(machine, per_thread(machine, operands[0]), count, is_transposed)
    if kind == "st":
        machine.shared[places] = np.stack([parts(machine, value) for value in operands[1:]], 1)
        return []
    words: list[Value] = [Names(WORD, None, machine.shared[places[:, number]]) for number in range(count)]
    return words if count == 1 else [words]


def matrix_places(machine: Machine, addresses: Integers, count: int, is_transposed: bool) -> Integers:
    """The addresses of each thread's bytes of each matrix: thread, matrix, byte."""
    given: Any = reshaped(addresses, -1, WARP)[:, : ROWS * count]
    machine.checked(given, ROW_BYTES, ROW_BYTES)
    rows = given.reshape(-1, count, ROWS)
    lane, byte = np.arange(WARP)[:, None], np.arange(WORD)
    if is_transposed:
        row, column = 2 * (lane % 4) + byte // 2, 2 * (lane // 4) + byte % 2
    else:
        row, column = lane // 4 + 0 * byte, 4 * (lane % 4) + byte
    found = rows[:, :, row] + column
    return found.transpose(0, 2, 1, 3).reshape(machine.threads, count, WORD)


def permuted(machine: Machine, a: Value, b: Value, selector: Value) -> Names:
    """prmt.b32: bytes of two words, by digits of the selector."""
    both = np.concatenate([parts(machine, a), parts(machine, b)], -1)
    digits = per_thread(machine, selector)[:, None] >> (4 * np.arange(WORD)) & 15
    picked = np.take_along_axis(both, digits & 7, 1)
    return Names(WORD, None, np.where(digits & 8, drawn(seed_of("sign"), picked), picked))


def load(machine: Machine, op: Operation) -> Sequence[Value]:
    """llvm.load, of shared memory or of the thread's local memory."""
    pointer, type_ = machine.values[op.operands[0]], op.results[0].type
    if isinstance(type_, llvm.LLVMStructType):
        return [fields(machine, pointer, type_)]
    size = bytes_of(type_)
    if isinstance(pointer, Room):
        return [Names(size, None, room(machine, pointer, size))]
    return [Names(size, None, machine.shared[machine.checked(per_thread(machine, pointer), size, size)])]


def fields(machine: Machine, pointer: Value, type_: llvm.LLVMStructType) -> list[Value]:
    """A struct from the thread's local memory."""
    assert isinstance(pointer, Room)
    found: list[Value] = []
    offset = pointer.offset
    for field in type_.types.data:
        size = bytes_of(field)
        found.append(Names(size, None, room(machine, Room(pointer.number, offset), size)))
        offset += size
    return found


def room(machine: Machine, pointer: Room, size: int) -> Words:
    """Bytes of the threads' local memory."""
    try:
        return np.stack([machine.rooms[pointer.number, pointer.offset + byte] for byte in range(size)], -1)
    except KeyError as error:
        raise Invalid("a load of a thread's own memory that it has not written") from error


def store(machine: Machine, op: Operation) -> Sequence[Value]:
    """llvm.store"""
    value, pointer = machine.of(op.operands)
    found = parts(machine, value)[:, : bytes_of(op.operands[0].type)]
    if isinstance(pointer, Room):
        for byte in range(found.shape[-1]):
            machine.rooms[pointer.number, pointer.offset + byte] = found[:, byte]
        return []
    size = found.shape[-1]
    machine.shared[machine.checked(per_thread(machine, pointer), size, size)] = found
    return []


def assembly(machine: Machine, op: Operation) -> Sequence[Value]:
    """llvm.inline_asm: cp.async of 16 bytes, which are zeros where its predicate holds."""
    assert isinstance(op, llvm.InlineAsmOp)
    if not op.asm_string.data.startswith(COPY):
        raise Unsupported(op.asm_string.data)
    target, source, *is_masked = (per_thread(machine, value) for value in machine.of(op.operands))
    found = copied(source, COPY_BYTES, pointee_of(op.operands[1]))
    if is_masked:
        found = np.where(is_masked[0][:, None], np.uint64(0), found)
    machine.shared[machine.checked(target, COPY_BYTES, COPY_BYTES)] = found
    return []


def pointee_of(pointer: SSAValue) -> Attribute:
    """The type behind a pointer that is a register of a tensor of pointers; bytes if it is not known."""
    register = pointer.owner
    if isinstance(register, llvm.ExtractValueOp) and isinstance(register.container.owner, UnrealizedConversionCastOp):
        tensor = as_tensor(register.container.owner.operands[0].type)
        if tensor is not None and isinstance(element := tensor.element_type, PointerType):
            return element.pointee
    return i8


def advance(machine: Machine, op: Operation) -> Sequence[Value]:
    """llvm.getelementptr"""
    assert isinstance(op, llvm.GEPOp)
    pointer, size = machine.values[op.ptr], size_of(op.elem_type)
    constants = [each for each in op.rawConstantIndices.iter_values() if each != llvm.GEP_USE_SSA_VAL]
    if isinstance(pointer, Room):
        return [Room(pointer.number, pointer.offset + size * sum(constants))]
    steps = [machine.integers(value) for value in op.ssa_indices]
    assert is_integers(pointer)
    return [pointer + size * (sum(constants) + sum(steps, np.asarray(0)))]


def shuffle(machine: Machine, op: Operation) -> Sequence[Value]:
    """llvm.shufflevector"""
    assert isinstance(op, llvm.ShuffleVectorOp)
    both = np.concatenate([parts(machine, value) for value in machine.of(op.operands)], -1)
    size = element_bytes(op.operands[0])
    picks = [size * pick + byte for pick in op.mask.iter_values() for byte in range(size)]
    return [Names(len(picks), None, both[:, picks])]


def undefined(machine: Machine, op: Operation) -> Sequence[Value]:
    """llvm.mlir.undef"""
    size = bytes_of(op.results[0].type)
    return [Names(size, None, np.zeros((machine.threads, size), np.uint64))]


def insert(machine: Machine, op: Operation) -> Sequence[Value]:
    """llvm.insertelement"""
    vector, value, _ = machine.of(op.operands)
    size, at = element_bytes(op.results[0]), machine.number(op.operands[2])
    found: Words = np.array(parts(machine, vector))
    found[:, size * at : size * (at + 1)] = parts(machine, value)[:, :size]
    return [Names(found.shape[-1], None, found)]


def extract(machine: Machine, op: Operation) -> Sequence[Value]:
    """llvm.extractelement"""
    size, at = size_of(op.results[0].type), machine.number(op.operands[1])
    return [Names(size, None, parts(machine, machine.values[op.operands[0]])[:, size * at : size * (at + 1)])]


def extract_field(machine: Machine, op: Operation) -> Sequence[Value]:
    """llvm.extractvalue"""
    struct, position = machine.values[op.operands[0]], dims_of(op.properties["position"])
    assert isinstance(struct, list)
    return [struct[position[0]]]


# Words and tensors


@lru_cache(maxsize=64)
def places_of(type_: TensorType[Attribute], threads: int) -> tuple[Integers, ...]:
    """The coordinates of the element in each register of each thread, by the tensor's encoding."""
    encoding: Any = type_.encoding
    layout = enc.layout_of(encoding.to_encoding(), tuple(type_.get_shape()))
    thread, register = np.arange(threads)[:, None], np.arange(1 << len(layout.bases[enc.REGISTER]))
    shape = (threads, len(register))
    indices = {name: np.zeros(shape, np.int64) for name in layout.in_dims}
    known = {enc.REGISTER: register + 0 * thread, enc.LANE: thread % WARP + 0 * register}
    indices |= known | {enc.WARP: thread // WARP + 0 * register}
    found = layout.apply(indices)
    return tuple(found[name] for name in layout.out_dims)


def cast(machine: Machine, op: Operation) -> Sequence[Value]:
    """builtin.unrealized_conversion_cast: a descriptor to its address; registers to a tensor, and back."""
    value, target = machine.values[op.operands[0]], as_tensor(op.results[0].type)
    if isinstance(value, Memory):
        return [[np.asarray(first(value.addresses)), *[np.asarray(0)] * value.addresses.ndim]]
    source = as_tensor(op.operands[0].type)
    if target is None and source is not None and is_integers(value):
        registers = np.broadcast_to(value, source.get_shape())[places_of(source, machine.threads)]
        return [[registers[:, number] for number in range(registers.shape[1])]]
    if target is None:
        raise Unsupported(f"a cast to {op.results[0].type}")
    places, size = places_of(target, machine.threads), size_of(target)
    if isinstance(value, list):
        registers = np.stack([parts(machine, field)[:, :size] for field in value], 1)
        return [Names(size, None, gathered(registers, places, target))]
    assert source is not None
    assert is_tensor(value)
    origin = places_of(source, machine.threads)
    if not isinstance(value, Names):
        return [gathered(value[origin].astype(np.uint64), places, target).astype(np.int64)]  # known numbers
    if value.parts is not None:
        return [Names(size, None, gathered(value.parts[origin], places, target))]
    return [Names(size, gathered(value.elements[origin], places, target))]


def gathered(registers: Words, places: tuple[Integers, ...], type_: TensorType[Attribute]) -> Words:
    """The tensor in the registers of all threads; raises Invalid if copies of an element differ."""
    if registers.shape[:2] != places[0].shape:
        raise Invalid(f"{registers.shape[1]} registers for {type_}")
    tensor = np.zeros((*type_.get_shape(), *registers.shape[2:]), np.uint64)
    tensor[places] = registers
    if (tensor[places] != registers).any():
        raise Invalid(f"registers that hold the same element of {type_} differ")
    return tensor


WORD_OPS: dict[str, Run] = {
    "builtin.unrealized_conversion_cast": cast,
    "llvm.call_intrinsic": intrinsic,
    "llvm.load": load,
    "llvm.store": store,
    "llvm.getelementptr": advance,
    "llvm.shufflevector": shuffle,
    "llvm.mlir.undef": undefined,
    "llvm.insertelement": insert,
    "llvm.extractelement": extract,
    "llvm.extractvalue": extract_field,
    "llvm.bitcast": lambda machine, op: machine.of(op.operands),
    "llvm.inline_asm": assembly,
    "llvm.alloca": lambda machine, op: [Room(next(machine.room_numbers))],
}
