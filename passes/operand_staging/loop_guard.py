"""A guard around a loop, a condition that it runs at all, for the sake of ptxas.

Without the guard, the path around the loop and the loop's last wgmma, still in flight, join in a block that has to move
accumulators. ptxas then serialises all wgmma of the loop. With the guard, Triton's wait comes before that block.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from dotload.dialect_ext.ttng import WarpGroupDotWaitOp
from dotload.layout.nvidia_targets import MAX_THREAD_REGISTERS
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import accumulator_registers, terminator, wgmma_dots
from dotload.passes.operand_staging.loop_loads import keep_outer_loop


def guard_loops(in_flight: Sequence[Operation]) -> None:
    """Guard the loops of these dots, which are in flight when their iterations end.

    To be called after all dots of the module are rewritten: a loop with two of them gets one guard. A loop whose
    accumulators do not fit into the registers together gets none, since serialised dots keep it from spilling.
    """
    loops = dict.fromkeys(dot.parent_op() for dot in in_flight)
    for loop in [loop for loop in loops if isinstance(loop, scf.ForOp)]:
        if any(are_dots(loop)) and accumulator_registers(loop) <= MAX_THREAD_REGISTERS:
            guard_loop(loop)


def guard_loop(loop: scf.ForOp) -> None:
    """Put the loop under a condition that it runs at all.

    The guard returns only values used after the loop. Triton's pipeliner assumes that each result with a use must be
    right at the end, and selects it in every iteration. For tiles of pointers, these selects are a quarter of the
    loop's instructions.
    """
    keep_outer_loop(loop)
    emitter = Emitter.before(loop)
    runs = emitter.insert(arith.CmpiOp(loop.lb, loop.ub, "slt"))
    used = [bool(result.uses) for result in loop.results]
    results = list(compress(loop.results, used))
    skipped = Block([scf.YieldOp(*compress(loop.iter_args, used))])
    guard = scf.IfOp(runs, [result.type for result in results], Region(Block()), Region(skipped))
    emitter.run(guard)
    guarded = forward_through_wait(guard.results, list(compress(are_dots(loop), used)), emitter)
    loop.detach()
    for result, replacement in zip(results, guarded, strict=True):
        result.replace_all_uses_with(replacement)
    guard.true_region.block.add_ops([loop, scf.YieldOp(*results)])


def are_dots(loop: scf.ForOp) -> Sequence[bool]:
    """For each result of the loop, whether it comes from a wgmma dot that may be in flight when the loop ends."""
    dots = wgmma_dots(loop)
    return [value.owner in dots for value in terminator(loop.body.block).operands]


def forward_through_wait(
    results: Sequence[SSAValue], accumulated: Sequence[bool], emitter: Emitter
) -> Sequence[SSAValue]:
    """The results of a guard; `accumulated` ones pass through a wait that has nothing left to wait for.

    Without the wait, their users would use phis of a whole tile. LLVM's SLP vectorizer makes these one vector, which
    the stores take apart again, and spends up to three times as long on it as all other LLVM passes.
    """
    accumulators = list(compress(results, accumulated))
    if not accumulators:
        return results
    wait = WarpGroupDotWaitOp(accumulators, 0)
    emitter.run(wait)
    waited = dict(zip(accumulators, wait.results, strict=True))
    return [waited.get(result, result) for result in results]
