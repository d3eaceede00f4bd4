"""Offsets of block pointers as plain integers.

`tt.advance` moves a block pointer, through loops and branches. Loading from it by coordinates needs its offsets as
values. An offset that a loop or a branch changes becomes a further value that the loop or branch forwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.arith import SelectOp
from dotload.dialect_ext.tt import AdvanceOp, MakeTensorPtrOp
from dotload.passes.analysis.block_pointers import find_origin
from dotload.passes.ir.constants import constant_of
from dotload.passes.ir.scalar_emitter import ScalarEmitter
from dotload.passes.rematerialization.rematerialized import Rematerialized


class Offsets(Rematerialized[int]):
    """The offsets of block pointers that have an `Origin`, in elements, by dim."""

    def along(self, pointer: SSAValue, dims: Sequence[int]) -> list[SSAValue]:
        """The offsets along these dims. One that nothing changes is that of the `tt.make_tensor_ptr`."""
        origin = find_origin(pointer)
        assert origin is not None
        return [self.of(pointer, dim) if dim in origin.moved else origin.make.offsets[dim] for dim in dims]

    @classmethod
    def stays(cls, value: SSAValue, form: int) -> bool:
        """No pointer is its own offset."""
        return False

    def before(self, value: SSAValue) -> SSAValue | None:
        """The pointer that an advance moves."""
        return value.owner.ptr if isinstance(value.owner, AdvanceOp) else None

    def hint(self, value: SSAValue) -> str | None:
        """An offset is called one."""
        return "offset"

    def compute(self, op: Operation, form: int) -> SSAValue:
        """The offset of the op's result."""
        match op:
            case MakeTensorPtrOp(offsets=offsets):
                return offsets[form]
            case SelectOp():
                one, other = self.of(op.lhs, form), self.of(op.rhs, form)
                return ScalarEmitter(op).insert(SelectOp(op.cond, one, other), "offset")
            case AdvanceOp(ptr=pointer, offsets=steps):
                before, by = self.of(pointer, form), steps[form]
                return before if constant_of(by) == 0 else ScalarEmitter(op).insert(arith.AddiOp(before, by), "offset")
            case _:
                raise AssertionError(op.name)
