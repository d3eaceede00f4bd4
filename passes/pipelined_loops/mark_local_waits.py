"""`mark-local-waits`: wait for wgmma without a barrier of the whole block.

    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32, warpGroupLocal}

Triton 3.9 places a CTA barrier at a wait, unless the wait is marked as local to its warpgroup. The barrier is for later
writes to the tiles that the dot has read: other warpgroups may still be reading them. Triton's membar places a barrier
before such a write if there is none, or `add-wait-barriers` does. So do the passes that emit accesses in the LLVM
dialect, and earlier versions have no barrier at the wait. This pass marks the waits of loops with staged operands, of
those that convert or unpack operands in registers, and of those in which `sink-wgmma-waits` has moved the wait.

Waits between the parts of a converted operand stay: marking them gains nothing, and small tiles become slower. If the
loop also loads scales, they are marked, since no load moves above a barrier.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr

from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.ir.wgmma import waits_for_all
from dotload.passes.pipelined_loops.reads import converts_in_registers, staged_reads
from dotload.passes.pipelined_loops.scaled_results import scales_bytes_late
from dotload.passes.pipelined_loops.splits import taker_of
from dotload.passes.rewriting import LoopPass


def is_behind_converted_part(wait: WarpGroupDotWaitOp) -> bool:
    """Whether the wait follows a dot whose A is converted right before it, and leaves dots in flight."""
    dot = wait.inputs[0].owner
    return isinstance(dot, WarpGroupDotOp) and taker_of(dot) is not dot and not waits_for_all(wait)


@dataclass(frozen=True)
class MarkLocalWaitsPass(LoopPass):
    """Mark waits for wgmma as local to the warpgroup, so that they have no CTA barrier (Triton 3.9)."""

    name = "mark-local-waits"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        ops = list(loop.body.block.ops)
        if not staged_reads(ops) and not converts_in_registers(loop) and not scales_bytes_late(loop):
            return False
        waits = [wait for wait in of_kind(ops, WarpGroupDotWaitOp) if wait.warpGroupLocal is None]
        if not of_kind(ops, LoadOp):
            waits = [wait for wait in waits if not is_behind_converted_part(wait)]
        for wait in waits:
            wait.warpGroupLocal = UnitAttr()
        return bool(waits)
