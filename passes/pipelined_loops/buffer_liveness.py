"""Buffer liveness: shared memory stays allocated until its last use that Triton sees; ttg.local_dealloc is one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.ttg import LocalAllocOp, LocalDeallocOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import function_around
from dotload.passes.ir.memory import memory_users, size_bytes
from dotload.passes.ir.motion import walk


def keep_alive(memory: SSAValue, until: Operation) -> None:
    """Keep a separately allocated tile alive until after an op whose use of it Triton does not see."""
    if not isinstance(memory, OpResult) or not isinstance(memory.op, LocalAllocOp):
        return
    ends = [use.operation for use in memory.uses if isinstance(use.operation, LocalDeallocOp)]
    for end in ends:
        if until in walk(end):
            end.detach()
            Rewriter.insert_op(end, InsertPoint.after(until))
    if not ends:
        Emitter.after(last_of([until, *memory_users(memory)], memory.op)).run(LocalDeallocOp(memory))


def allocated_bytes(loop: scf.ForOp) -> int:
    """The bytes of shared memory that are allocated while a loop runs, without scratch memory; of its own, all."""
    function = function_around(loop)
    allocs = [] if function is None else of_kind(function.walk(), LocalAllocOp)
    return sum(size_bytes(alloc.result) for alloc in allocs if loop.is_ancestor(alloc) or is_live(alloc, loop))


def is_live(alloc: LocalAllocOp, loop: scf.ForOp) -> bool:
    """Whether memory is allocated before the loop, in a block around it, and used in it or later."""
    block, users = alloc.parent_block(), [use.operation for use in alloc.result.uses]
    place = None if block is None else block.find_ancestor_op_in_block(loop)
    if place is None or not alloc.is_before_in_block(place):
        return False
    return not last_of([alloc, *users, *memory_users(alloc.result)], alloc).is_before_in_block(place)


def last_of(ops: Sequence[Operation], alloc: Operation) -> Operation:
    """The last of these ops, or its ancestor in the block of `alloc`."""
    block = alloc.parent_block()
    assert block is not None
    return max((found for op in ops if (found := block.find_ancestor_op_in_block(op))), key=block.get_operation_index)
