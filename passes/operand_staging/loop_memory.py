"""The shared memory of a loop: what Triton's pipeliner takes for tiles, and what dots read besides."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation

from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.tt_memory import Load
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.ir.loops import feeds_dot
from dotload.passes.ir.memory import alloc_of, memory_bytes, memory_users, tensor_bytes


def buffer_bytes(loads: list[Load], stages: int) -> int:
    """The shared memory that Triton's pipeliner takes for tiles."""
    return sum(tiles_of(load, stages) * tensor_bytes(load.results[0]) for load in loads)


def tiles_of(load: Load, stages: int) -> int:
    """The buffers that Triton's pipeliner takes for a load: one more where a dot reads them itself."""
    is_read_by_dot = any(isinstance(reader, WarpGroupDotOp) for reader in tile_readers(load))
    return stages if is_read_by_dot else stages - 1


def tile_readers(load: Load) -> list[Operation]:
    """What reads the shared memory that the loaded tile goes to."""
    staged = [use.operation for use in load.results[0].uses if isinstance(use.operation, LocalAllocOp)]
    return [reader for alloc in staged for reader in memory_users(alloc.result)]


def held_bytes(loop: scf.ForOp, apart_from: LocalAllocOp | None = None) -> int:
    """The shared memory of what dots in the loop read, but for the tiles that the loop loads: the most at one time."""
    dots = [op for op in loop.walk() if isinstance(op, WarpGroupDotOp)]
    allocs = dict.fromkeys(alloc_of(operand) for dot in dots for operand in (dot.a, dot.b))
    held = [alloc for alloc in allocs if alloc not in (None, apart_from) and not is_loaded(alloc, loop)]
    stored = [alloc for alloc in held if alloc.src is not None and alloc.parent_op() is loop]
    always = sum(memory_bytes(alloc.result) for alloc in held if alloc not in stored)
    return always + max((live_bytes(alloc, stored) for alloc in stored), default=0)


def live_bytes(point: LocalAllocOp, allocs: list[LocalAllocOp]) -> int:
    """The shared memory of those of the loop's allocations that are in use where one of them is stored to."""
    live = [alloc for alloc in allocs if alloc is point or is_live(alloc, point)]
    return sum(memory_bytes(alloc.result) for alloc in live)


def is_live(alloc: LocalAllocOp, point: Operation) -> bool:
    """Whether an op of the block stores memory before a point of it that is read behind the point."""
    block = point.parent_block()
    assert block is not None
    readers = (block.find_ancestor_op_in_block(reader) for reader in memory_users(alloc.result))
    is_read = any(reader is not None and point.is_before_in_block(reader) for reader in readers)
    return is_read and alloc.is_before_in_block(point)


def scratch_bytes(loop: scf.ForOp) -> int:
    """The most scratch memory for converting what the loop loads besides operands: scales, before a broadcast."""
    converted = [op for op in loop.body.block.ops if isinstance(op, ConvertLayoutOp) and not feeds_dot(op)]
    return max((tensor_bytes(op.src) for op in converted if isinstance(op.src.owner, Load)), default=0)


def fragment_bytes(loop: scf.ForOp) -> int:
    """What A of dots of mma.sync may take in shared memory, where its fragments come from another layout."""
    return sum(tensor_bytes(dot.a) for dot in of_kind(loop.body.block.ops, DotOp))


def is_loaded(alloc: LocalAllocOp, loop: scf.ForOp) -> bool:
    """Whether the memory is that of a tile as it is loaded in the loop."""
    if alloc.src is None or alloc.parent_op() is not loop:
        return False
    return isinstance(alloc.src.owner, Load)
