"""Tensors computed anew in another layout, out of what they are computed by; and whether two are so computed alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import MakeRangeOp, SplatOp
from dotload.dialect_ext.tt_memory import AddPtrOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, is_splat, retyped, tensor_type
from dotload.passes.ir.constants import splat_of
from dotload.passes.ir.def_use import behind
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.flow import reached, sources
from dotload.passes.ir.loops import carry, yield_next
from dotload.passes.ir.motion import copy_of

RECOMPUTED = (AddPtrOp, ConvertLayoutOp, MakeRangeOp, SplatOp)
"""Ops that may have their result in any layout, besides those of dialect arith."""


def may_be_recomputed(values: Iterable[SSAValue]) -> bool:
    """Whether `Recomputed` can have the values in another layout, from what they are computed by."""
    return all(map(is_recomputed, reached(values, computed_by)))


def computed_by(value: SSAValue) -> Sequence[SSAValue]:
    """What a tensor is computed by; of one that a loop carries, the values before the loop and from its body."""
    if as_tensor(value.type) is None:
        return ()
    return sources(value) or (value.op.operands if isinstance(value, OpResult) else ())


def is_recomputed(value: SSAValue) -> bool:
    """Whether the op that makes the value is one whose result may have any layout."""
    if as_tensor(value.type) is None:
        return True
    match value.owner:
        case arith.ConstantOp(value=constant):
            return is_splat(constant)
        case Operation() as op:
            return isinstance(op, RECOMPUTED) or op.dialect_name() == "arith"
        case block:
            return isinstance(block.parent_op(), scf.ForOp)


def is_same_but_for_layout(first: SSAValue | None, second: SSAValue | None) -> bool:
    """Whether two values are computed alike, of the same scalars, whatever layouts they come in."""
    if first is None or second is None or first is second:
        return first is second
    one, other = (behind(value, (ConvertLayoutOp,)).owner for value in (first, second))
    if not isinstance(one, Operation) or not isinstance(other, Operation) or one.name != other.name:
        return False
    if isinstance(one, arith.ConstantOp):
        return splat_of(one.result) is not None and splat_of(one.result) == splat_of(other.results[0])
    if as_tensor(one.results[0].type) is None or not is_recomputed(one.results[0]):
        return one is other
    is_alike = one.properties == other.properties and one.attributes == other.attributes
    return is_alike and all(map(is_same_but_for_layout, one.operands, other.operands))


@dataclass
class Recomputed:
    """Values computed anew in another layout, each beside the value that it stands for."""

    encoding: attrs.EncodingAttr
    known: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def __call__(self, value: SSAValue) -> SSAValue:
        """The value in the layout; a scalar is itself."""
        if as_tensor(value.type) is None:
            return value
        if value not in self.known:
            if isinstance(value, BlockArgument):
                self._carry(value)
            else:
                assert isinstance(value, OpResult)
                self.known[value] = self._compute(value.op)
        return self.known[value]

    def _carry(self, argument: BlockArgument) -> None:
        loop, last = argument.block.parent_op(), argument.block.last_op
        assert isinstance(loop, scf.ForOp)
        assert last is not None
        carried = carry(loop, self(loop.iter_args[argument.index - 1]), argument.name_hint)
        self.known[argument] = carried
        yield_next(carried, self(last.operands[argument.index - 1]))

    def _compute(self, op: Operation) -> SSAValue:
        if isinstance(op, ConvertLayoutOp):
            return self(op.src)
        operands = {operand: self(operand) for operand in op.operands}
        emitter, type_ = Emitter.after(op), self.type_of(op.results[0])
        if isinstance(op, arith.ConstantOp):
            assert is_splat(op.value)
            return emitter.add(arith.ConstantOp(retyped(op.value, type_), type_))
        return Rewriter.replace_value_with_new_type(emitter.add(copy_of(op, operands)), type_)

    def type_of(self, value: SSAValue) -> TensorType[Attribute]:
        """The value's type in the layout."""
        tensor = tensor_type(value)
        return TensorType(tensor.element_type, tensor.shape, self.encoding)
