"""`hoist-scale-loads`: start an iteration with the loads of the scales of its dot's result.

    wait for tiles, CTA barrier                   load scales
    read fragments of A; read B                   wait for tiles, CTA barrier
    dot                                           read fragments of A; read B
    store B K-major                               dot
    load scales                                   store B K-major
    load the next tiles                           load the next tiles
    wait for the dot; multiply                    wait for the dot; multiply

A kernel loads its scales where it multiplies by them. ptxas moves these loads after those of the next tiles, so that
the dot's result waits for them. It moves no load across a CTA barrier. Loops that read fragments of A and no other
staged tile gain nothing, and stay.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Operation

from dotload.dialect_ext.traits import is_pure
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.analysis.constancy import loads_one_number
from dotload.passes.ir.def_use import uses_behind
from dotload.passes.ir.layouts import registers_of_thread
from dotload.passes.ir.motion import hoist_above, may_move_above, walk
from dotload.passes.pipelined_loops.loop_dots import only_wgmma
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.pipelined_loops.scaled_results import computing_with, scales_bytes_late
from dotload.passes.rewriting import LoopPass

MAX_REGISTERS = 8
"""Registers per thread for the scales of one load, held while the dot runs. ptxas loads equal numbers once."""


def find_loads(dot: WarpGroupDotOp, start: Operation, loop: scf.ForOp) -> list[LoadOp]:
    """The loads of scales after `start` that may move there."""
    computing = computing_with(dot)
    scales = [load for load in of_kind(walk(start), LoadOp) if is_scale(load, computing)]
    few = [load for load in scales if loads_one_number(load) or registers_of_thread(load.result) <= MAX_REGISTERS]
    return [load for load in few if not load.is_volatile and may_move_above(load, start, loop)]


def is_scale(load: LoadOp, computing: set[Operation]) -> bool:
    """Whether the load multiplies a dot's result, or a value computed from it."""

    def follows(user: Operation) -> bool:
        return user not in computing and (is_pure(user) or isinstance(user, ConvertLayoutOp))

    users = (use.operation for use in uses_behind(load, follows))
    return any(isinstance(user, arith.MulfOp) and user in computing for user in users)


@dataclass(frozen=True)
class HoistScaleLoadsPass(LoopPass):
    """Move the loads of scales to the start of the iteration."""

    name = "hoist-scale-loads"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Look at a loop that copies an operand of its only dot K-major, or has K-major operands."""
        ops = list(loop.body.block.ops)
        gains = bool(staged_reads(ops, "copy")) if staged_reads(ops) else scales_bytes_late(loop)
        if not gains or (dot := only_wgmma(loop)) is None:
            return False
        start = next(op for op in ops if not is_pure(op))
        found = find_loads(dot, start, loop)
        hoist_above(start, found, loop)
        if found:
            self.passed(dot, "the loads of the scales are moved to the start of the iteration")
        return bool(found)
