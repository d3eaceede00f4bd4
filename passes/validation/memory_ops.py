"""Shared memory: allocations, descriptors and views of them, loads and stores, copies, TMA."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext.ttg import LocalAllocOp, MemDescIndexOp, MemDescSubsliceOp
from dotload.dialect_ext.typed import dims_of
from dotload.dialect_ext.types import MemDescType, element_bits, element_of
from dotload.layout import encodings as enc
from dotload.passes.validation.arithmetic import size_of
from dotload.passes.validation.machine import Invalid, Machine, Memory, Run, Unsupported, Value
from dotload.passes.validation.names import (
    Integers,
    Words,
    as_names,
    at_addresses,
    drawn,
    first,
    is_tensor,
    reshaped,
    seed_of,
)
from dotload.passes.validation.tensor_ops import ADDRESS_BITS, SMALL_NUMBERS, loaded, masked, order_of

MBARRIER_BITS = 64


@lru_cache(maxsize=64)
def offsets_of(type_: MemDescType, shape: tuple[int, ...]) -> Integers:
    """The offset of each element of a tile from the first one, in elements, by the tile's encoding."""
    encoding: Any = type_.encoding
    if element_bits(type_) == MBARRIER_BITS:
        return reshaped(np.arange(int(np.prod(shape))), *shape)
    layout = enc.layout_of(encoding.to_encoding(), shape)
    count = 1 << len(layout.bases[enc.OFFSET])
    indices = {name: np.zeros(count, np.int64) for name in layout.in_dims} | {enc.OFFSET: np.arange(count)}
    places = layout.apply(indices)
    offsets = np.full(shape, -1, np.int64)
    offsets[tuple(places[name] for name in layout.out_dims)] = np.arange(count)
    if (offsets < 0).any():
        raise Unsupported("memory that is spread over a cluster")
    return offsets


def buffers_of(memory: SSAValue) -> Integers:
    """`offsets_of` for a tile, or for buffers one behind the other, of which `ttg.memdesc_index` takes one.

    An encoding is that of one buffer: in a transposed one, the first dim of the tile is contiguous.
    """
    type_: Any = memory.type
    shape = tuple(type_.get_shape())
    if not any(isinstance(use.operation, MemDescIndexOp) for use in memory.uses):
        return offsets_of(type_, shape)
    tile = offsets_of(type_, shape[1:])
    return reshaped(np.arange(shape[0]), -1, *[1] * tile.ndim) * tile.size + tile


def allocate(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttg.local_alloc"""
    assert isinstance(op, LocalAllocOp)
    places, size = buffers_of(op.result), size_of(op.result.type)
    memory = Memory(machine.allocate(op, places.size * size) + places * size, size)
    if op.src is not None:
        write(machine, memory, machine.values[op.src])
    return [memory]


def memory_of(machine: Machine, value: SSAValue) -> Memory:
    """The descriptor that a value is."""
    found = machine.values[value]
    if not isinstance(found, Memory):
        raise Unsupported("a descriptor that is an argument")
    return found


def write(machine: Machine, memory: Memory, value: Value) -> None:
    """Fill a tile."""
    assert is_tensor(value)
    bytes_ = as_names(value, memory.size).bytes
    machine.shared[machine.checked(memory.addresses, memory.size)] = bytes_


def viewed(machine: Machine, op: Operation, addresses: Integers) -> Sequence[Value]:
    """A view; unless it is a part of a tile, its addresses must be those that its type says."""
    type_, memory = op.results[0].type, memory_of(machine, op.operands[0])
    assert isinstance(type_, MemDescType)
    shape = tuple(type_.get_shape())
    is_part = [dim.data for dim in type_.alloc_shape] != list(shape)
    if addresses.shape != shape:
        raise Invalid(f"{op.name} of another shape than its type's")
    if not is_part and not np.array_equal(addresses, first(addresses) + offsets_of(type_, shape) * memory.size):
        raise Invalid(f"{op.name} whose type lays elements out in another way than the memory")
    return [Memory(addresses, memory.size)]


def index(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttg.memdesc_index"""
    addresses, at = memory_of(machine, op.operands[0]).addresses, machine.number(op.operands[1])
    if not 0 <= at < len(addresses):
        raise Invalid(f"buffer {at} of {len(addresses)}")
    return viewed(machine, op, addresses[at])


def subslice(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttg.memdesc_subslice"""
    assert isinstance(op, MemDescSubsliceOp)
    type_: Any = op.result.type
    parts = (slice(at, at + size) for at, size in zip(dims_of(op.offsets), type_.get_shape(), strict=True))
    return viewed(machine, op, memory_of(machine, op.src).addresses[tuple(parts)])


def transpose(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttg.memdesc_trans"""
    return viewed(machine, op, np.transpose(memory_of(machine, op.operands[0]).addresses, order_of(op)))


def reshape(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttg.memdesc_reshape"""
    type_: Any = op.results[0].type
    return viewed(machine, op, reshaped(memory_of(machine, op.operands[0]).addresses, *type_.get_shape()))


def reinterpret(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttg.memdesc_reinterpret: the memory from its start, in the layout of the new type."""
    size, start = size_of(op.results[0].type), first(memory_of(machine, op.operands[0]).addresses)
    return [Memory(start + buffers_of(op.results[0]) * size, size)]


def local_load(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttg.local_load; integers that may be addresses (`loaded`) become integers again."""
    found, type_ = machine.read(memory_of(machine, op.operands[0])), op.results[0].type
    is_wide = isinstance(element_of(type_), IntegerType) and element_bits(type_) >= ADDRESS_BITS
    return [found.elements.astype(np.int64) if is_wide and (found.elements < SMALL_NUMBERS).all() else found]


def local_store(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttg.local_store"""
    write(machine, memory_of(machine, op.operands[1]), machine.values[op.operands[0]])
    return []


def copy(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttg.async_copy_global_to_local; masked-off elements become zero, or `other`."""
    named: Any = op
    memory = memory_of(machine, named.result)
    mask, other = (machine.values[value] if value is not None else None for value in (named.mask, named.other))
    found = loaded(machine.integers(named.src), named.result.type)
    write(machine, memory, masked(found, mask, other, memory.size))
    return [[]]


def copied(addresses: Integers, count: int, type_: Attribute) -> Words:
    """The bytes that cp.async copies from each address, elements of this type: the same as those of `copy`."""
    size = size_of(type_)
    elements = loaded(addresses[:, None] + np.arange(0, count, size), type_)
    assert is_tensor(elements)
    return reshaped(as_names(elements, size).bytes, -1, count)


def nothing(machine: Machine, op: Operation) -> Sequence[Value]:
    """An op that only orders others; its results are tokens."""
    return [[] for _ in op.results]


# TMA


def addresses_of(machine: Machine, op: Operation, shape: tuple[int, ...], size: int) -> Integers:
    """The addresses of a tile of a descriptor's tensor: a name for each coordinate, far from other tensors'."""
    start = machine.integers(op.operands[0])
    coordinates = [machine.number(value) for value in op.operands[1:] if value.type.name == "integer_type"]
    total = np.broadcast_to(start, shape).astype(np.int64)
    for dim, extent in enumerate(shape):
        steps = [1] * len(shape)
        steps[dim] = extent
        place = coordinates[dim] + np.arange(extent)
        total = total + reshaped(place << 20 * (len(shape) - 1 - dim), *steps) * size
    return total


def tma_load(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttng.async_tma_copy_global_to_local"""
    named: Any = op
    memory = memory_of(machine, named.tile)
    if machine.number(op.operands[-1]):
        found = at_addresses(addresses_of(machine, op, memory.addresses.shape, memory.size), memory.size)
        write(machine, memory, found)
    return []


def tma_store(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttng.async_tma_copy_local_to_global"""
    memory = memory_of(machine, op.operands[-1])
    machine.store(addresses_of(machine, op, memory.addresses.shape, memory.size), machine.read(memory))
    return []


def described(start: Integers, strides: Sequence[Integers]) -> Integers:
    """The name of a descriptor: its tensor, by start and layout."""
    made = drawn(seed_of("descriptor"), *(np.asarray(each).astype(np.uint64) for each in (start, *strides)))
    return (made >> np.uint64(12) << np.uint64(10)).astype(np.int64)


def write_descriptor(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttng.tensormap_create: its strides are in bytes, without the last one."""
    named: Any = op
    strides = [machine.integers(value) for value in named.global_stride]
    machine.scratch[machine.number(named.desc_ptr)] = described(machine.integers(named.global_address), strides)
    return []


def read_descriptor(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttng.reinterpret_tensor_descriptor"""
    found = machine.scratch.get(machine.number(op.operands[0]))
    if found is None:
        raise Unsupported("a descriptor that the kernel has not made")
    return [found]


def scratch(machine: Machine, op: Operation) -> Sequence[Value]:
    """ttg.global_scratch_alloc"""
    return [np.asarray((next(machine.scratch_numbers) << 12) + (1 << 58))]


ORDERING = (
    *("ttg.local_dealloc", "ttg.async_commit_group", "ttg.async_wait", "gpu.barrier", "ttg.barrier"),
    *("ttng.fence_async_shared", "ttng.init_barrier", "ttng.inval_barrier", "ttng.barrier_expect", "ttng.wait_barrier"),
    *("ttng.async_tma_store_wait", "ttng.tensormap_fenceproxy_acquire", "llvm.intr.assume"),
)

MEMORY_OPS: dict[str, Run] = {
    **dict.fromkeys(ORDERING, nothing),
    "ttg.local_alloc": allocate,
    "ttg.local_load": local_load,
    "ttg.local_store": local_store,
    "ttg.memdesc_index": index,
    "ttg.memdesc_subslice": subslice,
    "ttg.memdesc_trans": transpose,
    "ttg.memdesc_reshape": reshape,
    "ttg.memdesc_reinterpret": reinterpret,
    "ttg.async_copy_global_to_local": copy,
    "ttng.warp_group_dot_wait": lambda machine, op: machine.of(op.operands),
    "ttng.async_tma_copy_global_to_local": tma_load,
    "ttng.async_tma_copy_local_to_global": tma_store,
    "ttng.tensormap_create": write_descriptor,
    "ttng.reinterpret_tensor_descriptor": read_descriptor,
    "ttg.global_scratch_alloc": scratch,
}
