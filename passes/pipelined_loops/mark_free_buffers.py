"""`mark-free-buffers`: mark loads of next tiles that need no CTA barrier, since no warp reads their buffers any more.

    ttg.async_wait                                          membar: a CTA barrier behind it
    %d = ttng.warp_group_dot %a, (%buffers[%i]), %acc
    ttg.async_copy_global_to_local %p, (%buffers[%j])       membar: another one before it

membar knows only that both ops access one allocation. The pass compares their buffers, iteration by iteration
(`loop_buffers`), and marks loads `dotload.free_buffer`. `convert-async-copies-to-llvm` lowers these to cp.async, where
membar sees no access. A barrier behind the start of a dot costs time: the warpgroup that comes first waits for the
other, and its tensor cores run dry. Masked loads are marked also where there is no such barrier: that pass's code for
masks is shorter than Triton's.

From version 3.7 on, Triton fences tiles of cp.async that a dot reads, and it no longer sees these. So a fence must
stand before the loop's first dot.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.ttg import (
    AsyncCopyGlobalToLocalOp,
    AsyncWaitOp,
    LocalAllocOp,
    LocalLoadOp,
    LocalStoreOp,
)
from dotload.dialect_ext.ttng import FenceAsyncSharedOp, WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.ir.loops import wgmma_dots
from dotload.passes.ir.memory import buffers_of, users_of_buffers
from dotload.passes.ir.motion import walk
from dotload.passes.ir.wgmma import shared_operands
from dotload.passes.operand_staging.facts import has_barriers, mark_free_buffer
from dotload.passes.pipelined_loops.async_vectors import vectors_of
from dotload.passes.pipelined_loops.cta_barriers import is_cta_barrier
from dotload.passes.pipelined_loops.loop_buffers import (
    Indices,
    is_free,
    open_reads,
    wait_with_barrier,
)
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.rewriting import LoopPass


def plan(loop: scf.ForOp, *, fenced: bool) -> list[AsyncCopyGlobalToLocalOp]:
    """The loads of a loop that write free buffers, if their code gains by being marked."""
    if (wait := wait_with_barrier(loop)) is None:
        return []
    indices = Indices(loop)
    unfenced = read_by_dots(loop) if fenced and not has_fence(loop, wait) else set[SSAValue | None]()
    copies = [copy for copy in of_kind(walk(wait), AsyncCopyGlobalToLocalOp) if vectors_of(copy) is not None]
    useful = [copy for copy in copies if copy.mask is not None or waits_for_reads(copy, wait, loop)]
    return [copy for copy in useful if buffers_of(copy.result) not in unfenced and is_free(copy, wait, indices)]


def waits_for_reads(copy: AsyncCopyGlobalToLocalOp, wait: AsyncWaitOp, loop: scf.ForOp) -> bool:
    """Whether a barrier would be placed between reads of the load's buffers and the load, on their account alone."""
    for read, age in open_reads(copy, wait, loop) or []:
        if isinstance(read.op, LocalLoadOp) and has_barriers(read.op):
            continue
        start = wait if age else read.op
        first, last = (start, copy) if copy in walk(start) else (copy, read.op)
        if not any(map(has_barrier_before, takewhile(lambda op, last=last: op is not last, walk(first)))):
            return True
    return False


def has_barrier_before(op: Operation) -> bool:
    """Whether a barrier stands, or will be placed, at the op or above it: stored tiles have one before a dot's read."""
    if isinstance(op, WarpGroupDotOp):
        return any(is_store(user) for memory in shared_operands(op) for user in users_of_buffers(memory))
    return is_cta_barrier(op) or is_store(op)


def is_store(op: Operation) -> bool:
    """Whether the op stores a tile from registers."""
    return isinstance(op, LocalStoreOp) or (isinstance(op, LocalAllocOp) and op.src is not None)


def read_by_dots(loop: scf.ForOp) -> set[SSAValue | None]:
    """The buffers from which the loop's dots read."""
    return {buffers_of(memory) for dot in wgmma_dots(loop) for memory in shared_operands(dot)}


def has_fence(loop: scf.ForOp, wait: AsyncWaitOp) -> bool:
    """Whether tiles that have arrived are fenced before the iteration's first dot.

    In a loop that `pipeline-operand-copies` has skewed, the tile arrives an iteration earlier.
    """
    ops = list(loop.body.block.ops)
    is_skewed = any(map(has_barriers, staged_reads(ops)))
    before = takewhile(lambda op: not isinstance(op, WarpGroupDotOp), ops if is_skewed else walk(wait))
    return bool(of_kind(before, FenceAsyncSharedOp))


@dataclass(frozen=True)
class MarkFreeBuffersPass(LoopPass):
    """Mark loads that write buffers which no warp reads any more.

    `fenced`: the tiles of cp.async need a fence before a dot reads them. Triton 3.6 places none.
    """

    name = "mark-free-buffers"

    fenced: bool = True

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        found = plan(loop, fenced=self.fenced)
        for copy in found:
            mark_free_buffer(copy)
        if found:
            self.passed(found[0], "the next tiles are loaded without a CTA barrier before them")
        return bool(found)
