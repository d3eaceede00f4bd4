"""Arithmetic of 16-bit elements on pairs: `tt.elementwise_inline_asm` instead of the ops of dialect arith."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt_compute import BitcastOp, ElementwiseInlineAsmOp
from dotload.dialect_ext.typed import as_tensor
from dotload.dialect_ext.types import element_of
from dotload.passes.analysis.fusion import MOVING_REGISTERS, may_be_fused
from dotload.passes.ir.constants import splat_of
from dotload.passes.ir.emitter import Emitter
from dotload.passes.operand_staging.packed_conversions import ARITHMETIC, PAIR

ONES = {"f16": 0x3C00, "bf16": 0x3F80}
"""The bits of 1."""


def pair_arithmetic(value: SSAValue) -> None:
    """Compute with converted operands in pairs: LLVM packs only some such ops, and takes the words of others apart.

    Products by 1, such as those of `tl.dot_scaled` with an operand that has no scales, are dropped, as LLVM drops them.
    """
    values = [value]
    for each in values:  # grows during the iteration
        for user in dict.fromkeys(use.operation for use in each.uses):
            if isinstance(user, arith.MulfOp) and any(map(is_one, user.operands)):
                Rewriter.replace_op(user, (), [each])
                values.append(each)  # it has other users now
                continue
            tensor = as_tensor(user.results[0].type) if user.results else None
            asm = None if tensor is None else ARITHMETIC.get((user.name, str(tensor.element_type)))
            if asm is None or may_be_fused(user):
                continue
            pairs = ElementwiseInlineAsmOp(asm, "=r,r,r", tuple(user.operands), [user.results[0].type], PAIR)
            values.append(Emitter.before(user).insert(pairs))
            Rewriter.replace_op(user, (), [values[-1]])


def is_one(value: SSAValue) -> bool:
    """Whether all elements of a tensor are 1, made of a number or of its bits."""
    op = value.owner
    if isinstance(op, MOVING_REGISTERS):
        return all(map(is_one, op.operands))
    if isinstance(op, BitcastOp) and isinstance(element_of(op.src.type), IntegerType):
        bits = splat_of(op.src)
        return bits is not None and bits == ONES.get(str(element_of(value.type)))
    return splat_of(value) == 1
