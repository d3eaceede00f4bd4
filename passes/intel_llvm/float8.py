"""8-bit floats as wider ones. LLVM has none: here they are bytes.

Every number of either type is one of f16. E5M2 is the upper byte of f16. E4M3 has a bit less of exponent: moved to
where f16 has its exponent and fraction, it is 2^8 times too small, also where it is subnormal.

    s eeee mmm   ->   s 0eeee mmm0000000   * 2^8           the only NaN, s 1111 111, becomes one of f16
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    Float8E5M2Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    f16,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext.llvm import ConstantOp
from dotload.dialect_ext.types import element_bits
from dotload.passes.tritongen.builder import GenBuilder

FLOATS_8 = (Float8E4M3FNType, Float8E5M2Type)
"""The types that are converted to wider ones here."""

_WORD = IntegerType(16)
_SIGN, _MAGNITUDE = 0x80, 0x7F
_F16_NAN = 0x7E00
_E4M3_SCALE = 2.0**8
_EQUAL = 0
"""The code of a comparison for equality."""
_NO_FLAGS = {"fastmathFlags": llvm.FastMathAttr("none")}


def widened(builder: GenBuilder, value: SSAValue, source: Attribute, result: Attribute) -> SSAValue:
    """A byte as a float of 16 bits or more; every such conversion is exact."""
    word = builder.make(llvm.ZExtOp, [value], _WORD)
    half = _from_e4m3(builder, word) if isinstance(source, Float8E4M3FNType) else _upper_byte(builder, word)
    if result == f16:
        return half
    wide = f32 if element_bits(result) < element_bits(f32) else result
    extended = builder.make(llvm.FPExtOp, [half], wide)
    return extended if wide == result else builder.make(llvm.FPTruncOp, [extended], result)


def _upper_byte(builder: GenBuilder, word: SSAValue) -> SSAValue:
    return builder.bitcast(_shifted(builder, word, 8), f16)


def _from_e4m3(builder: GenBuilder, word: SSAValue) -> SSAValue:
    magnitude = _with(builder, llvm.AndOp, word, _MAGNITUDE)
    small = builder.bitcast(_shifted(builder, magnitude, 7), f16)
    scale = builder.make(ConstantOp, [], f16, value=FloatAttr(_E4M3_SCALE, f16))
    scaled = builder.bitcast(builder.make(llvm.FMulOp, [small, scale], f16, **_NO_FLAGS), _WORD)
    highest = builder.constant(_MAGNITUDE, _WORD)
    is_nan = builder.make(llvm.ICmpOp, [magnitude, highest], i1, predicate=IntegerAttr(_EQUAL, i64))
    number = builder.make(llvm.SelectOp, [is_nan, builder.constant(_F16_NAN, _WORD), scaled], _WORD, **_NO_FLAGS)
    sign = _shifted(builder, _with(builder, llvm.AndOp, word, _SIGN), 8)
    return builder.bitcast(builder.binary(llvm.OrOp, number, sign), f16)


def _shifted(builder: GenBuilder, word: SSAValue, left: int) -> SSAValue:
    return _with(builder, llvm.ShlOp, word, left)


def _with(builder: GenBuilder, op: type[Operation], word: SSAValue, number: int) -> SSAValue:
    return builder.binary(op, word, builder.constant(number, _WORD))
