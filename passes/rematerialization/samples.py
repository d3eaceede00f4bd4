"""Samples of tensors: one element of each group along a dim, computed like the tensor, by ops on smaller tensors.

tt.make_range {0, 128}                       every 8th      tt.make_range {0, 16} * 8
tt.splat, tt.broadcast, arith.constant                      the same, smaller
tt.addptr %pointers, %offsets                               tt.addptr of both, sampled

A loop that carries the tensor then carries the samples, too. The whole backward slice of a tensor must be of this kind
(`may_be_computed`). A user's hints about a tensor (tl.max_contiguous) are not copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from dotload.dialect_ext.arith import INTEGER_PREDICATES, CmpiOp
from dotload.dialect_ext.traits import is_elementwise, is_pure
from dotload.dialect_ext.tt_compute import BroadcastOp, ExpandDimsOp, MakeRangeOp, SplatOp
from dotload.dialect_ext.tt_memory import AddPtrOp
from dotload.dialect_ext.typed import integer_type, is_splat, shape_of, tensor_type
from dotload.passes.analysis.signs import is_nonnegative
from dotload.passes.ir.constants import constant_of, splat_of
from dotload.passes.ir.conversions import uniform_like
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.motion import copy_of_others
from dotload.passes.rematerialization.rematerialized import Recomputed

Division = arith.DivSIOp | arith.DivUIOp
BELOW_OR_NOT = ("slt", "sge", "ult", "uge")
"""Comparisons with a multiple of a number that may be made of quotients by this number, rounded down."""


@dataclass
class Samples(Recomputed[int]):
    """Samples of tensors for which `may_be_computed` holds, along a dim: elements 0, `every`, 2 `every`, ..."""

    every: int = field(kw_only=True)

    @classmethod
    def stays(cls, value: SSAValue, form: int) -> bool:
        """Whether nothing changes along the dim, by the type alone: a scalar, or a dim of size 1."""
        return super().stays(value, form) or shape_of(value.type)[form] == 1

    @staticmethod
    def forwarded(value: SSAValue) -> Sequence[SSAValue]:
        """What a loop forwards to an argument; its results are not sampled."""
        return Recomputed.forwarded(value) if isinstance(value, BlockArgument) else ()

    @classmethod
    def operands(cls, op: Operation, form: int) -> Sequence[tuple[SSAValue, int]] | None:
        """The tensors and dims to sample."""
        match op:
            case arith.ConstantOp(value=constant):
                return () if is_splat(constant) else None
            case MakeRangeOp() | SplatOp():
                return ()
            case ExpandDimsOp():
                return [(op.src, form - (op.axis.value.data < form))]
            case BroadcastOp() | AddPtrOp():
                return [(operand, form) for operand in op.operands]
            case _:
                is_computed = bool(op.operands) and is_elementwise(op) and is_pure(op)
                return [(operand, form) for operand in op.operands] if is_computed else None

    def type_of(self, value: SSAValue, axis: int) -> TensorType[Attribute]:
        """The type of the samples."""
        tensor = tensor_type(value)
        shape = [size // self.every if dim == axis else size for dim, size in enumerate(tensor.get_shape())]
        return TensorType(tensor.element_type, shape, tensor.encoding)

    def computed(self, op: Operation, form: int, operands: Mapping[SSAValue, SSAValue]) -> SSAValue:
        """The samples of the op's result along a dim."""
        emitter, type_ = Emitter.after(op), self.type_of(op.results[0], form)
        match op:
            case arith.ConstantOp() | SplatOp():
                return uniform_like(op.result, type_, emitter)
            case MakeRangeOp():
                return self._range(op, emitter, type_)
            case ExpandDimsOp() | BroadcastOp() if operands[op.src].type == type_:
                return operands[op.src]
            case _:
                pass
        if isinstance(op, Division) and is_nonnegative(op.lhs, trusts_counts=True):
            quotient = divided(operands[op.lhs], splat_of(operands[op.rhs]), type(op), emitter)
            if quotient is not None:
                return quotient
        if isinstance(op, CmpiOp) and is_nonnegative(op.lhs, trusts_counts=True):
            operands = {**operands, **compared(operands, self.every, op, emitter)}
        return emitter.insert_as(copy_of_others(op, operands), type_)

    def _range(self, op: MakeRangeOp, emitter: Emitter, type_: TensorType[Attribute]) -> SSAValue:
        (size,), start = type_.get_shape(), op.start.value.data
        counted = emitter.insert(MakeRangeOp(0, size, type_))
        steps = emitter.with_number(arith.MuliOp, counted, self.every)
        return emitter.with_number(arith.AddiOp, steps, start) if start else steps


def compared(
    samples: Mapping[SSAValue, SSAValue], every: int, op: CmpiOp, emitter: Emitter
) -> Mapping[SSAValue, SSAValue]:
    """The quotients to compare in place of samples, if their bound is a multiple of `every`; none for other bounds.

    Samples of `%k < 64` are those of `%k // 2 < 32`, which counts up by one: Triton sees which neighbours are masked
    alike, and loads vectors.
    """
    bound = splat_of(samples[op.rhs])
    if INTEGER_PREDICATES[op.predicate.value.data] not in BELOW_OR_NOT or bound is None or bound % every:
        return {}
    quotient = divided(samples[op.lhs], every, arith.DivSIOp, emitter)
    limit = tensor_type(samples[op.rhs])
    return {} if quotient is None else {op.lhs: quotient, op.rhs: emitter.splat(bound // every, limit)}


def divided(value: SSAValue, by: float | None, division: type[Division], emitter: Emitter) -> SSAValue | None:
    """The quotient of a sum of nonnegative numbers, one of which is a multiple of the divisor; None for other values.

    It shows that samples of `%k // 8` count up by one, and from which multiple, if %k starts at `%program * BLOCK_K`.
    """
    if not by:
        return None
    match value.owner:
        case SplatOp(src=OpResult(op=arith.MuliOp(lhs=number, rhs=factor))) if times := constant_of(factor):
            if times % by:
                return None
            fewer = emitter.constant(int(times // by), integer_type(number))
            return emitter.insert(SplatOp(emitter.insert(arith.MuliOp(number, fewer)), tensor_type(value)))
        case arith.MuliOp(lhs=number, rhs=factor) if (times := splat_of(factor)) and times % by == 0:
            if times == by:
                return number
            return emitter.with_number(arith.MuliOp, number, times // by)
        case arith.AddiOp(lhs=one, rhs=other):
            for multiple, rest in ((one, other), (other, one)):
                if (quotient := divided(multiple, by, division, emitter)) is not None:
                    others = divided(rest, by, division, emitter)
                    if others is None:
                        others = emitter.with_number(division, rest, by)
                    return emitter.insert(arith.AddiOp(others, quotient))
            return None
        case ExpandDimsOp() | BroadcastOp() as op:
            quotient = divided(op.src, by, division, emitter)
            return None if quotient is None else emitter.insert(copy_of_others(op, {op.src: quotient}))
        case _:
            return None
