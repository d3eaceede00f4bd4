"""`interleave-dots-and-loads`: a loop of several dots loads the next tiles behind the first of them, not the last.

    read fragments of D1; D1 += dot                       read fragments of D1, of D2
    read fragments of D2; D2 += dot                       D1 += dot; wait for the dots of the iteration before
    load the next tiles                                   load the next tiles
                                                          D2 += dot

A warp issues loads and reads for longer than the parts that it leaves in flight keep tensor cores busy, where all of
them stand between the last dot of an iteration and the first of the next. This pass gives each dot a share of them. A
gated MLP is such a loop: silu(A B) * (A D).

The loads write other buffers than the dots of their iteration read, and behind the wait those of the iteration before
are done. Fragments are read before that, since tiles that are read into registers may have no buffer to spare. A loop
that waits for its first dot at once has nothing to gain.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import BlockArgument, Operation, SSAValue

from dotload.dialect_ext.traits import is_pure
from dotload.dialect_ext.ttg import AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, LocalLoadOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import of_kind
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout.nvidia_targets import MAX_THREAD_REGISTERS
from dotload.layout.reject import Reject
from dotload.passes import remarks
from dotload.passes.ir.loops import wgmma_dots
from dotload.passes.ir.memory import buffers_of
from dotload.passes.ir.motion import hoist_above, walk
from dotload.passes.ir.wgmma import waits_for_all
from dotload.passes.pipelined_loops.async_completion import check_overwrites
from dotload.passes.pipelined_loops.cta_barriers import ASYNC_COPIES
from dotload.passes.pipelined_loops.reads import only_user, staged_reads
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.pipelined_loops.splits import Part, registers_in_flight, splits_of, taker_of, wait_for
from dotload.passes.rewriting import LoopPass

STAYING = (WarpGroupDotWaitOp, AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp, scf.YieldOp)
"""Ops behind the first dot, besides dots and pure ones, above which reads and loads may move."""


@dataclass(frozen=True)
class Interleaving:
    """What moves: `reads` of fragments above `first`; `loads` behind `wait`, the last of the first dot, above `second`.

    `started`: how many parts of dots the iteration has started by then.
    """

    reads: tuple[LocalLoadOp, ...]
    first: Operation
    wait: WarpGroupDotWaitOp
    started: int
    loads: tuple[Operation, ...]
    second: Operation


# Plan


def plan(loop: scf.ForOp, *, operands_stay: bool) -> Interleaving | None:
    """What to move; None where loads do not follow several dots; raises Reject where they have to.

    `operands_stay`: loads of tiles that dots read in shared memory are not moved.
    """
    dots = wgmma_dots(loop)
    sums = sums_of(loop) if staged_reads(loop.body.block.ops) else []
    if len(sums) < 2 or waits_for_all(sums[0][-1].wait) or not all(map(is_of_bytes, dots)):
        return None
    if not (copies := [op for op in walk(dots[-1]) if isinstance(op, ASYNC_COPIES)]):
        return None
    writes = of_kind(copies, AsyncCopyGlobalToLocalOp)
    if len(writes) < len(copies):
        raise Reject(LoopReason.MBARRIERS)
    memories = [memory for dot in dots for memory in (dot.a, dot.b) if isinstance(memory.type, MemDescType)]
    check_overwrites(loop, memories, writes)
    if (taken := registers_in_flight(loop.body.block)) > MAX_THREAD_REGISTERS:
        raise Reject(LoopReason.FRAGMENTS, value=taken)
    read_by_dots = {buffers_of(memory) for memory in memories} if operands_stay else set[SSAValue]()
    loads = loads_behind(dots[-1], read_by_dots)
    first, second = taker_of(sums[0][0].dot), taker_of(sums[1][0].dot)
    wait, reads = sums[0][-1].wait, tuple(staged_reads(walk(first)))
    found = Interleaving(reads, first, wait, len(sums[0]), loads, second)
    check_ops(found, loop)
    return found if loads else None


def is_of_bytes(dot: WarpGroupDotOp) -> bool:
    """Whether A has elements of 8 bits; loops of others have not been measured."""
    return element_bits(dot.a.type) == 8


def loads_behind(dot: Operation, staying: Collection[SSAValue | None]) -> tuple[Operation, ...]:
    """The asynchronous copies behind a dot, but to these buffers, with the ops that commit them, in order."""
    found: list[Operation] = []
    for commit in of_kind(walk(dot), AsyncCommitGroupOp):
        owners = (token.owner for token in commit.inputTokens)
        copies = [owner for owner in owners if isinstance(owner, AsyncCopyGlobalToLocalOp)]
        if not copies or len(copies) < len(commit.inputTokens):
            raise Reject(LoopReason.COMPLETION)
        if not any(buffers_of(copy.result) in staying for copy in copies):
            found += [*copies, commit]
    return tuple(found)


def sums_of(loop: scf.ForOp) -> list[list[Part]]:
    """The parts of each accumulator's dot, in order, where a loop does no more with its dots than to add up; or [].

    Every part is waited for, though not to its end, and the parts of one dot stand together.
    """
    sums: list[list[Part]] = []
    for dot in wgmma_dots(loop):
        if (wait := wait_for(dot)) is None:
            return []
        if sums and dot.c is sums[-1][-1].wait.outputs[0]:
            sums[-1].append(Part(dot, wait))
        elif isinstance(dot.c, BlockArgument) and dot.c.block is loop.body.block:
            sums.append([Part(dot, wait)])
        else:
            return []
    ends = [only_user(parts[-1].wait.outputs[0]) for parts in sums]
    return sums if all(end is loop.body.block.last_op for end in ends) else []


def check_ops(found: Interleaving, loop: scf.ForOp) -> None:
    """What moves, moves above nothing that has other effects than dots and loads have."""
    dots = wgmma_dots(loop)
    known = {*dots, *found.reads, *(value.op for dot in dots for value in splits_of(dot))}
    for op in walk(found.first):
        if op not in known and not isinstance(op, STAYING) and not is_pure(op):
            raise Reject(LoopReason.EFFECTS, value=op.name)


# Emit


def emit(found: Interleaving, loop: scf.ForOp) -> None:
    """Move reads and loads, and wait for the dots of the iteration before."""
    hoist_above(found.first, found.reads, loop)
    found.wait.pendings = IntegerAttr(min(found.wait.pendings.value.data, found.started), i32)
    hoist_above(found.second, found.loads, loop)


# The pass


@dataclass(frozen=True)
class InterleaveDotsAndLoadsPass(LoopPass):
    """Load the next tiles behind the first of several dots.

    `operands_stay`: but not those that dots read in shared memory. From version 3.7 on, Triton would place a fence
    between these loads and the next dot, though that reads other buffers.
    """

    name: ClassVar[str] = "interleave-dots-and-loads"

    operands_stay: bool = False

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Rewrite a loop of several dots."""
        if (found := plan(loop, operands_stay=self.operands_stay)) is None:
            return False
        remarks.emit("passed", self.name, found.second, "the next tiles are loaded between the dots of the loop")
        emit(found, loop)
        return True
