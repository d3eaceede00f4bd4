"""Facts about a value: strides and runs per dim, and alignment; and arithmetic on these facts. See `strides`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext.typed import shape_of

ANY = 1 << 62  # divisibility of zero


@dataclass(frozen=True)
class Scaled:
    """A stride known at run time only: `factor` times a scalar value that is a multiple of `align`."""

    value: SSAValue
    factor: int = 1
    align: int = 1


Stride = int | Scaled | None  # None: unknown


@dataclass(frozen=True)
class Info:
    """Facts about a value. `strides` and `runs` are empty for a scalar; `constant` is that of a scalar or splat.

    `scalar` is the SSA value that all elements are equal to, if there is one.
    """

    strides: tuple[Stride, ...] = ()
    runs: tuple[int, ...] = ()
    align: int = 1
    constant: int | None = None
    scalar: SSAValue | None = None

    @property
    def is_uniform(self) -> bool:
        """Whether all elements are equal to one constant or one scalar value."""
        return self.constant is not None or self.scalar is not None

    def is_same_in_groups(self, axis: int, size: int) -> bool:
        """Whether elements are equal within aligned groups of `size` along a dim."""
        return self.strides[axis] == 0 and self.runs[axis] % size == 0


def unknown(type_: Attribute) -> Info:
    """The facts of a value of this type of which nothing is known."""
    rank = len(shape_of(type_))
    return Info((None,) * rank, (1,) * rank)


def divisor(value: int) -> int:
    """The largest power of two that divides a number."""
    return value & -value if value else ANY


def meet(a: Info, b: Info) -> Info:
    """The facts that hold for both."""
    if a == b:
        return a
    same = tuple(x if x == y else None for x, y in zip(a.strides, b.strides, strict=True))
    runs = common_runs(same, a, b)
    return Info(
        same,
        runs,
        math.gcd(align_at(a, runs), align_at(b, runs)),
        a.constant if a.constant == b.constant else None,
        a.scalar if a.scalar is b.scalar else None,
    )


def common_runs(strides: Iterable[Stride], a: Info, b: Info) -> tuple[int, ...]:
    """The runs over which both keep their strides, where these are known for the two together."""
    return tuple(1 if stride is None else min(x, y) for stride, x, y in zip(strides, a.runs, b.runs, strict=True))


def align_at(info: Info, runs: Iterable[int]) -> int:
    """The alignment of the groups' first elements after the groups are cut to these shorter runs."""
    align = info.align
    for stride, run, shorter in zip(info.strides, info.runs, runs, strict=True):
        if shorter < run:
            align = math.gcd(align, stride_align(stride) * shorter)
    return max(1, align)


def align_along(info: Info, dim: int) -> int:
    """The alignment of the first elements of groups along one dim, at any index of the other dims."""
    return align_at(info, [run if d == dim else 1 for d, run in enumerate(info.runs)])


def stride_align(stride: Stride) -> int:
    """A power of two that divides the stride. `Strides.divisor_of` may know more by now."""
    match stride:
        case int():
            return divisor(stride)
        case Scaled(factor=factor, align=align):
            return min(ANY, divisor(factor) * divisor(align))
        case None:
            return 1


def add_strides(a: Stride, b: Stride, sign: int) -> Stride:
    match a, b:
        case (None, _) | (_, None):
            return None
        case int(), int():
            return a + sign * b
        case _, 0:
            return a
        case 0, Scaled(factor=factor):
            return replace(b, factor=sign * factor)
        case Scaled(value=x), Scaled(value=y) if x is y and a.factor + sign * b.factor:
            return replace(a, factor=a.factor + sign * b.factor)
        case _:
            return None


def scale(stride: Stride, by: Info) -> Stride:
    match stride:
        case None:
            return None
        case 0:
            return 0
        case int() if by.constant is not None:
            return stride * by.constant
        case int() if by.scalar is not None:
            return Scaled(by.scalar, stride, by.align)
        case Scaled(factor=factor) if by.constant:
            return replace(stride, factor=factor * by.constant)
        case _:
            return None


def with_dims(info: Info, dims: list[tuple[Stride, int]]) -> Info:
    return replace(info, strides=tuple(stride for stride, _ in dims), runs=tuple(run for _, run in dims))
