"""`hoist-async-copies`: load a loop's next tiles as soon as their memory is free, not at the end of an iteration.

    wait for tiles i, CTA barrier                 wait for tiles i, CTA barrier
    convert K to a tile of bf16                   convert K to a tile of bf16
                                                  load K of tile i + 1
    scores = dot                                  scores = dot
    copy V K-major                                copy V K-major
                                                  load V of tile i + 1
    acc += dot                                    acc += dot
    load K and V of tile i + 1

Triton's pipeliner loads the next tiles after the dots, since they may take the memory of this iteration's. If no later
tiles are in flight, the next iteration starts by waiting for them, and nothing runs meanwhile. Latent attention with 64
heads is such a loop: its tiles leave shared memory for one of each.

A load moves above the first dot after the last read of the memory that it writes. A tile that is staged or converted is
stored again before a dot reads it, and membar places a CTA barrier there, which the load can use. The load does not
move after the start of a dot, where accumulator and result already take the registers of its addresses, unless a fence
would wait for it (`operands_behind`). Loads keep their order, so that waits count the same groups. Global memory is not
written where they move. CTA barriers do not hold them: Triton pipelines no loop with a user's barrier, and dotload's
are for shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import is_pure, writes_global
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import (
    AsyncCommitGroupOp,
    AsyncCopyGlobalToLocalOp,
    AsyncWaitOp,
    LocalDeallocOp,
    LocalLoadOp,
    LocalStoreOp,
)
from dotload.dialect_ext.ttng import FenceAsyncSharedOp, WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import of_kind
from dotload.layout.reject import Reject
from dotload.passes.ir.loops import BARRIERS, wgmma_dots
from dotload.passes.ir.memory import buffer_count, users_of_buffers
from dotload.passes.ir.motion import backward_slice, hoist_above, walk
from dotload.passes.ir.wgmma import waits_for_all
from dotload.passes.pipelined_loops.async_completion import CommitGroups, completion_of, copies_of
from dotload.passes.pipelined_loops.cta_barriers import fence_behind
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.rewriting import LoopPass

ACCESSES = (LocalLoadOp, LocalStoreOp, AsyncCopyGlobalToLocalOp, WarpGroupDotOp, LocalDeallocOp)
"""Ops that may access a loaded tile; another op may make a view, by which others access it."""


@dataclass(frozen=True)
class Hoisted:
    """Asynchronous copies, with the op that commits them, that move above `dot`, or `behind` its start."""

    group: tuple[Operation, ...]
    dot: WarpGroupDotOp
    behind: bool

    @property
    def place(self) -> Operation:
        """The op above which they move."""
        return next(op for op in walk(self.dot) if isinstance(op, WarpGroupDotWaitOp)) if self.behind else self.dot


# Plan


def plan(loop: scf.ForOp, *, operands_behind: bool) -> list[Hoisted]:
    """The copies that move; none in a loop with later tiles in flight, or a dot in flight when an iteration ends."""
    completion = completion_of(loop)
    if not isinstance(completion, CommitGroups) or completion.tiles_ahead != 1 or has_dot_in_flight(loop):
        return []
    places = {op: place for place, op in enumerate(loop.body.block.ops)}
    dots = [dot for dot in wgmma_dots(loop) if places[dot] > places[completion.wait]]
    found, landed = list[Hoisted](), 0
    for group in groups_of(loop):
        copies = of_kind(group, AsyncCopyGlobalToLocalOp)
        free = max((places[op] for copy in copies for op in last_reads(copy, loop)), default=0)
        dots = [dot for dot in dots if free <= places[dot] < places[group[-1]]]
        if not dots:  # nor do later groups move, or the order would change
            break
        follows = places[dots[0]] < landed
        behind = follows or (operands_behind and any(is_operand(copy, loop) for copy in copies))
        found.append(Hoisted(group, dots[0], behind))
        landed = places[found[-1].place]
        places.update(dict.fromkeys(moved_by(found[-1], loop), landed))
    return found


def has_dot_in_flight(loop: scf.ForOp) -> bool:
    """Whether the loop leaves a dot in flight, or has none."""
    dots = of_kind(loop.walk(), WarpGroupDotOp)
    return not dots or not all(any(map(waits_for_all, walk(dot))) for dot in dots)


def groups_of(loop: scf.ForOp) -> list[tuple[Operation, ...]]:
    """The copies of each group, with the op that commits them; together all copies of the loop."""
    groups: list[tuple[Operation, ...]] = [
        (*copies_of(commit), commit) for commit in of_kind(loop.body.block.ops, AsyncCommitGroupOp)
    ]
    if sum(map(len, groups)) - len(groups) < len(of_kind(loop.walk(), AsyncCopyGlobalToLocalOp)):
        raise Reject(LoopReason.COMPLETION)
    return groups


def last_reads(copy: AsyncCopyGlobalToLocalOp, loop: scf.ForOp) -> Iterator[Operation]:
    """Ops of the iteration after which the memory that the copy writes is free: reads, and waits for dots.

    With more than one buffer, the next tile's buffer is free when the iteration starts.
    """
    if not (buffers := buffer_count(copy.result)):
        raise Reject(LoopReason.ADDRESS)
    for user, op in accesses(copy.result, loop):
        if buffers == 1 and user is not copy:
            yield next(filter(waits_for_all, walk(op)), op) if isinstance(user, WarpGroupDotOp) else op


def is_operand(copy: AsyncCopyGlobalToLocalOp, loop: scf.ForOp) -> bool:
    """Whether a dot reads the tile itself."""
    return any(isinstance(user, WarpGroupDotOp) for user, _ in accesses(copy.result, loop))


def accesses(memory: SSAValue, loop: scf.ForOp) -> list[tuple[Operation, Operation]]:
    """The loop's accesses to the memory or to its other buffers, each with its ancestor in the loop's body."""
    users = list(users_of_buffers(memory))
    if not all(isinstance(user, ACCESSES) for user in users):
        raise Reject(LoopReason.ADDRESS)
    ops = map(loop.body.block.find_ancestor_op_in_block, users)
    return [(user, op) for user, op in zip(users, ops, strict=True) if op is not None]


def moved_by(hoisted: Hoisted, loop: scf.ForOp) -> set[Operation]:
    """The ops that move: they compute or read, and do not move above a write of what they read."""
    crossed = list(walk(hoisted.dot))
    crossed = crossed[: crossed.index(hoisted.group[-1]) + 1]
    moved = set(backward_slice(hoisted.group, loop)).intersection(crossed)
    read = [each for op in of_kind(moved, LocalLoadOp) for each in accesses(op.src, loop)]
    staying = {op for user, op in read if not isinstance(user, LocalLoadOp)}
    for op in crossed:
        if op in moved:
            is_fine = op in hoisted.group or isinstance(op, LoadOp | LocalLoadOp) or is_pure(op)
        else:
            is_fine = op not in staying
        if not is_fine or (writes_global(op) and not isinstance(op, BARRIERS)):
            raise Reject(LoopReason.EFFECTS, value=op.name)
    return moved


# Emit


def fence_what_arrives(loop: scf.ForOp) -> None:
    """Ensure a fence between the wait for the tiles and the first dot."""
    (wait,) = of_kind(loop.body.block.ops, AsyncWaitOp)
    ops = takewhile(lambda op: not isinstance(op, WarpGroupDotOp), walk(wait))
    if not of_kind(ops, FenceAsyncSharedOp):
        fence_behind(wait)


@dataclass(frozen=True)
class HoistAsyncCopiesPass(LoopPass):
    """Load the next tiles as soon as their buffers are free.

    `operands_behind`: move loads of tiles that a dot reads directly to after its start. From version 3.7 on, Triton
    would place a fence between the load and the dot, and the fence waits for the load. The next fence then comes before
    the load is complete, which Triton does not see, so this pass places one after the wait for the tiles.
    """

    name = "hoist-async-copies"

    operands_behind: bool = False

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Move the loads of a loop that waits for them right after issuing them."""
        found = plan(loop, operands_behind=self.operands_behind)
        for hoisted in found:
            hoist_above(hoisted.place, hoisted.group, loop)
        if any(hoisted.behind for hoisted in found):
            fence_what_arrives(loop)
        if found:
            self.passed(found[0].dot, "the next tiles are loaded as soon as their buffers are free")
        return bool(found)
