"""Load latencies: how far ahead Triton's pipeliner loads a loop's tiles (`tt.latency`), within shared memory.

The pipeliner goes back from dots to find a loop's loads. It does not find one whose tile is stored and read again, and
does not count the buffers that dotload adds. If one op of a loop has a latency, it assigns none to the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation

from dotload.dialect_ext.traits import writes_global
from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.tt_memory import Load, LoadOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import as_tensor, tensor_type
from dotload.layout.nvidia_targets import ALL_THREAD_REGISTERS, WARP_LANES
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.layouts import is_tile, registers_of_thread
from dotload.passes.ir.loops import is_pipelined_loop, threads_of
from dotload.passes.ir.targets import module_around, target_around
from dotload.passes.operand_staging.candidates import find_operands
from dotload.passes.operand_staging.loop_loads import (
    NUM_STAGES,
    has_indices_of_indices,
    is_2d,
    is_copied,
    is_copied_by_vectors,
    loads_found_by,
    loads_of,
    stages_of,
)
from dotload.passes.operand_staging.loop_memory import (
    buffer_bytes,
    fragment_bytes,
    held_bytes,
    lacks_buffer,
    scratch_bytes,
    tile_readers,
)
from dotload.passes.operand_staging.ordering import is_volatile, refusal

AHEAD = 3
"""Tiles in flight that let `pipeline-operand-copies` take one of them for its stage."""

AHEAD_THROUGH_INDEX = 2
"""How far ahead tiles found through an index are loaded at least, whatever `num_stages`, if that costs no resident
block: with a single tile, each load would be waited for at once."""

MMA_SYNC_REGISTERS = 168
"""Registers per thread in a loop of mma.sync dots (estimated): three blocks of four warps fit."""

LATENCY = "tt.latency"
"""The attribute: how many tiles ahead to load."""

REGISTERS_AHEAD = 8
"""Of a thread, at most, for what is loaded ahead into registers."""


def set_latency(loads: Iterable[Load], ahead: int) -> None:
    """Tell Triton's pipeliner to load this many tiles ahead."""
    for load in loads:
        load.attributes[LATENCY] = IntegerAttr(ahead, i32)


def load_ahead(loop: scf.ForOp, other_bytes: int, num_stages: int, spare_bytes: int = 0) -> bool:
    """Tell Triton's pipeliner how far ahead to load the loop's tiles; False if it should decide itself.

    The distance is that of `num_stages` (0 if unknown). From 3 stages on, it is at least AHEAD, if all tiles stay
    within `spare_bytes` of shared memory. It is less if there is no room beside `other_bytes`. wgmma may still read a
    tile while the next ones are under way; fragments for mma.sync are read before. Triton would carry tiles in
    registers, all the way ahead, that it cannot copy asynchronously: such a loop gets no latencies.
    """
    count, loads = stages_of(loop, num_stages), loads_of(loop)
    tiles = [load for load in loads if is_2d(load)]
    other_bytes += scratch_bytes(loop)
    if count < 2 or any(map(loads_found_by, loads)) or not all(map(is_copied_by_vectors, tiles)):
        return False
    strides = Strides(module_around(loop))
    if any(map(must_stay, loads)) or not all(is_copied(tile, strides) for tile in tiles):
        return False
    fitting = distances_within(target_around(loop).max_block_bytes, range(1, count), tiles, other_bytes)
    if count > 2:
        fitting += distances_within(spare_bytes, range(count, AHEAD + 1), tiles, other_bytes)
    if not fitting:
        return False
    set_latency(loads, max(fitting))
    return True


def load_through_index(dot: Operation, num_stages: int) -> None:
    """Load tiles found through an index, such as those of a paged cache, as far ahead as `num_stages` says.

    The distance is at least AHEAD_THROUGH_INDEX, but no more than Triton's if the tiles would cost resident blocks.
    Triton divides the stages among tiles and indices, and loads tiles half as far ahead. In a loop that waits for the
    next load, this hides little latency, and 8-bit tiles have few bytes in flight.
    """
    loop = dot.parent_op()
    if not isinstance(loop, scf.ForOp):
        return
    count, loads = stages_of(loop, num_stages), loads_of(loop)
    if count < 2 or not any(map(loads_found_by, loads)) or any(LATENCY in load.attributes for load in loads):
        return
    tensors = [load for load in loads if as_tensor(load.results[0].type) is not None]
    copied = [load for load in tensors if is_copied_by_vectors(load)]
    if has_indices_of_indices(loads) or any(map(must_stay, loads)) or not fit_registers(set(tensors) - set(copied)):
        return
    others = held_bytes(loop) + scratch_bytes(loop) + fragment_bytes(loop)
    distances = range(1, max(count - 1, AHEAD_THROUGH_INDEX) + 1)
    fitting = distances_within(target_around(loop).max_block_bytes, distances, copied, others)
    spare = distances_within(spare_bytes_of(dot), distances, copied, others)
    if wanted := [ahead for ahead in fitting if ahead <= ahead_by_triton(count) or ahead in spare]:
        set_latency(loads, max(wanted))


def distances_within(room: int, distances: Iterable[int], tiles: list[Load], other_bytes: int) -> list[int]:
    """How far ahead tiles may be loaded, of these distances, for their buffers and `other_bytes` to fit a room."""
    return [ahead for ahead in distances if buffer_bytes(tiles, ahead + 1) + other_bytes <= room]


def must_stay(load: Load) -> bool:
    """Whether Triton's pipeliner must not be told to load a tile ahead.

    The load is volatile, its operand was refused, or a dot may still read its buffer when the next copy arrives.
    """
    readers = [reader for reader in tile_readers(load) if isinstance(reader, WarpGroupDotOp)]
    operands = [(reader, operand) for reader in readers for operand in find_operands(reader)]
    is_refused = any(operand.load is load and refusal(reader, operand) for reader, operand in operands)
    return is_volatile(load) or lacks_buffer(load) or is_refused


def fit_registers(loads: Collection[Load]) -> bool:
    """Whether a thread can hold what is loaded, iterations ahead: Triton carries what it cannot copy in registers."""
    is_of_rows = not any(is_tile(tensor_type(load.results[0])) for load in loads)
    return is_of_rows and sum(registers_of_thread(load.results[0]) for load in loads) <= REGISTERS_AHEAD


def spare_bytes_of(dot: Operation) -> int:
    """The shared memory that a block may take without reducing the number of blocks that its registers allow."""
    registers = MMA_SYNC_REGISTERS if isinstance(dot, DotOp) else ALL_THREAD_REGISTERS
    return target_around(dot).spare_bytes(threads_of(dot) // WARP_LANES, registers)


def ahead_by_triton(num_stages: int) -> int:
    """How far ahead Triton loads an index, and the tiles found through it."""
    return (num_stages - 1) // 2


def is_copied_ahead(index: LoadOp, loop: scf.ForOp, num_stages: int) -> bool:
    """Whether Triton's pipeliner copies an index of the loop to shared memory, ahead of the tiles found through it."""
    ahead = [load for load in loads_of(loop) if LATENCY in load.attributes]
    if ahead:
        return index in ahead
    is_pipelined = ahead_by_triton(stages_of(loop, num_stages)) > 0
    return is_pipelined and all(map(is_copied_by_vectors, loads_found_by(index)))


def may_load_ahead(loop: Operation, num_stages: int) -> bool:
    """Whether Triton would copy all loads that feed a loop's dots, so that `load_copies_ahead` can mark them.

    False if Triton may know of vectors that `Strides` does not: a load without a latency would no longer be copied.
    """
    if not isinstance(loop, scf.ForOp) or stages_of(loop, num_stages) < 2 or not is_pipelined_loop(loop):
        return False
    loads = loads_of(loop)
    is_told = any(LATENCY in load.attributes for load in loads)
    if is_told or any(loads_found_by(load) or lacks_buffer(load) for load in loads):
        return False
    if any(map(writes_global, loop.walk())):
        return False
    strides = Strides(module_around(loop))
    return all(is_copied(load, strides) for load in loads if is_copied_by_vectors(load))


def load_copies_ahead(loop: Operation, num_stages: int) -> None:
    """Load what can be copied asynchronously as far ahead as Triton would, even loads that Triton does not find."""
    assert isinstance(loop, scf.ForOp)
    strides = Strides(module_around(loop))
    copied = [load for load in loads_of(loop) if is_copied(load, strides)]
    set_latency(copied, copies_ahead(loop, copied, num_stages))


def copies_ahead(loop: scf.ForOp, copied: list[Load], num_stages: int) -> int:
    """How far ahead Triton would load its copies: as many stages as there are, fewer if there is no room."""
    distances = range(1, stages_of(loop, num_stages))
    return max(distances_within(target_around(loop).max_block_bytes, distances, copied, held_bytes(loop)), default=1)


def load_within(loop: scf.ForOp, num_stages: int) -> None:
    """Load the loop's tiles less far ahead if Triton would exceed a block's shared memory.

    Stock Triton does not pipeline all loads that are now staged, so the kernel may ask for more stages than fit.
    """
    count, loads = stages_of(loop, num_stages), [load for load in loads_of(loop) if is_pipelined(load)]
    if count < 2 or any(LATENCY in load.attributes for load in loads):
        return
    held, room = held_bytes(loop), target_around(loop).max_block_bytes
    if held + buffer_bytes(loads, count) <= room:
        return
    fitting = distances_within(room, range(1, count - 1), loads, held)
    if fitting and not any(map(must_stay, loads)):
        set_latency(loads, max(fitting))
    else:
        loop.attributes[NUM_STAGES] = IntegerAttr(1, i32)


def is_pipelined(load: Load) -> bool:
    """Whether Triton's pipeliner allocates shared memory for the tile: dots read it there, or take its copy."""
    return bool(tile_readers(load)) or is_copied_by_vectors(load)


def load_further(dot: Operation, num_stages: int, spare_bytes: int) -> None:
    """Load AHEAD tiles ahead if the kernel's 3 stages would give one fewer; arguments as for `load_ahead`."""
    loop = dot.parent_op()
    if 1 < num_stages - 1 < AHEAD and isinstance(loop, scf.ForOp) and NUM_STAGES not in loop.attributes:
        load_ahead(loop, held_bytes(loop), num_stages, spare_bytes)
