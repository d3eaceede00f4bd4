"""The values that decide which memory an op accesses, or which phase it waits for."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import llvm, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from dotload.dialect_ext.ttg import MemDescIndexOp
from dotload.dialect_ext.ttng import WaitBarrierOp, WarpGroupDotWaitOp
from dotload.passes.hazards.accesses import accesses_of
from dotload.passes.hazards.values import is_shared_pointer


def relevant_values(function: Operation) -> frozenset[SSAValue]:
    """What these values are computed by, through loops and branches."""
    found: set[SSAValue] = set()
    waiting = [value for op in function.walk() for value in roots(op)]
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting += behind(value)
    return frozenset(found)


def roots(op: Operation) -> Iterator[SSAValue]:
    """The values that matter for what this op does."""
    yield from (access.memory for access in accesses_of(op))
    match op:
        case MemDescIndexOp():
            yield from op.operands
        case WaitBarrierOp():
            yield op.alloc
            yield op.phase
        case llvm.GEPOp() if is_shared_pointer(op.result):
            yield from op.operands
        case _:
            return


def behind(value: SSAValue) -> list[SSAValue]:
    """The values that this one comes from."""
    if isinstance(value, BlockArgument):
        return handed_on_to(value)
    assert isinstance(value, OpResult)
    match op := value.op:
        case scf.ForOp():
            return [op.iter_args[value.index], last(op.body.block)[value.index]]
        case scf.IfOp():
            return [last(region.block)[value.index] for region in op.regions if region.blocks]
        case scf.WhileOp():
            return [last(op.before_region.block)[value.index + 1]]
        case WarpGroupDotWaitOp():
            return [op.inputs[value.index]]
        case _ if op.dialect_name() in ("arith", "ttg", "llvm", "builtin"):
            return [operand for operand in op.operands if not op.name.startswith(("ttg.local", "llvm.call"))]
        case _:
            return []


def handed_on_to(argument: BlockArgument) -> list[SSAValue]:
    """The values that a block's argument may be."""
    match parent := argument.block.parent_op():
        case scf.ForOp() if argument.index == 0:
            return [parent.lb, parent.step]
        case scf.ForOp():
            return [parent.iter_args[argument.index - 1], last(parent.body.block)[argument.index - 1]]
        case scf.WhileOp() if argument.block is parent.before_region.block:
            return [parent.arguments[argument.index], last(parent.after_region.block)[argument.index]]
        case scf.WhileOp():
            return [last(parent.before_region.block)[argument.index + 1]]
        case _:
            return []


def last(block: Block) -> list[SSAValue]:
    """The operands of a block's terminator."""
    assert block.last_op is not None
    return list(block.last_op.operands)
