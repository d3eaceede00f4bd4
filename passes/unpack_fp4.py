"""`unpack-fp4`: two numbers of 4 bits become two of 16 by integer arithmetic on the word that they make.

Triton decomposes `tl.dot_scaled` if the hardware has no such dot. `ttg.fp4_to_fp` then looks each number up in a table,
its two bytes separately. The pass puts both numbers of a byte into one word:

    %w = arith.extui %packed : ... to tensor<64x128xi32>
    %m = (%w * 0x00040040) & 0x01c001c0              exponent and mantissa of both, at their places in bf16
    %s = (%w * 0x01001000) & 0x80008000              both signs
    %p = arith.ori %m, %s                            numbers that are 2^126 times too small
    %j = tt.join (low half of %p), (high half of %p)
    %r = arith.mulf (tt.reshape %j), 2^126

A number e2m1 has the bits s ee m, and no infinities or NaN (OCP Microscaling Formats 1.0, section 5.3.3). In a wider
float, its exponent has a larger bias. A product with a power of two corrects that exactly, also for subnormals. If the
scale of a group follows, both products are packed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, TensorType, bf16, i16, i32
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext.arith import ExtUIOp, TruncIOp
from dotload.dialect_ext.tt_compute import BitcastOp, ReshapeOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, Fp4ToFpOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import with_element
from dotload.layout.nvidia_targets import HOPPER
from dotload.layout.views import Reshape, Transpose, View
from dotload.layout.widths import HALF_BITS
from dotload.passes.ir.def_use import erase_unused
from dotload.passes.ir.emitter import Emitter, viewed_tensor
from dotload.passes.ir.layouts import layout_of_type
from dotload.passes.ir.targets import capability_of
from dotload.passes.operand_staging.pair_arithmetic import pair_arithmetic
from dotload.passes.rewriting import RewritePass

PACKED_SINCE = 100
"""From this capability on there is `cvt` of a pair of e2m1 (PTX ISA, cvt)."""


@dataclass(frozen=True)
class Float:
    """The position of e2m1 in a 16-bit float, whose mantissa has `mantissa_bits` and whose exponent has this bias."""

    mantissa_bits: int
    bias: int

    @property
    def moved(self) -> int:
        """By how many bits exponent and mantissa go up."""
        return self.mantissa_bits - 1

    @property
    def factor(self) -> float:
        """The factor that corrects the bias of the bits, read as a float: e2m1 has a bias of 1."""
        return math.ldexp(1, self.bias - 1)


FLOATS = {"bf16": Float(7, 127), "f16": Float(10, 15)}


@dataclass(frozen=True)
class Bits:
    """The same bits of both numbers of a byte: the byte times `factor`, and a mask."""

    factor: int
    mask: int


def bits_of(mask: int, place: int) -> Bits:
    """Bits of the lower number, `place` bits further up, and those of the upper one in the upper half of the word."""
    factor = 1 << place | 1 << place + HALF_BITS - 4
    return Bits(factor, mask << place | mask << place + HALF_BITS)


MAGNITUDE, SIGN = 0b0111, 0b1000
SIGNS = bits_of(SIGN, HALF_BITS - 4)


# Emit


def emit(op: Fp4ToFpOp, capability: int) -> None:
    """Unpack both numbers of each byte.

    Before Hopper, bf16 has no products, only fma (PTX ISA, mul.bf16x2). LLVM takes the words apart for it.
    """
    emitter, target = Emitter.before(op), tensor_type(op.result)
    kind = FLOATS[str(target.element_type)]
    source = tensor_type(op.src)
    words = with_element(source, i32)
    word = emitter.make(ExtUIOp, [op.src], words)
    magnitudes, signs = (masked(emitter, word, bits) for bits in (bits_of(MAGNITUDE, kind.moved), SIGNS))
    both = emitter.insert(arith.OrIOp(magnitudes, signs))
    upper = emitter.with_number(arith.ShRUIOp, both, HALF_BITS)
    numbers = interleaved(emitter, half(emitter, both, target), half(emitter, upper, target), op)
    op.result.replace_all_uses_with(emitter.with_number(arith.MulfOp, numbers, kind.factor))
    erase_unused([op.result])
    if target.element_type == bf16 and capability < HOPPER.capability:
        pair_arithmetic(numbers)


def masked(emitter: Emitter, word: SSAValue, bits: Bits) -> SSAValue:
    """Some bits of both numbers."""
    return emitter.with_number(arith.AndIOp, emitter.with_number(arith.MuliOp, word, bits.factor), bits.mask)


def half(emitter: Emitter, word: SSAValue, target: TensorType[Attribute]) -> SSAValue:
    """The lower half of a word as a float."""
    words = tensor_type(word)
    bits = emitter.make(TruncIOp, [word], with_element(words, i16))
    return emitter.insert(BitcastOp(bits, with_element(words, target.element_type)))


def interleaved(emitter: Emitter, lower: SSAValue, upper: SSAValue, op: Fp4ToFpOp) -> SSAValue:
    """The numbers beside each other along the axis, in the layout of the op's result."""
    source, target = tensor_type(lower), tensor_type(op.result)
    shape, axis = tuple(source.get_shape()), op.axis.value.data
    rank = len(shape)
    order = (*range(axis + 1), rank, *range(axis + 1, rank))
    views: list[View] = [] if axis == rank - 1 else [Transpose(order)]
    beside = emitter.tensor_views(emitter.joined(lower, upper), views)
    flat = viewed_tensor(tensor_type(beside), Reshape(tuple(target.get_shape())))
    if layout_of_type(flat) == layout_of_type(target):
        return emitter.insert(ReshapeOp(beside, target))
    # Other registers of a thread.
    return emitter.insert(ConvertLayoutOp(emitter.insert(ReshapeOp(beside, flat)), target))


@dataclass(frozen=True)
class UnpackFp4Pass(RewritePass):
    """Unpack 4-bit floats two at a time."""

    name = "unpack-fp4"

    def rewrite(self, module: ModuleOp) -> bool:
        capability = capability_of(module)
        ops = of_kind(module.walk(), Fp4ToFpOp) if capability < PACKED_SINCE else []
        found = [each for each in ops if str(tensor_type(each.result).element_type) in FLOATS]
        for each in found:
            self.passed(each, "4-bit numbers are unpacked two at a time")
            emit(each, capability)
        return bool(found)
