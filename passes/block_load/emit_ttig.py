"""Creating the `ttig` ops that candidates become. Nothing here can refuse: that was decided before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.arith import CmpiOp, SelectOp
from dotload.dialect_ext.tt import AddPtrOp, MakeTensorPtrOp
from dotload.dialect_ext.ttig import COLUMN_MAJOR, ROW_MAJOR, BlockLoadFromPtrOp, BlockLoadOp, ExtractDescOp
from dotload.dialect_ext.typed import Integer, tensor_type
from dotload.dialect_ext.types import PointerType, TensorDescType, element_bits
from dotload.layout.block_load import BlockLoadPlan
from dotload.passes.analysis.block_pointers import Offsets, constant_of
from dotload.passes.block_load.candidates import BlockPointerLoad, Corner, DescriptorLoad, PointerTensorLoad
from dotload.passes.block_load.guards import set_guard
from dotload.passes.block_load.pointer_rows import emit_pitch
from dotload.passes.block_load.questions import Axes
from dotload.passes.ir.inserter import Inserter
from dotload.passes.llvm_types import UNSIGNED_LESS

KEPT_ATTRIBUTES = ("ttig.one_matrix_per_load", "ttig.block_io_stride")


def _layout_name(column_major: bool) -> str:
    return COLUMN_MAJOR if column_major else ROW_MAJOR


def _replace(load: Operation, new: BlockLoadOp | BlockLoadFromPtrOp) -> None:
    new.location = load.location
    new.attributes |= {name: load.attributes[name] for name in KEPT_ATTRIBUTES if name in load.attributes}
    new.result.name_hint = load.results[0].name_hint
    Rewriter.replace_op(load, [new])


@dataclass(frozen=True)
class Memory:
    """A region of memory, and a place in it: width and pitch in bytes, height and y in rows, x in elements."""

    base: SSAValue
    width: SSAValue
    height: SSAValue
    pitch: SSAValue
    x: SSAValue
    y: SSAValue


def memory_of(
    make: MakeTensorPtrOp, pointer: SSAValue, axes: Axes, size: int, offsets: Offsets, at: Operation
) -> Memory:
    """The region of a `tt.make_tensor_ptr`, and where `at` its block pointer is: elements have `size` bytes."""
    rank = len(make.shape)
    *batch, y, x = offsets.of(pointer, [*range(rank - 2), axes.row, axes.column])
    once = Inserter(make, InsertPoint.after(make)) if not batch else Inserter(at)
    width = once.times(make.shape[axes.column], size, "width")
    height = once.times(make.shape[axes.row], 1, "height")
    pitch = once.times(make.strides[axes.row], size, "pitch")
    base = _plane(Inserter(at), make.base, batch, list(make.strides))
    return Memory(base, width, height, pitch, x, y)


def emit_block_pointer(candidate: BlockPointerLoad, offsets: Offsets) -> None:
    """The region is that of the `tt.make_tensor_ptr`, the coordinates are the offsets of the block pointer."""
    load, axes = candidate.load, candidate.axes
    size = element_bits(load.result.type) // 8
    found = memory_of(candidate.origin.make, load.ptr, axes, size, offsets, load)
    region = (found.base, found.width, found.height, found.pitch)
    layout = _layout_name(axes.column_major)
    op = BlockLoadOp(*region, found.x, found.y, load.result.type, layout, pad_nan=candidate.pad_nan)
    set_guard(op, candidate.guarded)
    _replace(load, op)


def _plane(inserter: Inserter, base: SSAValue, indices: list[SSAValue], strides: list[SSAValue]) -> SSAValue:
    """The address of the plane that the leading indices select."""
    for index, stride in zip(indices, strides, strict=False):
        if constant_of(index) == 0:
            continue
        wide = inserter.insert(arith.ExtSIOp(index, i64))
        offset = inserter.insert(arith.MuliOp(wide, stride))
        base = inserter.insert(AddPtrOp(base, offset))
    return base


def _below_unless(inserter: Inserter, index: SSAValue, size: SSAValue, y: SSAValue, height: SSAValue) -> SSAValue:
    """The row `y`, but below all rows of memory, where there is only padding, for a plane that does not exist.

    A message checks rows and columns only; a descriptor has bounds in every dim. Negative indices are large as unsigned
    numbers.
    """
    wide = inserter.insert(arith.ExtSIOp(index, i64))
    exists = inserter.insert(CmpiOp(wide, size, UNSIGNED_LESS))
    return inserter.insert(SelectOp(exists, y, height))


def descriptor_memory(desc: SSAValue, corner: Corner, inserter: Inserter) -> Memory:
    """The region is read from the descriptor's fields: shapes, strides, base pointer."""
    assert isinstance(desc.type, TensorDescType)
    element, rank = desc.type.block_type.element_type, len(corner.planes) + 2
    size = element_bits(element) // 8

    def field(index: int, type_: Attribute = i64) -> SSAValue:
        return inserter.insert(ExtractDescOp(desc, index, type_))

    width = inserter.times(field(rank - 1), size, "width")
    height = inserter.times(field(rank - 2), 1, "height")
    pitch = inserter.times(field(2 * rank - 2), size, "pitch")
    base = field(2 * rank, PointerType(element))
    batch = [(dim, index) for dim, index in enumerate(corner.planes) if constant_of(index) != 0]
    strides = [field(rank + dim) for dim, _ in batch]
    base = _plane(inserter, base, [index for _, index in batch], strides)
    y = inserter.total(corner.row)
    for dim, index in batch:
        y = _below_unless(inserter, index, field(dim), y, height)
    return Memory(base, width, height, pitch, corner.column, y)


def emit_descriptor(candidate: DescriptorLoad) -> None:
    """The region and the coordinates are those of the descriptor and its indices."""
    load, layout = candidate.load, _layout_name(candidate.axes.column_major)
    found = descriptor_memory(load.desc, candidate.corner, Inserter(load))
    region = (found.base, found.width, found.height, found.pitch)
    op = BlockLoadOp(*region, found.x, found.y, load.result.type, layout, pad_nan=candidate.pad_nan)
    set_guard(op, candidate.guarded)
    _replace(load, op)


def emit_pointer_tensor(candidate: PointerTensorLoad) -> None:
    """The pointers stay; what is added is the pitch, and the size of one message's region."""
    load, plan = candidate.load, candidate.plan
    inserter = Inserter(load)
    pitch = emit_pitch(inserter, candidate.pitch)
    other = load.other
    if load.mask is not None and other is None:
        other = inserter.insert(_zeros(tensor_type(load.result)))
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
    set_guard(op, candidate.guarded)
    _replace(load, op)


def message_region(plan: BlockLoadPlan) -> tuple[int, int]:
    """Bytes in a row of one block of a message, and its rows."""
    message = plan.message
    return message.columns * message.element_bytes, message.rows


def _zeros(type_: TensorType[Attribute]) -> Operation:
    """A tensor of zeros."""
    if isinstance(type_.element_type, AnyFloat):
        floats = cast("TensorType[AnyFloat]", type_)
        return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(floats, [0.0]), type_)
    integers = cast("TensorType[Integer]", type_)
    return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(integers, [0]), type_)
