"""Marks that cannot be kept: of loads and prefetches whose memory is known to break a rule of 2D block messages.

Intel's lowering sends messages for whatever is marked with `ttig.block_io`. If the numbers are constants, the rule that
the messages would break is known here. Without its mark, a load becomes a gather and a prefetch nothing.
"""

from __future__ import annotations

from xdsl.ir import Attribute

from dotload.dialect_ext.tt import DescriptorGatherOp, DescriptorLoadOp, LoadOp, MakeTensorDescOp, MakeTensorPtrOp
from dotload.dialect_ext.ttig import DescriptorPrefetchOp, PrefetchOp
from dotload.dialect_ext.typed import as_tensor
from dotload.dialect_ext.types import PointerType, TensorDescType, element_bits, pointee_type
from dotload.layout.reject import Reject
from dotload.passes import remarks
from dotload.passes.analysis.block_pointers import descriptor_makers, find_origin
from dotload.passes.analysis.stride_info import ANY, divisor
from dotload.passes.block_load import rules
from dotload.passes.block_load.pointer_rows import pitch_extent, pointer_rows
from dotload.passes.block_load.questions import (
    HINTS,
    Question,
    check_layout,
    first_problem,
    is_marked,
    promised_axes,
    transposes,
)
from dotload.passes.block_load.rules import BlockReason

Marked = LoadOp | DescriptorLoadOp | DescriptorGatherOp | PrefetchOp | DescriptorPrefetchOp

WRONG_MARKS = (BlockReason.LAYOUT_MARK, BlockReason.STRIDE_MARK)


def drop_broken_mark(pass_name: str, op: Marked, question: Question) -> None:
    """Remove the mark of a load or prefetch, with a remark, if messages for it would break a rule."""
    problem = broken_rule(op, question) if is_marked(op) and not transposes(op) else None
    if problem is None:
        return
    name = next(name for name in HINTS if name in op.attributes)
    for each in HINTS:
        op.attributes.pop(each, None)
    text = f"{op.name} loses {name}, by which Intel's lowering would send invalid messages: {problem.message}"
    remarks.emit("passed", pass_name, op, text, problem.code)


def broken_rule(op: Marked, question: Question) -> Reject | None:
    """The rule that all messages for a marked load or prefetch break, whatever their form; None if none is known."""
    if isinstance(op, LoadOp | PrefetchOp):
        return _of_block_pointer(op, question) if isinstance(op.ptr.type, PointerType) else _of_pointers(op, question)
    size = _bytes_of(op.desc.type.block_type) if isinstance(op.desc.type, TensorDescType) else None
    makers = [make for make in descriptor_makers(op.desc) or () if make is not None and len(make.shape) > 1]
    return first_problem(*(_of_region(make, -2, -1, size, question) for make in makers)) if size else None


def _of_block_pointer(op: LoadOp | PrefetchOp, question: Question) -> Reject | None:
    origin, size = find_origin(op.ptr), _bytes_of(pointee_type(op.ptr.type))
    if origin is None or size is None or len(origin.make.shape) < 2:
        return None
    make, strides = origin.make, question.strides
    axes = promised_axes(op, len(make.shape))
    assert axes is not None
    column = question.column_of(origin, axes)
    x = ANY if column is None else divisor(column * size)
    return first_problem(
        check_layout(op, [strides.of(stride).constant == 1 for stride in make.strides]),
        _of_region(make, axes.row, axes.column, size, question),
        rules.check_x(x, question.target.x_multiple_bytes, question.target),
    )


def _bytes_of(type_: Attribute) -> int | None:
    """The bytes of an element; None if it has none of its own."""
    try:
        bits = element_bits(type_)
    except ValueError:
        return None
    return None if bits % 8 else bits // 8


def _of_region(
    make: MakeTensorPtrOp | MakeTensorDescOp, row: int, column: int, size: int, question: Question
) -> Reject | None:
    """What is known of the memory. The alignment of what is known at run time only is not judged."""
    target = question.target
    pitch, width = question.extent(make.strides[row], size), question.extent(make.shape[column], size)
    return first_problem(
        rules.check_pitch(pitch, target.min_pitch_bytes, target, trusted=True),
        rules.check_width(width, pitch, target.x_multiple_bytes, target, trusted=True),
        rules.check_height(question.strides.of(make.shape[row]).constant, target),
    )


def _of_pointers(op: LoadOp | PrefetchOp, question: Question) -> Reject | None:
    """Through pointers, a message has a surface of its own, with the pitch of the rows."""
    type_, size = as_tensor(op.ptr.type), _bytes_of(pointee_type(op.ptr.type))
    if type_ is None or size is None or len(type_.get_shape()) < 2:
        return None
    rows = pointer_rows(op, tuple(type_.get_shape()), size * 8, question)
    if isinstance(rows, Reject):
        return rows if rows.reason in WRONG_MARKS else None
    return rules.check_pitch(
        pitch_extent(rows, question), question.target.min_pitch_bytes, question.target, trusted=True
    )
