"""Arithmetic of 16-bit elements on pairs: `tt.elementwise_inline_asm` instead of the ops of dialect arith."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt_compute import ElementwiseInlineAsmOp
from dotload.dialect_ext.typed import as_tensor
from dotload.passes.analysis.fusion import may_be_fused
from dotload.passes.ir.emitter import Emitter
from dotload.passes.operand_staging.packed_conversions import ARITHMETIC, PAIR


def pair_arithmetic(value: SSAValue) -> None:
    """Compute with converted operands in pairs: LLVM packs only some such ops, and takes the words of others apart."""
    values = [value]
    for each in values:  # grows during the iteration
        for user in dict.fromkeys(use.operation for use in each.uses):
            tensor = as_tensor(user.results[0].type) if user.results else None
            asm = None if tensor is None else ARITHMETIC.get((user.name, str(tensor.element_type)))
            if asm is None or may_be_fused(user):
                continue
            pairs = ElementwiseInlineAsmOp(asm, "=r,r,r", tuple(user.operands), [user.results[0].type], PAIR)
            values.append(Emitter.before(user).insert(pairs))
            Rewriter.replace_op(user, (), [values[-1]])
