"""Loops under a condition; versions of a loop, as in LLVM: a copy for the case that the condition does not hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from dotload.dialect_ext.arith import SelectOp
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.motion import copy_of


def run_under(
    condition: SSAValue, loop: scf.ForOp, otherwise: Sequence[Operation], instead: Sequence[SSAValue]
) -> scf.IfOp:
    """Let the loop run if the condition holds, and the ops `otherwise` if not, with `instead` as the loop's results.

    The branch returns only results that are used. Triton's pipeliner assumes that each result of a loop with a use must
    be right at the end, and selects it in every iteration. For tiles of pointers, these selects are a quarter of the
    loop's instructions.
    """
    used = [bool(result.uses) for result in loop.results]
    results = list(compress(loop.results, used))
    other = Block([*otherwise, scf.YieldOp(*compress(instead, used))])
    branch = scf.IfOp(condition, [each.type for each in results], Region(Block()), Region(other))
    Emitter.before(loop).run(branch)
    for result, replacement in zip(results, branch.results, strict=True):
        result.replace_all_uses_with(replacement)
    loop.detach()
    branch.true_region.block.add_ops([loop, scf.YieldOp(*results)])
    return branch


def keep_version(loop: scf.ForOp, condition: SSAValue) -> None:
    """Put the loop into a branch for the condition, and a copy of it into the other branch."""
    version = copy_of(loop, {})
    run_under(condition, loop, [version], version.results)


def run_before_copy(loop: scf.ForOp, condition: SSAValue) -> None:
    """Let all iterations of the loop run if the condition holds, and those of a copy behind it if not.

    Unlike in a branch, Triton gives both the same shared memory.
    """
    emitter, copy = Emitter.before(loop), copy_of(loop, {})
    middle = emitter.insert(SelectOp(condition, loop.ub, loop.lb))
    Emitter.after(loop).run(copy)
    for result, other in zip(loop.results, copy.results, strict=True):
        result.replace_all_uses_with(other)
    copy.operands = [middle, *copy.operands[1:3], *loop.results]
    loop.operands[1] = middle
