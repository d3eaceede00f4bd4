"""CuTe layout expressions: nested shapes and strides, and the swizzle functor on top of them.

    Swizzle<1,4,3> o ((8,2),(4,2)):((8,64),(1,4))

reads: coordinate ((r0, r1), (c0, c1)) lies at element r0*8 + r1*64 + c0*1 + c1*4, whose byte address then has bits
[4, 4+1) XORed with bits [7, 7+1). In a shape, the first mode of a tuple varies fastest, so that a plain row number
r means r0 = r mod 8, r1 = r / 8.

The PTX ISA writes its canonical shared-memory layouts this way (section "Canonical Layouts" of the asynchronous
warpgroup-level matrix instructions): strides in elements, swizzle on bytes. `to_linear_layout` is the bridge to the
rest of the project, and `distinct_offsets` the test that such an expression is a layout at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, Union

from dotload.layout.linear import LayoutError, LinearLayout, log2_exact

Nested: TypeAlias = Union[int, "tuple[Nested, ...]"]


@dataclass(frozen=True)
class Swizzle:
    """Swizzle<bits, base, shift> on byte addresses.

    0bxxxxYYYxxxZZZxxxx     ZZZ ^= YYY, both `bits` wide
                   ^^^^     `base` bits stay: 2**base bytes move together, the atomicity
           ^^^^^^           `shift` bits from ZZZ to YYY
    """

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        if self.bits < 0 or self.base < 0 or self.shift < self.bits:
            raise LayoutError(f"{self}: needs 0 <= bits <= shift and 0 <= base")

    def __call__(self, address: int) -> int:
        """The address after the swizzle; applying it twice gives the address back."""
        mask = ((1 << self.bits) - 1) << self.base
        return address ^ (address >> self.shift & mask)

    @property
    def period_bytes(self) -> int:
        """Bytes after which the pattern repeats; a buffer must be aligned to it."""
        return 1 << self.base + self.shift + self.bits

    def __str__(self) -> str:
        return f"Swizzle<{self.bits},{self.base},{self.shift}>"


@dataclass(frozen=True)
class CuteLayout:
    """`swizzle` o `shape`:`stride`, for elements of `element_bits`; strides in elements."""

    shape: tuple[Nested, ...]
    stride: tuple[Nested, ...]
    element_bits: int
    swizzle: Swizzle | None = None

    def __post_init__(self) -> None:
        if not _congruent(self.shape, self.stride):
            raise LayoutError(f"shape {_text(self.shape)} and stride {_text(self.stride)} do not match")

    @property
    def extents(self) -> tuple[int, ...]:
        """The size of each top-level mode."""
        return tuple(math.prod(_leaves(mode)) for mode in self.shape)

    def offset(self, *coordinate: int) -> int:
        """Element offset of a coordinate, one number per top-level mode, swizzle included."""
        linear = 0
        for value, shape, stride in zip(coordinate, self.shape, self.stride, strict=True):
            for size, step in zip(_leaves(shape), _leaves(stride), strict=True):
                linear += value % size * step
                value //= size
        return self._swizzled(linear)

    def _swizzled(self, offset: int) -> int:
        if self.swizzle is None:
            return offset
        bit_address = offset * self.element_bits
        return (self.swizzle(bit_address // 8) * 8 + bit_address % 8) // self.element_bits

    def offsets(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """Every coordinate with its element offset, the first mode fastest."""
        for flat in range(math.prod(self.extents)):
            coordinate: list[int] = []
            rest = flat
            for extent in self.extents:
                coordinate.append(rest % extent)
                rest //= extent
            yield tuple(coordinate), self.offset(*coordinate)

    @property
    def distinct_offsets(self) -> int:
        """How many different elements are reached; fewer than coordinates means that the expression is no layout."""
        return len({offset for _, offset in self.offsets()})

    def to_linear_layout(self) -> LinearLayout:
        """offset -> (dim0, dim1, ...), one dim per top-level mode; LayoutError unless it fills its memory."""
        bases: dict[str, list[tuple[int, ...]]] = {}
        for mode, extent in enumerate(self.extents):
            log2_exact(extent, f"mode {mode}:")
            coordinate = [0] * len(self.extents)
            bases[f"dim{mode}"] = []
            for bit in range(log2_exact(extent)):
                coordinate[mode] = 1 << bit
                bases[f"dim{mode}"].append((self.offset(*coordinate),))
        count = math.prod(self.extents)
        if any(value >= count for vectors in bases.values() for (value,) in vectors):
            raise LayoutError(f"{self} leaves holes: it has {count} coordinates and reaches past offset {count - 1}")
        to_offset = LinearLayout.from_bases(bases, {"offset": count})
        if not to_offset.is_invertible:
            raise LayoutError(f"{self} is not a layout: {count} coordinates share {self.distinct_offsets} offsets")
        return to_offset.invert()

    def __str__(self) -> str:
        plain = f"{_text(self.shape)}:{_text(self.stride)}"
        return plain if self.swizzle is None else f"{self.swizzle} o {plain}"


def _leaves(nested: Nested) -> list[int]:
    if isinstance(nested, int):
        return [nested]
    return [leaf for part in nested for leaf in _leaves(part)]


def _congruent(shape: Nested, stride: Nested) -> bool:
    if isinstance(shape, int) or isinstance(stride, int):
        return isinstance(shape, int) and isinstance(stride, int)
    return len(shape) == len(stride) and all(map(_congruent, shape, stride))


def _text(nested: Nested) -> str:
    return str(nested) if isinstance(nested, int) else f"({','.join(map(_text, nested))})"
