"""`hoist-async-fences`: the fence for asynchronous copies stands behind the wait for them, above the reads.

Triton, from 3.7 on, places a `ttng.fence_async_shared` for what cp.async has brought right before the dot. A fence
waits for reads as well, so the dot would wait for the reads of the next fragments. Where a fence stands already, Triton
adds none. Loops that copy an operand K-major keep their fences where they are: further up, ptxas spilled registers in
attention.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import scf

from dotload.passes.operand_staging.facts import has_barriers
from dotload.passes.pipelined_loops.cta_barriers import fence_async_copies
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.rewriting import LoopPass


@dataclass(frozen=True)
class HoistAsyncFencesPass(LoopPass):
    """Fence what asynchronous copies bring behind the wait for it, in loops without K-major copies."""

    name: ClassVar[str] = "hoist-async-fences"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Fence behind the wait, but in loops that copy, or that have their order of ops already."""
        reads = staged_reads(list(loop.body.block.ops))
        keeps = any(has_barriers(read) for read in reads) or staged_reads(reads, "copy")
        return not keeps and fence_async_copies(loop)
