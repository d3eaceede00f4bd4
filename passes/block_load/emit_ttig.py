"""Creation of the `ttig` ops that candidates become. Nothing here can refuse: that was decided before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.shape_rules import signless
from dotload.dialect_ext.tt import MakeTensorPtrOp
from dotload.dialect_ext.ttig import COLUMN_MAJOR, ROW_MAJOR, BlockLoadFromPtrOp, BlockLoadOp, ExtractDescOp
from dotload.dialect_ext.typed import dims_of, tensor_type
from dotload.dialect_ext.types import PointerType, TensorDescType, element_bits
from dotload.layout.block_load import BlockLoadPlan
from dotload.passes.block_load.candidates import BlockPointerLoad, Candidate, Corner, DescriptorLoad, PointerTensorLoad
from dotload.passes.block_load.emit_planes import PlaneDim, Start, one_plane, several_planes
from dotload.passes.block_load.guards import set_guard
from dotload.passes.block_load.pointer_rows import emit_pitch
from dotload.passes.block_load.questions import Axes, holds_planes
from dotload.passes.ir.constants import constant_of, splat
from dotload.passes.ir.scalar_emitter import ScalarEmitter
from dotload.passes.rematerialization.offsets import Offsets

KEPT_ATTRIBUTES = ("ttig.one_matrix_per_load", "ttig.block_io_stride")


def _layout_name(column_major: bool) -> str:
    return COLUMN_MAJOR if column_major else ROW_MAJOR


def _replace(candidate: Candidate, new: BlockLoadOp | BlockLoadFromPtrOp) -> None:
    load = candidate.load
    set_guard(new, candidate.guarded)
    new.location = load.location
    new.attributes |= {name: load.attributes[name] for name in KEPT_ATTRIBUTES if name in load.attributes}
    new.result.name_hint = load.results[0].name_hint
    Rewriter.replace_op(load, [new])


@dataclass(frozen=True)
class Memory:
    """A region of memory, and a place in it: width and pitch in bytes, height and y in rows, x in elements. Along the
    dims before the last two, the `indices` of planes, which are not yet added to the base.
    """

    base: SSAValue
    width: SSAValue
    height: SSAValue
    pitch: SSAValue
    x: SSAValue
    y: SSAValue
    indices: tuple[SSAValue, ...] = ()

    @property
    def start(self) -> Start:
        return Start(self.base, self.y)


def _emit_load(candidate: BlockPointerLoad | DescriptorLoad, memory: Memory, start: Start) -> None:
    """Replace the load by one from the region, whose planes are those of `start`."""
    region = memory.width, memory.height, memory.pitch, memory.x, start.y
    type_, layout = tensor_type(candidate.load.result), _layout_name(candidate.axes.column_major)
    op = BlockLoadOp(start.base, *region, type_, layout, planes=start.planes, pad_nan=candidate.pad_nan)
    _replace(candidate, op)


def memory_of(
    make: MakeTensorPtrOp, pointer: SSAValue, axes: Axes, size: int, offsets: Offsets, at: Operation
) -> Memory:
    """The region of a `tt.make_tensor_ptr`, and its block pointer's place `at` an op; elements have `size` bytes."""
    rank = len(make.shape)
    *indices, y, x = offsets.along(pointer, [*range(rank - 2), axes.row, axes.column])
    once = ScalarEmitter(make, InsertPoint.after(make)) if not indices else ScalarEmitter(at)
    width = once.times(make.shape[axes.column], size, "width")
    height = once.times(make.shape[axes.row], 1, "height")
    pitch = once.times(make.strides[axes.row], size, "pitch")
    return Memory(make.base, width, height, pitch, x, y, tuple(indices))


def emit_block_pointer(candidate: BlockPointerLoad, offsets: Offsets) -> None:
    """The region is that of the `tt.make_tensor_ptr`, the coordinates are the offsets of the block pointer."""
    load, axes, make = candidate.load, candidate.axes, candidate.origin.make
    type_ = tensor_type(load.result)
    shape, size, inserter = type_.get_shape(), element_bits(type_) // 8, ScalarEmitter(load)
    found = memory_of(make, load.ptr, axes, size, offsets, load)
    checked = dims_of(load.boundaryCheck)
    dims = [
        PlaneDim(index, make.shape[dim], make.strides[dim], shape[dim], dim in checked)
        for dim, index in enumerate(found.indices)
    ]
    if holds_planes(shape):
        start = several_planes(inserter, found.start, dims, size)
    else:
        start = one_plane(inserter, found.start, found.height, dims)
    _emit_load(candidate, found, start)


def descriptor_memory(desc: SSAValue, corner: Corner, inserter: ScalarEmitter) -> Memory:
    """The region is read from the descriptor's fields: shapes, strides, base pointer."""
    assert isinstance(desc.type, TensorDescType)
    element, rank = desc.type.block_type.element_type, len(corner.planes) + 2
    size = element_bits(element) // 8

    def field(index: int, type_: Attribute = i64) -> SSAValue:
        return inserter.insert(ExtractDescOp(desc, index, type_))

    width = inserter.times(field(rank - 1), size, "width")
    height = inserter.times(field(rank - 2), 1, "height")
    pitch = inserter.times(field(2 * rank - 2), size, "pitch")
    base = field(2 * rank, PointerType(signless(element)))
    return Memory(base, width, height, pitch, corner.column, inserter.total(corner.row), corner.planes)


def descriptor_dims(
    desc: SSAValue, corner: Corner, sizes: Sequence[int], held: int, inserter: ScalarEmitter
) -> list[PlaneDim]:
    """The dims before the last two of a descriptor from which a tensor takes `sizes`: the last `held` of them, which
    the tensor has too, and the others whose index moves the base.
    """
    rank = len(corner.planes) + 2

    def field(index: int) -> SSAValue:
        return inserter.insert(ExtractDescOp(desc, index, i64))

    return [
        PlaneDim(index, field(dim), field(rank + dim), n, True)
        for dim, (index, n) in enumerate(zip(corner.planes, sizes, strict=True))
        if dim >= rank - 2 - held or constant_of(index) != 0
    ]


def emit_descriptor(candidate: DescriptorLoad) -> None:
    """The region and the coordinates are those of the descriptor and its indices."""
    load, corner, inserter = candidate.load, candidate.corner, ScalarEmitter(candidate.load)
    type_ = tensor_type(load.result)
    shape, size = type_.get_shape(), element_bits(type_) // 8
    found = descriptor_memory(load.desc, corner, inserter)
    held = len(shape) - 2 if holds_planes(shape) else 0
    sizes = [1] * (len(corner.planes) + 2 - len(shape)) + list(shape[:-2])
    dims = descriptor_dims(load.desc, corner, sizes, held, inserter)
    outer = len(dims) - held
    start = one_plane(inserter, found.start, found.height, dims[:outer])
    start = several_planes(inserter, start, dims[outer:], size)
    _emit_load(candidate, found, start)


def emit_pointer_tensor(candidate: PointerTensorLoad) -> None:
    """Keep the pointers; add the pitch and the size of one message's region."""
    load, plan = candidate.load, candidate.plan
    inserter = ScalarEmitter(load)
    pitch = emit_pitch(inserter, candidate.pitch)
    other = load.other
    if load.mask is not None and other is None:
        other = inserter.insert(splat(0, tensor_type(load.result)))
    width, height = message_region(plan)
    op = BlockLoadFromPtrOp(
        load.ptr,
        pitch,
        load.result.type,
        _layout_name(candidate.axes.column_major),
        base_width=width,
        base_height=height,
        mask=load.mask,
        other=other,
    )
    _replace(candidate, op)


def message_region(plan: BlockLoadPlan) -> tuple[int, int]:
    """The bytes in a row of one block of a message, and the number of rows."""
    message = plan.message
    return message.columns * message.element_bytes, message.rows
