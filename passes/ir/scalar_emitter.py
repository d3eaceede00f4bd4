"""Scalar arithmetic at one place, with constant folding."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from dotload.dialect_ext.typed import integer_type
from dotload.passes.analysis.runs import Sum
from dotload.passes.ir.constants import constant_of
from dotload.passes.ir.inserter import Inserter


class ScalarEmitter(Inserter):
    """Inserts scalar arithmetic, at the place and with the location of the op `at`."""

    def __init__(self, at: Operation, where: InsertPoint | None = None):
        super().__init__(where or InsertPoint.before(at), at)

    def constant(self, value: int, hint: str | None = None) -> SSAValue:
        """An i32 constant."""
        return self.insert(arith.ConstantOp(IntegerAttr(value, i32)), hint)

    def i32_of(self, value: SSAValue) -> SSAValue:
        """The low 32 bits of an integer."""
        if value.type == i32:
            return value
        wide = integer_type(value).width.data > 32
        return self.insert(arith.TruncIOp(value, i32) if wide else arith.ExtSIOp(value, i32))

    def i64_of(self, value: SSAValue) -> SSAValue:
        """A signed integer, extended to 64 bits."""
        return value if value.type == i64 else self.insert(arith.ExtSIOp(value, i64))

    def constant_64(self, value: int) -> SSAValue:
        """An i64 constant."""
        return self.insert(arith.ConstantOp(IntegerAttr(value, i64)))

    def times_64(self, value: SSAValue, factor: int) -> SSAValue:
        """value * factor, of an i64."""
        known = constant_of(value)
        if known is not None:
            return self.constant_64(known * factor)
        return value if factor == 1 else self.insert(arith.MuliOp(value, self.constant_64(factor)))

    def total(self, parts: Sum) -> SSAValue:
        """A sum as i32."""
        values = [*map(self.i32_of, parts.values)]
        if parts.number or not values:
            values.append(self.constant(parts.number))
        return self.folded(arith.AddiOp, values)

    def times(self, value: SSAValue, factor: int, hint: str | None = None) -> SSAValue:
        """value * factor as i32."""
        known = constant_of(value)
        if known is not None:
            return self.constant(known * factor, hint)
        narrow = self.i32_of(value)
        if factor == 1:
            return narrow
        return self.insert(arith.MuliOp(narrow, self.constant(factor)), hint)
