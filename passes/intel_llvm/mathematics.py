"""Ops of dialect `math`, and other ops that become an intrinsic or a builtin: one op or one call per register.

The choice follows Intel's backend (triton-xpu 3.3): LLVM's intrinsics where the device has an instruction, OpenCL's
builtins through SPIR-V (`__spirv_ocl_*`), the rest from the device library of Intel's compilers (`__imf_*`). The
builtins take f32 and f64; 16-bit floats are converted to f32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BoolAttr, FloatAttr, IntegerAttr, StringAttr, f32, f64, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext import enums
from dotload.dialect_ext.llvm import LLVM, ConstantOp
from dotload.dialect_ext.typed import number_of
from dotload.dialect_ext.types import element_bits
from dotload.passes.tritongen.builder import Callee, GenBuilder

Rule = Callable[[GenBuilder, Operation, Sequence[SSAValue], Attribute], SSAValue]

# Op -> LLVM's intrinsic.
_INTRINSICS: Mapping[str, str] = {
    **{"math.exp2": "exp2", "math.log2": "log2", "math.sqrt": "sqrt", "math.absf": "fabs", "math.floor": "floor"},
    **{"math.trunc": "trunc", "math.round": "round", "math.roundeven": "roundeven", "math.ctpop": "ctpop"},
    **{"math.cosh": "cosh", "math.sinh": "sinh", "math.fma": "fma", "math.copysign": "copysign"},
    **{"arith.maxnumf": "maxnum", "arith.minnumf": "minnum", "arith.maximumf": "maximum", "arith.minimumf": "minimum"},
    **{"arith.maxsi": "smax", "arith.minsi": "smin", "arith.maxui": "umax", "arith.minui": "umin"},
}
# Op -> LLVM's intrinsic and its flag, which is set to false: no argument is poison.
_FLAGGED: Mapping[str, tuple[str, str]] = {
    "math.absi": ("abs", "is_int_min_poison"),
    "math.ctlz": ("ctlz", "is_zero_poison"),
    "math.cttz": ("cttz", "is_zero_poison"),
}
# Op -> OpenCL's function.
_OPENCL: Mapping[str, str] = {"math.exp": "exp", "math.log": "log", "math.cos": "cos", "math.sin": "sin"}
# Op -> the device library's function, without the letter of its type.
_LIBRARY: Mapping[str, str] = {
    **{f"math.{name}": name for name in ("rsqrt", "cbrt", "ceil", "erf", "log10", "log1p", "expm1", "atan2")},
    **{f"math.{name}": name for name in ("tan", "tanh", "acos", "asin", "atan", "acosh", "asinh", "atanh")},
    "math.powf": "pow",
}
# Op -> the device library's functions for 32 and 64 bits; divisions and roots round to nearest.
_PRECISE: Mapping[str, tuple[str, str]] = {
    "tt.precise_sqrt": ("fsqrt_rn", "dsqrt_rn"),
    "tt.precise_divf": ("fdiv_rn", "ddiv_rn"),
    "tt.mulhiui": ("umulhi", "umul64hi"),
}
_OPS: Mapping[str, type[Operation]] = {op.name: op for op in LLVM.operations}
_PREFIX = "llvm.intr."


def intrinsic(
    builder: GenBuilder, name: str, operands: Sequence[SSAValue], result: Attribute, **flags: Attribute
) -> SSAValue:
    """An LLVM intrinsic, by its name in `llvm.intr`."""
    return builder.make(_OPS[_PREFIX + name], operands, result, **flags)


def _intrinsic(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    return intrinsic(builder, _INTRINSICS[op.name], operands, result)


def _flagged(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    name, flag = _FLAGGED[op.name]
    return intrinsic(builder, name, operands, result, **{flag: BoolAttr(0, i1)})


def _opencl(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    """`__spirv_ocl_exp` and others; for f32, by the device's power of 2."""
    if op.name == "math.exp" and result == f32:
        log2e = builder.make(ConstantOp, [], f32, value=FloatAttr(math.log2(math.e), f32))
        scaled = builder.make(llvm.FMulOp, [operands[0], log2e], f32, fastmathFlags=llvm.FastMathAttr("none"))
        return intrinsic(builder, "exp2", [scaled], f32)
    name = f"__spirv_ocl_{_OPENCL[op.name]}"
    return _through_f32(builder, operands, result, lambda wide: f"_Z{len(name)}{name}{'d' if wide else 'f'}")


def _library(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    name = f"__imf_{_LIBRARY[op.name]}"
    return _through_f32(builder, operands, result, lambda wide: name if wide else f"{name}f")


def _precise(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    narrow, wide = (f"__imf_{name}" for name in _PRECISE[op.name])
    return _call(builder, wide if element_bits(result) == element_bits(i64) else narrow, operands, result)


def _extern(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    """The library function that the op names."""
    symbol = op.attributes.get("symbol", op.properties.get("symbol"))
    assert isinstance(symbol, StringAttr)
    return _call(builder, symbol.data, operands, result)


def _through_f32(
    builder: GenBuilder, operands: Sequence[SSAValue], result: Attribute, name: Callable[[bool], str]
) -> SSAValue:
    """A function for f32 or f64, by its name, of floats that may be narrower."""
    if result in (f32, f64):
        return _call(builder, name(result == f64), operands, result)
    wide = [builder.make(llvm.FPExtOp, [value], f32) for value in operands]
    return builder.make(llvm.FPTruncOp, [_call(builder, name(False), wide, f32)], result)


def _call(builder: GenBuilder, name: str, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    return builder.call(Callee(name, bare=True), operands, result)


def _negate(builder: GenBuilder, _: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    return builder.make(llvm.FNegOp, operands, result, fastmathFlags=llvm.FastMathAttr("none"))


def _clamp(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    """min(max(x, low), high); a NaN x stays NaN if the op says so."""
    value, low, high = operands
    clamped = intrinsic(builder, "minnum", [intrinsic(builder, "maxnum", [value, low], result), high], result)
    if number_of(op.properties["propagateNan"]) != enums.PROPAGATE_NAN.cases["all"]:
        return clamped
    unordered = IntegerAttr(_UNORDERED_OR_UNEQUAL, i64)
    no_flags = llvm.FastMathAttr("none")
    is_nan = builder.make(llvm.FCmpOp, [value, value], i1, predicate=unordered, fastmathFlags=no_flags)
    return builder.make(llvm.SelectOp, [is_nan, value, clamped], result, fastmathFlags=no_flags)


_UNORDERED_OR_UNEQUAL = 13  # `une` among the predicates of llvm.fcmp

MATHEMATICS: Mapping[str, Rule] = {
    **dict.fromkeys(_INTRINSICS, _intrinsic),
    **dict.fromkeys(_FLAGGED, _flagged),
    **dict.fromkeys(_OPENCL, _opencl),
    **dict.fromkeys(_LIBRARY, _library),
    **dict.fromkeys(_PRECISE, _precise),
    "arith.negf": _negate,
    "tt.clampf": _clamp,
    "tt.extern_elementwise": _extern,
}
