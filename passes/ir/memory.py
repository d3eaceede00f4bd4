"""Memory descriptors: their types, the allocations and buffers behind them, their aliases and users.

A loop's tile is one of several buffers in one `ttg.local_alloc`, selected by `ttg.memdesc_index`. Views
(`ttg.memdesc_trans`, `ttg.memdesc_subslice`, ...) and `ttng.warp_group_dot_wait` are aliases of the same memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from xdsl.dialects.builtin import TensorType, UnitAttr, UnrealizedConversionCastOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.ttg import (
    LocalAllocOp,
    LocalDeallocOp,
    LocalStoreOp,
    MemDescIndexOp,
    MemDescReshapeOp,
    MemDescSubsliceOp,
    MemDescTransOp,
)
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout.widths import BYTE_BITS

ALIASING = (MemDescReshapeOp, MemDescSubsliceOp, MemDescTransOp, WarpGroupDotWaitOp)
"""Ops whose result aliases the operand with the same index."""


def memory_type(value: SSAValue) -> MemDescType:
    """The type of a value that is known to be a memory descriptor."""
    assert isinstance(value.type, MemDescType)
    return value.type


def element_count(value: SSAValue) -> int:
    """The elements of a tensor, or of memory."""
    type_ = value.type
    assert isinstance(type_, TensorType | MemDescType)
    return math.prod(type_.get_shape())


def size_bytes(value: SSAValue) -> int:
    """The size of a tensor, or of memory, in bytes."""
    return element_count(value) * element_bits(value.type) // BYTE_BITS


def are_scales(tile: SSAValue, value: SSAValue) -> bool:
    """Whether a tile has less than one bit for each element of a value that is computed from it: scales of groups."""
    return size_bytes(tile) * BYTE_BITS < element_count(value)


def as_mutable(type_: MemDescType) -> MemDescType:
    """The type of the same memory, mutable."""
    return MemDescType(
        type_.shape, type_.element_type, type_.encoding, type_.memory_space, UnitAttr(), type_.alloc_shape
    )


def buffers_type(tile: MemDescType, count: int, *, mutable: bool = True) -> MemDescType:
    """The type of memory for `count` such tiles, as a leading dim."""
    shape = (count, *tile.get_shape())
    return MemDescType.of(shape, tile.element_type, tile.encoding, tile.memory_space, mutable=mutable)


def stored_memory(store: LocalStoreOp | LocalAllocOp) -> SSAValue:
    """The memory that is stored to."""
    return store.dst if isinstance(store, LocalStoreOp) else store.result


# Origins


def before_views(memory: SSAValue) -> SSAValue:
    """The descriptor before all views and waits."""
    while isinstance(memory, OpResult) and isinstance(memory.op, ALIASING):
        memory = memory.op.operands[memory.index]
    return memory


def index_of(memory: SSAValue) -> MemDescIndexOp | None:
    """The op that selects this buffer among several; None if there is none."""
    owner = before_views(memory).owner
    return owner if isinstance(owner, MemDescIndexOp) else None


def buffers_of(memory: SSAValue) -> SSAValue | None:
    """The buffers among which the memory is selected."""
    index = index_of(memory)
    return index.src if index is not None else None


def root_of(memory: SSAValue) -> SSAValue:
    """The buffers among which the memory is selected; otherwise the memory before all views."""
    return buffers_of(memory) or before_views(memory)


def alloc_of(memory: SSAValue) -> LocalAllocOp | None:
    """The allocation of the memory, or of all the buffers that it belongs to; None if not known."""
    owner = before_views(root_of(memory)).owner
    return owner if isinstance(owner, LocalAllocOp) else None


def buffer_count(memory: SSAValue) -> int:
    """The number of buffers in the memory's allocation; 0 if not known."""
    buffers = buffers_of(memory)
    if buffers is None or not isinstance(buffers.owner, LocalAllocOp):
        return 0
    return memory_type(buffers).get_shape()[0]


# Aliases and users


def aliases(memory: SSAValue) -> Iterator[SSAValue]:
    """The memory and all of its aliases through views and waits."""
    yield memory
    for use in memory.uses:
        if isinstance(use.operation, ALIASING):
            yield from aliases(use.operation.results[use.index])


def memory_users(memory: SSAValue) -> Iterator[Operation]:
    """The ops that access the memory, without those that create aliases or addresses."""
    for alias in aliases(memory):
        for use in alias.uses:
            if not isinstance(use.operation, (*ALIASING, UnrealizedConversionCastOp)):
                yield use.operation


def users_of_buffers(memory: SSAValue) -> Iterator[Operation]:
    """The ops that access any of the buffers that the memory belongs to."""
    buffers = buffers_of(memory)
    if buffers is None:
        yield from memory_users(before_views(memory))
        return
    for use in buffers.uses:
        if isinstance(use.operation, MemDescIndexOp):
            yield from memory_users(use.operation.result)
        else:
            yield use.operation


def may_be_mutable(memory: SSAValue) -> bool:
    """Whether only dots would see a change of the memory's type."""
    return all(isinstance(user, WarpGroupDotOp | LocalDeallocOp) for user in memory_users(memory))


def make_views_mutable(memory: SSAValue) -> None:
    """Make the types of all aliases mutable, as required for mutable memory."""
    for use in list(memory.uses):
        if isinstance(use.operation, ALIASING):
            alias = use.operation.results[use.index]
            make_views_mutable(Rewriter.replace_value_with_new_type(alias, as_mutable(memory_type(alias))))
