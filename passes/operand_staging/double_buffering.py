"""Double buffering of operands that the loop itself stores to shared memory.

An operand of wgmma that is computed in registers (copied K-major, or converted from another type) is stored in the
loop. With one buffer, Triton's pipeliner has to wait for each dot before the next store. With two, the dot of one
iteration runs while the operand of the next is computed.
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.ttg import LocalAllocOp, LocalDeallocOp, LocalStoreOp, MemDescIndexOp
from dotload.dialect_ext.ttng import FenceAsyncSharedOp, WarpGroupDotOp
from dotload.dialect_ext.types import MemDescType
from dotload.layout.nvidia_targets import REGISTER_BITS, WARP_LANES
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import bits_of_thread
from dotload.passes.ir.loops import loop_around, threads_of
from dotload.passes.ir.memory import (
    as_mutable,
    buffers_type,
    make_views_mutable,
    may_be_mutable,
    memory_type,
    memory_users,
    size_bytes,
)
from dotload.passes.ir.targets import target_around
from dotload.passes.operand_staging.facts import BUFFERS, mark_double_buffer
from dotload.passes.operand_staging.latencies import load_ahead
from dotload.passes.operand_staging.loop_loads import is_2d, loads_of, stages_of
from dotload.passes.operand_staging.loop_memory import buffer_bytes, held_bytes
from dotload.passes.operand_staging.stock import OTHER_REGISTERS


def double_buffer(alloc: LocalAllocOp, num_stages: int, spare_bytes: int = 0) -> bool:
    """Store to two buffers, by the iteration's parity, instead of the one of `alloc`, for the dots of its loop.

    Returns False, with nothing changed, if that is impossible. `num_stages`, `spare_bytes`: as for `load_ahead`.
    """
    loop, registers = alloc.parent_op(), alloc.src
    assert registers is not None
    if not isinstance(loop, scf.ForOp) or not may_be_mutable(alloc.result):
        return False
    if any(loop_around(reader) is not loop for reader in memory_users(alloc.result)):
        return False  # an inner loop waits for its dots at its end, and has tiles that are not counted here
    other_bytes = held_bytes(loop, apart_from=alloc) + BUFFERS * size_bytes(alloc.result)
    if not load_ahead(loop, other_bytes, num_stages, spare_bytes):
        return False
    emitter = Emitter.before(alloc)
    buffer = emit_buffer(loop, memory_type(alloc.result), emitter)
    emitter.run(LocalStoreOp(registers, buffer))
    Rewriter.replace_op(alloc, (), [buffer])
    make_views_mutable(buffer)
    fence_stores(buffer)
    return True


def leaves_one_block(alloc: LocalAllocOp, dot: WarpGroupDotOp, num_stages: int) -> bool:
    """Whether a second buffer for `alloc` would leave one resident block of several; `num_stages`: as above.

    Nothing then runs while that block waits for its loads, which costs more than a second buffer saves. Estimated by
    the tiles of the loop, and by the registers of the accumulator and of the tile that is stored.
    """
    loop = alloc.parent_op()
    if not isinstance(loop, scf.ForOp) or alloc.src is None:
        return False
    tiles = [load for load in loads_of(loop) if is_2d(load)]
    taken = held_bytes(loop) + buffer_bytes(tiles, max(1, stages_of(loop, num_stages)))
    registers = (bits_of_thread(dot.d) + bits_of_thread(alloc.src)) // REGISTER_BITS + OTHER_REGISTERS
    target, warps = target_around(dot), threads_of(dot) // WARP_LANES
    one, two = (target.resident_blocks(warps, taken + more, registers) for more in (0, size_bytes(alloc.result)))
    return two <= 1 < one


def emit_buffer(loop: scf.ForOp, tile: MemDescType, emitter: Emitter) -> SSAValue:
    """The buffer of this iteration's tile; wgmma may still be reading the other one."""
    outside = Emitter.before(loop, emitter.origin)
    buffers = outside.insert(LocalAllocOp(None, buffers_type(tile, BUFFERS)))
    Emitter.after(loop, emitter.origin).run(LocalDeallocOp(buffers))
    distance = emitter.insert(arith.SubiOp(loop.body.block.args[0], loop.lb))
    count = emitter.insert(arith.DivUIOp(distance, loop.step))
    narrow = count if count.type == i32 else emitter.insert(arith.TruncIOp(count, i32))
    last = outside.constant(BUFFERS - 1)
    index = MemDescIndexOp(buffers, emitter.insert(arith.AndIOp(narrow, last)), as_mutable(tile))
    mark_double_buffer(index)
    return emitter.insert(index)


def fence_stores(memory: SSAValue) -> None:
    """Make the stores visible to dots, as late as possible, since the fence waits for the stores to complete."""
    block = memory.owner.parent_block() if isinstance(memory.owner, Operation) else None
    assert block is not None
    reading = [user for user in memory_users(memory) if isinstance(user, WarpGroupDotOp)]
    readers = {block.find_ancestor_op_in_block(dot) for dot in reading}
    first = next(op for op in block.ops if op in readers)
    if not isinstance(first.prev_op, FenceAsyncSharedOp):  # for the dot's other operand
        Emitter.before(first).run(FenceAsyncSharedOp())
