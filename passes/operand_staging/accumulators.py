"""The accumulator of a dot: its values, and whether their indices may be permuted."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue, Use

from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.tt_memory import DescriptorStoreOp, StoreOp
from dotload.layout.reject import Reject
from dotload.passes.ir.conversions import is_uniform
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.loops import ACCUMULATOR, carried_by_loop, loop_around
from dotload.passes.operand_staging.layout_propagation import is_partial
from dotload.passes.operand_staging.reasons import StagingReason


@dataclass(frozen=True)
class Accumulator:
    """An accumulator whose indices may be permuted, in all `values`: those of a loop, or the result of a dot alone.

    `entering`: uses of initial values, by loops or the dot, that must be permuted. `leaving`: results that are permuted
    back for all of their uses. `in_branches`: uses in the loop for which values are permuted back, too: a persistent
    kernel stores its sum in some iterations. `is_partial`: no loop carries it, though the dot is in one, which goes on
    with the result element by element. `is_combined`: the dot is in no loop, and its result is combined with other
    tensors, such as scales of rows.
    """

    values: tuple[SSAValue, ...]
    entering: tuple[Use, ...]
    leaving: tuple[SSAValue, ...]
    in_branches: tuple[Use, ...] = ()
    is_partial: bool = False
    is_combined: bool = False

    @staticmethod
    def of_dot(dot: Operation, *, is_partial: bool = False, is_combined: bool = False) -> Accumulator:
        """The accumulator of a dot that no loop carries."""
        result = dot.results[0]
        entering = (Use(dot, ACCUMULATOR),)
        return Accumulator((result,), entering, (result,), is_partial=is_partial, is_combined=is_combined)


def find_accumulator(dot: Operation, *later: Operation) -> Accumulator:
    """The accumulator of a dot, and of `later` dots that continue it, if nothing else uses it; else raises Reject.

    A result of mma.sync that an iteration stores is permuted back like one outside of loops.
    """
    if loop_around(dot) is None:
        return Accumulator.of_dot(dot, is_combined=is_combined(dot))
    if is_partial(dot):
        return Accumulator.of_dot(dot, is_partial=True)
    if not later and is_stored(dot):
        return Accumulator.of_dot(dot)
    start = dot.operands[ACCUMULATOR]
    if not isinstance(start, BlockArgument) or start.block is not dot.parent_block() or start.index == 0:
        raise Reject(StagingReason.ACCUMULATOR_CARRIED)
    if (carried := carried_by_loop(start)) is None:
        raise Reject(StagingReason.WHILE_LOOP)
    *passed_on, last = (start, *(each.results[0] for each in (dot, *later)))
    is_in_turn = all(value is each.operands[ACCUMULATOR] for value, each in zip(passed_on, (dot, *later), strict=True))
    is_only_use = all(value.has_one_use() for value in (*passed_on, last))
    if not is_in_turn or not is_only_use or not isinstance(only_user(last), scf.YieldOp):
        raise Reject(StagingReason.ACCUMULATOR_USED)
    if carried.back is not last:
        raise Reject(StagingReason.ACCUMULATOR_MOVES)
    return Accumulator((*passed_on, last, carried.result), (carried.entry,), (carried.result,))


def is_stored(dot: Operation) -> bool:
    """Whether each iteration of the loop around a dot of mma.sync starts from the same number, and stores the result.

    Not of wgmma: such an operand is copied K-major into two buffers instead, while the previous result is stored.
    """
    starts_anew = isinstance(dot, DotOp) and is_uniform(dot.operands[ACCUMULATOR])
    return starts_anew and isinstance(end_of(dot), StoreOp | DescriptorStoreOp)


def is_combined(dot: Operation) -> bool:
    """Whether the result of a dot is combined with tensors of more than one value before it is stored."""
    user = end_of(dot)
    return user is None or bool(user.results)


def end_of(dot: Operation) -> Operation | None:
    """The first op behind a dot that has no result, or that takes other tensors of more than one value; None if there
    is no single one."""
    value, user = dot.results[0], only_user(dot.results[0])
    while user is not None and user.results and all(is_uniform(each) for each in user.operands if each is not value):
        value = user.results[0]
        user = only_user(value)
    return user
