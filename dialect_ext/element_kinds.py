"""The elements that ops compute with: floats, integers, or pointers; integers have no sign of their own.

MLIR states this as the types of operands and results. The definitions of xDSL, and those here that infer a type, accept
more. One table serves all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute, Operation

from dotload.dialect_ext.typed import as_integer, as_vector
from dotload.dialect_ext.types import MemDescType, PointerType, element_of

Kind = tuple[str, Callable[[Attribute], bool]]

FLOAT: Kind = ("of floats", lambda element: isinstance(element, AnyFloat))
INTEGER: Kind = ("of integers", lambda element: isinstance(element, IntegerType))
INTEGRAL: Kind = ("of integers or indices", lambda element: isinstance(element, IntegerType | IndexType))
I32: Kind = ("of i32", lambda element: element == IntegerType(32))

# Op -> the elements of all its operands, and of its results; None for any.
_KINDS: Mapping[str, tuple[Kind | None, Kind | None]] = {
    **dict.fromkeys(("arith.remf", "arith.extf", "arith.truncf", "math.erfc", "math.clampf"), (FLOAT, FLOAT)),
    **dict.fromkeys(("math.sincos", "tt.fp_to_fp", "tt.clampf"), (FLOAT, FLOAT)),
    **dict.fromkeys(("tt.precise_sqrt", "tt.precise_divf"), (FLOAT, FLOAT)),
    **dict.fromkeys(("math.isnan", "math.isinf", "math.isfinite", "math.isnormal", "arith.cmpf"), (FLOAT, None)),
    **dict.fromkeys(("arith.sitofp", "arith.uitofp"), (INTEGER, FLOAT)),
    **dict.fromkeys(("arith.fptosi", "arith.fptoui"), (FLOAT, INTEGER)),
    **dict.fromkeys(("arith.extsi", "arith.extui", "arith.trunci", "tt.mulhiui"), (INTEGER, INTEGER)),
    **dict.fromkeys(("arith.index_cast", "arith.index_castui"), (INTEGRAL, INTEGRAL)),
    "arith.cmpi": (INTEGRAL, None),
    "tt.make_range": (None, I32),
}
_SIGNLESS = ("tt", "ttg", "arith", "math")
_OF_TRITON = ("tt", "ttig", "triton_intel_gpu")
_INTEGER_BITS = (1, 4, 8, 16, 32, 64)
_FLOATS = (
    *(Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType),
    *(Float16Type, BFloat16Type, Float32Type, Float64Type),
)
# These take values of any type, as functions do.
_ANY_TYPE = ("tt.func", "tt.call", "tt.return", "arith.select")


def wrong_elements(op: Operation) -> Iterator[str]:
    """What is wrong with the elements of an op's operands and results."""
    dialect = op.name.partition(".")[0]
    if dialect in _OF_TRITON and op.name not in _ANY_TYPE:
        yield from _foreign_elements(op)
    if dialect not in _SIGNLESS or op.name in _ANY_TYPE:
        return
    kinds = _KINDS.get(op.name, (None, None))
    for what, values, kind in (("operand", op.operands, kinds[0]), ("result", op.results, kinds[1])):
        for number, value in enumerate(values):
            element = _element(value.type)
            if kind is not None and not kind[1](element):
                yield f"{what} #{number} must be {kind[0]}, but got {value.type}"
            integer = as_integer(element)
            if integer is not None and integer.signedness.data is not Signedness.SIGNLESS:
                wanted = f"of integers without a sign, i{integer.width.data}"
                yield f"{what} #{number} must be {wanted}, but got {value.type}"


def _foreign_elements(op: Operation) -> Iterator[str]:
    """Operands and results with elements, or with pointers to elements, that Triton does not have (TritonTypes.td)."""
    for what, values in (("operand", op.operands), ("result", op.results)):
        for number, value in enumerate(values):
            element = _element(value.type)
            pointee = _element(element.pointee) if isinstance(element, PointerType) else element
            integer = as_integer(pointee)
            is_known = isinstance(pointee, _FLOATS) if integer is None else integer.width.data in _INTEGER_BITS
            if isinstance(pointee, IntegerType | AnyFloat) and not is_known:
                yield f"{what} #{number} must be of one of Triton's integers or floats, but got {value.type}"


def _element(type_: Attribute) -> Attribute:
    """The element of a tensor or vector, the type itself for a scalar; shared memory may hold what it likes."""
    if isinstance(type_, MemDescType):
        return type_
    vector = as_vector(type_)
    return element_of(type_) if vector is None else vector.element_type
