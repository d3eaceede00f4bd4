"""`sink-wgmma-waits`: start the loads of next tiles while a dot runs, not after the wait for it.

    %d = ttng.warp_group_dot %a, %b, %zero
    %w = ttng.warp_group_dot_wait %d {pendings = 0}
    %sum = arith.addf %acc, (arith.mulf %w, %scale)
    ttg.async_copy_global_to_local %next, %buffer

A loop that goes on with the result of its dot waits for it in the same iteration, and Triton's pipeliner leaves the
loads of later tiles after that wait. This pass moves the wait, and everything computed from the result, to the end of
the iteration. Scales that threads exchange through shared memory are exchanged before the wait. With two stages, the
loads of scales come after those of the next tile.

The loops: those with staged operands, and those that scale the result of a dot of K-major bytes.

The loads may start early if they write other buffers than the dot reads: B needs one more buffer than tiles in flight.
Loads by TMA stay as they are, since they start at barriers that membar places.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects import scf
from xdsl.ir import Operation

from dotload.dialect_ext.traits import is_pure
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotWaitOp
from dotload.dialect_ext.typed import of_kind
from dotload.layout.reject import Reject
from dotload.passes.ir.loops import terminator
from dotload.passes.ir.motion import move, walk
from dotload.passes.ir.wgmma import shared_operands, waits_for_all
from dotload.passes.pipelined_loops.async_completion import check_overwrites, completion_of
from dotload.passes.pipelined_loops.cta_barriers import ASYNC_COPIES
from dotload.passes.pipelined_loops.loop_buffers import Indices, may_overwrite
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.pipelined_loops.scaled_results import awaited_dot
from dotload.passes.rewriting import LoopPass

Op = TypeVar("Op", bound=Operation)
STAYING = (AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp, LoadOp, scf.YieldOp)
"""Ops after the wait, besides pure ones, that may run while the dot does."""


@dataclass(frozen=True)
class AwaitedDot:
    """The wait for a loop's only dot, and the ops that compute from the result, in order.

    `exchanges`: what these take from other threads, such as scales that each thread has loaded one of. `late_loads`:
    what these or `exchanges` load, if it may come after the loads of next tiles.
    """

    wait: WarpGroupDotWaitOp
    consumers: tuple[Operation, ...]
    exchanges: tuple[ConvertLayoutOp, ...]
    late_loads: tuple[LoadOp, ...]


# Plan


def plan(loop: scf.ForOp) -> AwaitedDot | None:
    """What to move; None if no load follows a wait; raises Reject if it has to stay there."""
    if (found := awaited_dot(loop)) is None or not waits_for_all(found.wait):
        return None
    dot, wait = found.dot, found.wait
    loads = [op for op in walk(wait) if isinstance(op, ASYNC_COPIES)]
    if not loads or not computes_with(wait):
        return None
    copies = of_kind(loads, AsyncCopyGlobalToLocalOp)
    if len(copies) < len(loads):
        raise Reject(LoopReason.MBARRIERS)
    memories = shared_operands(dot)
    check_overwrites(loop, memories, copies)
    indices = Indices(loop)
    if any(may_overwrite(copy, memory, indices) for copy in copies for memory in memories):
        raise Reject(LoopReason.OVERWRITTEN)
    consumers = consumers_of(wait)
    exchanges = tuple(used_by(consumers, of_kind(walk(wait), ConvertLayoutOp)))
    for op in walk(wait):
        if op not in (*consumers, *exchanges) and not isinstance(op, STAYING) and not is_pure(op):
            raise Reject(LoopReason.EFFECTS, value=op.name)
    return AwaitedDot(wait, consumers, exchanges, late_loads(loop, wait, (*consumers, *exchanges)))


def computes_with(wait: WarpGroupDotWaitOp) -> bool:
    """Whether the loop does more with the result than carry it: int8 dots are awaited too, but only accumulate."""
    return any(not isinstance(use.operation, scf.YieldOp) for use in wait.outputs[0].uses)


def consumers_of(wait: WarpGroupDotWaitOp) -> tuple[Operation, ...]:
    """The ops after the wait that compute from the result, and ops that only these use, such as broadcasts of scales.

    Raises Reject if an op does more with the result than compute from it.
    """
    found, values = set[Operation](), list(wait.outputs[:1])
    for value in values:  # grows during the iteration
        for user in (use.operation for use in value.uses):
            if isinstance(user, scf.YieldOp):
                continue
            if user.parent_block() is not wait.parent_block() or user.regions or not is_pure(user):
                raise Reject(LoopReason.EFFECTS, value=moved_with(user, wait).name)
            if user not in found:
                found.add(user)
                values += user.results
    behind = list(walk(wait))
    for op in reversed(behind):
        users = {use.operation for result in op.results for use in result.uses}
        if is_pure(op) and users and users <= found:
            found.add(op)
    return tuple(op for op in behind if op in found)


def moved_with(user: Operation, wait: Operation) -> Operation:
    """The op of the wait's block, such as a branch, that would have to move for this user of the result."""
    block = wait.parent_block()
    return (block.find_ancestor_op_in_block(user) if block else None) or user


def used_by(users: Collection[Operation], ops: Iterable[Op]) -> Iterator[Op]:
    """The ops whose results have no other users."""
    return (op for op in ops if all(use.operation in users for result in op.results for use in result.uses))


def late_loads(loop: scf.ForOp, wait: WarpGroupDotWaitOp, users: Collection[Operation]) -> tuple[LoadOp, ...]:
    """The loads after the wait for the users alone, such as those of scales, if the next tile is more urgent.

    It is in a loop of two stages: the next iteration starts with a wait for it. In other loops, the scales are.
    """
    completion = completion_of(loop)
    is_urgent = completion is not None and completion.tiles_ahead == 1
    return tuple(used_by(users, of_kind(walk(wait), LoadOp))) if is_urgent else ()


# Emit


def emit(awaited: AwaitedDot, loop: scf.ForOp) -> None:
    """Move the wait and its consumers to the end of an iteration."""
    wait, last = awaited.wait, terminator(loop.body.block)
    for forwarded, memory in zip(wait.outputs[1:], wait.inputs[1:], strict=True):
        forwarded.replace_all_uses_with(memory)
    for op in (*awaited.late_loads, *awaited.exchanges, wait, *awaited.consumers):
        move(op, last)


@dataclass(frozen=True)
class SinkWgmmaWaitsPass(LoopPass):
    """Move waits for dots, and what is computed from their results, after the loads of next tiles."""

    name = "sink-wgmma-waits"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        if (awaited := plan(loop)) is None:
            return False
        self.passed(awaited.wait, "the next tiles are loaded while the dot runs")
        emit(awaited, loop)
        return True
