"""Tensors rematerialized in another layout from their backward slices; and whether two tensors are computed alike.

A tensor that already has the layout, even a loaded one, is not recomputed: addresses found through an index are
available in the layout in which the index is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import BroadcastOp, ExpandDimsOp, MakeRangeOp, SplatOp
from dotload.dialect_ext.tt_memory import AddPtrOp, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, is_splat, tensor_type
from dotload.dialect_ext.types import with_encoding
from dotload.layout import encodings as enc
from dotload.passes.ir.conversions import uniform_like
from dotload.passes.ir.def_use import are_alike, behind, holds
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.flow import sources
from dotload.passes.ir.layouts import encoding_attribute
from dotload.passes.ir.loops import carried_by_loop
from dotload.passes.ir.motion import copy_of
from dotload.passes.rematerialization.rematerialized import Rematerialized

RECOMPUTED = (AddPtrOp, BroadcastOp, ConvertLayoutOp, ExpandDimsOp, MakeRangeOp, SplatOp)
"""Ops that may have their result in any layout, besides those of dialect arith."""

InLayout = tuple[SSAValue, attrs.EncodingAttr]
"""A tensor, and the layout in which it is needed."""


def may_be_recomputed(values: Iterable[SSAValue], layout: attrs.EncodingAttr) -> bool:
    """Whether `Layouts` can recompute the values in a layout."""
    return holds(((value, layout) for value in values), lambda each: computed_by(*each))


def computed_by(value: SSAValue, layout: attrs.EncodingAttr) -> Sequence[InLayout] | None:
    """The tensors, with their layouts, from which a tensor is recomputed in a layout; None if it cannot be."""
    if has_layout(value, layout):
        return ()
    if (carried := carried_by_loop(value)) is not None:
        return [(carried.init, layout), (carried.back, layout)]
    if not is_recomputed(value) or not isinstance(value, OpResult):
        return None
    return [(operand, layout_before(value.op, layout)) for operand in value.op.operands]


def has_layout(value: SSAValue, layout: attrs.EncodingAttr) -> bool:
    """Whether a tensor already has the layout; a scalar has any."""
    tensor = as_tensor(value.type)
    return tensor is None or tensor.encoding == layout


def layout_before(op: Operation, layout: attrs.EncodingAttr) -> attrs.EncodingAttr:
    """The layout of the op's operands, given that of its result."""
    if not isinstance(op, ExpandDimsOp):
        return layout
    return encoding_attribute(enc.Slice(op.axis.value.data, layout.to_encoding()))


def is_recomputed(value: SSAValue) -> bool:
    """Whether a tensor's defining op may have its result in any layout."""
    match value.owner:
        case arith.ConstantOp(value=constant):
            return is_splat(constant)
        case Operation() as op:
            return len(op.results) == 1 and (isinstance(op, RECOMPUTED) or op.dialect_name() == "arith")
        case _:
            return False


def is_same_but_for_layout(first: SSAValue | None, second: SSAValue | None) -> bool:
    """Whether two tensors are equal up to their layouts: computed alike, from the same scalars.

    Loop-carried tensors are equal if their initial values are, and equality holds from one iteration to the next.
    """
    if first is None or second is None:
        return first is second
    return holds([(first, second)], lambda pair: same_where(*pair))


def same_where(one: SSAValue, other: SSAValue) -> list[tuple[SSAValue, SSAValue]] | None:
    """The pairs that must be equal for two tensors to be; None if these differ, or are not known to be equal."""
    one, other = (behind(value, (ConvertLayoutOp,)) for value in (one, other))
    if one is other:
        return []
    types = [as_tensor(value.type) for value in (one, other)]
    if types[0] is None or types[1] is None or is_other_kind(types[0], types[1]):
        return None
    if isinstance(one, BlockArgument) and isinstance(other, BlockArgument):
        return list(zip(sources(one), sources(other), strict=True)) or None if one.block is other.block else None
    if not isinstance(one, OpResult) or not isinstance(other, OpResult) or not is_recomputed(one):
        return None
    if isinstance(one.op, arith.ConstantOp) and isinstance(other.op, arith.ConstantOp):
        return [] if bytes_of(one.op) == bytes_of(other.op) else None
    if not are_alike(one.op, other.op):
        return None
    return list(zip(one.op.operands, other.op.operands, strict=True))


def is_other_kind(one: TensorType[Attribute], other: TensorType[Attribute]) -> bool:
    """Whether tensor types differ in more than their layouts."""
    return one.element_type != other.element_type or one.get_shape() != other.get_shape()


def bytes_of(constant: arith.ConstantOp) -> bytes | None:
    """The bytes of a splat constant."""
    return constant.value.data.data if is_splat(constant.value) else None


class Layouts(Rematerialized[attrs.EncodingAttr]):
    """Tensors for which `may_be_recomputed` holds, in the requested layouts."""

    def stays(self, value: SSAValue, form: attrs.EncodingAttr) -> bool:
        """Whether a value already has the layout."""
        return has_layout(value, form)

    def compute(self, op: Operation, form: attrs.EncodingAttr) -> SSAValue:
        """The op's result in a layout."""
        if isinstance(op, ConvertLayoutOp):
            return self.of(op.src, form)
        operands = {operand: self.of(operand, layout_before(op, form)) for operand in op.operands}
        emitter, type_ = Emitter.after(op), with_encoding(tensor_type(op.results[0]), form)
        if isinstance(op, arith.ConstantOp):
            return uniform_like(op.result, type_, emitter)
        return emitter.insert_as(copy_of(op, operands), type_)

    def load(self, load: LoadOp, layout: attrs.EncodingAttr) -> Operation:
        """A copy of a load, in a layout, before that load."""
        copy = copy_of(load, {operand: self.of(operand, layout) for operand in load.operands})
        Emitter.before(load).insert_as(copy, with_encoding(tensor_type(load.result), layout))
        return copy
