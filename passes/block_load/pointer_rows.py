"""Tensors of pointers as rows of memory: what is known of them, for loads and prefetches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import SSAValue

from dotload.dialect_ext.tt import LoadOp
from dotload.dialect_ext.ttig import PrefetchOp
from dotload.layout.reject import Reject
from dotload.passes.analysis.stride_info import Info, Scaled, Stride
from dotload.passes.block_load import rules
from dotload.passes.block_load.questions import (
    Axes,
    Question,
    axes_of,
    check_layout,
    first_problem,
    promised_axes,
    promised_stride,
)
from dotload.passes.block_load.request import Bounds, mask_bounds, repeats_rows, row_step_for
from dotload.passes.block_load.rules import BlockReason, Extent
from dotload.passes.ir.scalar_emitter import ScalarEmitter


@dataclass(frozen=True)
class PointerRows:
    """The rows through which a tensor of pointers runs: `pitch` bytes apart, within `bounds`.

    `shape`: of the tensor; `size`: bytes of an element. Within the bounds `masked`, the op's mask is constant, too;
    None if nothing is known of the mask.
    """

    info: Info
    axes: Axes
    shape: tuple[int, ...]
    size: int
    pitch: Stride
    bounds: Bounds
    masked: Bounds | None

    @property
    def row_bytes(self) -> int:
        """The bytes of a row of the tensor."""
        return self.shape[self.axes.column] * self.size


def pointer_rows(
    op: LoadOp | PrefetchOp, shape: tuple[int, ...], bits: int, question: Question
) -> PointerRows | Reject:
    """The rows of an op's pointers, for elements of this many bits; or why the rows are not equidistant."""
    if bits % 8:
        return Reject(BlockReason.CONTIGUITY)
    info, size = question.strides.of(op.ptr), bits // 8
    stride = promised_stride(op)
    contiguous = [stride == size for stride in info.strides]
    if (problem := check_layout(op, contiguous)) is not None:
        return problem
    axes = axes_of(contiguous)
    if axes is None and stride is not None:
        axes = promised_axes(op, len(shape))
    if axes is None:
        return Reject(BlockReason.CONTIGUITY)
    if stride is not None:
        if isinstance(known := info.strides[axes.row], int) and known != stride * size:
            return Reject(BlockReason.STRIDE_MARK, value=stride * size, limit=f"{known} B")
        info = _with_rows(info, axes, stride * size, size, shape)
    pitch = info.strides[axes.row]
    mask = None if op.mask is None else question.strides.of(op.mask)
    repeated = repeats_rows([info] if mask is None else [info, mask], axes.row, shape[axes.row])
    if repeated:
        pitch = rules.pitch_of_one_row(shape[axes.column] * size, question.target)
    if pitch is None or (pitch.factor if isinstance(pitch, Scaled) else pitch) <= 0:
        return Reject(BlockReason.STRIDE)
    step = row_step_for(pitch if isinstance(pitch, int) else None, question.target)
    bounds = Bounds(info.runs[axes.row], info.runs[axes.column], exact=True, repeated_rows=repeated, max_row_step=step)
    within = bounds if mask is None else mask_bounds(mask, axes.row, axes.column)
    masked = None if within is None else bounds.and_(within)
    return PointerRows(info, axes, shape, size, pitch, bounds, masked)


def _with_rows(info: Info, axes: Axes, pitch: int, size: int, shape: Sequence[int]) -> Info:
    """The facts of pointers that are marked as running through whole rows, `pitch` bytes apart."""
    dims = {axes.row: pitch, axes.column: size}
    strides = tuple(dims.get(dim, stride) for dim, stride in enumerate(info.strides))
    runs = tuple(shape[dim] if dim in dims else run for dim, run in enumerate(info.runs))
    return replace(info, strides=strides, runs=runs)


def check_rows(
    op: LoadOp | PrefetchOp, rows: PointerRows, unit: int, message_bytes: int, question: Question
) -> Reject | None:
    """What the hardware does not accept. `unit`: what the base must be a multiple of; `message_bytes`: a message's row.

    Each message has its own surface, which begins at the message's first element.
    """
    extent, target, trusted = pitch_extent(rows, question), question.target, question.trusts(op)
    align = rows.info.align if question.assumed is None else question.assumed.aligned_by(op.ptr, rows.info.runs)
    return first_problem(
        rules.check_pitch(extent, rows.row_bytes, target, trusted=trusted),
        rules.check_base(align, unit, target, trusted=trusted),
        rules.check_room(extent, align, message_bytes, target, trusted=trusted),
    )


def pitch_extent(rows: PointerRows, question: Question) -> Extent:
    """What is known of the pitch."""
    known = rows.pitch if isinstance(rows.pitch, int) else None
    return Extent(known, question.facts.divisor_of(rows.pitch), question.least_pitch)


def emit_pitch(inserter: ScalarEmitter, pitch: Stride) -> SSAValue:
    """The pitch in bytes, as a value."""
    if isinstance(pitch, Scaled):
        return inserter.times(pitch.value, pitch.factor, "pitch")
    assert pitch is not None
    return inserter.constant(pitch, "pitch")
