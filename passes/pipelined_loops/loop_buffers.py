"""The buffer that each access of a pipelined loop takes, iteration by iteration, and which buffers are free.

Triton's pipeliner counts buffers from constants, so the index of each access is known in each iteration:

    %i = arith.select (%count + 1 >= 4), 0, (%count + 1)     carried from iteration to iteration
    %tile = ttg.memdesc_index %buffers[%i]

An iteration waits for its tile at a `ttg.async_wait`, where membar places a CTA barrier. A load behind it writes a free
buffer if no warp can be reading it any more: reads of earlier iterations are over then, and so are wgmmas for which
the warps have waited. With as many buffers as tiles in flight, a load writes the buffer of this iteration's tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from dotload.dialect_ext.arith import SelectOp
from dotload.dialect_ext.ttg import (
    AsyncCopyGlobalToLocalOp,
    AsyncWaitOp,
    LocalDeallocOp,
    LocalLoadOp,
    MemDescIndexOp,
)
from dotload.dialect_ext.ttg_warp_specialize import WarpSpecializeOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.passes.ir.constants import constant_of
from dotload.passes.ir.flow import reached
from dotload.passes.ir.integers import FUNCTIONS, result_of
from dotload.passes.ir.loops import ancestors, terminator, wgmma_dots
from dotload.passes.ir.memory import alloc_of, buffers_of, index_of, memory_users
from dotload.passes.ir.motion import walk
from dotload.passes.pipelined_loops.async_completion import CommitGroups, completion_of
from dotload.passes.pipelined_loops.cta_barriers import leaves_tiles
from dotload.passes.pipelined_loops.reads import converts_fragments, staged_reads
from dotload.passes.pipelined_loops.scaled_results import scales_bytes_late

READS = (LocalLoadOp, WarpGroupDotOp)
MAX_PERIOD = 24
"""Counters that do not repeat within so many iterations are given up."""
WATCHED_ITERATIONS = 4
"""A dot that is still in flight after so many iterations is not known to end."""


@dataclass(frozen=True)
class Indices:
    """The numbers that indices take in a loop. `counts`: numbers of buffers to assume, by the comparison with them."""

    loop: scf.ForOp
    counts: Mapping[arith.CmpiOp, int] = field(default_factory=dict[arith.CmpiOp, int])
    _known: dict[tuple[SSAValue, int], int | None] = field(default_factory=dict[tuple[SSAValue, int], "int | None"])

    def at(self, value: SSAValue, iteration: int) -> int | None:
        """The number in an iteration, the first one being 0; None if it is not computed from constants."""
        key = (value, iteration)
        if key not in self._known:
            self._known[key] = self._compute(value, iteration)
        return self._known[key]

    def until_repeated(self, *values: SSAValue) -> range:
        """Iterations in which these indices take all combinations that they ever take; empty if that is not known.

        They depend on what the loop carries, and on nothing else: once that repeats, so do they.
        """
        carried = [value for value in values_behind(values, self.loop) if isinstance(value, BlockArgument)]
        states = list[list[int | None]]()
        for iteration in range(MAX_PERIOD):
            state = [self.at(value, iteration) for value in carried]
            if None in state:
                break
            if state in states:
                return range(iteration)
            states.append(state)
        return range(0)

    def pairs(self, written: SSAValue, read: SSAValue, age: int) -> list[tuple[int | None, int | None]]:
        """The numbers of one index, each with that of another `age` iterations before: all pairs that ever meet.

        Empty if that is not known.
        """
        return [(self.at(written, age + at), self.at(read, at)) for at in self.until_repeated(written, read)]

    def _compute(self, value: SSAValue, iteration: int) -> int | None:
        if isinstance(value, BlockArgument):
            return self._carried(value, iteration) if value.block is self.loop.body.block else None
        match value.owner:
            case SelectOp() as op:
                condition = self.at(op.operands[0], iteration)
                return None if condition is None else self.at(op.operands[1 if condition else 2], iteration)
            case arith.CmpiOp(lhs=number, rhs=bound) as op:
                return result_of(op, self.at(number, iteration), self.counts.get(op, self.at(bound, iteration)))
            case Operation() as op if op.name in FUNCTIONS:
                return result_of(op, *(self.at(operand, iteration) for operand in op.operands))
            case _:
                return constant_of(value)

    def _carried(self, value: BlockArgument, iteration: int) -> int | None:
        if value.index == 0:
            return None  # it never repeats
        if iteration == 0:
            return constant_of(self.loop.iter_args[value.index - 1])
        return self.at(terminator(self.loop.body.block).operands[value.index - 1], iteration - 1)


def values_behind(values: Sequence[SSAValue], loop: scf.ForOp) -> list[SSAValue]:
    """The values, and those of the loop from which they are computed, in this iteration or in earlier ones."""

    def before(value: SSAValue) -> Sequence[SSAValue]:
        if isinstance(value, BlockArgument):
            is_carried = value.block is loop.body.block and value.index > 0
            return [terminator(value.block).operands[value.index - 1]] if is_carried else []
        return value.owner.operands if isinstance(value.owner, Operation) and loop.is_ancestor(value.owner) else []

    return reached(values, before)


def wait_with_barrier(loop: scf.ForOp) -> AsyncWaitOp | None:
    """The wait for an iteration's tile, in a loop whose loads need no other CTA barrier if they write free buffers.

    Its wgmmas read staged tiles as they are: converted parts are awaited with barriers. All warps run it: in a
    partition, a thread's number does not tell its place. And a wait for its last loads follows.
    """
    completion = completion_of(loop)
    if not isinstance(completion, CommitGroups) or not wgmma_dots(loop):
        return None
    if not staged_reads(loop.body.block.ops) and not scales_bytes_late(loop):
        return None
    is_in_partition = any(isinstance(each, WarpSpecializeOp) for each in ancestors(loop))
    return None if converts_fragments(loop) or is_in_partition or not waits_behind(loop) else completion.wait


def waits_behind(loop: scf.ForOp) -> bool:
    """Whether a wait for all loads follows the loop, before any memory is freed or written."""
    for op in walk(loop):
        if isinstance(op, AsyncWaitOp):
            return op.num.value.data == 0
        if isinstance(op, LocalDeallocOp) or not leaves_tiles(op):
            return False
    return False


@dataclass(frozen=True)
class Access:
    """An op of the loop that reads or writes a buffer, and the buffer's index."""

    op: Operation
    index: SSAValue


def accesses_to(buffers: SSAValue, loop: scf.ForOp) -> list[Access] | None:
    """The loop's accesses to one of these buffers; None if others than loads and reads, or in nested regions."""
    found: list[Access] = []
    for index in (use.operation for use in buffers.uses):
        if not isinstance(index, MemDescIndexOp):
            if loop.is_ancestor(index) or not isinstance(index, LocalDeallocOp):
                return None
            continue
        for user in memory_users(index.result):
            if loop.is_ancestor(user):
                if user.parent_op() is not loop or not isinstance(user, (*READS, AsyncCopyGlobalToLocalOp)):
                    return None
                found.append(Access(user, index.index))
    return found


def in_flight(at: Operation, loop: scf.ForOp) -> list[tuple[WarpGroupDotOp, int]]:
    """The dots that may be in flight at an op, in order, each with the number of iterations since it started."""
    started: list[tuple[WarpGroupDotOp, int]] = []
    found: list[tuple[WarpGroupDotOp, int]] = []
    for iteration in range(WATCHED_ITERATIONS):
        for op in loop.body.block.ops:
            if op is at:
                found = [(dot, iteration - start) for dot, start in started]
            if isinstance(op, WarpGroupDotOp) and op.isAsync.value.data:
                started.append((op, iteration))
            elif isinstance(op, WarpGroupDotWaitOp):
                pending = op.pendings.value.data
                started = started[-pending:] if pending else []
    return found


def open_reads(copy: AsyncCopyGlobalToLocalOp, wait: AsyncWaitOp, loop: scf.ForOp) -> list[tuple[Access, int]] | None:
    """The reads of a load's buffers that the CTA barrier at the iteration's wait does not end.

    Each with the number of iterations since it started: 0 for reads behind the wait, more for dots that are still in
    flight there. None if they are not known.
    """
    buffers = buffers_of(copy.result)
    accesses = None if buffers is None else accesses_to(buffers, loop)
    if accesses is None:
        return None
    behind, flying = set(walk(wait)), in_flight(wait, loop)
    found: list[tuple[Access, int]] = []
    for access in accesses:
        if isinstance(access.op, READS):
            ages = {*(age for dot, age in flying if dot is access.op), *([0] if access.op in behind else [])}
            if max(ages, default=0) >= WATCHED_ITERATIONS - 1:
                return None
            found += [(access, age) for age in sorted(ages)]
    return found


def is_free(copy: AsyncCopyGlobalToLocalOp, wait: AsyncWaitOp, indices: Indices) -> bool:
    """Whether no warp reads the buffer that the load writes, from the CTA barrier at the iteration's wait on."""
    reads, memory = open_reads(copy, wait, indices.loop), copy.result.owner
    if reads is None or not isinstance(memory, MemDescIndexOp):
        return False
    return all(_differ(indices, memory.index, read.index, age) for read, age in reads)


def _differ(indices: Indices, written: SSAValue, read: SSAValue, age: int) -> bool:
    """Whether an iteration writes another buffer than the one `age` iterations before reads."""
    pairs = indices.pairs(written, read, age)
    return bool(pairs) and all(one is not None and other is not None and one != other for one, other in pairs)


def may_overwrite(copy: AsyncCopyGlobalToLocalOp, memory: SSAValue, indices: Indices) -> bool:
    """Whether the load may write the memory that a dot of its iteration reads, or another part of its buffers."""
    written, read = index_of(copy.result), index_of(memory)
    allocs = alloc_of(copy.result), alloc_of(memory)
    if None not in allocs and allocs[0] is not allocs[1]:
        return False
    if written is None or read is None or written.src is not read.src:
        return True
    return not _differ(indices, written.index, read.index, 0)
