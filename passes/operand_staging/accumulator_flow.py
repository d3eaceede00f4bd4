"""Data flow of an accumulator in a loop, and whether the indices of its dims may be permuted throughout.

    %scale = tt.broadcast %correction : tensor<16x1xf32> -> tensor<16x128xf32>      the same in every column
    %old = arith.mulf %acc, %scale
    %new = tt.dot %p, %v, %old                                                      columns of %v permuted
    scf.yield %new

An elementwise op is invariant under a permutation of columns, as long as all operands are permuted alike, or are the
same in every column. So the values that the accumulator flows into, and those that flow into it, are collected. They
form a region: the body of a loop. All types stay, but an index stands for another column. Values that enter the region
are permuted before the loop; values that leave it are permuted back after it. Among the loops around the dots, the
outermost one with an invariant body is taken, so that the permutations run least often. No op is known by name here:
elementwise ops, loops, branches and the dot itself are followed, and anything else refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, OpResult, SSAValue, Use

from dotload.dialect_ext.traits import is_elementwise
from dotload.layout.reject import Reject
from dotload.passes.analysis.constancy import is_constant_along
from dotload.passes.ir.flow import sources, targets
from dotload.passes.ir.loops import ACCUMULATOR, Carried, ancestors, carried_by_loop, loops_around
from dotload.passes.operand_staging.accumulators import Accumulator
from dotload.passes.operand_staging.reasons import StagingReason


def find_flow(dots: Sequence[Operation], axes: Sequence[int]) -> Accumulator:
    """The region around the accumulators of a loop's dots in which `axes` may be permuted; raises Reject for none."""
    loops = loops_around(dots[0])
    is_while = all(isinstance(loop, scf.WhileOp) for loop in loops)
    refusal = Reject(StagingReason.WHILE_LOOP if is_while else StagingReason.ACCUMULATOR_CARRIED)
    for loop in reversed(loops):
        if isinstance(loop, scf.ForOp) and all(map(loop.is_ancestor, dots)):
            try:
                return flow_within(loop, dots, axes)
            except Reject as reject:
                refusal = reject
    raise refusal


def flow_within(loop: scf.ForOp, dots: Sequence[Operation], axes: Sequence[int]) -> Accumulator:
    """The region that is the body of a loop; raises Reject if there is none."""
    region = _Region(loop, dots, axes)
    for dot in dots:
        region.add(dot.results[0])
    for value in region.values:  # grows during the iteration
        region.follow_source(value)
        for use in () if value in region.leaving else value.uses:
            region.follow_use(use)
    entering = tuple(carried.entry for carried in region.entering)
    return Accumulator(tuple(region.values), entering, tuple(region.leaving), tuple(region.back_in_branches()))


@dataclass
class _Region:
    """The values found so far."""

    loop: scf.ForOp
    dots: Sequence[Operation]
    axes: Sequence[int]
    values: list[SSAValue] = field(default_factory=list[SSAValue])
    entering: list[Carried] = field(default_factory=list[Carried])
    leaving: list[OpResult] = field(default_factory=list[OpResult])
    in_branches: list[Use] = field(default_factory=list[Use])

    def add(self, value: SSAValue, outside: StagingReason = StagingReason.ACCUMULATOR_USED) -> None:
        """Add a value whose indices are permuted; a value that leaves the loop is permuted back instead.

        `outside`: the reason to give if the value comes from before the loop.
        """
        if value in self.values:
            return
        if isinstance(value, OpResult) and value.op is self.loop:
            self.leaving.append(value)
        elif not self.loop.is_ancestor(value.owner):
            raise Reject(outside)
        self.values.append(value)

    def follow_source(self, value: SSAValue) -> None:
        """Add the values from which the value is computed."""
        carried = carried_by_loop(value)
        if carried is not None and carried.loop is self.loop:
            self.add(carried.back)
            if carried not in self.entering and not is_constant_along(carried.init, self.axes):
                self.entering.append(carried)
        elif made_of := sources(value):
            self.follow_operands(made_of)
        elif isinstance(value.owner, Block):
            raise Reject(StagingReason.ACCUMULATOR_USED)
        elif value.owner in self.dots:
            self.follow_operands([value.owner.operands[ACCUMULATOR]], StagingReason.ACCUMULATOR_CARRIED)
        elif value.owner.operands and is_elementwise(value.owner):
            self.follow_operands(value.owner.operands)
            for result in value.owner.results:
                self.add(result)
        else:
            raise Reject(StagingReason.ACCUMULATOR_USED)

    def follow_operands(
        self, values: Sequence[SSAValue], outside: StagingReason = StagingReason.ACCUMULATOR_USED
    ) -> None:
        """Add values unless they are constant along the dims."""
        for value in values:
            if not is_constant_along(value, self.axes):
                self.add(value, outside)

    def follow_use(self, use: Use) -> None:
        """Add the values computed by the use."""
        user = use.operation
        if user in self.dots and use.index == ACCUMULATOR:
            return
        if made := targets(use) or (user.results if is_elementwise(user) and not self.is_in_branch(user) else ()):
            for value in made:
                self.add(value)
        elif self.is_in_branch(user):
            self.in_branches.append(use)
        else:
            raise Reject(StagingReason.ACCUMULATOR_USED)

    def back_in_branches(self) -> list[Use]:
        """The uses in branches that need values permuted back, except ops whose result the branch yields."""
        return [use for use in self.in_branches if not any(each in self.values for each in use.operation.results)]

    def is_in_branch(self, op: Operation) -> bool:
        """Whether an op runs in some iterations of the loop only, and no dot beside it."""
        branches = [each for each in ancestors(op) if isinstance(each, scf.IfOp)]
        return any(not any(map(branch.is_ancestor, self.dots)) for branch in branches)
