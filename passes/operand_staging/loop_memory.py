"""Shared memory of a loop: the buffers of Triton's pipeliner for tiles, other tiles that dots read, and TMA stores."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation

from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.tt_memory import DescriptorReduceOp, DescriptorScatterOp, DescriptorStoreOp, Load
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, MemDescReshapeOp, MemDescTransOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.loops import feeds_dot, loops_around
from dotload.passes.ir.memory import alloc_of, memory_users, size_bytes

TMA_STORES = (DescriptorStoreOp, DescriptorReduceOp, DescriptorScatterOp)


def buffer_bytes(loads: list[Load], stages: int) -> int:
    """The bytes of shared memory that Triton's pipeliner takes for tiles."""
    return sum(tiles_of(load, stages) * size_bytes(load.results[0]) for load in loads)


def tiles_of(load: Load, stages: int) -> int:
    """The number of buffers that Triton's pipeliner takes for a load; one more if a dot reads them directly."""
    is_read_by_dot = any(isinstance(reader, WarpGroupDotOp) for reader in tile_readers(load))
    return stages if is_read_by_dot else stages - 1


def lacks_buffer(load: Load) -> bool:
    """Whether Triton's pipeliner would overwrite the tile while a dot reads it in place.

    It takes another buffer for such a dot if the load has no other use, and no view of the tile has two.
    """
    if not any(isinstance(reader, WarpGroupDotOp) for reader in tile_readers(load)):
        return False
    alloc = only_user(load.results[0])
    users = () if alloc is None else [use.operation for use in alloc.results[0].uses]
    return not any(isinstance(behind_views(user), WarpGroupDotOp) for user in users)


def behind_views(user: Operation | None) -> Operation | None:
    """The user, or what takes the last of its views; None if one of them has several uses."""
    while isinstance(user, MemDescReshapeOp | MemDescTransOp):
        user = only_user(user.result)
    return user


def tile_readers(load: Load) -> list[Operation]:
    """The ops that read the shared memory of the loaded tile."""
    staged = [use.operation for use in load.results[0].uses if isinstance(use.operation, LocalAllocOp)]
    return [reader for alloc in staged for reader in memory_users(alloc.result)]


def held_bytes(loop: scf.ForOp, apart_from: LocalAllocOp | None = None) -> int:
    """The peak of shared memory that dots in the loop read, without the tiles that the loop loads, plus TMA stores."""
    dots = [op for op in loop.walk() if isinstance(op, WarpGroupDotOp)]
    allocs = dict.fromkeys(alloc_of(operand) for dot in dots for operand in (dot.a, dot.b))
    held = [alloc for alloc in allocs if alloc not in (None, apart_from) and not is_loaded(alloc, loop)]
    stored = [alloc for alloc in held if alloc.src is not None and alloc.parent_op() is loop]
    always = sum(size_bytes(alloc.result) for alloc in held if alloc not in stored)
    return always + max((live_bytes(alloc, stored) for alloc in stored), default=0) + stored_bytes(loop)


def stored_bytes(loop: scf.ForOp) -> int:
    """The buffers of TMA stores in the loop and in loops around it: Triton's pipeliner allocates them before a loop.

    Stores of one type share a buffer.
    """
    outermost = [loop, *loops_around(loop)][-1]
    values = {op.src.type: op.src for op in outermost.walk() if isinstance(op, TMA_STORES)}
    return sum(map(size_bytes, values.values()))


def live_bytes(point: LocalAllocOp, allocs: list[LocalAllocOp]) -> int:
    """The bytes of the loop's allocations that are live when one of them is stored to."""
    live = [alloc for alloc in allocs if alloc is point or is_live(alloc, point)]
    return sum(size_bytes(alloc.result) for alloc in live)


def is_live(alloc: LocalAllocOp, point: Operation) -> bool:
    """Whether memory is live at a point of the block: stored before it, and read after it."""
    block = point.parent_block()
    assert block is not None
    readers = (block.find_ancestor_op_in_block(reader) for reader in memory_users(alloc.result))
    is_read = any(reader is not None and point.is_before_in_block(reader) for reader in readers)
    return is_read and alloc.is_before_in_block(point)


def scratch_bytes(loop: scf.ForOp) -> int:
    """The most scratch memory to convert loads that are not operands: scales, before a broadcast."""
    converted = [op for op in loop.body.block.ops if isinstance(op, ConvertLayoutOp) and not feeds_dot(op)]
    return max((size_bytes(op.src) for op in converted if isinstance(op.src.owner, Load)), default=0)


def fragment_bytes(loop: scf.ForOp) -> int:
    """The shared memory that A of mma.sync dots may take if its fragments come from another layout."""
    return sum(size_bytes(dot.a) for dot in of_kind(loop.body.block.ops, DotOp))


def is_loaded(alloc: LocalAllocOp, loop: scf.ForOp) -> bool:
    """Whether the memory holds a tile as the loop loads it."""
    if alloc.src is None or alloc.parent_op() is not loop:
        return False
    return isinstance(alloc.src.owner, Load)
