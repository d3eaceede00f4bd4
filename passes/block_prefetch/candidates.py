"""Candidates: prefetches that can become 2D block prefetches. Everything here reads the IR and creates nothing."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute

from dotload.dialect_ext.ttig import DescriptorPrefetchOp, PrefetchOp
from dotload.dialect_ext.typed import as_tensor
from dotload.dialect_ext.types import PointerType, TensorDescType, element_bits, element_of, pointee_of
from dotload.layout.block_prefetch import LEAST_ROW_BYTES, PrefetchPlan, plan_prefetch
from dotload.layout.reject import Reject
from dotload.layout.xe_targets import XeTarget
from dotload.passes.analysis.block_pointers import Origin, descriptor_makers, find_origin
from dotload.passes.analysis.runs import Sum
from dotload.passes.analysis.stride_info import ANY, Stride, divisor
from dotload.passes.block_load import rules
from dotload.passes.block_load.candidates import Corner, check_maker
from dotload.passes.block_load.pointer_rows import PointerRows, check_rows, pitch_extent, pointer_rows
from dotload.passes.block_load.questions import (
    Axes,
    Question,
    axes_of,
    check_memory,
    check_one_plane,
    first_problem,
)
from dotload.passes.block_load.request import Bounds
from dotload.passes.block_load.rules import BlockReason
from dotload.passes.rematerialization.elements import is_computed

Prefetch = PrefetchOp | DescriptorPrefetchOp


@dataclass(frozen=True)
class BlockPointerPrefetch:
    """A prefetch through a block pointer, of elements of `bits`, and its messages."""

    op: PrefetchOp
    plan: PrefetchPlan
    bits: int
    origin: Origin
    axes: Axes


@dataclass(frozen=True)
class DescriptorPrefetch:
    """A prefetch by a tensor descriptor."""

    op: DescriptorPrefetchOp
    plan: PrefetchPlan
    bits: int
    corner: Corner


@dataclass(frozen=True)
class PointerTensorPrefetch:
    """A prefetch through a tensor of pointers of this `rank`; `pitch` in bytes. `room`: the least pitch at which the
    kernel sends it; 0 for any."""

    op: PrefetchOp
    plan: PrefetchPlan
    bits: int
    rank: int
    axes: Axes
    pitch: Stride
    room: int


Candidate = BlockPointerPrefetch | DescriptorPrefetch | PointerTensorPrefetch


@dataclass(frozen=True)
class Launch:
    """The `warps` that share a prefetch, on a device that may have `wide` messages."""

    warps: int
    wide: bool

    def plan(self, rows: int, columns: int, bits: int, bounds: Bounds | None = None) -> PrefetchPlan | None:
        """The messages of all warps for a tile; `bounds` are reduced to powers of two that divide them."""
        within = None if bounds is None else (divisor(bounds.max_rows), divisor(bounds.max_columns))
        return plan_prefetch(rows, columns, bits, self.warps, wide=self.wide, within=within)


def judge(op: Prefetch, question: Question, launch: Launch) -> Candidate | Reject:
    """What a prefetch can become, or why it stays."""
    if isinstance(op, DescriptorPrefetchOp):
        return _judge_descriptor(op, question, launch)
    if (problem := check_memory(op.ptr)) is not None:
        return problem
    if isinstance(op.ptr.type, PointerType):
        return _judge_block_pointer(op, op.ptr.type.pointee, question, launch)
    return _judge_pointers(op, question, launch)


def _judge_block_pointer(
    op: PrefetchOp, pointee: Attribute, question: Question, launch: Launch
) -> BlockPointerPrefetch | Reject:
    origin, type_ = find_origin(op.ptr), as_tensor(pointee)
    if origin is None or type_ is None:
        return Reject(BlockReason.UNKNOWN_POINTER)
    shape, make = type_.get_shape(), origin.make
    if len(shape) < 2:
        return Reject(BlockReason.SCALAR)
    axes = axes_of([question.strides.of(stride).constant == 1 for stride in make.strides])
    if axes is None:
        return Reject(BlockReason.CONTIGUITY)
    if (problem := check_one_plane(shape)) is not None:
        return problem
    bits = element_bits(type_)
    plan = launch.plan(shape[axes.row], shape[axes.column], bits)
    if plan is None:
        return Reject(BlockReason.WASTE, value=2)
    problem = _check_block(op, origin, axes, shape[axes.column], bits // 8, question)
    return problem or BlockPointerPrefetch(op, plan, bits, origin, axes)


def _check_block(
    op: PrefetchOp, origin: Origin, axes: Axes, columns: int, size: int, question: Question
) -> Reject | None:
    """What the hardware does not accept of the memory."""
    make, target = origin.make, question.target
    unit, trusted = _unit(size, target), question.trusts(op)
    pitch, width = question.pitch(op, make.strides[axes.row], size), question.extent(make.shape[axes.column], size)
    x = min(question.strides.of(value).align for value in origin.offsets_along(axes.column)) * size
    leading = range(len(make.shape) - 2)
    planes = [question.steps(make.strides[dim], origin.offsets_along(dim), size) for dim in leading]
    return first_problem(
        rules.check_pitch(pitch, columns * size, target, trusted=trusted),
        rules.check_width(width, pitch, unit, target, trusted=trusted),
        rules.check_height(question.strides.of(make.shape[axes.row]).constant, target),
        rules.check_base(min(question.strides.of(make.base).align, *planes, ANY), unit, target, trusted=trusted),
        rules.check_x(x, unit, target, trusted=trusted and question.column_of(origin, axes) is None),
    )


def _unit(size: int, target: XeTarget) -> int:
    """The unit of x, width and base in bytes; `size`: bytes of a message's element."""
    return max(target.x_multiple_bytes, size)


def _judge_descriptor(op: DescriptorPrefetchOp, question: Question, launch: Launch) -> DescriptorPrefetch | Reject:
    """The last dim of a descriptor is the contiguous one, whatever the layout of the loaded tensor."""
    makers = descriptor_makers(op.desc)
    if makers is None or not isinstance(op.desc.type, TensorDescType):
        return Reject(BlockReason.UNKNOWN_DESCRIPTOR)
    block = op.desc.type.block_type
    shape, bits = block.get_shape(), element_bits(block)
    if len(shape) < 2:
        return Reject(BlockReason.SCALAR)
    plan = launch.plan(shape[-2], shape[-1], bits)
    if plan is None:
        return Reject(BlockReason.WASTE, value=2)
    *planes, row, column = op.indices
    corner, size = Corner(tuple(planes), Sum((row,)), column), bits // 8
    trusted = question.trusts(op)
    unit, x = _unit(size, question.target), question.extent(column, size)
    problem = first_problem(
        check_one_plane(shape),
        *(
            check_maker(make, corner, shape, size, shape[-1] * size, unit, question, trusted=trusted)
            for make in makers
            if make
        ),
        rules.check_x(x.known_divisor, unit, question.target, trusted=trusted and x.constant is None),
    )
    return problem or DescriptorPrefetch(op, plan, bits, corner)


def _judge_pointers(op: PrefetchOp, question: Question, launch: Launch) -> PointerTensorPrefetch | Reject:
    """Every message takes its address from its first element's pointer, and is sent if the mask is true there."""
    type_, pointee = as_tensor(op.ptr.type), pointee_of(element_of(op.ptr.type))
    if type_ is None or pointee is None or len(type_.get_shape()) < 2:
        return Reject(BlockReason.SCALAR)
    shape, bits = tuple(type_.get_shape()), element_bits(pointee)
    if (problem := check_one_plane(shape)) is not None:
        return problem
    rows = pointer_rows(op, shape, bits, question)
    if isinstance(rows, Reject):
        return rows
    if rows.masked is None:
        return Reject(BlockReason.MASK_WITHOUT_STRUCTURE)
    plan = _plan(rows, bits, launch)
    if isinstance(plan, Reject):
        return plan
    if not all(is_computed(value) for value in op.operands):
        return Reject(BlockReason.UNKNOWN_ADDRESS)
    problem = check_rows(op, rows, _unit(rows.size, question.target), plan.width * rows.size, question)
    room = rules.room_bytes(rows.info.align, plan.width * rows.size, question.target)
    room += -room % question.target.pitch_multiple_bytes
    row_bytes = 0 if op.mask is not None else rows.row_bytes
    if rules.least_pitch(pitch_extent(rows, question), row_bytes, question.target) >= room:
        room = 0
    return problem or PointerTensorPrefetch(op, plan, bits, len(shape), rows.axes, rows.pitch, room)


def _plan(rows: PointerRows, bits: int, launch: Launch) -> PrefetchPlan | Reject:
    """Messages within which rows are equidistant and the mask is constant, with rows that are worth a message."""
    height = 1 if rows.bounds.repeated_rows else rows.shape[rows.axes.row]
    columns = rows.shape[rows.axes.column]
    least = min(rows.row_bytes, LEAST_ROW_BYTES)

    def plan(bounds: Bounds) -> PrefetchPlan | None:
        found = launch.plan(height, columns, bits, bounds)
        return None if found is None or found.width * rows.size < least else found

    if rows.masked is not None and (found := plan(rows.masked)) is not None:
        return found
    return Reject(BlockReason.WASTE, value=2) if plan(rows.bounds) is None else Reject(BlockReason.MASK)
