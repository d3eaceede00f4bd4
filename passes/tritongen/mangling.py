"""Mangled names of builtins: Itanium's mangling as Intel's compiler applies it, and the types in GenISA's names."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute

from dotload.dialect_ext.triton_gen_subgroup import address_space
from dotload.dialect_ext.typed import as_integer, as_vector

_SIGNED = {1: "b", 8: "c", 16: "s", 32: "i", 64: "l"}
_UNSIGNED = {1: "b", 8: "h", 16: "t", 32: "j", 64: "m"}
_FLOATS = {Float16Type: "Dh", BFloat16Type: "DF16b", Float32Type: "f", Float64Type: "d"}


def code(type_: Attribute, *, unsigned: bool = False) -> str:
    """A type's code, without substitutions: `i`, `Dv8_s`, `PU3AS1v`."""
    if (integer := as_integer(type_)) is not None:
        return (_UNSIGNED if unsigned else _SIGNED)[integer.width.data]
    if (vector := as_vector(type_)) is not None:
        return f"Dv{vector.element_count()}_{code(vector.element_type, unsigned=unsigned)}"
    if isinstance(type_, LLVMPointerType):
        return pointer("v", address_space(type_) or 0)
    return _FLOATS[type(type_)]  # pyright: ignore[reportArgumentType]  # the verifiers let no other type through


def pointer(pointee: str, space: int) -> str:
    """The code of a pointer; a pointer to a lane's local memory (0) has no qualifier."""
    return f"P{pointee}" if space == 0 else f"PU3AS{space}{pointee}"


def mangled(name: str, types: Sequence[Attribute]) -> str:
    """`_Z<length><name><types>`; a vector or pointer that came before is `S_`, `S0_`, ... in order of appearance."""
    seen: list[str] = []
    codes: list[str] = []
    for type_ in types:
        word = code(type_)
        if len(word) == 1 or word in ("Dh", "DF16b"):
            codes.append(word)
        elif word in seen:
            at = seen.index(word)
            codes.append("S_" if at == 0 else f"S{at - 1}_")
        else:
            seen.append(word)
            codes.append(word)
    return f"_Z{len(name)}{name}{''.join(codes)}"


def genisa(type_: Attribute) -> str:
    """A type in the name of a GenISA intrinsic: `v8i16`, `f32`, `p1i8`."""
    if (vector := as_vector(type_)) is not None:
        return f"v{vector.element_count()}{genisa(vector.element_type)}"
    return str(type_)
