"""Products that run while the next operand is made ready.

An operand of wgmma that is computed in registers (copied K-major, or converted from another type) is stored to shared
memory in the loop. With one tile for it, Triton's pipeliner has to wait for each product before the next store. With
two tiles in turn, the product of one iteration runs while the operand of the next is computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import BroadcastOp, SplatOp
from dotload.dialect_ext.tt_memory import DescriptorLoadOp, LoadOp
from dotload.dialect_ext.ttg import (
    ConvertLayoutOp,
    LocalAllocOp,
    LocalDeallocOp,
    LocalStoreOp,
    MemDescIndexOp,
    MemDescTransOp,
)
from dotload.dialect_ext.ttng import FenceAsyncSharedOp, WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout import encodings as enc
from dotload.layout.occupancy import BLOCK_BYTES, THREAD_REGISTERS
from dotload.passes.emitter import (
    Emitter,
    as_mutable,
    make_views_mutable,
    may_be_mutable,
    memory_bytes,
    memory_type,
    memory_users,
    ring_of,
)
from dotload.passes.staged_operands.loops import (
    ACCUMULATOR,
    PRODUCTS,
    SLOTS,
    accumulator_registers,
    alloc_of,
    loop_around,
    products,
)
from dotload.passes.typed import as_tensor, tensor_type

COPIED_BITS = 32
"""The smallest piece of an asynchronous copy (PTX ISA, cp.async)."""

AHEAD = 3
"""Tiles under way for which `staged_operands.rotation` rotates a loop."""

NUM_STAGES = "tt.num_stages"
"""What a loop has to say of its stages, against the kernel's option of that name."""

LATENCY = "tt.latency"
"""How many tiles ahead to load; where one op of a loop says so, Triton's pipeliner decides for none of the others."""

CONVERSIONS = ("tt.fp_to_fp", "tt.bitcast", "ttg.convert_layout")
"""Ops besides arithmetic that a converted operand goes through."""


@dataclass(frozen=True)
class Converted:
    """An operand that is loaded in a narrower type than it is multiplied in."""

    load: LoadOp
    alloc: LocalAllocOp


def find_converted(product: Operation, index: int) -> Converted | None:
    """The operand, if it is one: a load, arithmetic on it, and its staging, all in the loop of the product."""
    value = product.operands[index]
    while isinstance(value, OpResult) and isinstance(value.op, MemDescTransOp):
        value = value.op.operands[0]
    if not isinstance(product, WarpGroupDotOp) or not isinstance(value, OpResult):
        return None
    alloc, loop = value.op, product.parent_op()
    if not isinstance(alloc, LocalAllocOp) or alloc.src is None or not isinstance(loop, scf.ForOp):
        return None
    load = _source(alloc.src, loop.body.block)
    if load is None or element_bits(tensor_type(load.results[0])) >= element_bits(tensor_type(alloc.src)):
        return None
    return Converted(load, alloc)


def _source(value: SSAValue, block: Block) -> LoadOp | None:
    """The load that the value is computed from, element by element, in the block."""
    op = value.owner
    if not isinstance(op, Operation) or op.parent_block() is not block:
        return None
    if isinstance(op, LoadOp):
        return op
    if op.dialect_name() not in ("arith", "math") and op.name not in CONVERSIONS:
        return None
    return next((load for load in (_source(operand, block) for operand in op.operands) if load), None)


def store_in_turn(alloc: LocalAllocOp, num_stages: int, spare_bytes: int = 0) -> bool:
    """Store to two tiles in turn what `alloc` stores to one for the products of its loop.

    Returns False, with nothing changed, where that cannot be.

    `num_stages`, `spare_bytes`: as for `load_ahead`.
    """
    loop, registers = alloc.parent_op(), alloc.src
    assert registers is not None
    if not isinstance(loop, scf.ForOp) or not may_be_mutable(alloc.result):
        return False
    if any(loop_around(reader) is not loop for reader in memory_users(alloc.result)):
        return False  # a loop inside waits for its products where it ends, and has tiles that are not counted here
    other_bytes = held_bytes(loop, apart_from=alloc) + SLOTS * memory_bytes(alloc.result)
    if not load_ahead(loop, other_bytes, num_stages, spare_bytes):
        return False
    emitter = Emitter.before(alloc)
    slot = emit_slot(loop, memory_type(alloc.result), emitter)
    emitter.run(LocalStoreOp(registers, slot))
    alloc.result.replace_all_uses_with(slot)
    Rewriter.erase_op(alloc)
    make_views_mutable(slot)
    publish(slot)
    return True


def publish(memory: SSAValue) -> None:
    """Make what was stored visible to products: as late as can be, for the fence waits for the stores to arrive."""
    block = memory.owner.parent_block() if isinstance(memory.owner, Operation) else None
    assert block is not None
    reading = [user for user in memory_users(memory) if isinstance(user, WarpGroupDotOp)]
    readers = {block.find_ancestor_op_in_block(product) for product in reading}
    first = next(op for op in block.ops if op in readers)
    if not isinstance(first.prev_op, FenceAsyncSharedOp):  # for its other operand
        Emitter.before(first).run(FenceAsyncSharedOp())


def load_ahead(loop: scf.ForOp, other_bytes: int, num_stages: int, spare_bytes: int = 0) -> bool:
    """Tell Triton's pipeliner how far ahead to load what the loop loads; False where it should decide for itself.

    It goes back from products to find the loads, and would not find one whose tile is stored and read again. As far as
    `num_stages` says (0 where that is not known), and from 3 stages on to AHEAD at least if all tiles stay within
    `spare_bytes` of shared memory; less where there is no room beside `other_bytes`.
    """
    count, loads = stages_of(loop, num_stages), loads_of(loop)
    other_bytes += scratch_bytes(loop)
    if count < 2 or not all(is_copied_by_vectors(load) for load in loads):
        return False
    tile_bytes = sum(tensor_bytes(load.results[0]) for load in loads)
    rooms = dict.fromkeys(range(1, count), BLOCK_BYTES)
    if count > 2:
        rooms |= dict.fromkeys(range(count, AHEAD + 1), spare_bytes)
    fitting = [ahead for ahead, room in rooms.items() if (ahead + 1) * tile_bytes + other_bytes <= room]
    if not fitting:
        return False
    for load in loads:
        load.attributes[LATENCY] = IntegerAttr(max(fitting), i32)
    return True


def stages_of(loop: scf.ForOp, num_stages: int) -> int:
    """The stages that the loop asks for, or else the kernel."""
    stages = loop.attributes.get(NUM_STAGES)
    return stages.value.data if isinstance(stages, IntegerAttr) else num_stages


def loads_of(loop: scf.ForOp) -> list[LoadOp | DescriptorLoadOp]:
    """The loads in the loop's own block that Triton's pipeliner finds when it goes back from products."""
    loads = [op for op in loop.body.block.ops if isinstance(op, LoadOp | DescriptorLoadOp)]
    return [load for load in loads if feeds_product(load)]


def feeds_product(op: Operation) -> bool:
    """Whether an operand of a product is computed by the op; scales of what a product makes are not for that."""
    waiting, seen = list(op.results), set(op.results)
    while waiting:
        for use in waiting.pop().uses:
            user = use.operation
            if isinstance(user, PRODUCTS):
                if use.index != ACCUMULATOR:
                    return True
            elif isinstance(user, LocalAllocOp) or user.parent_block() is not op.parent_block():
                return True
            else:
                waiting += [result for result in user.results if result not in seen]
                seen.update(user.results)
    return False


def load_within(loop: scf.ForOp, num_stages: int) -> None:
    """Have the loop load less far ahead where what Triton would take for it is more than a block's shared memory.

    As stock, it has not always loaded ahead what is staged now, and may have been given more stages than fit.
    """
    count, loads = stages_of(loop, num_stages), [load for load in loads_of(loop) if tile_readers(load)]
    if count < 2 or any(LATENCY in load.attributes for load in loads):
        return
    held = held_bytes(loop)

    def fits(stages: int) -> bool:
        return held + sum(tiles_of(load, stages) * tensor_bytes(load.results[0]) for load in loads) <= BLOCK_BYTES

    if fits(count):
        return
    fitting = [stages for stages in range(2, count) if fits(stages)]
    if not fitting:
        loop.attributes[NUM_STAGES] = IntegerAttr(1, i32)
    for load in loads if fitting else ():
        load.attributes[LATENCY] = IntegerAttr(fitting[-1] - 1, i32)


def tiles_of(load: LoadOp | DescriptorLoadOp, stages: int) -> int:
    """The tiles that Triton's pipeliner takes for a load: one more where a product reads them itself."""
    is_read_by_product = any(isinstance(reader, WarpGroupDotOp) for reader in tile_readers(load))
    return stages if is_read_by_product else stages - 1


def tile_readers(load: LoadOp | DescriptorLoadOp) -> list[Operation]:
    """What reads the shared memory that the loaded tile goes to."""
    staged = [use.operation for use in load.results[0].uses if isinstance(use.operation, LocalAllocOp)]
    return [reader for alloc in staged for reader in memory_users(alloc.result)]


def load_further(product: Operation, num_stages: int, spare_bytes: int) -> None:
    """Load AHEAD tiles ahead where the kernel's 3 stages would be one less; arguments as for `load_ahead`."""
    loop = product.parent_op()
    if 1 < num_stages - 1 < AHEAD and isinstance(loop, scf.ForOp) and NUM_STAGES not in loop.attributes:
        load_ahead(loop, held_bytes(loop), num_stages, spare_bytes)


def will_rotate(loop: scf.ForOp, num_stages: int) -> bool:
    """Whether the loop of a product of 32-bit words, rewritten, is sure to be rotated: its tiles come AHEAD ahead.

    `num_stages`: as for `load_ahead`.
    """
    loads = loads_of(loop)
    told = [load.attributes.get(LATENCY) for load in loads]
    ahead = [each.value.data if isinstance(each, IntegerAttr) else stages_of(loop, num_stages) - 1 for each in told]
    is_straight = all(isinstance(use.operation, LocalAllocOp) for load in loads for use in load.results[0].uses)
    return min(ahead, default=0) >= AHEAD and is_straight and not any(op.regions for op in loop.body.block.ops)


def held_bytes(loop: scf.ForOp, apart_from: LocalAllocOp | None = None) -> int:
    """The shared memory of what products in the loop read, but for the tiles that the loop loads."""
    inside = [op for op in loop.walk() if isinstance(op, WarpGroupDotOp)]
    allocs = dict.fromkeys(alloc_of(operand) for product in inside for operand in (product.a, product.b))
    held = [alloc for alloc in allocs if alloc not in (None, apart_from) and not is_loaded(alloc, loop)]
    return sum(memory_bytes(alloc.result) for alloc in held)


def scratch_bytes(loop: scf.ForOp) -> int:
    """The most that converting what the loop loads, but for operands, may take beside all tiles.

    What is computed of it is converted where it is smallest: scales before they are spread over a tile.
    """
    loads = (LoadOp, DescriptorLoadOp)
    converted = [op for op in loop.body.block.ops if isinstance(op, ConvertLayoutOp) and not feeds_product(op)]
    return max((tensor_bytes(op.src) for op in converted if isinstance(op.src.owner, loads)), default=0)


def is_loaded(alloc: LocalAllocOp, loop: scf.ForOp) -> bool:
    """Whether the memory is that of a tile as it is loaded in the loop."""
    if alloc.src is None or alloc.parent_op() is not loop:
        return False
    return isinstance(alloc.src.owner, LoadOp | DescriptorLoadOp)


def tensor_bytes(value: SSAValue) -> int:
    """The size of a tensor."""
    tensor = tensor_type(value)
    return math.prod(tensor.get_shape()) * element_bits(tensor) // 8


def is_copied_by_vectors(load: LoadOp | DescriptorLoadOp) -> bool:
    """Whether Triton can copy the tile asynchronously: in pieces of 4 bytes at least, each masked as a whole."""
    if isinstance(load, DescriptorLoadOp):
        return True
    tensor = as_tensor(load.results[0].type)
    if tensor is None or not isinstance(tensor.encoding, attrs.BlockedEncoding):
        return False
    axis = contiguous_axis(load)
    blocked = tensor.encoding.to_encoding()
    assert isinstance(blocked, enc.Blocked)
    is_wide = blocked.size_per_thread[axis] * element_bits(tensor) >= COPIED_BITS
    return is_wide and (load.mask is None or is_uniform(load.mask, axis))


def is_uniform(mask: SSAValue, axis: int) -> bool:
    """Whether the mask is the same all along the dim, as far as the ops that make it show."""
    match mask.owner:
        case SplatOp():
            return True
        case BroadcastOp(src=source):
            return tensor_type(source).get_shape()[axis] == 1
        case arith.AndIOp(lhs=a, rhs=b):
            return is_uniform(a, axis) and is_uniform(b, axis)
        case ConvertLayoutOp(src=source):
            return is_uniform(source, axis)
        case _:
            return False


def contiguous_axis(load: LoadOp | DescriptorLoadOp) -> int:
    """The dim that is contiguous in memory: what the coalescing pass chose for a load, the last for a descriptor."""
    tensor = tensor_type(load.results[0])
    if isinstance(load, LoadOp) and isinstance(tensor.encoding, attrs.BlockedEncoding):
        return tensor.encoding.order[0]
    return len(tensor.get_shape()) - 1


def emit_slot(loop: scf.ForOp, tile: MemDescType, emitter: Emitter) -> SSAValue:
    """Memory for the tile of this iteration: wgmma may still be reading that of the last one."""
    outside = Emitter.before(loop, emitter.origin)
    ring = outside.add(LocalAllocOp(None, ring_of(tile, SLOTS)))
    Emitter.after(loop, emitter.origin).run(LocalDeallocOp(ring))
    distance = emitter.add(arith.SubiOp(loop.body.block.args[0], loop.lb))
    count = emitter.add(arith.DivUIOp(distance, loop.step))
    narrow = count if count.type == i32 else emitter.add(arith.TruncIOp(count, i32))
    last = outside.add(arith.ConstantOp(IntegerAttr(SLOTS - 1, i32), i32))
    return emitter.add(MemDescIndexOp(ring, emitter.add(arith.AndIOp(narrow, last)), as_mutable(tile)))


def guard_loops(running: Sequence[Operation]) -> None:
    """Guard the loops of these products, which run on behind the end of their iterations.

    To be called when all products of the module are rewritten: a loop that two of them are in gets one guard.
    """
    loops = dict.fromkeys(product.parent_op() for product in running)
    for loop in [loop for loop in loops if isinstance(loop, scf.ForOp)]:
        if any(are_sums(loop)) and accumulator_registers(loop) <= THREAD_REGISTERS:
            guard_loop(loop)


def guard_loop(loop: scf.ForOp) -> None:
    """Put the loop under a condition that it runs at all.

    Without it, the path around the loop meets the loop's last wgmma, still in flight, in one block that has to move
    accumulators; ptxas then waits after every wgmma. Behind the condition, Triton's wait comes before that block.
    Where the accumulators do not fit into the registers side by side, that is what they need.
    """
    emitter = Emitter.before(loop)
    runs = emitter.add(arith.CmpiOp(loop.lb, loop.ub, "slt"))
    types = [result.type for result in loop.results]
    skipped = Block([scf.YieldOp(*loop.iter_args)])
    guard = scf.IfOp(runs, types, Region(Block()), Region(skipped))
    emitter.run(guard)
    results = hand_through(guard.results, are_sums(loop), emitter)
    loop.detach()
    for result, guarded in zip(loop.results, results, strict=True):
        result.replace_all_uses_with(guarded)
    guard.true_region.block.add_ops([loop, scf.YieldOp(*loop.results)])


def are_sums(loop: scf.ForOp) -> Sequence[bool]:
    """For each result of the loop whether a product has made it, and may still be running where the loop ends."""
    last = loop.body.block.last_op
    assert last is not None
    mine = products(loop)
    return [value.owner in mine for value in last.operands]


def hand_through(results: Sequence[SSAValue], accumulated: Sequence[bool], emitter: Emitter) -> Sequence[SSAValue]:
    """The results of a guard, those that are `accumulated` through a wait that has nothing left to wait for.

    Otherwise what is computed of them is computed of phis of zeros and registers, a whole tile side by side. LLVM's SLP
    vectorizer makes that one vector, which the stores take apart again, and needs up to three times as long as all the
    rest of LLVM's passes to find it.
    """
    accumulators = list(compress(results, accumulated))
    if not accumulators:
        return results
    wait = WarpGroupDotWaitOp(accumulators, 0)
    emitter.run(wait)
    waited = dict(zip(accumulators, wait.results, strict=True))
    return [waited.get(result, result) for result in results]
