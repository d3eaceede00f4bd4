"""`single-buffer-operand-copies`: use one K-major buffer instead of two if that lets another block run.

Two buffers (`operand_staging.double_buffering`) let a dot stay in flight while the next operand is copied. If the
second buffer costs a resident block, that block would hide more latency. A loop that waits for all of its dots anyway
before it copies, as attention does between its two, needs one buffer and one more CTA barrier (left):

    wait for tile i, CTA barrier              wait for the dot before
    first dot, wait for all                   wait for tile i, CTA barrier
    CTA barrier                               copy tile i K-major
    copy tile i K-major                       first dot, wait for it
    fence, CTA barrier                        fence, CTA barrier
    second dot                                second dot

The form on the right is for loops whose accumulators do not fit into a thread's registers together. ptxas runs such
dots a few rows at a time, in sequence, and there would be no registers for the words of a copy between them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.traits import is_pure
from dotload.dialect_ext.ttg import AsyncWaitOp, LocalDeallocOp, LocalLoadOp, LocalStoreOp, MemDescIndexOp
from dotload.dialect_ext.ttng import WarpGroupDotWaitOp
from dotload.layout.nvidia_targets import HOPPER, MAX_THREAD_REGISTERS
from dotload.passes.ir.def_use import only_user, replace_uses_except
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import accumulator_registers, warps_of, wgmma_dots
from dotload.passes.ir.memory import buffers_type, memory_type, size_bytes
from dotload.passes.ir.motion import backward_slice, walk
from dotload.passes.ir.wgmma import last_wait
from dotload.passes.operand_staging.facts import DOUBLE_BUFFER, double_buffer_of, has_barriers
from dotload.passes.pipelined_loops import cta_barriers
from dotload.passes.pipelined_loops.async_completion import CommitGroups, completion_of
from dotload.passes.pipelined_loops.buffer_liveness import allocated_bytes
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.rewriting import LoopPass


@dataclass(frozen=True)
class SingleBuffer:
    """A loop for which one buffer suffices.

    `read` and `store`: its copy; `index`: the op that selects the buffer; `finished`: the wait for all dots before the
    copy; `hoisted`: the wait for the loop's loads, if the copy moves up to it; `blocks`: the number resident then.
    """

    loop: scf.ForOp
    read: LocalLoadOp
    store: LocalStoreOp
    index: MemDescIndexOp
    finished: WarpGroupDotWaitOp
    hoisted: AsyncWaitOp | None
    blocks: int

    @property
    def carried(self) -> list[SSAValue]:
        """The previous iteration's accumulators that the loop waits for."""
        return [value for value in self.finished.inputs if value.owner is self.loop.body.block]

    @property
    def message(self) -> str:
        """The text of the remark."""
        where = "before the loop's dots" if self.hoisted else "between them"
        blocks = "1 block is" if self.blocks == 1 else f"{self.blocks} blocks are"
        return f"the K-major copy takes one buffer instead of two and is made {where}; {blocks} resident"


# Plan


def plan(loop: scf.ForOp, read: LocalLoadOp) -> SingleBuffer | None:
    """The rewrite of the loop with one buffer for this read and its store, if that lets another block run."""
    store = only_user(read.result)
    if not isinstance(store, LocalStoreOp) or {read.parent_op(), store.parent_op()} != {loop} or has_barriers(read):
        return None
    index, finished = double_buffer_of(store.dst, loop), last_wait(read)
    if index is None or finished is None or index.result is not store.dst or has_other_users(index):
        return None
    dots = wgmma_dots(loop)
    if not all(use.operation is store or use.operation in dots for use in index.result.uses):
        return None
    warps, total = warps_of(dots[0].d), allocated_bytes(loop)
    blocks = HOPPER.resident_blocks(warps, total - size_bytes(index.result))
    found = SingleBuffer(loop, read, store, index, finished, None, blocks)
    if accumulator_registers(loop) > MAX_THREAD_REGISTERS and (hoisted := wait_to_hoist_to(found)) is not None:
        return replace(found, hoisted=hoisted)
    return found if blocks > HOPPER.resident_blocks(warps, total) else None


def has_other_users(index: MemDescIndexOp) -> bool:
    """Whether the two buffers have users besides this op."""
    return not all(use.operation is index or isinstance(use.operation, LocalDeallocOp) for use in index.src.uses)


def wait_to_hoist_to(found: SingleBuffer) -> AsyncWaitOp | None:
    """The wait for the loop's loads, if the copy's backward slice may move up to it."""
    completion = completion_of(found.loop)
    if not isinstance(completion, CommitGroups) or not found.carried or found.read.token is not None:
        return None
    moved = below(completion.wait, found)
    is_known = all(is_pure(op) or op in (found.read, found.store) for op in moved)
    return completion.wait if is_known and found.store in moved else None


def below(wait: AsyncWaitOp, found: SingleBuffer) -> list[Operation]:
    """The ops after the wait that belong to the copy and its backward slice."""
    following = set(walk(wait))
    return [op for op in backward_slice([found.store], found.loop) if op in following]


# Emit


def emit(found: SingleBuffer) -> None:
    """Rewrite the loop to use one buffer."""
    index = found.index
    index.operands[1] = Emitter.before(index).constant(0)
    del index.attributes[DOUBLE_BUFFER]
    Rewriter.replace_value_with_new_type(index.src, buffers_type(memory_type(index.result), 1))
    if found.hoisted is None:
        cta_barriers.insert(found.read, found.read)
    else:
        copy_first(found, found.hoisted)


def copy_first(found: SingleBuffer, hoisted: AsyncWaitOp) -> None:
    """Wait for the previous iteration's dots, and copy right after the wait for the loads."""
    block, carried = found.loop.body.block, found.carried
    emitter = Emitter(InsertPoint.at_start(block), found.finished)
    wait = WarpGroupDotWaitOp(carried, 0)
    emitter.run(wait)
    for value, finished in zip(carried, wait.outputs, strict=True):
        replace_uses_except(value, finished, wait)
    place: Operation = hoisted
    for op in below(hoisted, found):
        op.detach()
        Rewriter.insert_op(op, InsertPoint.after(place))
        place = op


@dataclass(frozen=True)
class SingleBufferOperandCopiesPass(LoopPass):
    """Give K-major copies one buffer instead of two if another block becomes resident."""

    name = "single-buffer-operand-copies"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        changed = False
        for read in staged_reads(loop.body.block.ops, "copy"):
            if (found := plan(loop, read)) is not None:
                self.passed(read, found.message)
                emit(found)
                changed = True
        return changed
