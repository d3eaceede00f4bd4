"""`await-overwritten-tiles`: wait for a dot before the loop loads the next tile into the buffer that the dot reads.

    %d = ttng.warp_group_dot %a, (%buffers[%i]), %acc
    %w = ttng.warp_group_dot_wait %d {pendings = 0}         this pass
    ttg.async_copy_global_to_local %p, (%buffers[%i])       tile i + 2, of two buffers

Triton's pipeliner gives a tile that dots read one buffer more than tiles are in flight, so that a dot may be in flight
while the next tile is loaded. A tile with another use, such as a product with scales, gets none. The pipeliner leaves
the dot in flight all the same, if its A is in registers or has several buffers: with staged operands more often than
in stock's loops. The pass follows the indices of buffers (`loop_buffers`), and acts where load and dot are known to
meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.ttg import AsyncCopyGlobalToLocalOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.ttng_tma import AsyncTMACopyGlobalToLocalOp
from dotload.passes.ir.memory import index_of
from dotload.passes.ir.wgmma import limit_in_flight, shared_operands, wait_behind, wait_between
from dotload.passes.operand_staging.facts import has_double_buffer
from dotload.passes.pipelined_loops.loop_buffers import Indices, in_flight
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.rewriting import LoopPass

Load = AsyncCopyGlobalToLocalOp | AsyncTMACopyGlobalToLocalOp

# Plan


def overwritten(loop: scf.ForOp) -> Iterator[tuple[WarpGroupDotOp, Load]]:
    """The dots in flight of which a load overwrites a tile, each with the load."""
    indices = Indices(loop)
    for load in loop.body.block.ops:
        if isinstance(load, Load):
            written = load.result if isinstance(load, AsyncCopyGlobalToLocalOp) else load.tile
            for dot, age in in_flight(load, loop):
                if any(meets(written, memory, age, indices) for memory in shared_operands(dot)):
                    yield dot, load


def meets(written: SSAValue, read: SSAValue, age: int, indices: Indices) -> bool:
    """Whether an iteration is known to write the buffer that the one `age` iterations before reads."""
    one, other = index_of(written), index_of(read)
    if one is None or other is None or one.src is not other.src:
        return False
    return any(first == second is not None for first, second in indices.pairs(one.index, other.index, age))


# Emit


def await_before(dot: WarpGroupDotOp, load: Load) -> None:
    """Finish the dot before the load: by the last wait in between, or by a new one behind the dot."""
    if (found := wait_between(dot, load)) is None:
        wait_behind(dot, dot.d, dot)
    else:
        limit_in_flight(*found)


@dataclass(frozen=True)
class AwaitOverwrittenTilesPass(LoopPass):
    """Wait for dots before their tiles are overwritten."""

    name = "await-overwritten-tiles"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        ops: list[Operation] = list(loop.body.block.ops)
        if not staged_reads(ops) and not has_double_buffer(ops):
            return False
        found = list(overwritten(loop))
        for dot, load in found:
            await_before(dot, load)
        return bool(found)
