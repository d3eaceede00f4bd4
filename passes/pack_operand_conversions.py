"""`pack-operand-conversions`: operands of dots are converted from 8 bits to 16 four at a time, on packed words.

Candidates: `tt.fp_to_fp`, `arith.sitofp` and `arith.uitofp` of a tensor that a dot's operand is made of, where each
thread has whole words of four elements.

Emit:

    %w = tt.fp_to_fp %b : tensor<64x128xf8E4M3FN, #dot_op> -> tensor<64x128xbf16, #dot_op>

becomes

    %w = tt.elementwise_inline_asm "{ ... }" {packed_element = 4} %b : ... -> tensor<64x128xbf16, #dot_op>

by the table in `operand_staging.packed_conversions`, whose entries are bit for bit as Triton's conversion. Masks and
shifts of the bytes before it, by which kernels unpack 4-bit values, are done on words as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import ElementwiseInlineAsmOp, FpToFpOp, ReshapeOp, SplitOp, TransOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, LocalStoreOp
from dotload.dialect_ext.typed import as_tensor
from dotload.layout import encodings as enc
from dotload.layout.linear import LayoutError
from dotload.passes import remarks
from dotload.passes.ir.constants import splat_of
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import layout_of
from dotload.passes.ir.loops import DOTS
from dotload.passes.ir.targets import capability_of
from dotload.passes.operand_staging.packed_conversions import (
    ALL_BITS,
    BYTE_MASK,
    CONSTRAINTS,
    ELEMENTS,
    Bits,
    PackedConversion,
    find_conversion,
)
from dotload.passes.rewriting import RewritePass

MOVING = (ConvertLayoutOp, ReshapeOp, SplitOp, TransOp, UnrealizedConversionCastOp)
"""Ops between a conversion and a dot that move registers, as Triton's splitting of a dot along k."""
CONVERTING = (FpToFpOp, arith.SIToFPOp, arith.UIToFPOp)


def bits_behind(value: SSAValue) -> tuple[SSAValue, Bits]:
    """What an integer tensor is made of by masks and shifts by constants, and which bits of it these take."""
    bits = ALL_BITS
    while (step := step_of(value, bits)) is not None:
        value, bits = step
    return value, bits


def step_of(value: SSAValue, bits: Bits) -> tuple[SSAValue, Bits] | None:
    """The operand of one mask or shift, and which of its bits are `bits` of the value."""
    op = value.owner
    if not isinstance(op, arith.AndIOp | arith.ShRUIOp | arith.ShRSIOp) or (splat := splat_of(op.rhs)) is None:
        return None
    number = int(splat)
    if isinstance(op, arith.AndIOp):
        return op.lhs, bits.of_masked(number & BYTE_MASK)
    shifted = bits.of_shifted(number, is_signed=isinstance(op, arith.ShRSIOp))
    return None if shifted is None else (op.lhs, shifted)


def conversion_of(op: Operation, capability: int) -> PackedConversion | None:
    """The packed form of a conversion; None where it stays as it is."""
    source, result = as_tensor(op.operands[0].type), as_tensor(op.results[0].type)
    if source is None or result is None or registers_of(op.operands[0]) < ELEMENTS:
        return None
    element = str(source.element_type)
    name = f"u{element[1:]}" if isinstance(op, arith.UIToFPOp) else element
    return find_conversion(name, str(result.element_type), capability)


def registers_of(value: SSAValue) -> int:
    """The elements that a thread holds of a tensor; none where its encoding is not known."""
    try:
        return 1 << len(layout_of(value).bases[enc.REGISTER])
    except LayoutError:
        return 0


def becomes_operand(op: Operation) -> bool:
    """Whether a dot reads what is computed from the op, element by element: as an operand, or in shared memory."""
    waiting, seen = list(op.results), set(op.results)
    while waiting:
        for user in (use.operation for use in waiting.pop().uses):
            if isinstance(user, (*DOTS, LocalAllocOp, LocalStoreOp)):
                return True
            if is_elementwise(user) or isinstance(user, MOVING):
                waiting += [result for result in user.results if result not in seen]
                seen.update(user.results)
    return False


@dataclass(frozen=True)
class PackOperandConversionsPass(RewritePass):
    """Convert operands of dots from 8 bits to 16 four at a time, on packed words."""

    name: ClassVar[str] = "pack-operand-conversions"

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Rewrite every conversion that gains."""
        capability, told = capability_of(op), set[tuple[str, str]]()
        for conversion in [each for each in op.walk() if isinstance(each, CONVERTING) and becomes_operand(each)]:
            packed = conversion_of(conversion, capability)
            if packed is None:
                continue
            source, bits = bits_behind(conversion.operands[0])
            asm = ElementwiseInlineAsmOp(
                packed.of_bits(bits).asm, CONSTRAINTS, [source], [conversion.results[0].type], ELEMENTS
            )
            types = " to ".join(str(value.type.element_type) for value in (asm.args[0], asm.result[0]))  # pyright: ignore
            if (once := (types, str(conversion.location))) not in told:  # of the parts of one dot
                remarks.emit("passed", self.name, conversion, f"{types} is converted in words of {ELEMENTS} elements")
            told.add(once)
            new = Emitter.before(conversion).add(asm)
            conversion.results[0].replace_all_uses_with(new)
            Rewriter.erase_op(conversion)
        return bool(told)
