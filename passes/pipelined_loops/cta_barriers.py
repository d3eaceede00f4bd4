"""CTA barriers around accesses to shared memory that Triton's membar analysis does not see.

Triton places a kernel's barriers according to the ops that it knows. For accesses in the LLVM dialect, the pass that
emits them places the barriers: all warps must have written a tile before one reads it, and must have read it before one
writes there again.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.gpu import BarrierOp
from dotload.dialect_ext.traits import UsesScratch, reads_shared, writes_shared
from dotload.dialect_ext.ttg import (
    AsyncCopyGlobalToLocalOp,
    AsyncWaitOp,
    LocalAllocOp,
    LocalDeallocOp,
    LocalLoadOp,
    LocalScatterOp,
    LocalStoreOp,
    MemDescIndexOp,
)
from dotload.dialect_ext.ttng import FenceAsyncSharedOp, WaitBarrierOp, WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.ttng_tma import AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import BARRIERS
from dotload.passes.ir.memory import index_of, users_of_buffers
from dotload.passes.ir.motion import walk
from dotload.passes.ir.scratch import takes_scratch
from dotload.passes.ir.wgmma import shared_operands
from dotload.passes.operand_staging.facts import writes_free_buffer

TMA_COPIES = (AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp)
ASYNC_COPIES = (AsyncCopyGlobalToLocalOp, *TMA_COPIES)
TILE_WRITES = (*ASYNC_COPIES, LocalAllocOp, LocalStoreOp, LocalScatterOp)
"""Ops that write tiles of shared memory; a ttg.local_alloc without contents does not."""
LOWERED = ("llvm", "builtin")
"""Dialects of accesses whose barriers are placed by the pass that emitted them."""


def before_read(read: Operation, memory: SSAValue) -> None:
    """The whole tile must be there: a barrier, if there is none between the ops that write tiles and the read.

    An asynchronous copy writes later, and the kernel waits for it. After a ttng.wait_barrier, the tile of TMA is there
    for all warps, since each warp waits itself.

    If a read in Triton's ops needs a barrier above, it is placed there, and serves both.
    """
    arrives_by_tma, place, loads = _is_written_by_tma_only(memory), read, list[Operation]()
    for op in walk(read, backwards=True):
        if is_cta_barrier(op) or (arrives_by_tma and isinstance(op, WaitBarrierOp)):
            return
        if isinstance(op, LocalLoadOp):
            loads.append(op)
        if (_writes_tile(op) and not isinstance(op, ASYNC_COPIES)) or _is_control_flow(op):
            readers = set(users_of_buffers(op.result)) if isinstance(op, LocalAllocOp) else ()
            place = next((load for load in reversed(loads) if load in readers), read)
            break
    insert(place, read)


def after_read(read: Operation, memory: SSAValue) -> None:
    """All warps must have read before the memory is written again: a barrier before the first op that might.

    At the end of a loop's body this is an op of the next iteration, or one after the loop: what comes before it may
    start early, such as loads from global memory. If the read feeds wgmma, the barrier is the one after the wait for
    the dot, which `prune-wgmma-waits` relies on. Loads into free buffers need none.
    """
    writes = [
        op for op in users_of_buffers(memory) if isinstance(op, TILE_WRITES) and op.parent_op() is read.parent_op()
    ]
    if writes and all(map(writes_free_buffer, writes)):
        return
    _before_next_write(walk(read), read, is_reserved=_is_reserved(memory))


def _before_next_write(ops: Iterable[Operation], read: Operation, *, is_reserved: bool) -> None:
    waits = False
    for op in ops:
        if is_cta_barrier(op) or op is read:
            return
        loop, waits = op.parent_op(), waits or isinstance(op, WarpGroupDotWaitOp)
        if op.next_op is None and isinstance(loop, scf.ForOp) and not waits:
            _before_next_write(loop.body.block.ops, read, is_reserved=is_reserved)
            _before_next_write(walk(loop), read, is_reserved=is_reserved)
            return
        is_over = op.next_op is None or _is_control_flow(op)
        if is_over or _writes_tile(op) or not (is_reserved or leaves_tiles(op)):
            insert(op, read)
            return
        if isinstance(op, LocalDeallocOp):  # of the buffers that contain this one, or of others
            is_reserved = False


def before_store(store: Operation, memory: SSAValue) -> None:
    """All warps must be done with the memory's old contents: a barrier, if there is none after their last use.

    Memory that is not reserved may have held another tile, which other warps, or their dots, may still be reading.
    """
    readers = set(users_of_buffers(memory))
    for op in walk(store, backwards=True):
        if is_cta_barrier(op):
            return
        if op in readers or _is_control_flow(op) or not (_is_reserved(memory) or _keeps_tiles(op)):
            break
    insert(store, store)


def after_store(store: Operation, memory: SSAValue) -> None:
    """The whole tile must be there before a dot reads it: a barrier before the first op that does.

    An existing barrier suffices if it follows the fence that makes each thread's stores visible to wgmma. If copies
    come first, the barrier stands before them, and before a dot of another tile above: between a dot and its wait, it
    would hide from membar that the dot is still reading.
    """
    readers, is_fenced, first_dot = set(users_of_buffers(memory)), False, None
    for op in walk(store):
        is_fenced = is_fenced or isinstance(op, FenceAsyncSharedOp)
        if is_fenced and is_cta_barrier(op):
            return
        if op.next_op is None or _is_control_flow(op) or op in readers:
            insert(op, store)
            return
        if is_fenced and isinstance(op, ASYNC_COPIES):
            insert(first_dot or op, store)
            return
        if is_fenced and isinstance(op, WarpGroupDotOp):
            first_dot = first_dot or op


def fence_behind(wait: AsyncWaitOp) -> None:
    """Make the tiles of the wait visible to wgmma."""
    Emitter.after(wait).run(FenceAsyncSharedOp())


def next_cta_barrier(op: Operation) -> Operation | None:
    """The next CTA barrier of the block after `op`, if no shared memory is allocated or written in between."""
    for behind in walk(op):
        if is_cta_barrier(behind):
            return behind
        if isinstance(behind, LocalAllocOp) or not leaves_tiles(behind):
            return None
    return None


def insert(before: Operation, origin: Operation) -> None:
    """Insert a barrier with the source location of `origin`."""
    Emitter.before(before, origin).run(BarrierOp())


def leaves_tiles(op: Operation) -> bool:
    """Whether the op writes no shared memory that may be in use, not even scratch memory.

    Accesses in the LLVM dialect count as such: the pass that emitted them has placed their barriers.
    """
    if writes_free_buffer(op) or (op.has_trait(UsesScratch) and not takes_scratch(op)):
        return True
    return op.dialect_name() in LOWERED or not writes_shared(op)


def is_cta_barrier(op: Operation) -> bool:
    """Whether all warps synchronize at the op, and see each other's writes; membar places a barrier after a wait."""
    return isinstance(op, AsyncWaitOp) or (isinstance(op, BARRIERS) and op.is_for_all_warps)


def _keeps_tiles(op: Operation) -> bool:
    """Whether no memory may become free for another tile at the op: it neither reads any nor waits for dots."""
    if isinstance(op, WarpGroupDotOp):
        return all(index_of(memory) is not None for memory in shared_operands(op))
    if isinstance(op, LocalLoadOp):
        return index_of(op.src) is not None
    if isinstance(op, WarpGroupDotWaitOp):
        block = op.parent_block()
        return block is not None and all(_keeps_tiles(dot) for dot in block.ops if isinstance(dot, WarpGroupDotOp))
    return leaves_tiles(op) and (op.dialect_name() in LOWERED or not reads_shared(op))


def _is_reserved(memory: SSAValue) -> bool:
    """Whether the memory is reserved while the loop runs; Triton may reuse other memory between ops."""
    return isinstance(memory.owner, MemDescIndexOp)


def _is_written_by_tma_only(memory: SSAValue) -> bool:
    """Whether TMA, and nothing else, is known to write the memory or the buffers that it belongs to."""
    written = [op for op in users_of_buffers(memory) if isinstance(op, TILE_WRITES)]
    return (
        isinstance(memory.owner, MemDescIndexOp) and bool(written) and all(isinstance(op, TMA_COPIES) for op in written)
    )


def _writes_tile(op: Operation) -> bool:
    return isinstance(op, TILE_WRITES) and bool(op.operands) and not writes_free_buffer(op)


def _is_control_flow(op: Operation) -> bool:
    """Whether the op has regions, or branches to other blocks."""
    return op.dialect_name() in ("scf", "cf")
