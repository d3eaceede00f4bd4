"""Rank-1 tensors whose elements count up by one, and their first element."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.typed import integer_property, tensor_type
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.constants import splat_of


@dataclass(frozen=True)
class Sum:
    """A sum of integer SSA values and a constant."""

    values: tuple[SSAValue, ...] = ()
    number: int = 0

    def plus(self, other: Sum) -> Sum:
        """The sum of both."""
        return Sum(self.values + other.values, self.number + other.number)


def start_of_run(tensor: SSAValue, strides: Strides) -> Sum | None:
    """The first element of a tensor that counts up by one throughout; None if it is not known to."""
    info = strides.of(tensor)
    if info.strides != (1,) or info.runs != tuple(tensor_type(tensor).get_shape()):
        return None
    return _first(tensor)


def _first(tensor: SSAValue) -> Sum | None:
    """The first element of a sum of ranges, splats and constants."""
    op = tensor.owner
    if not isinstance(op, Operation):
        return None
    match op.name:
        case "tt.make_range":
            return Sum(number=integer_property(op, "start"))
        case "tt.splat":
            return Sum((op.operands[0],))
        case "arith.constant" if (number := splat_of(tensor)) is not None:
            return Sum(number=int(number))
        case "ttg.convert_layout":
            return _first(op.operands[0])
        case "arith.addi":
            one, other = map(_first, op.operands)
            return None if one is None or other is None else one.plus(other)
        case _:
            return None
