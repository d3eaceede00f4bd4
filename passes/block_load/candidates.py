"""Candidates: loads that can become 2D block loads. Everything here reads the IR and creates nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext import enums
from dotload.dialect_ext.tt import DescriptorGatherOp, DescriptorLoadOp, LoadOp, MakeTensorDescOp
from dotload.dialect_ext.ttig import COLUMN_MAJOR
from dotload.dialect_ext.typed import as_tensor, dims_of
from dotload.dialect_ext.types import PointerType, TensorDescType, element_bits
from dotload.layout.block_load import BlockLoadPlan
from dotload.layout.reject import Reject
from dotload.passes.analysis.block_pointers import Origin, descriptor_makers, find_origin
from dotload.passes.analysis.runs import Sum, start_of_run
from dotload.passes.analysis.stride_info import ANY, Stride
from dotload.passes.block_load import rules
from dotload.passes.block_load.pointer_rows import check_rows, pointer_rows
from dotload.passes.block_load.questions import (
    Axes,
    Load,
    Question,
    axes_of,
    check_batch,
    check_layout,
    check_memory,
    check_waste,
    first_problem,
    guarded,
    hint_of,
    holds_planes,
    plan_for,
)
from dotload.passes.block_load.request import Bounds, row_step_for
from dotload.passes.block_load.rules import BlockReason
from dotload.passes.ir.constants import constant_of

DESCRIPTOR_PADDING = "ttig.desc_padding"


@dataclass(frozen=True)
class BlockPointerLoad:
    """A load through a block pointer; messages are guarded along the dims in `guarded`."""

    load: LoadOp
    plan: BlockLoadPlan
    axes: Axes
    origin: Origin
    pad_nan: bool
    guarded: tuple[int, ...]


@dataclass(frozen=True)
class PointerTensorLoad:
    """A load through a tensor of pointers; `pitch` in bytes. `guarded`: dims of a mask that guards the messages."""

    load: LoadOp
    plan: BlockLoadPlan
    axes: Axes
    pitch: Stride
    guarded: tuple[int, ...]


@dataclass(frozen=True)
class Corner:
    """The tensor's first element in a descriptor's memory: the indices of planes, the row, and the column."""

    planes: tuple[SSAValue, ...]
    row: Sum
    column: SSAValue


@dataclass(frozen=True)
class DescriptorLoad:
    """A load by a tensor descriptor, or a gather of consecutive rows; messages are guarded along the `guarded` dims."""

    load: DescriptorLoadOp | DescriptorGatherOp
    plan: BlockLoadPlan
    corner: Corner
    axes: Axes
    pad_nan: bool
    guarded: tuple[int, ...]


Candidate = BlockPointerLoad | PointerTensorLoad | DescriptorLoad


def judge(load: Load, question: Question) -> Candidate | Reject | None:
    """What the load can become, or why it stays; None for a load that does not concern this pass."""
    type_ = as_tensor(load.result.type)
    if type_ is None:
        return None
    rank = len(type_.get_shape())
    if rank < 2:
        return Reject(BlockReason.SCALAR)
    if isinstance(load, DescriptorLoadOp | DescriptorGatherOp):
        return _judge_descriptor(load, type_, question)
    if load.is_volatile:
        return Reject(BlockReason.VOLATILE)
    if (problem := check_memory(load.ptr)) is not None:
        return problem
    if isinstance(load.ptr.type, PointerType):
        return _judge_block_pointer(load, type_, question)
    return _judge_pointers(load, type_, question)


def _judge_block_pointer(load: LoadOp, type_: TensorType[Attribute], question: Question) -> BlockPointerLoad | Reject:
    origin = find_origin(load.ptr)
    if origin is None:
        return Reject(BlockReason.UNKNOWN_POINTER)
    make, target = origin.make, question.target
    contiguous = [question.strides.of(stride).constant == 1 for stride in make.strides]
    axes = axes_of(contiguous)
    if axes is None:
        return Reject(BlockReason.CONTIGUITY)
    if (problem := check_layout(load, contiguous)) is not None:
        return problem
    shape, size = type_.get_shape(), element_bits(type_) // 8
    stride = constant_of(make.strides[axes.row])
    step = row_step_for(None if stride is None else stride * size, target)
    bounds = Bounds(max_row_step=step)
    plan = check_batch(type_) or plan_for(load, axes, question, bounds)
    if isinstance(plan, Reject):
        return plan
    checked = dims_of(load.boundaryCheck)
    pad_nan = bool(checked) and load.padding == IntegerAttr(enums.PADDING.cases["nan"], 32)
    pitch, width = question.pitch(load, make.strides[axes.row], size), question.extent(make.shape[axes.column], size)
    x = min(question.facts.of(value).align for value in origin.offsets_along(axes.column)) * size
    leading = enumerate(shape[:-2])
    planes = [ANY, *(question.steps(make.strides[dim], origin.offsets_along(dim), size, n) for dim, n in leading)]
    trusted, unit = question.trusts(load), rules.unit_bytes(plan, target)
    problem = first_problem(
        check_waste(load, axes, plan, question, bounds),
        rules.check_pitch(pitch, shape[axes.column] * size, target, trusted=trusted),
        rules.check_width(width, pitch, unit, target, trusted=trusted),
        rules.check_height(question.strides.of(make.shape[axes.row]).constant, target),
        rules.check_base(min(question.facts.of(make.base).align, *planes), unit, target, trusted=trusted),
        rules.check_x(x, unit, target, trusted=trusted and question.column_of(origin, axes) is None),
    )
    leaves = (dim for dim in checked if not _stays_inside(origin, dim, shape[dim], question))
    return problem or BlockPointerLoad(load, plan, axes, origin, pad_nan, guarded(load, axes, leaves, question))


def _stays_inside(origin: Origin, dim: int, size: int, question: Question) -> bool:
    """Whether a tensor of this size is known to lie inside its memory along a dim."""
    first, *moves = (question.strides.of(offset).constant for offset in origin.offsets_along(dim))
    extent = question.strides.of(origin.make.shape[dim]).constant
    if first is None or extent is None or any(move != 0 for move in moves):
        return False
    return 0 <= first <= extent - size


def _judge_pointers(load: LoadOp, type_: TensorType[Attribute], question: Question) -> PointerTensorLoad | Reject:
    """Every message takes its address from a pointer of its own, so dims before the last two need no check."""
    rows = pointer_rows(load, tuple(type_.get_shape()), element_bits(type_), question)
    if isinstance(rows, Reject):
        return rows
    if rows.masked is None:
        return Reject(BlockReason.MASK_WITHOUT_STRUCTURE)
    axes = rows.axes
    plan = plan_for(load, axes, question, rows.masked)
    if isinstance(plan, Reject):
        unmasked = plan_for(load, axes, question, rows.bounds)
        return Reject(BlockReason.MASK) if isinstance(unmasked, BlockLoadPlan) else plan
    row_bytes = plan.box[1] * plan.request.element_bits // 8
    problem = check_rows(load, rows, rules.unit_bytes(plan, question.target), row_bytes, question)
    masked = () if load.mask is None else (axes.row, axes.column)
    return problem or PointerTensorLoad(load, plan, axes, rows.pitch, guarded(load, axes, masked, question))


def _corner_of(load: DescriptorLoadOp | DescriptorGatherOp, question: Question) -> Corner | None:
    """The corner of a load, or None for gathered rows that are not known to be consecutive."""
    if isinstance(load, DescriptorLoadOp):
        *planes, row, column = load.indices
        return Corner(tuple(planes), Sum((row,)), column)
    start = start_of_run(load.x_offsets, question.strides)
    return None if start is None else Corner((), start, load.y_offset)


def _judge_descriptor(
    load: DescriptorLoadOp | DescriptorGatherOp, type_: TensorType[Attribute], question: Question
) -> DescriptorLoad | Reject:
    descriptor, target = load.desc.type, question.target
    makers = descriptor_makers(load.desc)
    if not isinstance(descriptor, TensorDescType) or makers is None:
        return Reject(BlockReason.UNKNOWN_DESCRIPTOR)
    if (corner := _corner_of(load, question)) is None:
        return Reject(BlockReason.GATHER)
    block, shape = descriptor.block_type.get_shape(), type_.get_shape()
    if isinstance(load, DescriptorGatherOp):
        block = (shape[0], *block[1:])  # one row each
    rank = len(shape)
    column_major = hint_of(load) == COLUMN_MAJOR
    inner = tuple(reversed(shape[-2:])) if column_major else shape[-2:]
    if tuple(block[-2:]) != tuple(inner) or math.prod(block) != math.prod(shape):
        return Reject(BlockReason.DESCRIPTOR_SHAPE)
    axes = Axes(rank - 1, rank - 2) if column_major else Axes(rank - 2, rank - 1)
    if holds_planes(shape) and block[-rank:-2] != shape[:-2]:
        return Reject(BlockReason.DESCRIPTOR_SHAPE)
    bounds = Bounds()
    plan = check_batch(type_) or plan_for(load, axes, question, bounds)
    if isinstance(plan, Reject):
        return plan
    size = element_bits(type_) // 8
    trusted, unit = question.trusts(load), rules.unit_bytes(plan, target)
    row_bytes = shape[axes.column] * size
    problems = [
        check_maker(make, corner, block, size, row_bytes, unit, question, trusted=trusted) for make in makers if make
    ]
    x = question.extent(corner.column, size)
    problem = first_problem(
        check_waste(load, axes, plan, question, bounds),
        *problems,
        rules.check_x(x.known_divisor, unit, target, trusted=trusted and x.constant is None),
    )
    pad_nan = DESCRIPTOR_PADDING in load.attributes and _is_nan(load.attributes[DESCRIPTOR_PADDING])
    paddings = {_is_nan(make.padding) if make else pad_nan for make in makers}
    if len(paddings) > 1:
        return Reject(BlockReason.PADDING)
    dims = guarded(load, axes, (axes.row, axes.column), question)
    return problem or DescriptorLoad(load, plan, corner, axes, paddings.pop(), dims)


def check_maker(
    make: MakeTensorDescOp,
    corner: Corner,
    block: Sequence[int],
    size: int,
    row_bytes: int,
    unit: int,
    question: Question,
    *,
    trusted: bool = False,
) -> Reject | None:
    """Check what is known of the memory. Base and strides that are known at run time only obey the contract of
    descriptors: they are multiples of 16 bytes, and the last stride is 1 (tl.make_tensor_descriptor). It says nothing
    of the width, nor of the pitch's size. `block`: its shape; `size`: bytes per element.
    """
    pitch, width = question.extent(make.strides[-2], size), question.extent(make.shape[-1], size)
    last = question.extent(make.strides[-1]).constant
    problems = [check_memory(make.base), Reject(BlockReason.CONTIGUITY) if last not in (None, 1) else None]
    for stride, index, planes in zip(make.strides[:-2], corner.planes, block, strict=False):
        if question.extent(stride).constant is not None:
            problems.append(rules.check_base(question.steps(stride, [index], size, planes), unit, question.target))
    if pitch.constant is not None or not trusted:
        problems.append(rules.check_pitch(pitch, row_bytes, question.target, trusted=True))
    problems.append(rules.check_width(width, pitch, unit, question.target, trusted=trusted))
    problems.append(rules.check_height(question.strides.of(make.shape[-2]).constant, question.target))
    return first_problem(*problems)


def _is_nan(attr: Attribute) -> bool:
    return attr == IntegerAttr(enums.PADDING.cases["nan"], 32)
