"""Tensors whose elements are known at compile time, and the mapping of a tensor's elements to those of its source."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from xdsl.dialects import arith
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import OpResult, SSAValue

from dotload.dialect_ext.tt_compute import (
    BroadcastOp,
    ExpandDimsOp,
    JoinOp,
    MakeRangeOp,
    ReshapeOp,
    SplatOp,
    SplitOp,
    TransOp,
)
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, dims_of, tensor_type
from dotload.passes.ir.constants import uniform_number
from dotload.passes.ir.integers import FUNCTIONS, evaluated, width_of
from dotload.passes.ir.layouts import layout_of

Elements = npt.NDArray[np.int64]
SHAPING = (BroadcastOp, ConvertLayoutOp, ExpandDimsOp, JoinOp, ReshapeOp, SplitOp, TransOp)
"""Ops on tensors that move elements."""

MOVING = (*SHAPING, UnrealizedConversionCastOp)
"""Ops whose results have the elements of their operands, and no others; casts of tensors only."""
_EXTENDING = (arith.ExtSIOp, arith.ExtUIOp)
_DIVIDING = ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui")


@dataclass(frozen=True)
class Origin:
    """The tensor from which another one takes its elements, and the row-major index of each element there.

    `extensions`: the names of the ops that have extended the elements.
    """

    tensor: SSAValue
    places: Elements
    extensions: tuple[str, ...] = ()


def known_elements(value: SSAValue) -> Elements | None:
    """The elements of an integer tensor that is computed from constants and ranges alone; None for any other."""
    known: dict[SSAValue, Elements | None] = {}

    def of(each: SSAValue) -> Elements | None:
        if each not in known:
            known[each] = _elements(each, of)
        return known[each]

    return of(value)


def _elements(value: SSAValue, of: Callable[[SSAValue], Elements | None]) -> Elements | None:
    """`known_elements` of a value, given those of its operands."""
    if not isinstance(value, OpResult) or (tensor := as_tensor(value.type)) is None:
        return None
    if (number := uniform_number(value.op.src if isinstance(value.op, SplatOp) else value)) is not None:
        return np.full(tensor.get_shape(), int(number))
    match op := value.op:
        case MakeRangeOp():
            return np.arange(op.start.value.data, op.end.value.data)
        case _ if op.name in FUNCTIONS:
            if (first := of(op.operands[0])) is None:
                return None
            second = of(op.operands[1])
            if second is None or (not second.all() and op.name in _DIVIDING):
                return None
            return evaluated(op.name, first, second, width_of(value.type))
        case arith.ExtSIOp():
            return of(op.operands[0])
        case _:
            return _moved(value, of)


def origin_of(value: SSAValue) -> Origin:
    """The tensor behind all ops that move or extend the elements."""
    if isinstance(value, OpResult):
        sources: list[tuple[SSAValue, tuple[str, ...]]] = []

        def places(operand: SSAValue) -> Elements:
            origin = origin_of(operand)
            sources.append((origin.tensor, origin.extensions))
            return origin.places

        moved, extended = _moved(value, places), ()
        if moved is None and isinstance(value.op, _EXTENDING):
            moved, extended = places(value.op.operands[0]), (value.op.name,)
        if moved is not None and len(set(sources)) == 1:
            tensor, before = sources[0]
            return Origin(tensor, moved, (*before, *extended))
    shape = tensor_type(value).get_shape()
    return Origin(value, np.reshape(np.arange(math.prod(shape)), shape))


def _moved(value: OpResult, of: Callable[[SSAValue], Elements | None]) -> Elements | None:
    """The result of an op that only moves elements; None for other ops, or if the operands' elements are not known."""
    op, shape = value.op, tensor_type(value).get_shape()
    if not isinstance(op, MOVING) or any(as_tensor(operand.type) is None for operand in op.operands):
        return None
    if isinstance(op, ReshapeOp) and op.allow_reorder is not None:
        return None
    operands = [found for found in map(of, op.operands) if found is not None]
    if len(operands) < len(op.operands):
        return None
    match op:
        case JoinOp():
            return np.stack(operands, axis=-1)
        case TransOp():
            return np.transpose(operands[0], dims_of(op.order))
        case BroadcastOp():
            return np.broadcast_to(operands[0], shape)
        case SplitOp():
            return operands[0][..., value.index]
        case UnrealizedConversionCastOp():
            return _in_registers_of(op.operands[0], operands[0], value)
        case _:
            return np.reshape(operands[0], shape)


def _in_registers_of(source: SSAValue, elements: Elements, cast: SSAValue) -> Elements | None:
    """The elements of a cast, in which each register has the element that it has in the source."""
    before, after = (layout_of(each).table() for each in (source, cast))
    if len(before) != len(after):
        return None
    moved = np.empty(tensor_type(cast).get_shape(), dtype=elements.dtype)
    moved[tuple(np.moveaxis(after, 1, 0))] = elements[tuple(np.moveaxis(before, 1, 0))]
    return moved
