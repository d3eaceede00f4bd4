"""Memory descriptors: their types, the allocations and buffers behind them, their aliases and users.

A loop's tile is one buffer of several that one `ttg.local_alloc` holds; `ttg.memdesc_index` picks it. Views
(`ttg.memdesc_trans`, `ttg.memdesc_subslice`, ...) and `ttng.warp_group_dot_wait` give other values for the same memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from xdsl.dialects.builtin import UnitAttr, UnrealizedConversionCastOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.ttg import (
    LocalAllocOp,
    LocalDeallocOp,
    MemDescIndexOp,
    MemDescReshapeOp,
    MemDescSubsliceOp,
    MemDescTransOp,
)
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import tensor_type
from dotload.dialect_ext.types import MemDescType, element_bits

ALIASING = (MemDescReshapeOp, MemDescSubsliceOp, MemDescTransOp, WarpGroupDotWaitOp)
"""Ops whose result is the memory of the operand of the same number."""


def memory_type(value: SSAValue) -> MemDescType:
    """The type of a value that is known to be a memory descriptor."""
    assert isinstance(value.type, MemDescType)
    return value.type


def memory_bytes(memory: SSAValue) -> int:
    """The size of a tile, or of several, in bytes."""
    type_ = memory_type(memory)
    return math.prod(type_.get_shape()) * element_bits(type_) // 8


def tensor_bytes(value: SSAValue) -> int:
    """The size of a tensor in bytes."""
    tensor = tensor_type(value)
    return math.prod(tensor.get_shape()) * element_bits(tensor) // 8


def as_mutable(type_: MemDescType) -> MemDescType:
    """The same memory, to be written."""
    return MemDescType(
        type_.shape, type_.element_type, type_.encoding, type_.memory_space, UnitAttr(), type_.alloc_shape
    )


def buffers_type(tile: MemDescType, count: int, *, mutable: bool = True) -> MemDescType:
    """Memory for `count` such tiles, a leading dim."""
    shape = (count, *tile.get_shape())
    return MemDescType.of(shape, tile.element_type, tile.encoding, tile.memory_space, mutable=mutable)


# What a descriptor comes from


def before_views(memory: SSAValue) -> SSAValue:
    """The descriptor that views and waits made this one of."""
    while isinstance(memory, OpResult) and isinstance(memory.op, ALIASING):
        memory = memory.op.operands[memory.index]
    return memory


def index_of(memory: SSAValue) -> MemDescIndexOp | None:
    """The op that picks this buffer out of several; None where it is no such buffer."""
    owner = before_views(memory).owner
    return owner if isinstance(owner, MemDescIndexOp) else None


def buffers_of(memory: SSAValue) -> SSAValue | None:
    """All the buffers of which the memory is one."""
    index = index_of(memory)
    return index.src if index is not None else None


def alloc_of(memory: SSAValue) -> LocalAllocOp | None:
    """What allocates the memory, or all the buffers that it is one of; None where that is not known."""
    buffers = buffers_of(memory)
    owner = before_views(memory if buffers is None else buffers).owner
    return owner if isinstance(owner, LocalAllocOp) else None


def buffer_count(memory: SSAValue) -> int:
    """How many buffers the memory is one of; 0 where that is not known."""
    buffers = buffers_of(memory)
    if buffers is None or not isinstance(buffers.owner, LocalAllocOp):
        return 0
    return memory_type(buffers).get_shape()[0]


# What becomes of it


def aliases(memory: SSAValue) -> Iterator[SSAValue]:
    """The memory, and all values that views and waits make of it."""
    yield memory
    for use in memory.uses:
        if isinstance(use.operation, ALIASING):
            yield from aliases(use.operation.results[use.index])


def memory_users(memory: SSAValue) -> Iterator[Operation]:
    """The ops that access the memory, not those that make aliases or addresses of it."""
    for alias in aliases(memory):
        for use in alias.uses:
            if not isinstance(use.operation, (*ALIASING, UnrealizedConversionCastOp)):
                yield use.operation


def users_of_buffers(memory: SSAValue) -> Iterator[Operation]:
    """The ops that access the memory, or another buffer of those that it is one of, or all of these at once."""
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
    """Whether nothing but dots would see that the type of the memory changes."""
    return all(isinstance(user, WarpGroupDotOp | LocalDeallocOp) for user in memory_users(memory))


def make_views_mutable(memory: SSAValue) -> None:
    """Make the types of all aliases mutable, as those of mutable memory are."""
    for use in list(memory.uses):
        if isinstance(use.operation, ALIASING):
            alias = use.operation.results[use.index]
            make_views_mutable(Rewriter.replace_value_with_new_type(alias, as_mutable(memory_type(alias))))
