"""Constancy: along which dims all elements of a tensor are equal, as far as its defining ops show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import BroadcastOp, SplatOp
from dotload.dialect_ext.tt_memory import AddPtrOp, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, is_splat, shape_of
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import holds

Division = arith.DivSIOp | arith.DivUIOp


def is_constant_along(
    value: SSAValue, axes: Sequence[int], has_one_quotient: Callable[[Division], bool] = lambda _: False
) -> bool:
    """Whether the value does not change along these dims, as far as its defining ops show.

    `has_one_quotient`: whether the quotients of a division are equal although what is divided is not.
    """
    return holds([value], lambda each: _constant_where(each, axes, has_one_quotient))


def _constant_where(
    value: SSAValue, axes: Sequence[int], has_one_quotient: Callable[[Division], bool]
) -> Sequence[SSAValue] | None:
    """The operands that must be constant along the dims for the value to be; None if it is not known to be."""
    tensor = as_tensor(value.type)
    if tensor is None or all(tensor.get_shape()[axis] == 1 for axis in axes):
        return ()
    match value.owner:
        case arith.ConstantOp(value=constant):
            return () if is_splat(constant) else None
        case SplatOp():
            return ()
        case arith.DivSIOp() | arith.DivUIOp() as op if has_one_quotient(op):
            return ()
        case AddPtrOp() | BroadcastOp() | ConvertLayoutOp() as op:
            return op.operands
        case Operation() as op if op.operands and is_elementwise(op):
            return op.operands
        case _:
            return None


def loads_one_number(load: LoadOp) -> bool:
    """Whether all elements are loaded from the same address."""
    return load.mask is None and is_same_for_all(load.ptr)


def is_same_for_all(value: SSAValue, dividend_of: Callable[[SSAValue], SSAValue] = lambda value: value) -> bool:
    """Whether all elements are equal, such as those of `columns // 128` within an aligned tile of 128 columns.

    Numbers are assumed nonnegative. A wrong guess affects speed, and the order in which scales are multiplied.
    `dividend_of`: stands for what is divided.
    """
    strides = Strides.behind(value)

    def has_one_quotient(division: Division) -> bool:
        dividend, by = strides.of(dividend_of(division.lhs)), strides.of(division.rhs).constant
        size = shape_of(division.result.type)[0]
        is_run = dividend.strides == (1,) and dividend.runs == (size,) and not dividend.align % size
        return is_run and by is not None and not by % size

    return is_constant_along(value, range(len(shape_of(value.type))), has_one_quotient)


def is_same_but_for_modulo(value: SSAValue) -> bool:
    """Whether all elements are equal where columns modulo N are the columns: the tile is not at the end of N."""
    return is_same_for_all(value, without_modulo)


def without_modulo(value: SSAValue) -> SSAValue:
    """The dividend, if the value is a remainder."""
    return value.owner.lhs if isinstance(value.owner, arith.RemSIOp | arith.RemUIOp) else value
