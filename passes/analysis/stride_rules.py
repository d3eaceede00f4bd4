"""Transfer functions of `strides`: an op's result from what is known of its operands, by op name."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from dotload.dialect_ext.arith import INTEGER_PREDICATES
from dotload.dialect_ext.typed import as_integer, integer_property, is_splat, number_of, number_of_splat, shape_of
from dotload.dialect_ext.types import element_bits, element_of, pointee_of
from dotload.passes.analysis.signs import INDEX_BITS, is_nonnegative
from dotload.passes.analysis.stride_info import (
    ANY,
    Info,
    Stride,
    add_strides,
    align_along,
    align_at,
    common_runs,
    divisor,
    meet,
    scale,
    with_dims,
)

Rule = Callable[[Operation, list[Info]], Info | None]


def _constant(op: Operation, _: list[Info]) -> Info | None:
    value = op.properties.get("value", op.attributes.get("value"))
    number = number_of(value)
    if is_splat(value) and as_integer(element_of(op.results[0].type)):
        number = int(number_of_splat(value))
    if number is None:
        return None
    shape = shape_of(op.results[0].type)
    return Info((0,) * len(shape), shape, divisor(number), number)


def _make_range(op: Operation, _: list[Info]) -> Info | None:
    return Info((1,), shape_of(op.results[0].type), divisor(integer_property(op, "start")))


def _splat(op: Operation, operands: list[Info]) -> Info | None:
    shape = shape_of(op.results[0].type)
    (source,) = operands
    return replace(source, strides=(0,) * len(shape), runs=shape)


def _expand_dims(op: Operation, operands: list[Info]) -> Info | None:
    (source,), at = operands, integer_property(op, "axis")
    strides = (*source.strides[:at], 0, *source.strides[at:])
    return replace(source, strides=strides, runs=(*source.runs[:at], 1, *source.runs[at:]))


def _reshape(op: Operation, operands: list[Info]) -> Info | None:
    """Splits one dim into several. If there are several, only facts about all elements are kept."""
    (source,), shape = operands, shape_of(op.results[0].type)
    if source.is_uniform:
        return replace(source, strides=(0,) * len(shape), runs=shape)
    if len(source.strides) != 1 or op.properties.get("allow_reorder") is not None:
        return None
    (stride,), (run,) = source.strides, source.runs
    strides: list[Stride] = []
    runs: list[int] = []
    for dim, size in enumerate(shape):
        step = math.prod(shape[dim + 1 :])  # source elements between neighbours along this dim
        reach = math.gcd(run // step, size) if run % step == 0 else 1
        strides.append(scale(stride, Info(constant=step)) if reach > 1 else None)
        runs.append(reach)
    # The last dim's groups are the shortest.
    return Info(tuple(strides), tuple(runs), align_at(source, [math.gcd(run, shape[-1])]))


def _broadcast(op: Operation, operands: list[Info]) -> Info | None:
    (source,) = operands
    before, after = shape_of(op.operands[0].type), shape_of(op.results[0].type)
    grown = [was != now for was, now in zip(before, after, strict=True)]
    strides = tuple(0 if grew else stride for grew, stride in zip(grown, source.strides, strict=True))
    runs = tuple(size if grew else run for grew, size, run in zip(grown, after, source.runs, strict=True))
    return replace(source, strides=strides, runs=runs)


def _same(_: Operation, operands: list[Info]) -> Info | None:
    return operands[0]


def _zero_extension(op: Operation, operands: list[Info]) -> Info | None:
    """The same numbers; a negative constant becomes what its bits are without a sign."""
    (source,) = operands
    if source.constant is None or source.constant >= 0:
        return source
    constant = source.constant + (1 << element_bits(op.operands[0].type))
    return replace(source, constant=constant, align=divisor(constant))


def _wrapped(rule: Rule) -> Rule:
    """A rule whose result may not fit into its type, if that is a narrow one. Numbers that count up keep their stride
    within groups that do not wrap around."""

    def wrapped(op: Operation, operands: list[Info]) -> Info | None:
        info, bits = rule(op, operands), element_bits(op.results[0].type)
        if info is None or bits >= INDEX_BITS:
            return info
        half = 1 << bits - 1  # where signed numbers wrap around
        dims: list[tuple[Stride, int]] = []
        for dim, (stride, run) in enumerate(zip(info.strides, info.runs, strict=True)):
            whole = math.gcd(run, half, align_along(info, dim))
            is_run = stride == 1 and whole > 1
            dims.append((0, run) if stride == 0 else (1, whole) if is_run else (None, 1))
        align = math.gcd(align_at(info, [run for _, run in dims]), 2 * half)
        return with_dims(Info(align=align, scalar=None if dims else op.results[0]), dims)

    return wrapped


def _sum(sign: int) -> Rule:
    def rule(op: Operation, operands: list[Info]) -> Info | None:
        a, b = operands
        pointee = pointee_of(element_of(op.results[0].type))
        if pointee is not None:
            b = _times(b, Info(constant=max(1, element_bits(pointee) // 8)))
        strides = tuple(add_strides(x, y, sign) for x, y in zip(a.strides, b.strides, strict=True))
        runs = common_runs(strides, a, b)
        align = math.gcd(align_at(a, runs), align_at(b, runs))
        constant = a.constant + sign * b.constant if a.constant is not None and b.constant is not None else None
        scalar = None if strides else op.results[0]
        if pointee is None:
            # A sum with zero names the same scalar, whatever its shape.
            scalar = a.scalar if b.constant == 0 else b.scalar if a.constant == 0 and sign == 1 else scalar
        return Info(strides, runs, divisor(constant) if constant is not None else align, constant, scalar)

    return rule


def _times(a: Info, b: Info) -> Info:
    """A product with at least one uniform factor."""
    if not b.is_uniform or (a.is_uniform and b.constant is None):
        a, b = (b, a) if a.is_uniform else (a, b)
    strides = tuple(scale(stride, b) for stride in a.strides)
    runs = tuple(run if stride is not None else 1 for stride, run in zip(strides, a.runs, strict=True))
    align = min(ANY, max(1, align_at(a, runs)) * max(1, b.align if b.constant is None else divisor(b.constant)))
    constant = a.constant * b.constant if a.constant is not None and b.constant is not None else None
    scalar = a.scalar if b.constant == 1 else None
    return Info(strides, runs, align, constant, scalar)


def _product(op: Operation, operands: list[Info]) -> Info | None:
    a, b = operands
    if not (a.is_uniform or b.is_uniform):
        return None
    info = _times(a, b)
    return replace(info, scalar=op.results[0]) if not info.strides and info.constant is None else info


def _remainder(op: Operation, operands: list[Info]) -> Info | None:
    """Groups that contain no multiple of the divisor, except at their start, keep their stride.

    Signed division rounds towards zero: modulo 64, the numbers -64, -63, ... leave 0, -63, ...
    """
    a, b = operands
    if not b.is_uniform:
        return None
    counts = op.name != "arith.remsi" or is_nonnegative(op.operands[0], trusts_scalars=True)
    divides = b.align if b.constant is None else divisor(b.constant)
    dims: list[tuple[Stride, int]] = []
    for dim, (stride, run) in enumerate(zip(a.strides, a.runs, strict=True)):
        whole = math.gcd(run, divides, align_along(a, dim))
        dims.append((stride, whole) if stride == 1 and counts else (stride, run) if stride == 0 else (None, 1))
    align = math.gcd(align_at(a, [run for _, run in dims]), divides)
    info = with_dims(Info(align=align), dims)
    return info if dims else replace(info, scalar=op.results[0])


def _quotient(op: Operation, operands: list[Info]) -> Info | None:
    """Groups that start at a multiple of the divisor have equal quotients, as many in a row as the divisor.

    Signed division rounds towards zero: this does not hold for negative numbers. Numbers of tiles count as positive.
    """
    a, b = operands
    if b.constant is None or b.constant <= 0:
        return None
    if not a.strides:
        return _scalar_quotient(op, a, b.constant)
    if op.name == "arith.divsi" and not is_nonnegative(op.operands[0], trusts_counts=True):
        return None
    dims: list[tuple[Stride, int]] = []
    for dim, (stride, run) in enumerate(zip(a.strides, a.runs, strict=True)):
        same = math.gcd(run, b.constant, align_along(a, dim))
        dims.append((0, same) if stride == 1 else (0, run) if stride == 0 else (None, 1))
    return with_dims(Info(), dims)


def _scalar_quotient(op: Operation, a: Info, by: int) -> Info:
    """A number that is a multiple of the divisor leaves no remainder, whatever its sign.

    Unsigned ops add 2^n to a negative number, which powers of two divide as well.
    """
    align = a.align if op.name in ("arith.divsi", "arith.shrsi") else divisor(a.align)
    return Info(align=1 if align % by else align // by, scalar=op.results[0])


def _shifted(op: Operation, operands: list[Info]) -> Info | None:
    """A right shift by a constant is a division by a power of two."""
    a, b = operands
    if a.strides or b.constant is None or not 0 <= b.constant < element_bits(op.results[0].type):
        return None
    return _scalar_quotient(op, a, 1 << b.constant)


def _choice(op: Operation, operands: list[Info]) -> Info | None:
    """What holds for both values, in groups over which the condition is constant; a condition may be one for all."""
    condition, *values = operands
    info = _one_of(op, values)
    dims = list(zip(info.strides, info.runs, strict=True))
    if info.strides and condition.strides:
        steady = zip(dims, condition.strides, condition.runs, strict=True)
        dims = [(stride, min(run, same)) if picked == 0 else (None, 1) for (stride, run), picked, same in steady]
    return with_dims(replace(info, align=align_at(info, [run for _, run in dims])), dims)


def _loaded(op: Operation, operands: list[Info]) -> Info | None:
    """What is loaded from one address is one number, if mask and other value are one, too: an index of pages."""
    if op.properties.get("isVolatile") not in (None, IntegerAttr(0, 1)):
        return None
    columns = zip(*(zip(info.strides, info.runs, strict=True) for info in operands), strict=True)
    dims: list[tuple[Stride, int]] = [
        (0, min(run for _, run in dim)) if all(stride == 0 for stride, _ in dim) else (None, 1) for dim in columns
    ]
    return with_dims(Info(), dims) if dims else None


def _one_of(op: Operation, operands: list[Info]) -> Info:
    """What holds for both of two values. Where they grow alike, one of them is the smaller in a whole group."""
    a, b = operands
    info = meet(a, b)
    return info if info.strides or info.is_uniform else replace(info, scalar=op.results[0])


def _comparison(op: Operation, operands: list[Info]) -> Info | None:
    """x < y and x >= y are constant in a group of x that starts at a multiple of its size, if y is a multiple too."""
    a, b = operands
    name = INTEGER_PREDICATES[integer_property(op, "predicate")]
    if name in ("sgt", "sle", "ugt", "ule"):
        a, b = b, a
    steady = name not in ("eq", "ne")
    dims: list[tuple[Stride, int]] = []
    for dim, (x, y, x_run, y_run) in enumerate(zip(a.strides, b.strides, a.runs, b.runs, strict=True)):
        if x == 0 and y == 0:
            dims.append((0, min(x_run, y_run)))
        elif steady and (x, y) == (1, 0):
            dims.append((0, math.gcd(x_run, y_run, align_along(a, dim), align_along(b, dim))))
        else:
            dims.append((None, 1))
    return with_dims(Info(scalar=None if dims else op.results[0]), dims)


def _bitwise(op: Operation, operands: list[Info]) -> Info | None:
    """The result is constant where both operands are; otherwise nothing is known of its bits."""
    a, b = operands
    pairs = zip(a.strides, b.strides, a.runs, b.runs, strict=True)
    dims: list[tuple[Stride, int]] = [(0, min(x, y)) if (s, t) == (0, 0) else (None, 1) for s, t, x, y in pairs]
    return with_dims(Info(scalar=None if dims else op.results[0]), dims)


RULES: dict[str, Rule] = {
    "arith.constant": _constant,
    "tt.make_range": _make_range,
    "tt.splat": _splat,
    "tt.expand_dims": _expand_dims,
    "tt.broadcast": _broadcast,
    "tt.reshape": _reshape,
    "ttg.convert_layout": _same,
    "arith.extsi": _same,
    "arith.extui": _zero_extension,
    "arith.trunci": _wrapped(_same),
    "arith.index_cast": _same,
    **dict.fromkeys(("tt.bitcast", "tt.int_to_ptr", "tt.ptr_to_int"), _same),  # pointers count in bytes
    "arith.addi": _wrapped(_sum(1)),
    "arith.subi": _wrapped(_sum(-1)),
    "tt.addptr": _sum(1),
    "arith.muli": _wrapped(_product),
    "arith.remsi": _remainder,
    "arith.remui": _remainder,
    "arith.divsi": _quotient,
    "arith.divui": _quotient,
    "arith.shrsi": _shifted,
    "arith.shrui": _shifted,
    "arith.select": _choice,
    **dict.fromkeys(("arith.minsi", "arith.maxsi"), _one_of),
    "tt.load": _loaded,
    "arith.cmpi": _comparison,
    "arith.andi": _bitwise,
    "arith.ori": _bitwise,
    "arith.xori": _bitwise,
}
