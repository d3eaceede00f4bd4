"""What loops need whose dots are in flight when their iterations end.

For ptxas, a guard: a condition that the loop runs at all. Without it, the path around the loop and the loop's last
wgmma, still in flight, join in a block that has to move accumulators. ptxas then serialises all wgmma of the loop. With
the guard, Triton's wait comes before that block.

For Triton 3.6, waits for dots whose results only branches use. Its pipeliner leaves a dot in flight whose tiles have
several buffers, as staged ones have, if only branches and the loop's yield use the result. It then asks which value the
loop carries, and crashes if it carries none. With a wait behind the dot, the loop itself uses the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.layout.nvidia_targets import MAX_THREAD_REGISTERS
from dotload.passes.ir.def_use import replace_uses_except
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.flow import reached, targets
from dotload.passes.ir.loops import accumulator_registers, loops_of, terminator, wgmma_dots
from dotload.passes.ir.versions import run_under
from dotload.passes.ir.wgmma import wait_behind
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


def await_for_branches(staged: Sequence[Operation]) -> None:
    """Wait at once for each dot whose result only branches use, in the loops of these dots."""
    for dot in [dot for loop in loops_of(staged) for dot in wgmma_dots(loop)]:
        if is_left_to_branches(dot):
            wait_behind(dot, dot.d, dot)


def is_left_to_branches(dot: WarpGroupDotOp) -> bool:
    """Whether no op of the dot's block uses the result, nor what branches make of it by yielding it."""

    def yielded(value: SSAValue) -> list[SSAValue]:
        inner = [use for use in value.uses if use.operation.parent_op() is not dot.parent_op()]
        return [made for use in inner for made in targets(use)]

    uses = [use for value in reached([dot.d], yielded) for use in value.uses]
    return all(use.operation.parent_op() is not dot.parent_op() for use in uses)


def are_dots(loop: scf.ForOp) -> Sequence[bool]:
    """For each result of the loop, whether it comes from a wgmma dot that may be in flight when the loop ends."""
    dots = wgmma_dots(loop)
    return [value.owner in dots for value in terminator(loop.body.block).operands]
