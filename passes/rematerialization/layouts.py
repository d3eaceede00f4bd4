"""Tensors rematerialized in another layout from their backward slices; and whether two tensors are computed alike.

A tensor that already has the layout, even a loaded one, is not recomputed: addresses found through an index are
available in the layout in which the index is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from dotload.passes.ir.motion import copy_of
from dotload.passes.rematerialization.rematerialized import Recomputed

RECOMPUTED = (AddPtrOp, BroadcastOp, ConvertLayoutOp, ExpandDimsOp, MakeRangeOp, SplatOp)
"""Ops that may have their result in any layout, besides those of dialect arith."""

InLayout = tuple[SSAValue, attrs.EncodingAttr]
"""A tensor, and the layout in which it is needed."""


def has_layout(value: SSAValue, layout: attrs.EncodingAttr) -> bool:
    """Whether a tensor already has the layout; a scalar has any."""
    tensor = as_tensor(value.type)
    return tensor is None or tensor.encoding == layout


def is_recomputed(op: Operation) -> bool:
    """Whether an op may have its result in any layout."""
    if isinstance(op, arith.ConstantOp):
        return is_splat(op.value)
    return len(op.results) == 1 and (isinstance(op, RECOMPUTED) or op.dialect_name() == "arith")


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
    if not isinstance(one, OpResult) or not isinstance(other, OpResult) or not is_recomputed(one.op):
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


class Layouts(Recomputed[attrs.EncodingAttr]):
    """Tensors for which `may_be_computed` holds, in the requested layouts."""

    @classmethod
    def stays(cls, value: SSAValue, form: attrs.EncodingAttr) -> bool:
        """Whether a value already has the layout."""
        return has_layout(value, form)

    @classmethod
    def operands(cls, op: Operation, form: attrs.EncodingAttr) -> Sequence[InLayout] | None:
        """All operands of the op, in the layout of its result or a slice of that."""
        if not is_recomputed(op):
            return None
        is_sliced = isinstance(op, ExpandDimsOp)
        before = encoding_attribute(enc.Slice(op.axis.value.data, form.to_encoding())) if is_sliced else form
        return [(operand, before) for operand in op.operands]

    def computed(self, op: Operation, form: attrs.EncodingAttr, operands: Mapping[SSAValue, SSAValue]) -> SSAValue:
        """The op's result in a layout."""
        if isinstance(op, ConvertLayoutOp):
            return operands[op.src]
        emitter, type_ = Emitter.after(op), with_encoding(tensor_type(op.results[0]), form)
        if isinstance(op, arith.ConstantOp):
            return uniform_like(op.result, type_, emitter)
        return emitter.insert_as(copy_of(op, operands), type_)

    def load(self, load: LoadOp, layout: attrs.EncodingAttr) -> Operation:
        """A copy of a load, in a layout, before that load."""
        copy = copy_of(load, {operand: self.of(operand, layout) for operand in load.operands})
        Emitter.before(load).insert_as(copy, with_encoding(tensor_type(load.result), layout))
        return copy
