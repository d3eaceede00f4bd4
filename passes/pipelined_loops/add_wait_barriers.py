"""`add-wait-barriers`: a CTA barrier behind a wait for dots, if there is none before their tiles are overwritten.

    %d = ttng.warp_group_dot %a, (%buffers[%i]), %acc
    ttg.async_wait                                          of other tiles; membar: a CTA barrier behind it
    %w = ttng.warp_group_dot_wait %d {pendings = 1}         the dot of the previous iteration is over, for this warp
    gpu.barrier                                             this pass: for all warps
    ttng.async_tma_copy_global_to_local %next, (%buffers[%j])

The same after the loop, where other tiles, or scratch memory, may take the place of the loop's.

membar places a barrier before a write to memory that a dot above reads, unless a barrier follows the start of that dot.
It takes such a barrier for the end of the dot. That is right if the dot ends in its iteration: Triton's own loops of
several kinds of loads wait for each dot at once. With staged operands, or two buffers for a converted one, dots stay in
flight, also across the barriers for other tiles. Scales are exchanged while a dot runs, which has a barrier as well.
Triton 3.9 has a barrier at each wait; `mark-local-waits` removes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import reads_shared, writes_shared
from dotload.dialect_ext.ttg import AsyncCopyGlobalToLocalOp, LocalAllocOp, LocalScatterOp, LocalStoreOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.ttng_tma import AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp
from dotload.dialect_ext.typed import of_kind
from dotload.dialect_ext.types import MemDescType
from dotload.passes.ir.loops import wgmma_dots
from dotload.passes.ir.memory import root_of
from dotload.passes.ir.motion import around, walk
from dotload.passes.ir.scratch import takes_scratch
from dotload.passes.ir.wgmma import shared_operands
from dotload.passes.operand_staging.facts import has_double_buffer, role_of, writes_free_buffer
from dotload.passes.pipelined_loops import cta_barriers
from dotload.passes.pipelined_loops.cta_barriers import is_cta_barrier, next_cta_barrier
from dotload.passes.pipelined_loops.loop_buffers import in_flight
from dotload.passes.pipelined_loops.reads import converts_in_registers, read_behind, staged_reads
from dotload.passes.pipelined_loops.scaled_results import scales_bytes
from dotload.passes.rewriting import LoopPass

# Plan


def plan(loop: scf.ForOp) -> list[Operation]:
    """The ops that need a barrier behind them: waits, and the loop, or the wait behind it."""
    ops = list(loop.body.block.ops)
    if not (staged_reads(ops) or converts_in_registers(loop) or has_double_buffer(ops) or scales_bytes(loop)):
        return []
    behind_barriers = dots_behind_barriers(ops)
    waits = of_kind(ops, WarpGroupDotWaitOp)
    found: list[Operation] = [wait for wait in waits if needs_barrier(wait, loop, behind_barriers)]
    if any(dot.isAsync.value.data and is_in_flight_at_barrier(dot) for dot in wgmma_dots(loop)):
        found.append(next((op for op in walk(loop) if isinstance(op, WarpGroupDotWaitOp)), loop))
    return [op for op in found if next_cta_barrier(op) is None]


def is_in_flight_at_barrier(dot: WarpGroupDotOp) -> bool:
    """Whether there may be a barrier in the dot's iteration before a wait finishes the dot, and none behind that."""
    started, crossed = 0, False
    for op in walk(dot):
        if isinstance(op, WarpGroupDotOp):
            started += 1
        elif isinstance(op, WarpGroupDotWaitOp) and op.pendings.value.data <= started:
            return crossed and not any(map(is_cta_barrier, walk(op)))
        crossed = crossed or may_have_barrier(op)
    return crossed


def needs_barrier(wait: WarpGroupDotWaitOp, loop: scf.ForOp, behind_barriers: set[Operation]) -> bool:
    """Whether a tile that a finished dot has read is overwritten behind the wait, without a barrier in between."""
    read = {memory for dot in finished_by(wait, loop) for memory in memories_of(dot)}
    for write in takewhile(lambda op: not is_cta_barrier(op), around(wait)):
        if not read.isdisjoint(written_by(write)) and not membar_waits(write, wait, behind_barriers):
            return True
    return False


def finished_by(wait: WarpGroupDotWaitOp, loop: scf.ForOp) -> set[WarpGroupDotOp]:
    """The dots that are over after the wait, and not after an earlier one."""
    dots = [dot for dot, _ in in_flight(wait, loop)]
    return set(dots[: max(0, len(dots) - wait.pendings.value.data)])


def membar_waits(write: Operation, wait: WarpGroupDotWaitOp, behind_barriers: set[Operation]) -> bool:
    """Whether membar places a barrier between wait and write: no earlier barrier is behind a dot that reads there."""
    written = set(written_by(write))

    def is_reader(op: Operation) -> bool:
        return isinstance(op, WarpGroupDotOp) and not written.isdisjoint(memories_of(op))

    if any(map(is_reader, around(wait, write))):
        return True
    for op in reversed(around(wait)):
        if is_reader(op):
            return True
        if op in behind_barriers or may_have_barrier(op):
            return False
    return False


def dots_behind_barriers(ops: Sequence[Operation]) -> set[Operation]:
    """The dots before which membar places a barrier: they read what an op above writes, with no barrier in between."""
    found, written = set[Operation](), set[SSAValue]()
    for op in [*ops, *ops]:  # what an iteration writes, the next one reads
        if is_cta_barrier(op):
            written.clear()
        elif isinstance(op, WarpGroupDotOp) and not written.isdisjoint(memories_of(op)):
            found.add(op)
            written.clear()
        written.update(written_by(op))
    return found


def may_have_barrier(op: Operation) -> bool:
    """Whether there is a barrier at the op, or membar may place one: it accesses shared memory. Dots do not count."""
    if isinstance(op, WarpGroupDotOp | WarpGroupDotWaitOp) or writes_free_buffer(op):
        return False
    takes_memory = any(isinstance(value.type, MemDescType) for value in op.operands)
    is_access = takes_memory and (reads_shared(op) or writes_shared(op))
    return is_cta_barrier(op) or takes_scratch(op) or is_access or bool(op.regions)


def memories_of(dot: WarpGroupDotOp) -> Iterator[SSAValue]:
    """The allocations from which a dot reads."""
    return map(root_of, shared_operands(dot))


def written_by(op: Operation) -> Iterator[SSAValue]:
    """The allocation to which the op writes a tile.

    Loads into free buffers need no barrier, and K-major copies get theirs as they are lowered.
    """
    if writes_free_buffer(op) or (isinstance(op, LocalStoreOp | LocalAllocOp) and is_copy(op)):
        return
    match op:
        case AsyncCopyGlobalToLocalOp() | AsyncTMAGatherOp():
            yield root_of(op.result)
        case AsyncTMACopyGlobalToLocalOp():
            yield root_of(op.tile)
        case LocalStoreOp() | LocalScatterOp():
            yield root_of(op.dst)
        case LocalAllocOp() if op.src is not None:
            yield op.result
        case _:
            return


def is_copy(store: LocalStoreOp | LocalAllocOp) -> bool:
    """Whether a staged tile is stored as it was read."""
    read = None if store.src is None else read_behind(store.src)
    return read is not None and role_of(read) is not None


@dataclass(frozen=True)
class AddWaitBarriersPass(LoopPass):
    """Place CTA barriers behind waits for dots whose tiles are overwritten before the next one."""

    name = "add-wait-barriers"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        found = plan(loop)
        for op in found:
            assert op.next_op is not None
            cta_barriers.insert(op.next_op, op)
        return bool(found)
