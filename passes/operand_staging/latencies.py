"""How far ahead a loop loads its tiles: `tt.latency`, by which Triton's pipeliner is told, within shared memory.

The pipeliner goes back from dots to find the loads of a loop. It does not find one whose tile is stored and read again,
and it does not count the buffers that dotload adds. Where one op of a loop has a latency, it decides for no other.
"""

from __future__ import annotations

import math

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import BlockArgument, Operation, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.traits import writes_global
from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.tt_memory import DescriptorLoadOp, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import as_tensor, of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.nvidia_targets import ALL_THREAD_REGISTERS, WARP_LANES
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import uses_behind
from dotload.passes.ir.loops import carried_by_loop, feeds_dot, is_pipelined_loop
from dotload.passes.ir.memory import alloc_of, memory_bytes, memory_users
from dotload.passes.ir.targets import module_around, target_around
from dotload.passes.operand_staging.candidates import contiguous_axis
from dotload.passes.operand_staging.layout_propagation import threads_of
from dotload.passes.operand_staging.remark_texts import bytes_at_once

BYTE = 8
MIN_COPY_BITS = 32
"""The smallest piece of an asynchronous copy (PTX ISA, cp.async)."""

AHEAD = 3
"""Tiles under way that let `pipeline-operand-copies` take one of them for its stage."""

AHEAD_THROUGH_INDEX = 2
"""As far as tiles that are found through an index are loaded ahead where it keeps no block out, whatever `num_stages`:
one tile alone is loaded and waited for in turn."""

MMA_SYNC_REGISTERS = 168
"""Of a thread whose loop has dots of mma.sync, of few rows (estimated): three blocks of four warps are resident."""

NUM_STAGES = "tt.num_stages"
"""What a loop has to say of its stages, against the kernel's option of that name."""

LATENCY = "tt.latency"
"""How many tiles ahead to load."""


def load_ahead(loop: scf.ForOp, other_bytes: int, num_stages: int, spare_bytes: int = 0) -> bool:
    """Tell Triton's pipeliner how far ahead to load what the loop loads; False where it should decide for itself.

    As far as `num_stages` says (0 where that is not known), and from 3 stages on to AHEAD at least if all tiles stay
    within `spare_bytes` of shared memory; less where there is no room beside `other_bytes`.
    """
    count, loads = stages_of(loop, num_stages), loads_of(loop)
    tiles = [load for load in loads if is_tile(load)]
    other_bytes += scratch_bytes(loop)
    if count < 2 or any(map(loads_found_by, loads)) or not all(map(is_copied_by_vectors, tiles)):
        return False
    tile_bytes = sum(tensor_bytes(load.results[0]) for load in tiles)
    rooms = dict.fromkeys(range(1, count), target_around(loop).max_block_bytes)
    if count > 2:
        rooms |= dict.fromkeys(range(count, AHEAD + 1), spare_bytes)
    fitting = [ahead for ahead, room in rooms.items() if (ahead + 1) * tile_bytes + other_bytes <= room]
    if not fitting:
        return False
    for load in loads:
        load.attributes[LATENCY] = IntegerAttr(max(fitting), i32)
    return True


def load_through_index(dot: Operation, num_stages: int) -> None:
    """Load tiles that are found through an index, as those of a paged cache, as far ahead as `num_stages` says.

    At least AHEAD_THROUGH_INDEX ahead; but no farther than Triton, where tiles would keep other blocks out. Triton
    deals the stages out among tiles and indices, and loads tiles half as far ahead. In a loop that waits for what it
    loads next this hides little, and 8-bit tiles have few bytes under way.
    """
    loop = dot.parent_op()
    if not isinstance(loop, scf.ForOp):
        return
    count, loads = stages_of(loop, num_stages), loads_of(loop)
    tiles = [load for load in loads if is_tile(load)]
    if count < 2 or not any(map(loads_found_by, loads)) or any(LATENCY in load.attributes for load in loads):
        return
    if has_indices_of_indices(loads) or not all(map(is_copied_by_vectors, tiles)):
        return
    registers = MMA_SYNC_REGISTERS if isinstance(dot, DotOp) else ALL_THREAD_REGISTERS
    target, others = target_around(loop), held_bytes(loop) + scratch_bytes(loop) + fragment_bytes(loop)
    copied = [load for load in loads if as_tensor(load.results[0].type) is not None]
    most = max(count - 1, AHEAD_THROUGH_INDEX)
    taken = {ahead: others + buffer_bytes(copied, ahead + 1) for ahead in range(1, most + 1)}
    spare, by_triton = target.spare_bytes(threads_of(dot) // WARP_LANES, registers), ahead_by_triton(count)
    fitting = [ahead for ahead, size in taken.items() if size <= target.max_block_bytes]
    wanted = [ahead for ahead in fitting if ahead <= by_triton or taken[ahead] <= spare]
    for load in loads if wanted else ():
        load.attributes[LATENCY] = IntegerAttr(max(wanted), i32)


def ahead_by_triton(num_stages: int) -> int:
    """How far ahead Triton loads an index, and tiles that are found through it."""
    return (num_stages - 1) // 2


def is_copied_ahead(index: LoadOp, loop: scf.ForOp, num_stages: int) -> bool:
    """Whether Triton's pipeliner copies an index of the loop to shared memory, ahead of the tiles found through it."""
    told = [load for load in loads_of(loop) if LATENCY in load.attributes]
    if told:
        return index in told
    is_pipelined = ahead_by_triton(stages_of(loop, num_stages)) > 0
    return is_pipelined and all(map(is_copied_by_vectors, loads_found_by(index)))


def is_tile(load: LoadOp | DescriptorLoadOp) -> bool:
    """Whether the load brings more than a line: indices and scales of tokens are small, and Triton may copy them."""
    tensor = as_tensor(load.results[0].type)
    return tensor is not None and len(tensor.get_shape()) > 1


def has_indices_of_indices(loads: list[LoadOp | DescriptorLoadOp]) -> bool:
    """Whether what says where a tile lies is found through an index itself."""
    return any(loads_found_by(found) for load in loads for found in loads_found_by(load))


def may_load_ahead(loop: Operation, num_stages: int) -> bool:
    """Whether Triton would copy all that goes to dots of a loop, so that `load_copies_ahead` can say so."""
    if not isinstance(loop, scf.ForOp) or stages_of(loop, num_stages) < 2 or not is_pipelined_loop(loop):
        return False
    loads = loads_of(loop)
    is_told = any(LATENCY in load.attributes for load in loads)
    return not is_told and not any(map(loads_found_by, loads)) and not any(map(writes_global, loop.walk()))


def load_copies_ahead(loop: Operation, num_stages: int) -> None:
    """Have what can be copied asynchronously loaded as far ahead as Triton would, what it does not find as well."""
    assert isinstance(loop, scf.ForOp)
    strides = Strides(module_around(loop))
    copied = [load for load in loads_of(loop) if is_copied(load, strides)]
    for load in copied:
        load.attributes[LATENCY] = IntegerAttr(copies_ahead(loop, copied, num_stages), i32)


def copies_ahead(loop: scf.ForOp, copied: list[LoadOp | DescriptorLoadOp], num_stages: int) -> int:
    """How far ahead Triton would load what it copies: as many stages as there are, less where there is no room."""
    room = target_around(loop).max_block_bytes - held_bytes(loop)
    fitting = (ahead for ahead in range(1, stages_of(loop, num_stages)) if buffer_bytes(copied, ahead + 1) <= room)
    return max(fitting, default=1)


def load_within(loop: scf.ForOp, num_stages: int) -> None:
    """Have the loop load less far ahead where Triton would take more than a block's shared memory for it.

    Stock Triton does not pipeline all loads that are staged now, so the kernel may ask for more stages than fit.
    """
    count, loads = stages_of(loop, num_stages), [load for load in loads_of(loop) if is_pipelined(load)]
    if count < 2 or any(LATENCY in load.attributes for load in loads):
        return
    held, room = held_bytes(loop), target_around(loop).max_block_bytes

    if held + buffer_bytes(loads, count) <= room:
        return
    fitting = [stages for stages in range(2, count) if held + buffer_bytes(loads, stages) <= room]
    if not fitting:
        loop.attributes[NUM_STAGES] = IntegerAttr(1, i32)
    for load in loads if fitting else ():
        load.attributes[LATENCY] = IntegerAttr(fitting[-1] - 1, i32)


def is_pipelined(load: LoadOp | DescriptorLoadOp) -> bool:
    """Whether Triton's pipeliner takes shared memory for the tile: dots read it there, or are given what it copies."""
    return bool(tile_readers(load)) or is_copied_by_vectors(load)


def load_further(dot: Operation, num_stages: int, spare_bytes: int) -> None:
    """Load AHEAD tiles ahead where the kernel's 3 stages would be one less; arguments as for `load_ahead`."""
    loop = dot.parent_op()
    if 1 < num_stages - 1 < AHEAD and isinstance(loop, scf.ForOp) and NUM_STAGES not in loop.attributes:
        load_ahead(loop, held_bytes(loop), num_stages, spare_bytes)


def stages_of(loop: scf.ForOp, num_stages: int) -> int:
    """The stages that the loop asks for, or else the kernel."""
    stages = loop.attributes.get(NUM_STAGES)
    return stages.value.data if isinstance(stages, IntegerAttr) else num_stages


def loads_of(loop: scf.ForOp) -> list[LoadOp | DescriptorLoadOp]:
    """The loads in the loop's own block that Triton's pipeliner finds when it goes back from dots."""
    loads = [op for op in loop.body.block.ops if isinstance(op, LoadOp | DescriptorLoadOp)]
    return [load for load in loads if feeds_dot(load)]


def loads_found_by(load: LoadOp | DescriptorLoadOp) -> list[LoadOp | DescriptorLoadOp]:
    """The loads of the same iteration whose addresses or masks are computed from what the load brings: an index."""

    def is_followed(user: Operation) -> bool:
        return user.parent_block() is load.parent_block() and not isinstance(user, LoadOp | DescriptorLoadOp)

    users = (use.operation for use in uses_behind(load, is_followed))
    loads = (user for user in users if isinstance(user, LoadOp | DescriptorLoadOp))
    return [each for each in loads if each.parent_block() is load.parent_block()]


# Shared memory


def buffer_bytes(loads: list[LoadOp | DescriptorLoadOp], stages: int) -> int:
    """The shared memory that Triton's pipeliner takes for tiles."""
    return sum(tiles_of(load, stages) * tensor_bytes(load.results[0]) for load in loads)


def tiles_of(load: LoadOp | DescriptorLoadOp, stages: int) -> int:
    """The buffers that Triton's pipeliner takes for a load: one more where a dot reads them itself."""
    is_read_by_dot = any(isinstance(reader, WarpGroupDotOp) for reader in tile_readers(load))
    return stages if is_read_by_dot else stages - 1


def tile_readers(load: LoadOp | DescriptorLoadOp) -> list[Operation]:
    """What reads the shared memory that the loaded tile goes to."""
    staged = [use.operation for use in load.results[0].uses if isinstance(use.operation, LocalAllocOp)]
    return [reader for alloc in staged for reader in memory_users(alloc.result)]


def held_bytes(loop: scf.ForOp, apart_from: LocalAllocOp | None = None) -> int:
    """The shared memory of what dots in the loop read, but for the tiles that the loop loads: the most at one time."""
    dots = [op for op in loop.walk() if isinstance(op, WarpGroupDotOp)]
    allocs = dict.fromkeys(alloc_of(operand) for dot in dots for operand in (dot.a, dot.b))
    held = [alloc for alloc in allocs if alloc not in (None, apart_from) and not is_loaded(alloc, loop)]
    stored = [alloc for alloc in held if alloc.src is not None and alloc.parent_op() is loop]
    always = sum(memory_bytes(alloc.result) for alloc in held if alloc not in stored)
    return always + max((live_bytes(alloc, stored) for alloc in stored), default=0)


def live_bytes(point: LocalAllocOp, allocs: list[LocalAllocOp]) -> int:
    """The shared memory of those of the loop's allocations that are in use where one of them is stored to."""
    live = [alloc for alloc in allocs if alloc is point or is_live(alloc, point)]
    return sum(memory_bytes(alloc.result) for alloc in live)


def is_live(alloc: LocalAllocOp, point: Operation) -> bool:
    """Whether an op of the block stores memory before a point of it that is read behind the point."""
    block = point.parent_block()
    assert block is not None
    readers = (block.find_ancestor_op_in_block(reader) for reader in memory_users(alloc.result))
    is_read = any(reader is not None and point.is_before_in_block(reader) for reader in readers)
    return is_read and alloc.is_before_in_block(point)


def scratch_bytes(loop: scf.ForOp) -> int:
    """The most scratch memory for converting what the loop loads besides operands: scales, before a broadcast."""
    loads = (LoadOp, DescriptorLoadOp)
    converted = [op for op in loop.body.block.ops if isinstance(op, ConvertLayoutOp) and not feeds_dot(op)]
    return max((tensor_bytes(op.src) for op in converted if isinstance(op.src.owner, loads)), default=0)


def fragment_bytes(loop: scf.ForOp) -> int:
    """What A of dots of mma.sync may take in shared memory, where its fragments come from another layout."""
    return sum(tensor_bytes(dot.a) for dot in of_kind(loop.body.block.ops, DotOp))


def is_loaded(alloc: LocalAllocOp, loop: scf.ForOp) -> bool:
    """Whether the memory is that of a tile as it is loaded in the loop."""
    if alloc.src is None or alloc.parent_op() is not loop:
        return False
    return isinstance(alloc.src.owner, LoadOp | DescriptorLoadOp)


def tensor_bytes(value: SSAValue) -> int:
    """The size of a tensor in bytes."""
    tensor = tensor_type(value)
    return math.prod(tensor.get_shape()) * element_bits(tensor) // 8


# Asynchronous copies


def is_copied(load: LoadOp | DescriptorLoadOp, strides: Strides) -> bool:
    """Whether Triton can copy what is loaded asynchronously: numbers and rows of 4 bytes an element as well.

    A layout does not tell: Triton gives that of one tile to others of its shape.
    """
    if isinstance(load, DescriptorLoadOp) or element_bits(load.results[0].type) >= MIN_COPY_BITS:
        return True
    return is_copied_by_vectors(load) and lies_in_vectors(load, strides)


def lies_in_vectors(load: LoadOp, strides: Strides) -> bool:
    """Whether 4 bytes of a tile are known to lie together in memory; of pointers from outside, the layout knows it."""
    pointers = carried_by_loop(load.ptr)
    if isinstance(load.ptr if pointers is None else pointers.init, BlockArgument):
        return True
    vector = bytes_at_once(load, contiguous_axis(load), strides)
    return vector is not None and vector * BYTE >= MIN_COPY_BITS


def is_copied_by_vectors(load: LoadOp | DescriptorLoadOp) -> bool:
    """Whether Triton can copy the tile asynchronously: in pieces of 4 bytes at least, each masked as a whole."""
    if isinstance(load, DescriptorLoadOp):
        return True
    tensor = as_tensor(load.results[0].type)
    if tensor is not None and element_bits(tensor) >= MIN_COPY_BITS:
        return True
    if tensor is None or not isinstance(tensor.encoding, attrs.BlockedEncoding):
        return False
    axis = contiguous_axis(load)
    blocked = tensor.encoding.to_encoding()
    assert isinstance(blocked, enc.Blocked)
    piece = MIN_COPY_BITS // element_bits(tensor)  # in elements
    is_masked_whole = load.mask is None or Strides.behind(load.mask).of(load.mask).is_same_in_groups(axis, piece)
    return blocked.size_per_thread[axis] >= piece and is_masked_whole
