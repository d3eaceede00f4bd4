"""Insertion of new ops at one point. What the ops are is said by subclasses: tensors, addresses, the LLVM dialect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from dotload.dialect_ext.operations import assemble, with_defaults
from dotload.passes.ir.motion import insert_at


@dataclass(eq=False)
class Inserter:
    """Inserts ops at one point; each new op takes the source location of `origin`."""

    where: InsertPoint
    origin: Operation

    def insert(self, op: Operation, hint: str | None = None) -> SSAValue:
        """Insert `op`, name its first result, and return that."""
        self.run(op)
        result = op.results[0]
        if hint is not None:
            result.name_hint = hint
        return result

    def run(self, op: Operation) -> None:
        """Insert an op of any number of results."""
        op.location = self.origin.location
        insert_at(self.where, op)

    def make(
        self, op: type[Operation], operands: Sequence[SSAValue], result: Attribute, **properties: Attribute
    ) -> SSAValue:
        """Insert an op with one result, bypassing its constructor: a fragment has hundreds of them."""
        made = assemble(op, operands, (result,), with_defaults(op, properties), {}, self.origin.location)
        insert_at(self.where, made)
        return made.results[0]

    def folded(self, op: Callable[[SSAValue, SSAValue], Operation], values: Sequence[SSAValue]) -> SSAValue:
        """The values, combined by an op of two operands from the first on."""
        return reduce(lambda one, other: self.insert(op(one, other)), values)

    def cast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """The registers of a value as another type, such as the one to which Triton's type converter lowers it."""
        return self.make(UnrealizedConversionCastOp, [value], type_)
