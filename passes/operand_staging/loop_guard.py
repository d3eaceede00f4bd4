"""A guard around a loop, a condition that it runs at all, for the sake of ptxas.

Without the guard, the path around the loop and the loop's last wgmma, still in flight, join in a block that has to move
accumulators. ptxas then serialises all wgmma of the loop. With the guard, Triton's wait comes before that block.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from xdsl.dialects import arith, scf
from xdsl.ir import Operation

from dotload.dialect_ext.ttng import WarpGroupDotWaitOp
from dotload.layout.nvidia_targets import MAX_THREAD_REGISTERS
from dotload.passes.ir.def_use import replace_uses_except
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import accumulator_registers, loops_of, terminator, wgmma_dots
from dotload.passes.ir.versions import run_under
from dotload.passes.operand_staging.loop_loads import keep_outer_loop


def guard_loops(in_flight: Sequence[Operation]) -> None:
    """Guard the loops of these dots, which are in flight when their iterations end.

    To be called after all dots of the module are rewritten: a loop with two of them gets one guard. A loop whose
    accumulators do not fit into the registers together gets none, since serialised dots keep it from spilling.
    """
    for loop in loops_of(in_flight):
        if any(are_dots(loop)) and accumulator_registers(loop) <= MAX_THREAD_REGISTERS:
            guard_loop(loop)


def guard_loop(loop: scf.ForOp) -> None:
    """Put the loop under a condition that it runs at all.

    Accumulators pass through a wait behind the guard, which has nothing left to wait for. Without the wait, their users
    would use phis of a whole tile. LLVM's SLP vectorizer makes these one vector, which the stores take apart again, and
    spends up to three times as long on it as all other LLVM passes.
    """
    keep_outer_loop(loop)
    runs = Emitter.before(loop).insert(arith.CmpiOp(loop.lb, loop.ub, "slt"))
    sums = set(compress(loop.results, are_dots(loop)))
    guard = run_under(runs, loop, (), loop.iter_args)
    returned = zip(guard.results, terminator(guard.true_region.block).operands, strict=True)
    if accumulators := [result for result, value in returned if value in sums]:
        wait = WarpGroupDotWaitOp(accumulators, 0)
        Emitter.after(guard, loop).run(wait)
        for accumulator, waited in zip(accumulators, wait.results, strict=True):
            replace_uses_except(accumulator, waited, wait)


def are_dots(loop: scf.ForOp) -> Sequence[bool]:
    """For each result of the loop, whether it comes from a wgmma dot that may be in flight when the loop ends."""
    dots = wgmma_dots(loop)
    return [value.owner in dots for value in terminator(loop.body.block).operands]
