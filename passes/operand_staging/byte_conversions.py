"""Conversions of bytes, in the form in which packed conversions take them.

    tt.fp_to_fp (arith.sitofp %bytes : f16) : bf16     ->  arith.sitofp %bytes : bf16
    arith.sitofp (tt.reshape (tt.join %low, %high))    ->  tt.reshape (tt.join (arith.sitofp %low, arith.sitofp %high))

All bytes are numbers of f16, bf16 and f32, so no conversion of them rounds. Where a kernel joins bit fields of bytes,
words of these bytes exist before the join only; each word of two joined results takes one byte permutation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt_compute import FpToFpOp, JoinOp, ReshapeOp, TransOp
from dotload.dialect_ext.typed import as_tensor, tensor_type
from dotload.dialect_ext.types import element_bits, element_of, with_element
from dotload.layout.widths import BYTE_BITS
from dotload.passes.ir.constants import splat_of
from dotload.passes.ir.conversions import OF_INTEGERS, converted
from dotload.passes.ir.def_use import behind, erase_unused, only_user, ops_behind
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.motion import copy_of
from dotload.passes.operand_staging.packed_conversions import ALL_BITS, BYTE_MASK, Bits
from dotload.passes.operand_staging.packed_integers import BINADES, SIGNED

SHIFTS = arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp
NARROWING = (FpToFpOp, arith.TruncFOp)
"""Conversions of floats to narrower ones."""
VIEWS = (ReshapeOp, TransOp, UnrealizedConversionCastOp)
"""Ops that leave each element in its register."""
WITH_ALL_BYTES = ("f16", "bf16", "f32")
"""Float types that represent all numbers from -128 to 255."""


def bits_behind(value: SSAValue, *, is_signed: bool) -> tuple[SSAValue, Bits]:
    """The integer tensor behind masks and shifts by constants, and the bits that these extract."""
    bits = replace(ALL_BITS, is_signed=is_signed)
    while (step := step_of(value, bits)) is not None:
        value, bits = step
    return value, bits


def step_of(value: SSAValue, bits: Bits) -> tuple[SSAValue, Bits] | None:
    """The operand of one mask or shift, and which of its bits are `bits` of the value."""
    op = value.owner
    if not isinstance(op, arith.AndIOp | SHIFTS) or (splat := splat_of(op.rhs)) is None:
        return None
    number = int(splat)
    if isinstance(op, arith.AndIOp):
        return op.lhs, bits.of_masked(number & BYTE_MASK)
    if not 0 <= number < BYTE_MASK.bit_length():
        return None
    right = bits.of_shifted(number, is_signed=isinstance(op, arith.ShRSIOp))
    shifted = bits.of_shifted_left(number) if isinstance(op, arith.ShLIOp) else right
    return None if shifted is None else (op.lhs, shifted)


def less_behind(op: Operation) -> tuple[Operation, int]:
    """The op that subtracts a constant from a conversion's result, and the constant; the conversion, and 0, if none."""
    user = only_user(op.results[0])
    splat = splat_of(user.rhs) if isinstance(user, arith.SubfOp) else None
    return (op, 0) if user is None or splat is None or splat % 1 else (user, int(splat))


def convert_at_once(op: Operation) -> Operation | None:
    """Convert bytes to 16 bits at once, if `op` is the second of two conversions; the new one, else None."""
    if not isinstance(op, NARROWING) or str(element_of(op.results[0].type)) not in BINADES:
        return None
    first = op.operands[0].owner
    if not is_of_bytes(first) or only_user(first.result) is not op:
        return None
    if str(element_of(first.result.type)) not in WITH_ALL_BYTES:
        return None
    new = Emitter.before(op).make(type(first), [first.input], op.results[0].type)
    Rewriter.replace_op(op, (), [new])
    erase_unused([first.result])
    assert isinstance(new.owner, Operation)
    return new.owner


def is_of_bytes(op: object) -> TypeGuard[arith.SIToFPOp | arith.UIToFPOp]:
    """Whether the op converts a tensor of integers of 8 bits."""
    if not isinstance(op, OF_INTEGERS):
        return False
    return as_tensor(op.input.type) is not None and element_bits(op.input.type) == BYTE_BITS


def convert_before_join(op: Operation) -> list[Operation]:
    """Convert two tensors of bit fields and join the results, if `op` converts the joined tensor; the new conversions.

    [] if the op stays. A constant that is subtracted from the result is subtracted before the join, too.
    """
    if not is_of_bytes(op) or str(element := element_of(op.result.type)) not in BINADES:
        return []
    views, join = list(ops_behind(op.input, VIEWS)), behind(op.input, VIEWS).owner
    if not isinstance(join, JoinOp) or any(only_user(each.results[0]) is None for each in (join, *views)):
        return []
    if not are_fields(join.result, is_signed=op.name == SIGNED):
        return []
    last, _ = less_behind(op)
    emitter = Emitter.before(last)
    made = halves = [converted(op, half, emitter) for half in join.operands]
    if last is not op:
        halves = [converted(last, half, emitter) for half in halves]
    value = emitter.insert(JoinOp(*halves, with_element(tensor_type(join.result), element)))
    for view in reversed(views):
        type_ = with_element(tensor_type(view.results[0]), element)
        value = emitter.insert_as(copy_of(view, {view.operands[0]: value}), type_)
    Rewriter.replace_op(last, (), [value])
    erase_unused([op.input if last is op else op.result])
    return [each.owner for each in made if isinstance(each.owner, Operation)]


def are_fields(value: SSAValue, *, is_signed: bool) -> bool:
    """Whether all elements are bit fields of bytes, joined or not."""
    if isinstance(join := behind(value, VIEWS).owner, JoinOp):
        return all(are_fields(half, is_signed=is_signed) for half in join.operands)
    return not bits_behind(value, is_signed=is_signed)[1].is_whole
