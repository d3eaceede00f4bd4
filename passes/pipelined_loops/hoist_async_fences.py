"""`hoist-async-fences`: place the fence for asynchronous copies after the wait for them, above the reads.

From 3.7 on, Triton places a `ttng.fence_async_shared` for cp.async data right before the dot. A fence waits for reads
as well, so the dot would wait for the reads of the next fragments. If there is a fence already, Triton adds none. Loops
that copy an operand K-major keep their fences: these may be for the copies' stores, and further up, ptxas spilled
registers in attention.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from xdsl.dialects import scf
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.ttg import AsyncCopyGlobalToLocalOp, AsyncWaitOp
from dotload.dialect_ext.ttng import FenceAsyncSharedOp, WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.ir.memory import index_of, users_of_buffers
from dotload.passes.ir.motion import walk
from dotload.passes.operand_staging.facts import has_barriers
from dotload.passes.pipelined_loops.cta_barriers import fence_behind, leaves_tiles
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.rewriting import LoopPass


def hoist_fences(wait: AsyncWaitOp) -> bool:
    """Move the fences for the wait's data up to the wait; returns whether there were any, or one was missing.

    If one has to stay, none is added.
    """
    behind = list(takewhile(lambda op: not isinstance(op, AsyncWaitOp), walk(wait)))
    dots = [place for place, op in enumerate(behind) if isinstance(op, WarpGroupDotOp)]
    fed = [place for place in dots if is_copied_by_threads(behind[place])]
    if not fed:
        return False
    spare = [op for op in takewhile(leaves_tiles, behind[: max(dots)]) if is_fence(op)]
    if not spare and any(is_fence(op) for op in behind[: fed[0]]):
        return False
    fence_behind(wait)
    for op in spare:
        Rewriter.erase_op(op)
    return True


def is_fence(op: Operation) -> bool:
    """Whether the op is a fence for the tiles of this CTA, not of a cluster."""
    return isinstance(op, FenceAsyncSharedOp) and not op.bCluster.value.data


def is_copied_by_threads(dot: Operation) -> bool:
    """Whether cp.async writes the dot's B, or another buffer of the same allocation."""
    index = index_of(dot.b) if isinstance(dot, WarpGroupDotOp) else None
    return index is not None and any(isinstance(op, AsyncCopyGlobalToLocalOp) for op in users_of_buffers(index.result))


@dataclass(frozen=True)
class HoistAsyncFencesPass(LoopPass):
    """Fence asynchronous copies right after the wait for them, in loops without K-major copies."""

    name = "hoist-async-fences"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Fence after the wait, except in loops that copy K-major, or whose order of ops is already fixed."""
        reads = staged_reads(loop.body.block.ops)
        if any(map(has_barriers, reads)) or staged_reads(reads, "copy"):
            return False
        changes = [hoist_fences(wait) for wait in of_kind(loop.body.block.ops, AsyncWaitOp)]
        return any(changes)
