"""Integer intervals (value ranges): numbers that are unpacked by shifts and masks are known to be small."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.tt_compute import SplatOp
from dotload.dialect_ext.typed import as_tensor
from dotload.dialect_ext.types import element_bits
from dotload.passes.analysis.known_elements import MOVING
from dotload.passes.ir.constants import uniform_number


@dataclass(frozen=True)
class Interval:
    """All integers from `low` to `high`, both included."""

    low: int
    high: int

    @staticmethod
    def of_bits(bits: int, *, is_signed: bool) -> Interval:
        """All integers of this many bits."""
        return Interval(-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else Interval(0, (1 << bits) - 1)

    def holds(self, other: Interval) -> bool:
        """Whether this interval contains the other one."""
        return self.low <= other.low and other.high <= self.high

    def plus(self, other: Interval) -> Interval:
        """The interval of the sum."""
        return Interval(self.low + other.low, self.high + other.high)

    def minus(self, other: Interval) -> Interval:
        """The interval of the difference."""
        return Interval(self.low - other.high, self.high - other.low)

    def shifted_right(self, count: Interval) -> Interval | None:
        """The interval of right shifts; None if the shifted numbers may be negative."""
        return Interval(self.low >> count.high, self.high >> count.low) if self.low >= 0 and count.low >= 0 else None

    def joined(self, other: Interval) -> Interval:
        """The smallest interval that contains both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    @property
    def largest(self) -> int:
        """The largest magnitude in the interval."""
        return max(abs(self.low), abs(self.high))


def interval_of(value: SSAValue) -> Interval:
    """The interval of a signed integer, or of each element of a tensor of them; the type's full range if not known."""
    return _Intervals().of(value)


def unsigned_interval_of(value: SSAValue) -> Interval:
    """The interval of an unsigned integer, likewise."""
    return _Intervals().unsigned(value)


@dataclass
class _Intervals:
    """Memoized intervals: each value is evaluated once, however many paths lead to it."""

    known: dict[SSAValue, Interval] = field(default_factory=dict[SSAValue, Interval])

    def of(self, value: SSAValue) -> Interval:
        """`interval_of`"""
        if value not in self.known:
            whole = Interval.of_bits(element_bits(value.type), is_signed=True)
            found = _computed(value.owner, self) if isinstance(value.owner, Operation) else None
            self.known[value] = found if found is not None and whole.holds(found) else whole
        return self.known[value]

    def unsigned(self, value: SSAValue) -> Interval:
        """`unsigned_interval_of`"""
        found = self.of(value)
        return found if found.low >= 0 else Interval.of_bits(element_bits(value.type), is_signed=False)


def _computed(op: Operation, intervals: _Intervals) -> Interval | None:
    """The interval of an op's result, assuming no overflow; None if not known."""
    match op:
        case arith.ConstantOp():
            number = uniform_number(op.result)
            return None if number is None else Interval(int(number), int(number))
        case arith.AndIOp():
            masks = [each for each in map(intervals.of, op.operands) if each.low >= 0]
            return Interval(0, min(each.high for each in masks)) if masks else None
        case arith.ShRUIOp():
            return intervals.unsigned(op.lhs).shifted_right(intervals.of(op.rhs))
        case arith.ShRSIOp():
            return intervals.of(op.lhs).shifted_right(intervals.of(op.rhs))
        case arith.AddiOp():
            return intervals.of(op.lhs).plus(intervals.of(op.rhs))
        case arith.SubiOp():
            return intervals.of(op.lhs).minus(intervals.of(op.rhs))
        case arith.ExtUIOp():
            return intervals.unsigned(op.operands[0])
        case arith.ExtSIOp() | arith.TruncIOp():
            return intervals.of(op.operands[0])
        case UnrealizedConversionCastOp() if as_tensor(op.operands[0].type) is None:
            return None
        case _ if isinstance(op, (*MOVING, SplatOp)):
            return reduce(Interval.joined, map(intervals.of, op.operands))
        case _:
            return None
