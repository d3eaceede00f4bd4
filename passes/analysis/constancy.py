"""Constancy: along which dims all elements of a tensor are equal, as far as its defining ops show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import BroadcastOp, SplatOp
from dotload.dialect_ext.tt_memory import AddPtrOp, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, is_splat, tensor_type
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import holds


def is_constant_along(value: SSAValue, axes: Sequence[int]) -> bool:
    """Whether the value does not change along these dims, as far as its defining ops show."""
    return holds([value], lambda each: _constant_where(each, axes))


def _constant_where(value: SSAValue, axes: Sequence[int]) -> Sequence[SSAValue] | None:
    """The operands that must be constant along the dims for the value to be; None if it is not known to be."""
    tensor = as_tensor(value.type)
    if tensor is None or all(tensor.get_shape()[axis] == 1 for axis in axes):
        return ()
    match value.owner:
        case arith.ConstantOp(value=constant):
            return () if is_splat(constant) else None
        case SplatOp():
            return ()
        case BroadcastOp() | ConvertLayoutOp() as op:
            return op.operands
        case Operation() as op if op.operands and is_elementwise(op):
            return op.operands
        case _:
            return None


def loads_one_number(load: LoadOp) -> bool:
    """Whether all elements are loaded from the same address."""
    return load.mask is None and is_same_for_all(load.ptr, Strides.behind(load.ptr))


def is_same_for_all(value: SSAValue, strides: Strides) -> bool:
    """Whether all elements are equal, such as those of `columns // 128` within an aligned tile of 128 columns.

    Numbers are assumed nonnegative. A wrong guess affects speed, and the order in which scales are multiplied.
    """
    return holds([value], lambda each: _same_where(each, strides))


def is_same_but_for_modulo(value: SSAValue) -> bool:
    """Whether all elements are equal where columns modulo N are the columns: the tile is not at the end of N."""
    strides = Strides.behind(value)
    return holds([value], lambda each: _same_where(each, strides, without_modulo))


def without_modulo(value: SSAValue) -> SSAValue:
    """The dividend, if the value is a remainder."""
    return value.owner.lhs if isinstance(value.owner, arith.RemSIOp | arith.RemUIOp) else value


def _same_where(
    value: SSAValue, strides: Strides, dividend_of: Callable[[SSAValue], SSAValue] = lambda value: value
) -> Sequence[SSAValue] | None:
    """The operands whose elements must be equal for those of the value to be; None if they are not known to be.

    `dividend_of`: stands for what is divided.
    """
    if as_tensor(value.type) is None:
        return ()
    match value.owner:
        case arith.ConstantOp(value=constant):
            return () if is_splat(constant) else None
        case arith.DivSIOp(lhs=dividend, rhs=divisor) | arith.DivUIOp(lhs=dividend, rhs=divisor):
            (size,) = tensor_type(value).get_shape()
            info, by = strides.of(dividend_of(dividend)), strides.of(divisor).constant
            is_run = info.strides == (1,) and info.runs == (size,) and not info.align % size
            return () if is_run and by is not None and not by % size else (dividend, divisor)
        case AddPtrOp() | ConvertLayoutOp() | SplatOp() as op:
            return op.operands
        case Operation() as op:
            return op.operands if op.dialect_name() == "arith" else None
        case _:
            return None
