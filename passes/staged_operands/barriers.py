"""Barriers around accesses to shared memory that Triton does not see.

Triton places the barriers of a kernel by the ops that it knows (its membar analysis). Where a pass writes accesses in
the LLVM dialect, it places theirs itself: all warps must have written a tile before one reads it, and have read it
before one writes there again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.gpu import BarrierOp
from dotload.dialect_ext.ttg import (
    ADDRESS_SPACES,
    AsyncCopyGlobalToLocalOp,
    AsyncWaitOp,
    LocalAllocOp,
    LocalDeallocOp,
    MemDescIndexOp,
)
from dotload.dialect_ext.ttg import BarrierOp as LocalBarrierOp
from dotload.dialect_ext.ttng import FenceAsyncSharedOp, WaitBarrierOp, WarpGroupDotOp
from dotload.passes.emitter import memory_users
from dotload.passes.staged_operands.loops import slot_of, walk

HARMLESS_DIALECTS = ("arith", "math", "ub", "llvm", "builtin")
HARMLESS = frozenset(
    "tt.addptr tt.broadcast tt.expand_dims tt.fp_to_fp tt.get_program_id tt.join tt.load tt.make_range tt.reshape "
    "tt.splat tt.split tt.trans tt.unsplat ttg.async_commit_group ttg.local_dealloc ttg.local_load ttg.memdesc_index "
    "ttg.memdesc_reshape ttg.memdesc_subslice ttg.memdesc_trans ttng.fence_async_shared ttng.warp_group_dot "
    "ttng.warp_group_dot_wait".split()
)
"""Ops that write no shared memory, not even for their own use."""

TMA_COPIES = ("ttng.async_tma_copy_global_to_local", "ttng.async_tma_gather")
COPIES = ("ttg.async_copy_global_to_local", *TMA_COPIES)
WRITES = (*COPIES, "ttg.local_alloc", "ttg.local_store", "ttg.local_scatter")
"""Ops that write tiles of shared memory; a ttg.local_alloc without contents does not."""


def before_read(read: Operation, memory: SSAValue) -> None:
    """All of the tile must be there: a barrier, if none stands between the ops that write tiles and the read.

    An asynchronous copy writes later, and is waited for: behind a ttng.wait_barrier, what TMA has written is there for
    all warps, met or not, as each waits itself.
    """
    arrives_alone = _is_written_by_tma_alone(memory)
    for op in walk(read, backwards=True):
        if _is_meeting(op) or (arrives_alone and isinstance(op, WaitBarrierOp)):
            return
        if (_writes_tile(op) and op.name not in COPIES) or _holds_blocks(op):
            break
    insert(read, read)


def after_read(read: Operation, memory: SSAValue) -> None:
    """All warps must have read before the memory is written again: a barrier before the first op that might."""
    is_reserved = _is_reserved(memory)
    for op in walk(read):
        if _is_meeting(op):
            return
        is_over = op.next_op is None or _holds_blocks(op)
        if is_over or _writes_tile(op) or not (is_reserved or is_harmless(op)):
            insert(op, read)
            return
        if isinstance(op, LocalDeallocOp):  # of the tiles that this is one of, or of others
            is_reserved = False


def before_store(store: Operation, memory: SSAValue) -> None:
    """All warps must be done with what the memory held: a barrier, if none stands behind the last op that used it."""
    readers = set(users_of(memory))
    for op in walk(store, backwards=True):
        if _is_meeting(op):
            return
        if op in readers or _holds_blocks(op) or not (_is_reserved(memory) or is_harmless(op)):
            break
    insert(store, store)


def after_store(store: Operation, memory: SSAValue) -> None:
    """All of the tile must be there before a product reads it: a barrier before the first op that does.

    One that stands there already will do if it is behind the fence that makes each thread's stores visible to wgmma.
    """
    readers, is_fenced = set(users_of(memory)), False
    for op in walk(store):
        is_fenced = is_fenced or isinstance(op, FenceAsyncSharedOp)
        if is_fenced and _is_meeting(op):
            return
        if op.next_op is None or _holds_blocks(op) or op in readers:
            insert(op, store)
            return


def fence_arrivals(loop: scf.ForOp) -> None:
    """Make B tiles that asynchronous copies bring visible to wgmma right behind the wait for them.

    Triton, from 3.7 on, does that right before a product, or before each part: behind the reads of A's tile, which the
    fence waits for as well. Triton adds none where a fence stands already. Where one has to stay, none is added here.
    Not for loops with stores in the LLVM dialect, which might be what a fence is for.
    """
    for wait in [op for op in loop.body.block.ops if isinstance(op, AsyncWaitOp)]:
        behind = list(takewhile(lambda op: not isinstance(op, AsyncWaitOp), walk(wait)))
        products = [place for place, op in enumerate(behind) if isinstance(op, WarpGroupDotOp)]
        fed = [place for place in products if _is_copied_asynchronously(behind[place].operands[1])]
        if not fed:
            continue
        spare = [op for op in takewhile(is_harmless, behind[: products[-1]]) if _is_fence(op)]
        if spare or not any(_is_fence(op) for op in behind[: fed[0]]):
            fence = FenceAsyncSharedOp()
            fence.location = wait.location
            Rewriter.insert_op(fence, InsertPoint.after(wait))
            for op in spare:
                Rewriter.erase_op(op)


def meeting_behind(op: Operation) -> Operation | None:
    """The next op of the block at which all warps meet, if no shared memory is taken or written up to there."""
    for behind in walk(op):
        if _is_meeting(behind):
            return behind
        if behind.name == LocalAllocOp.name or not is_harmless(behind):
            return None
    return None


def insert(before: Operation, origin: Operation) -> None:
    """A barrier at the source location of `origin`."""
    barrier = BarrierOp()
    barrier.location = origin.location
    Rewriter.insert_op(barrier, InsertPoint.before(before))


def users_of(memory: SSAValue) -> Iterator[Operation]:
    """The ops that use the memory, or another of several tiles of which it is one."""
    if isinstance(memory.owner, MemDescIndexOp):
        for use in memory.owner.src.uses:
            if isinstance(use.operation, MemDescIndexOp):
                yield from memory_users(use.operation.result)
    else:
        yield from memory_users(memory)


def is_harmless(op: Operation) -> bool:
    """Whether the op writes no shared memory at all, not even for its own use."""
    is_empty_alloc = op.name == "ttg.local_alloc" and not op.operands
    return op.name in HARMLESS or op.dialect_name() in HARMLESS_DIALECTS or is_empty_alloc


def _is_meeting(op: Operation) -> bool:
    """Whether all warps meet at the op, and see what the others have written; Triton has them meet behind a wait."""
    if isinstance(op, LocalBarrierOp):
        return bool(op.addrSpace.value.data & ADDRESS_SPACES["local"])
    return isinstance(op, AsyncWaitOp) or (isinstance(op, BarrierOp) and op.is_for_all_warps)


def _is_reserved(memory: SSAValue) -> bool:
    """Whether the memory serves nothing else while the loop runs; other memory Triton may share out between ops."""
    return isinstance(memory.owner, MemDescIndexOp)


def _is_written_by_tma_alone(memory: SSAValue) -> bool:
    """Whether TMA is known to write the memory, or the tiles of which it is one, and nothing else does."""
    written = [op.name for op in users_of(memory) if op.name in WRITES]
    return isinstance(memory.owner, MemDescIndexOp) and bool(written) and all(name in TMA_COPIES for name in written)


def _is_fence(op: Operation) -> bool:
    """Whether it is a fence for the tiles of this block, not of a cluster."""
    return isinstance(op, FenceAsyncSharedOp) and not op.bCluster.value.data


def _is_copied_asynchronously(memory: SSAValue) -> bool:
    """Whether asynchronous copies of threads write the memory, or another of the tiles of which it is one."""
    slot = slot_of(memory)
    return slot is not None and any(isinstance(op, AsyncCopyGlobalToLocalOp) for op in users_of(slot.result))


def _writes_tile(op: Operation) -> bool:
    return op.name in WRITES and bool(op.operands)


def _holds_blocks(op: Operation) -> bool:
    """Whether other blocks run in the op, or it leads to them."""
    return op.dialect_name() in ("scf", "cf")
