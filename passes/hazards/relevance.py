"""Relevant values: those that decide which memory an op accesses, or for which phase it waits."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import llvm
from xdsl.ir import Operation, OpResult, SSAValue

from dotload.dialect_ext.ttg import MemDescIndexOp
from dotload.dialect_ext.ttng import WaitBarrierOp, WarpGroupDotWaitOp
from dotload.passes.hazards.accesses import accesses_of
from dotload.passes.hazards.values import is_shared_pointer
from dotload.passes.ir.flow import reached, sources


def relevant_values(function: Operation) -> frozenset[SSAValue]:
    """The backward slices of these values, through loops and branches."""
    return frozenset(reached((value for op in function.walk() for value in roots(op)), computed_from))


def roots(op: Operation) -> Iterator[SSAValue]:
    """The values that decide what this op does."""
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


def computed_from(value: SSAValue) -> list[SSAValue]:
    """The values from which this one is computed."""
    match value.owner:
        case WarpGroupDotWaitOp() as wait if isinstance(value, OpResult):
            return [wait.inputs[value.index]]
        case Operation() as op if op.dialect_name() in ("arith", "ttg", "llvm", "builtin"):
            return [operand for operand in op.operands if not op.name.startswith(("ttg.local", "llvm.call"))]
        case _:
            return sources(value)
