"""Buffer liveness: shared memory stays allocated until its last use that Triton sees; ttg.local_dealloc is one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.ttg import LocalAllocOp, LocalDeallocOp
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.memory import memory_users
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


def last_of(ops: Sequence[Operation], alloc: Operation) -> Operation:
    """The last of these ops, or its ancestor in the block of `alloc`."""
    block = alloc.parent_block()
    assert block is not None
    return max((found for op in ops if (found := block.find_ancestor_op_in_block(op))), key=block.get_operation_index)
