"""What a loop makes of an accumulator, and whether the indices of its dims may be permuted throughout.

    %scale = tt.broadcast %correction : tensor<16x1xf32> -> tensor<16x128xf32>      the same in every column
    %old = arith.mulf %acc, %scale
    %new = tt.dot %p, %v, %old                                                      columns of %v permuted
    scf.yield %new

An elementwise op does not care how the columns of its operands are permuted, as long as all are permuted alike, or are
the same in every column. So the values that the accumulator flows into, and those that flow into it, are collected:
they form a region whose types stay as they are, and in which an index stands for another column. Where a value leaves
the outermost loop, its columns are permuted back. No op is known by name here: elementwise ops, loops and the dot
itself are followed, and anything else in a loop refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue, Use

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import BroadcastOp, SplatOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, is_splat
from dotload.layout.reject import Reject
from dotload.passes.ir.loops import ACCUMULATOR, FIRST_ITER_ARG, loop_around
from dotload.passes.operand_staging.reasons import StagingReason


@dataclass(frozen=True)
class AccumulatorFlow:
    """The boundary of a region of permuted values.

    `entering`: the outermost loops that take an initial value, and its place among those that they carry. `leaving`:
    results of outermost loops, all of whose uses want them permuted back.
    """

    entering: tuple[tuple[scf.ForOp, int], ...]
    leaving: tuple[OpResult, ...]


def find_flow(dots: Sequence[Operation], axes: Sequence[int]) -> AccumulatorFlow:
    """The region around accumulators of dots in a loop, where dims `axes` may be permuted; raises Reject if not."""
    region = _Region(dots, axes)
    for dot in dots:
        region.add(dot.results[0])
    for value in region.values:  # grows as it goes
        region.follow_source(value)
        for use in value.uses:
            region.follow_use(value, use)
    return AccumulatorFlow(tuple(region.entering), tuple(region.leaving))


@dataclass
class _Region:
    """The values found so far."""

    dots: Sequence[Operation]
    axes: Sequence[int]
    values: list[SSAValue] = field(default_factory=list[SSAValue])
    entering: list[tuple[scf.ForOp, int]] = field(default_factory=list[tuple[scf.ForOp, int]])
    leaving: list[OpResult] = field(default_factory=list[OpResult])

    def add(self, value: SSAValue) -> None:
        """A value whose indices are permuted; what leaves the outermost loop is permuted back instead."""
        if value in self.values or value in self.leaving:
            return
        if isinstance(value, OpResult) and loop_around(value.op) is None:
            if not isinstance(value.op, scf.ForOp):
                raise Reject(StagingReason.ACCUMULATOR_CARRIED)
            self.leaving.append(value)
        self.values.append(value)

    def follow_source(self, value: SSAValue) -> None:
        """Add what the value is computed from."""
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if not isinstance(loop, scf.ForOp):
                raise not_carried_by(loop)
            self.follow_carried(loop, value.index - 1)
        elif isinstance(value.owner, scf.ForOp):
            assert isinstance(value, OpResult)
            self.follow_carried(value.owner, value.index)
        elif value.owner in self.dots:
            assert isinstance(value.owner, Operation)
            self.follow_operand(value.owner.operands[ACCUMULATOR])
        elif isinstance(value.owner, Operation) and value.owner.operands and is_elementwise(value.owner):
            for operand in value.owner.operands:
                self.follow_operand(operand)
        else:
            raise Reject(StagingReason.ACCUMULATOR_USED)

    def follow_operand(self, value: SSAValue) -> None:
        """Add an operand unless it is the same at every index of the dims."""
        if not is_constant_along(value, self.axes):
            self.add(value)

    def follow_carried(self, loop: scf.ForOp, position: int) -> None:
        """Add all that a loop carries at this position."""
        last = loop.body.block.last_op
        assert last is not None
        for each in (loop.body.block.args[1 + position], last.operands[position], loop.results[position]):
            self.add(each)
        initial = loop.iter_args[position]
        if is_constant_along(initial, self.axes):
            return
        if loop_around(loop) is not None:
            self.add(initial)
            return
        if (loop, position) not in self.entering:
            self.entering.append((loop, position))

    def follow_use(self, value: SSAValue, use: Use) -> None:
        """Add what is computed from the value."""
        user = use.operation
        if value in self.leaving or (user in self.dots and use.index == ACCUMULATOR):
            return
        if isinstance(user, scf.ForOp):
            self.follow_carried(user, use.index - FIRST_ITER_ARG)
        elif isinstance(user, scf.YieldOp | scf.ConditionOp):
            loop = user.parent_op()
            if not isinstance(loop, scf.ForOp):
                raise not_carried_by(loop)
            self.follow_carried(loop, use.index)
        elif is_elementwise(user):
            for result in user.results:
                self.add(result)
        else:
            raise Reject(StagingReason.ACCUMULATOR_USED)


def not_carried_by(op: Operation | None) -> Reject:
    """Why a value in a block of this op is not followed: a while loop carries it, or the op does something else."""
    return Reject(StagingReason.WHILE_LOOP if isinstance(op, scf.WhileOp) else StagingReason.ACCUMULATOR_USED)


def is_constant_along(value: SSAValue, axes: Sequence[int]) -> bool:
    """Whether the value is the same at every index of these dims, as far as the ops that make it show."""
    tensor = as_tensor(value.type)
    if tensor is None or all(tensor.get_shape()[axis] == 1 for axis in axes):
        return True
    match value.owner:
        case arith.ConstantOp(value=constant):
            return is_splat(constant)
        case SplatOp():
            return True
        case BroadcastOp(src=source) | ConvertLayoutOp(src=source):
            return is_constant_along(source, axes)
        case Operation() as op if op.operands and is_elementwise(op):
            return all(is_constant_along(operand, axes) for operand in op.operands)
        case _:
            return False
