"""Loop versioning, as in LLVM: a copy of a loop for the case that a condition does not hold."""

from __future__ import annotations

from itertools import compress

from xdsl.dialects import scf
from xdsl.ir import Block, Region, SSAValue

from dotload.dialect_ext.arith import SelectOp
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.motion import copy_of


def keep_version(loop: scf.ForOp, condition: SSAValue) -> None:
    """Put the loop into a branch for the condition, and a copy of it into the other branch."""
    version, emitter = copy_of(loop, {}), Emitter.before(loop)
    used = [bool(result.uses) for result in loop.results]
    results = list(compress(loop.results, used))
    branch = scf.IfOp(condition, [each.type for each in results], Region(Block()), Region(Block()))
    emitter.run(branch)
    for result, replacement in zip(results, branch.results, strict=True):
        result.replace_all_uses_with(replacement)
    loop.detach()
    branch.true_region.block.add_ops([loop, scf.YieldOp(*results)])
    branch.false_region.block.add_ops([version, scf.YieldOp(*compress(version.results, used))])


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
