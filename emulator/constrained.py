"""LLVM's constrained floating point: `llvm.experimental.constrained.fptrunc`, as plain instructions.

The host rounds to nearest whatever mode the intrinsic names. So towards zero is computed: where the rounded value is
larger in magnitude, it is one unit in the last place too large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dotload.emulator.errors import EmulatorError
from dotload.emulator.types import split_type, vector

FPTRUNC = "llvm.experimental.constrained.fptrunc."
_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}


def fptrunc(target: str, result: str, arguments: Sequence[str], fresh: Callable[[str], str]) -> list[str]:
    """Instructions that set `target`; `fresh` makes names."""
    source, value = map(str.strip, split_type(arguments[0]))
    mode = next((mode for mode in ("tonearest", "towardzero") if f'"round.{mode}"' in arguments[1]), None)
    if mode is None:
        raise EmulatorError(f"not emulated: fptrunc with the rounding mode {arguments[1]}")
    if mode == "tonearest":
        return [f"  {target} = fptrunc {source} {value} to {result}"]
    return _towards_zero(target, result, source, value, fresh)


def _towards_zero(target: str, result: str, source: str, value: str, fresh: Callable[[str], str]) -> list[str]:
    near, back, below = fresh("near"), fresh("back"), fresh("below")
    narrow = _integers(result)
    lines = [
        f"  {near} = fptrunc {source} {value} to {result}",
        f"  {back} = fpext {result} {near} to {source}",
    ]
    magnitudes: list[str] = []
    for each in (value, back):
        bits, doubled = fresh("bits"), fresh("doubled")
        lines += [
            f"  {bits} = bitcast {source} {each} to {_integers(source)}",
            f"  {doubled} = shl {_integers(source)} {bits}, {_all(source, 1)}",  # without the sign
        ]
        magnitudes.append(doubled)
    larger, bits, less = (fresh(what) for what in ("larger", "bits", "less"))
    return [
        *lines,
        f"  {larger} = icmp ugt {_integers(source)} {magnitudes[1]}, {magnitudes[0]}",
        f"  {bits} = bitcast {result} {near} to {narrow}",
        f"  {less} = sub {narrow} {bits}, {_all(result, 1)}",
        f"  {below} = bitcast {narrow} {less} to {result}",
        f"  {target} = select {_with(source, 'i1')} {larger}, {result} {below}, {result} {near}",
    ]


def _with(type_: str, element: str) -> str:
    """The type with other elements: `<4 x float>` -> `<4 x i1>`."""
    return f"<{vector(type_)[0]} x {element}>" if type_.startswith("<") else element


def _integers(type_: str) -> str:
    return _with(type_, f"i{_BITS[vector(type_)[1]]}")


def _all(type_: str, number: int) -> str:
    """A constant of the integers of `type_`, the same number in every element."""
    count, element = vector(type_)
    each = f"i{_BITS[element]} {number}"
    return f"<{', '.join([each] * count)}>" if type_.startswith("<") else str(number)
