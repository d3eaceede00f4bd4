"""Mathematical functions and conversions of one lane: computed by the C library and the emulator's own rounding."""

from __future__ import annotations

import re

from dotload.emulator.builtins import Builtin, Family, Signature
from dotload.emulator.errors import EmulatorError
from dotload.emulator.types import vector

# OpenCL C name -> name in the C library, where they differ.
_C_NAMES = {"rint": "nearbyint", "mad": "fma", "fabs": "fabs"}
_PLAIN = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 exp10 expm1 fabs fdim floor "
    "fma fmax fmin fmod hypot lgamma log log10 log1p log2 logb mad nextafter pow remainder rint round sin sinh sqrt "
    "tan tanh tgamma trunc"
).split()


def _math(match: re.Match[str], signature: Signature, _lanes: int) -> Builtin:
    """float and double go to the C library; half is computed in float and rounded once."""
    name = _C_NAMES.get(match["name"], match["name"])
    result = signature.result
    if result not in ("float", "double", "half") or any(type_ != result for type_ in signature.parameters):
        raise EmulatorError(f"{signature.name} of {', '.join(signature.parameters)} is not emulated")
    wide = "float" if result == "half" else result
    function = name if wide == "double" else f"{name}f"
    lines: list[str] = []
    arguments: list[str] = []
    for index in range(len(signature.parameters)):
        if result == "half":
            lines.append(f"  %w{index} = fpext half %p{index} to float")
        arguments.append(f"{wide} %{'w' if result == 'half' else 'p'}{index}")
    lines.append(f"  %value = call {wide} @{function}({', '.join(arguments)})")
    if result == "half":
        lines += ["  %narrow = fptrunc float %value to half", "  ret half %narrow"]
    else:
        lines.append(f"  ret {wide} %value")
    types = ", ".join([wide] * len(signature.parameters))
    return Builtin("\n".join(lines), declares=f"declare {wide} @{function}({types})")


def _rsqrt(_match: re.Match[str], signature: Signature, _lanes: int) -> Builtin:
    type_ = signature.result
    if type_ not in ("float", "double"):
        raise EmulatorError(f"{signature.name} of {type_} is not emulated")
    function = "sqrtf" if type_ == "float" else "sqrt"
    return Builtin(
        f"  %root = call {type_} @{function}({type_} %p0)\n  %value = fdiv {type_} 1.0, %root\n  ret {type_} %value",
        declares=f"declare {type_} @{function}({type_})",
    )


def _precise(match: re.Match[str], signature: Signature, lanes: int) -> Builtin:
    """Rounded to nearest, as roots and quotients are anyway."""
    if match["name"] == "sqrt":
        return _math(match, signature, lanes)
    type_ = signature.result
    if type_ not in ("float", "double") or signature.parameters != (type_, type_):
        raise EmulatorError(f"{signature.name} of {', '.join(signature.parameters)} is not emulated")
    return Builtin(f"  %value = fdiv {type_} %p0, %p1\n  ret {type_} %value")


def _high_product(match: re.Match[str], signature: Signature, _lanes: int) -> Builtin:
    """The upper half of a product of integers; unsigned ones have a `u` in the name."""
    type_ = signature.result
    if type_ not in ("i8", "i16", "i32", "i64") or signature.parameters != (type_, type_):
        raise EmulatorError(f"{signature.name} of {', '.join(signature.parameters)} is not emulated")
    bits, extend = int(type_[1:]), "zext" if match["sign"] == "u" else "sext"
    wide = f"i{2 * bits}"
    lines = [f"  %w{index} = {extend} {type_} %p{index} to {wide}" for index in range(2)]
    lines += [f"  %product = mul {wide} %w0, %w1", f"  %high = lshr {wide} %product, {bits}"]
    return Builtin("\n".join([*lines, f"  %value = trunc {wide} %high to {type_}", f"  ret {type_} %value"]))


_CONVERSIONS = {
    "ConvertFToBF16INTEL": ("xe_float_to_bfloat", "float", "i16"),
    "ConvertBF16ToFINTEL": ("xe_bfloat_to_float", "i16", "float"),
    "RoundFToTF32INTEL": ("xe_round_to_tf32", "float", "float"),
}


def _convert(match: re.Match[str], signature: Signature, _lanes: int) -> Builtin:
    """Element by element; `bfloat` and `i16` are two names for the same bits."""
    function, source, target = _CONVERSIONS[match["name"]]
    signature.need(1)
    given = signature.parameters[0]
    count, element = vector(given)
    raw_in = f"<{count} x {source}>" if given.startswith("<") else source
    raw_out = f"<{count} x {target}>" if given.startswith("<") else target
    if element not in (source, "bfloat") or vector(signature.result)[1] not in (target, "bfloat"):
        raise EmulatorError(f"{signature.name} of {given} to {signature.result} is not emulated")
    lines = [f"  %in = bitcast {given} %p0 to {raw_in}"]
    if given.startswith("<"):
        previous = "poison"
        for index in range(count):
            lines.append(f"  %e{index} = extractelement {raw_in} %in, i32 {index}")
            lines.append(f"  %c{index} = call {target} @{function}({source} %e{index})")
            lines.append(f"  %v{index} = insertelement {raw_out} {previous}, {target} %c{index}, i32 {index}")
            previous = f"%v{index}"
        lines.append(f"  %out = bitcast {raw_out} {previous} to {signature.result}")
    else:
        lines.append(f"  %c = call {target} @{function}({source} %in)")
        lines.append(f"  %out = bitcast {target} %c to {signature.result}")
    return Builtin("\n".join([*lines, f"  ret {signature.result} %out"]))


_PREFIX = r"(__spirv_ocl_(native_|half_)?|native_|half_|__imf_)?"

FAMILIES: tuple[tuple[str, Family], ...] = (
    (rf"{_PREFIX}(?P<name>{'|'.join(_PLAIN)})f?", _math),
    (rf"{_PREFIX}rsqrtf?", _rsqrt),
    (r"__imf_[fd](?P<name>sqrt|div)_rn", _precise),
    (r"(__spirv_ocl_|__imf_)(?P<sign>[us]?)_?mul(64)?_?hi", _high_product),
    (rf"__spirv_(?P<name>{'|'.join(_CONVERSIONS)})", _convert),
)
