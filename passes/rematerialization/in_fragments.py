"""Values recomputed as fragments of A, from tiles in a layout that is equal to that of the fragments."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext.traits import computes_elements
from dotload.dialect_ext.tt_compute import EXCHANGED, TransOp, is_transpose
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, tensor_type
from dotload.dialect_ext.types import with_element
from dotload.layout.views import Transpose
from dotload.passes.ir.conversions import is_uniform, uniform_like
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.motion import copy_of


@dataclass
class InFragments:
    """Values as fragments of A, of type `type` but for the element.

    Transposes and element by element computations are repeated in that type. Their sources are transposed or converted
    to an equal layout, which moves no data; or cast, if `as_casts`, which Triton does not look through. Before a cast,
    a value is transposed by `tt.trans`. Triton's axis analysis assumes that a cast leaves each element at its index.
    One that transposes would make different elements look equal, and Triton 3.8 and later compute equal elements once.
    """

    type: TensorType[Attribute]
    emitter: Emitter
    as_casts: bool
    made: dict[tuple[SSAValue, bool], SSAValue] = field(default_factory=dict[tuple[SSAValue, bool], SSAValue])

    def of(self, value: SSAValue, *, transposed: bool) -> SSAValue:
        """The value, or its transpose, as fragments."""
        if as_tensor(value.type) is None:
            return value
        if (value, transposed) not in self.made:
            self.made[value, transposed] = self._make(value, transposed)
        return self.made[value, transposed]

    def _make(self, value: SSAValue, transposed: bool) -> SSAValue:
        op, type_ = value.owner, with_element(self.type, tensor_type(value).element_type)
        if is_uniform(value):
            return uniform_like(value, type_, self.emitter)
        if isinstance(op, TransOp) and is_transpose(op):
            return self.of(op.src, transposed=not transposed)
        if isinstance(op, Operation) and computes_elements(op):
            operands = {operand: self.of(operand, transposed=transposed) for operand in op.operands}
            return self.emitter.insert_as(copy_of(op, operands), type_)
        if self.as_casts:
            views = [Transpose((1, 0))] if transposed else []
            return self.emitter.cast(self.emitter.tensor_views(value, views), type_)
        return self.emitter.insert(TransOp(value, EXCHANGED, type_) if transposed else ConvertLayoutOp(value, type_))
