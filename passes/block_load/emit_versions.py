"""Loop-versioning branches between block loads and gathers: conditions outside of loops, `scf.if` around the load."""

from __future__ import annotations

import functools

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1, i64
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from dotload.dialect_ext.arith import INTEGER_PREDICATE, CmpiOp
from dotload.dialect_ext.scf import IfOp
from dotload.dialect_ext.tt_compute import PtrToIntOp
from dotload.dialect_ext.typed import clone, integer_type
from dotload.dialect_ext.types import PointerType
from dotload.passes.block_load.questions import HINTS
from dotload.passes.block_load.versions import Condition, Multiple, Version, Within
from dotload.passes.ir.scalar_emitter import ScalarEmitter
from dotload.passes.llvm.types import integer

EQUAL, UNSIGNED_AT_MOST = "eq", "ule"


class Versions:
    """Puts loads into branches. Loads with the same conditions at the same place share a branch."""

    def __init__(self) -> None:
        self._known: dict[tuple[Operation, tuple[Condition, ...]], SSAValue] = {}

    def wrap(self, version: Version) -> None:
        """Put the load, a block load to be, under the conditions, and a copy of it, a gather, in the else branch."""
        load = version.candidate.load
        condition = self._condition(version)
        made, gather = YieldOp(), clone(load)
        for name in HINTS:  # the marks promise what does not hold here
            gather.attributes.pop(name, None)
        branch = IfOp(condition, [load.result.type], [made], [gather, YieldOp(gather.result)])
        result = ScalarEmitter(load).insert(branch, load.result.name_hint)
        load.result.replace_all_uses_with(result)
        load.detach()
        block = made.parent
        assert isinstance(block, Block)
        block.insert_op_before(load, made)
        made.operands = [load.result]

    def _condition(self, version: Version) -> SSAValue:
        """Whether all conditions hold, computed outside of all loops that do not change their values."""
        at = _outside(version.candidate.load, {each.value for each in version.conditions})
        key = (at, version.conditions)
        if key not in self._known:
            here = ScalarEmitter(version.candidate.load, InsertPoint.before(at))
            tests = [_test(here, each) for each in version.conditions]
            self._known[key] = functools.reduce(lambda one, other: here.make(arith.AndIOp, [one, other], i1), tests)
        return self._known[key]


def _outside(op: Operation, values: set[SSAValue]) -> Operation:
    """The outermost loop around an op that does not define any of these values; the op itself if there is none."""
    found, parent = op, op.parent_op()
    while parent is not None and not any(_is_inside(value, parent) for value in values):
        if isinstance(parent, ForOp):
            found = parent
        parent = parent.parent_op()
    return found


def _is_inside(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined in an op's regions."""
    block = value.block if isinstance(value, BlockArgument) else value.owner.parent
    return isinstance(block, Block) and any(region.is_ancestor(block) for region in op.regions)


def _test(here: ScalarEmitter, condition: Condition) -> SSAValue:
    value = condition.value
    if isinstance(value.type, PointerType):
        value = here.make(PtrToIntOp, [value], i64)
    type_ = integer_type(value)

    def constant(number: int) -> SSAValue:
        return here.make(arith.ConstantOp, (), type_, value=integer(number, type_))

    def compare(a: SSAValue, b: SSAValue, predicate: str) -> SSAValue:
        return here.make(CmpiOp, [a, b], i1, predicate=INTEGER_PREDICATE.attr(predicate))

    match condition:
        case Multiple(of=of):
            return compare(here.make(arith.AndIOp, [value, constant(of - 1)], type_), constant(0), EQUAL)
        case Within(least=least, most=most):
            above = here.make(arith.SubiOp, [value, constant(least)], type_)
            return compare(above, constant(most - least), UNSIGNED_AT_MOST)
