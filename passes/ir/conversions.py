"""Elementwise conversions of a tile, and the same conversions in another layout."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.arith import ExtFOp, TruncFOp
from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import EXCHANGED, FpToFpOp, SplatOp, TransOp
from dotload.dialect_ext.tt_memory import Load
from dotload.dialect_ext.typed import as_tensor, is_splat, retyped, tensor_type
from dotload.dialect_ext.types import element_bits, element_of, with_element
from dotload.layout.widths import BYTE_BITS, RANK
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.motion import copy_of

OF_INTEGERS = (arith.SIToFPOp, arith.UIToFPOp)
"""Conversions of integers to floats."""
OF_BYTES = (FpToFpOp, *OF_INTEGERS)
"""Conversions of numbers of 8 bits, or of integers, to floats."""
CONVERSIONS = (*OF_BYTES, ExtFOp, TruncFOp)
"""Conversions to floats."""


def rounds_to_nearest(op: Operation) -> bool:
    """Whether the op rounds wider floats to nearest, as products and sums of the result's type round."""
    return isinstance(op, arith.TruncFOp) and "roundingmode" not in op.properties


def conversions_of_bytes(load: Load) -> list[Operation]:
    """`conversions_of` an 8-bit tile that is loaded in a blocked layout; none for other tensors."""
    tensor = as_tensor(load.results[0].type)
    if tensor is None or not isinstance(tensor.encoding, attrs.BlockedEncoding):
        return []
    is_tile_of_bytes = element_bits(tensor) == BYTE_BITS and len(tensor.get_shape()) == RANK
    return conversions_of(load.results[0]) if is_tile_of_bytes else []


def conversions_of(value: SSAValue) -> list[Operation]:
    """The chain of ops that convert the value, as long as each is the only user of the one before."""
    found: list[Operation] = []
    while (conversion := conversion_of(value)) is not None:
        found.append(conversion)
        value = conversion.results[0]
    return found


def conversion_of(value: SSAValue) -> Operation | None:
    """The only user of the value, if it is elementwise in it and its other operands are uniform."""
    op = only_user(value)
    if op is None or not is_elementwise(op) or len(op.results) != 1:
        return None
    others = (operand for operand in op.operands if operand is not value)
    return op if all(map(is_uniform, others)) else None


def is_uniform(value: SSAValue) -> bool:
    """Whether all elements are equal, as the defining op shows."""
    owner = value.owner
    return isinstance(owner, SplatOp) or (isinstance(owner, arith.ConstantOp) and is_splat(owner.value))


def converted(op: Operation, value: SSAValue, emitter: Emitter) -> SSAValue:
    """The result of a conversion of another value, in that value's layout."""
    layout = tensor_type(value)
    operands = {each: uniform_like(each, layout, emitter) if is_uniform(each) else value for each in op.operands}
    return emitter.insert_as(copy_of(op, operands), with_element(layout, element_of(op.results[0].type)))


def transposed(
    value: SSAValue, type_: TensorType[Attribute], emitter: Emitter, order: Sequence[int] = EXCHANGED
) -> SSAValue:
    """The transpose of a value, of that type; of a splat, a splat: Triton looks for zeros outside a mask."""
    return uniform_like(value, type_, emitter) if is_uniform(value) else emitter.insert(TransOp(value, order, type_))


def uniform_like(value: SSAValue, layout: TensorType[Attribute], emitter: Emitter) -> SSAValue:
    """The splat, with the shape and layout of that type."""
    type_ = with_element(layout, tensor_type(value).element_type)
    if isinstance(value.owner, SplatOp):
        return emitter.insert(SplatOp(value.owner.src, type_))
    assert isinstance(value.owner, arith.ConstantOp)
    assert is_splat(value.owner.value)
    return emitter.insert(arith.ConstantOp(retyped(value.owner.value, type_), type_))
