"""A condition around a loop that it runs at all, for ptxas's sake.

Without it, the path around the loop meets the loop's last wgmma, still in flight, in one block that has to move
accumulators, and ptxas serialises all wgmma of the loop. Behind the condition, Triton's wait comes before that block.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from dotload.dialect_ext.ttng import WarpGroupDotWaitOp
from dotload.layout.nvidia_targets import MAX_THREAD_REGISTERS
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import accumulator_registers, terminator_operands, wgmma_dots


def guard_loops(in_flight: Sequence[Operation]) -> None:
    """Guard the loops of these dots, which are in flight when their iterations end.

    To be called when all dots of the module are rewritten: a loop of two of them gets one guard. Loops whose
    accumulators do not fit into the registers side by side get none: serialised dots are what keeps them from spilling.
    """
    loops = dict.fromkeys(dot.parent_op() for dot in in_flight)
    for loop in [loop for loop in loops if isinstance(loop, scf.ForOp)]:
        if any(are_dots(loop)) and accumulator_registers(loop) <= MAX_THREAD_REGISTERS:
            guard_loop(loop)


def guard_loop(loop: scf.ForOp) -> None:
    """Put the loop under a condition that it runs at all.

    The guard returns what is used behind the loop and nothing else: Triton's pipeliner takes each result with a use for
    one that must be right at the end, and selects it in every iteration. For tiles of pointers that is a quarter of
    the loop's instructions.
    """
    emitter = Emitter.before(loop)
    runs = emitter.add(arith.CmpiOp(loop.lb, loop.ub, "slt"))
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
    """For each result of the loop whether a dot of wgmma has made it, which may be in flight where the loop ends."""
    dots = wgmma_dots(loop)
    return [value.owner in dots for value in terminator_operands(loop.body.block)]


def forward_through_wait(
    results: Sequence[SSAValue], accumulated: Sequence[bool], emitter: Emitter
) -> Sequence[SSAValue]:
    """The results of a guard, those that are `accumulated` through a wait that has nothing left to wait for.

    Otherwise what is computed of them is computed of phis of a whole tile. LLVM's SLP vectorizer makes that one vector,
    which the stores take apart again, and takes up to three times as long for it as all other LLVM passes.
    """
    accumulators = list(compress(results, accumulated))
    if not accumulators:
        return results
    wait = WarpGroupDotWaitOp(accumulators, 0)
    emitter.run(wait)
    waited = dict(zip(accumulators, wait.results, strict=True))
    return [waited.get(result, result) for result in results]
