"""Data flow through loops and branches: carried, yielded and returned values."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, OpResult, SSAValue, Use

from dotload.dialect_ext.tt import FuncOp
from dotload.passes.ir.loops import FIRST_ITER_ARG, terminator


def reached(start: Iterable[SSAValue], following: Callable[[SSAValue], Iterable[SSAValue]]) -> list[SSAValue]:
    """The transitive closure of `following` from the start values, each value once."""
    found = list(dict.fromkeys(start))
    seen = set(found)
    for value in found:  # grows during the iteration
        new = [each for each in dict.fromkeys(following(value)) if each not in seen]
        found += new
        seen.update(new)
    return found


def is_argument(value: SSAValue) -> bool:
    """Whether the value is an argument of a function."""
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), FuncOp)


def sources(value: SSAValue) -> list[SSAValue]:
    """The values that a loop or a branch forwards to this one; none if an op computes it, or it is an argument."""
    if isinstance(value, BlockArgument):
        return _sources_of_argument(value)
    assert isinstance(value, OpResult)
    match value.op:
        case scf.ForOp() as loop:
            return [loop.iter_args[value.index], terminator(loop.body.block).operands[value.index]]
        case scf.WhileOp() as loop:
            return [terminator(loop.before_region.block).operands[value.index + 1]]
        case scf.IfOp() as branch:
            return [terminator(region.block).operands[value.index] for region in branch.regions if region.blocks]
        case _:
            return []


def _sources_of_argument(argument: BlockArgument) -> list[SSAValue]:
    at = argument.index
    match argument.block.parent_op():
        case scf.ForOp() as loop if at == 0:
            return [loop.lb, loop.step]
        case scf.ForOp() as loop:
            return [loop.iter_args[at - 1], terminator(loop.body.block).operands[at - 1]]
        case scf.WhileOp() as loop if argument.block is loop.before_region.block:
            return [loop.arguments[at], terminator(loop.after_region.block).operands[at]]
        case scf.WhileOp() as loop:
            return [terminator(loop.before_region.block).operands[at + 1]]
        case _:
            return []


def targets(use: Use) -> list[SSAValue]:
    """The values to which a loop or a branch forwards this use; none for other ops."""
    op, at = use.operation, use.index
    match op if isinstance(op, scf.ForOp | scf.WhileOp) else op.parent_op():
        case scf.ForOp() as loop if loop is op and at >= FIRST_ITER_ARG:
            return [loop.body.block.args[at - 2], loop.results[at - FIRST_ITER_ARG]]
        case scf.ForOp() as loop if isinstance(op, scf.YieldOp):
            return [loop.body.block.args[at + 1], loop.results[at]]
        case scf.WhileOp() as loop if loop is op or isinstance(op, scf.YieldOp):
            return [loop.before_region.block.args[at]]
        case scf.WhileOp() as loop if isinstance(op, scf.ConditionOp) and at > 0:
            return [loop.after_region.block.args[at - 1], loop.results[at - 1]]
        case scf.IfOp() as branch if isinstance(op, scf.YieldOp):
            return [branch.results[at]]
        case _:
            return []
