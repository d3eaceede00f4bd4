"""Creation of the 2D block prefetches that candidates become. Nothing here can refuse: that was decided before.

Messages are distributed round-robin: a warp sends the messages whose number is its own, modulo the number of warps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.arith import CmpiOp, SelectOp
from dotload.dialect_ext.triton_gen import BlockPrefetch2DOp
from dotload.dialect_ext.typed import create
from dotload.layout.block_prefetch import PrefetchPlan
from dotload.layout.xe_targets import XeTarget
from dotload.passes.block_load.emit_planes import PlaneDim, one_plane
from dotload.passes.block_load.emit_ttig import Memory, descriptor_dims, descriptor_memory, memory_of
from dotload.passes.block_load.pointer_rows import emit_pitch
from dotload.passes.block_load.surfaces import aligned, cut, may_be_cut
from dotload.passes.block_prefetch.candidates import (
    BlockPointerPrefetch,
    Candidate,
    DescriptorPrefetch,
    PointerTensorPrefetch,
)
from dotload.passes.ir.constants import constant_of
from dotload.passes.ir.loops import function_around
from dotload.passes.ir.scalar_emitter import ScalarEmitter
from dotload.passes.llvm.builder import LLVMBuilder
from dotload.passes.llvm.entry_block import EntryBlock
from dotload.passes.llvm.types import GLOBAL_POINTER, UNSIGNED_LESS
from dotload.passes.rematerialization.elements import Elements, Index
from dotload.passes.rematerialization.offsets import Offsets

CACHED = "L1C_L3C"
"""Cache control: a prefetch goes to level 1 and level 3."""


@dataclass(frozen=True)
class Scene:
    """What the prefetches of a module share: warps, the facts about pointers so far, and whether surfaces are cut."""

    target: XeTarget
    warps: int
    offsets: Offsets
    elements: Elements
    module: ModuleOp
    entries: dict[Operation, EntryBlock]
    cut_surfaces: bool

    def entry(self, op: Operation) -> EntryBlock:
        """The entry block of the function that an op is in."""
        function = function_around(op)
        assert function is not None
        return self.entries.setdefault(function, EntryBlock(function, self.module))


def emit(found: Candidate, scene: Scene) -> None:
    """Emit the messages of one warp; its number selects them."""
    match found:
        case PointerTensorPrefetch():
            _emit_pointers(found, scene)
        case BlockPointerPrefetch(op=op, origin=origin, axes=axes):
            memory = memory_of(origin.make, op.ptr, axes, found.bits // 8, scene.offsets, op)
            shape, strides = origin.make.shape, origin.make.strides
            dims = [PlaneDim(index, shape[n], strides[n], 1, False) for n, index in enumerate(memory.indices)]
            _emit_block(found, memory, dims, scene)
        case DescriptorPrefetch(op=op, corner=corner):
            here, sizes = ScalarEmitter(op), [1] * len(corner.planes)
            memory = descriptor_memory(op.desc, corner, here)
            _emit_block(found, memory, descriptor_dims(op.desc, corner, sizes, 0, here), scene)
    Rewriter.erase_op(found.op)


def _emit_block(found: Candidate, memory: Memory, dims: Sequence[PlaneDim], scene: Scene) -> None:
    """Send all messages to one surface, a plane of memory."""
    here, size = ScalarEmitter(found.op), found.bits // 8
    start = one_plane(here, memory.start, memory.height, dims)
    base = here.insert(create(UnrealizedConversionCastOp, operands=[start.base], result_types=[GLOBAL_POINTER]))
    memory = replace(memory, base=base, y=start.y)
    unit = max(scene.target.x_multiple_bytes, size)
    if scene.cut_surfaces and may_be_cut(scene.target, unit, memory.width, memory.pitch):
        memory = _cut(memory, size, scene.target, LLVMBuilder(found.op, scene.entry(found.op)))
    for along, down in _corners(here, found.plan, scene.warps):
        x, y = _further(here, memory.x, along), _further(here, memory.y, down)
        _send(here, found, replace(memory, x=x, y=y))


def _cut(memory: Memory, size: int, target: XeTarget, builder: LLVMBuilder) -> Memory:
    """The memory from an aligned address on, as a surface no wider than its pitch.

    The bytes that it lacks of a row are the beginning of the next row, which other messages fetch.
    """
    sizes = (memory.width, memory.height, memory.pitch)
    surface, skew = aligned(builder, size, target, memory.base, sizes)
    assert skew is not None
    surface, _ = cut(builder, surface)
    return replace(memory, base=surface.base, width=surface.width, x=builder.add(memory.x, skew))


def _emit_pointers(found: PointerTensorPrefetch, scene: Scene) -> None:
    """Give each message its own surface, which begins at the message's first element. The surface has no rows to read
    if the mask is false there, or if the pitch is less than such a surface may need."""
    plan, size = found.plan, found.bits // 8
    outside, here = _at_start(found.op), ScalarEmitter(found.op)
    places = [_index(found, *corner) for corner in _corners(outside, plan, scene.warps)]
    width = here.constant(max(scene.target.min_width_bytes, plan.width * size), "width")
    height, zero = here.constant(plan.rows, "height"), here.constant(0)
    pitch, short = emit_pitch(here, found.pitch), None
    if found.room:
        room = here.constant(found.room, "room")
        short = here.insert(CmpiOp(pitch, room, UNSIGNED_LESS))
        pitch = here.insert(SelectOp(short, room, pitch))
    for place in places:
        pointer = scene.elements.of(found.op.ptr, place)
        base = here.insert(create(UnrealizedConversionCastOp, operands=[pointer], result_types=[GLOBAL_POINTER]))
        y = zero
        if found.op.mask is not None:
            y = here.insert(SelectOp(scene.elements.of(found.op.mask, place), zero, height))
        if short is not None:
            y = here.insert(SelectOp(short, height, y))
        _send(here, found, Memory(base, width, height, pitch, zero, y))


def _at_start(op: Operation) -> ScalarEmitter:
    """An inserter at the beginning of the function that an op is in."""
    function = function_around(op)
    assert function is not None
    return ScalarEmitter(op, InsertPoint.at_start(function.body.blocks[0]))


def _index(found: PointerTensorPrefetch, along: SSAValue | None, down: SSAValue | None) -> Index:
    """The index of the tensor's element at these distances along memory's rows and down them."""
    dims = {found.axes.column: along, found.axes.row: down}
    return tuple(dims.get(dim) for dim in range(found.rank))


def _corners(here: ScalarEmitter, plan: PrefetchPlan, warps: int) -> Iterator[tuple[SSAValue | None, SSAValue | None]]:
    """The distances along and down the tile at which each of a warp's messages begins, in elements; None for 0.
    Messages are numbered along rows first.
    """
    if plan.messages == 1:
        yield None, None
        return
    warp = here.insert(arith.IndexCastOp(here.insert(gpu.SubgroupIdOp()), i32))
    for first in range(0, plan.messages, warps):
        number = here.insert(arith.AndIOp(warp, here.constant(min(warps, plan.messages) - 1)))
        number = here.insert(arith.AddiOp(number, here.constant(first))) if first else number
        yield _corner(here, number, plan)


def _corner(here: ScalarEmitter, number: SSAValue, plan: PrefetchPlan) -> tuple[SSAValue | None, SSAValue | None]:
    if plan.across == 1:
        return None, here.times(number, plan.rows)
    if plan.down == 1:
        return here.times(number, plan.width), None
    down = here.insert(arith.ShRUIOp(number, here.constant(plan.across.bit_length() - 1)))
    along = here.insert(arith.AndIOp(number, here.constant(plan.across - 1)))
    return here.times(along, plan.width), here.times(down, plan.rows)


def _further(here: ScalarEmitter, start: SSAValue, by: SSAValue | None) -> SSAValue:
    """A coordinate plus a distance."""
    if by is None:
        return start
    return by if constant_of(start) == 0 else here.insert(arith.AddiOp(start, by))


def _send(here: ScalarEmitter, found: Candidate, memory: Memory) -> None:
    """Emit one message."""
    plan = found.plan
    shape = {"tile_width": plan.columns, "tile_height": plan.rows, "v_blocks": plan.blocks}
    surface = (memory.base, memory.width, memory.height, memory.pitch, memory.x, memory.y)
    here.run(BlockPrefetch2DOp(*surface, elem_size_in_bits=found.bits, cache_control=CACHED, **shape))
