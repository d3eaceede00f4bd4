"""Linear layouts: maps between named index spaces that are linear over GF(2).

A layout sends hardware indices (register, lane, warp, block; or a memory offset) to tensor coordinates (dim0, dim1,
...). The map goes in this direction because one element may sit in several places, while one place holds one element.
Every size is a power of two, an index is a vector of bits, addition is XOR, and so the images of the one-bit indices,
the *bases*, determine the map:

    L(a ^ b) == L(a) ^ L(b)        L(0) == 0

A 4x4 tile: each register holds a row, each lane a column, and the columns are swizzled by the row:

    register=1 -> (1, 1)            lane:      0       1       2       3
    register=2 -> (2, 2)       reg 0       (0, 0)  (0, 1)  (0, 2)  (0, 3)
    lane=1     -> (0, 1)       reg 1       (1, 1)  (1, 0)  (1, 3)  (1, 2)
    lane=2     -> (0, 2)       reg 2       (2, 2)  (2, 3)  (2, 0)  (2, 1)
    out dims [dim0 4, dim1 4]  reg 3       (3, 3)  (3, 2)  (3, 1)  (3, 0)

Build: `from_bases`, `identity`, `zeros`, `empty`, `a * b`. Transform: `compose`, `invert`, `right_inverse`,
`invert_and_compose`, `restrict`, `reshape_*`, `rename_outs`, `transpose_*`. Ask: `apply`,
`is_surjective`, `is_injective`, `equivalent`, `bases`.

A layout need not be surjective: a 2D block load of one warp covers part of the tensor. It need not be injective: a zero
basis means that the same element is held twice. Operations that need either property say so and raise `LayoutError`.

Reference: K. Zhou et al., "Linear Layouts: Robust Code Generation of Efficient Tensor Computation Using F2" (2025).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

Index = TypeVar("Index", int, npt.NDArray[np.int64])
Basis = tuple[int, ...]


class LayoutError(ValueError):
    """A layout that cannot exist, or an operation that this layout does not allow."""


def log2_exact(size: int, what: str = "size") -> int:
    """The exponent of a power of two; LayoutError for any other number."""
    if size < 1 or size & (size - 1):
        raise LayoutError(f"{what} {size} is not a power of two")
    return size.bit_length() - 1


@dataclass(frozen=True, eq=False, repr=False)
class LinearLayout:
    """A linear map from the in dims to the out dims.

    `in_items`: per in dim its name and its bases, the image of bit 0, 1, 2, ...; `out_items`: per out dim its name
    and its size in elements. Both are ordered; the first dim is the minor one where dims are flattened.
    """

    in_items: tuple[tuple[str, tuple[Basis, ...]], ...]
    out_items: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        for names, kind in ((list(self.bases), "in"), (list(self.out_sizes), "out")):
            total = len(self.in_items) if kind == "in" else len(self.out_items)
            if len(names) != total:
                raise LayoutError(f"an {kind} dim appears twice in {names}")
        for name, size in self.out_items:
            log2_exact(size, f"size of out dim {name}:")
        sizes = tuple(size for _, size in self.out_items)
        for name, bases in self.in_items:
            for bit, basis in enumerate(bases):
                if len(basis) != len(sizes):
                    raise LayoutError(
                        f"basis {name}={1 << bit} -> {basis} has {len(basis)} coordinates, expected {len(sizes)}"
                    )
                if any(not 0 <= value < size for value, size in zip(basis, sizes, strict=True)):
                    raise LayoutError(f"basis {name}={1 << bit} -> {basis} is outside the out dims {list(sizes)}")

    # Building

    @staticmethod
    def from_bases(
        bases: Mapping[str, Iterable[Sequence[int]]], out_dims: Mapping[str, int] | Sequence[str]
    ) -> LinearLayout:
        """The layout with these bases. Given only the names of the out dims, each is as small as the bases allow."""
        items = tuple((name, tuple(tuple(basis) for basis in vectors)) for name, vectors in bases.items())
        if isinstance(out_dims, Mapping):
            return LinearLayout(items, tuple(out_dims.items()))
        every = [basis for _, vectors in items for basis in vectors]
        sizes = [1 << max((basis[d] for basis in every), default=0).bit_length() for d in range(len(out_dims))]
        return LinearLayout(items, tuple(zip(out_dims, sizes, strict=True)))

    @staticmethod
    def identity(size: int, in_dim: str, out_dim: str) -> LinearLayout:
        """L(i) == i for i < size."""
        bits = log2_exact(size)
        return LinearLayout(((in_dim, tuple((1 << b,) for b in range(bits))),), ((out_dim, size),))

    @staticmethod
    def zeros(size: int, in_dim: str, out_dim: str, out_size: int = 1) -> LinearLayout:
        """L(i) == 0 for i < size: a broadcast."""
        return LinearLayout(((in_dim, ((0,),) * log2_exact(size)),), ((out_dim, out_size),))

    @staticmethod
    def empty() -> LinearLayout:
        """The neutral element of the product: no dims at all."""
        return LinearLayout((), ())

    # Looking

    @cached_property
    def bases(self) -> dict[str, tuple[Basis, ...]]:
        """In dim -> the images of its bits 0, 1, 2, ..."""
        return dict(self.in_items)

    @cached_property
    def out_sizes(self) -> dict[str, int]:
        """Out dim -> size in elements."""
        return dict(self.out_items)

    @cached_property
    def in_sizes(self) -> dict[str, int]:
        """In dim -> size."""
        return {name: 1 << len(bases) for name, bases in self.in_items}

    @property
    def in_dims(self) -> tuple[str, ...]:
        """The names of the in dims, minor first."""
        return tuple(name for name, _ in self.in_items)

    @property
    def out_dims(self) -> tuple[str, ...]:
        """The names of the out dims, minor first."""
        return tuple(name for name, _ in self.out_items)

    @property
    def in_bits(self) -> int:
        """log2 of the number of in indices."""
        return sum(len(bases) for _, bases in self.in_items)

    @property
    def out_bits(self) -> int:
        """log2 of the number of out coordinates."""
        return sum(size.bit_length() - 1 for _, size in self.out_items)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The matrix: one integer per in bit (first in dim lowest), whose bits are the out bits (first dim lowest)."""
        return tuple(self.pack(basis) for _, bases in self.in_items for basis in bases)

    def pack(self, coordinate: Sequence[int]) -> int:
        """A coordinate as one integer, the first out dim in the low bits."""
        packed, shift = 0, 0
        for value, (_, size) in zip(coordinate, self.out_items, strict=True):
            packed |= value << shift
            shift += size.bit_length() - 1
        return packed

    def unpack(self, packed: int) -> Basis:
        """The inverse of `pack`."""
        return _split(packed, [size for _, size in self.out_items])

    @cached_property
    def _span(self) -> dict[int, tuple[int, int]]:
        return _echelon(self.columns)

    @property
    def rank(self) -> int:
        """The rank of the matrix: log2 of the number of distinct outputs."""
        return len(self._span)

    def reaches(self, coordinate: Sequence[int]) -> bool:
        """Whether some in index maps to this coordinate."""
        return _reduce(self.pack(coordinate), self._span)[0] == 0

    @property
    def is_surjective(self) -> bool:
        """Whether every out coordinate is reached."""
        return self.rank == self.out_bits

    @property
    def is_injective(self) -> bool:
        """Whether no two in indices reach the same coordinate."""
        return self.rank == self.in_bits

    @property
    def is_invertible(self) -> bool:
        """Whether the map is one-to-one and onto."""
        return self.is_injective and self.is_surjective

    def apply(self, indices: Mapping[str, Index]) -> dict[str, Index]:
        """Out coordinate of the given in index, per out dim.

        The indices are integers or numpy arrays that broadcast together; every in dim must be named.
        """
        if set(indices) != set(self.bases):
            raise LayoutError(f"apply wants the in dims {list(self.bases)}, got {list(indices)}")
        result: dict[str, Index] = {}
        for d, name in enumerate(self.out_dims):
            terms = [
                ((indices[in_dim] >> bit) & 1) * basis[d]
                for in_dim, bases in self.in_items
                for bit, basis in enumerate(bases)
                if basis[d]
            ]
            zero = [indices[in_dim] * 0 for in_dim in self.in_dims]
            total = sum(zero[1:], zero[0]) if zero else 0
            for term in terms:
                total = total ^ term
            result[name] = cast("Index", total)
        return result

    def table(self) -> npt.NDArray[np.int64]:
        """Every output: shape (2**in_bits, number of out dims), in the order of the flattened in index."""
        flat = np.zeros(1, dtype=np.int64)
        for column in self.columns:
            flat = np.concatenate([flat, flat ^ column])
        coordinates: list[npt.NDArray[np.int64]] = []
        for _, size in self.out_items:
            coordinates.append(flat & (size - 1))
            flat = flat >> (size.bit_length() - 1)
        if not coordinates:
            return np.zeros((1 << self.in_bits, 0), dtype=np.int64)
        return np.stack(coordinates, axis=1)

    # Combining

    def __mul__(self, other: LinearLayout) -> LinearLayout:
        """The product: on shared dims, the bits of `other` come above those of `self`.

        (a * b)(x_a | x_b << bits_a) == a(x_a) | b(x_b) << bits of a's out dims
        """
        outs = {
            name: self.out_sizes.get(name, 1) * other.out_sizes.get(name, 1) for name in self.out_dims + other.out_dims
        }
        shift = {name: self.out_sizes.get(name, 1) for name in other.out_dims}

        def lift(layout: LinearLayout, basis: Basis, scale: Mapping[str, int]) -> Basis:
            value = {name: v * scale.get(name, 1) for name, v in zip(layout.out_dims, basis, strict=True)}
            return tuple(value.get(name, 0) for name in outs)

        bases: dict[str, list[Basis]] = {name: [] for name in self.in_dims + other.in_dims}
        for name, vectors in self.in_items:
            bases[name] += [lift(self, basis, {}) for basis in vectors]
        for name, vectors in other.in_items:
            bases[name] += [lift(other, basis, shift) for basis in vectors]
        return LinearLayout.from_bases(bases, outs)

    def compose(self, outer: LinearLayout) -> LinearLayout:
        """`outer` after `self`: a.compose(b)(x) == b(a(x)). The out dims of `self` are the in dims of `outer`."""
        if set(self.out_dims) != set(outer.in_dims):
            raise LayoutError(f"compose: out dims {list(self.out_dims)} are not the in dims {list(outer.in_dims)}")
        for name, size in self.out_items:
            if size > outer.in_sizes[name]:
                raise LayoutError(f"compose: {name} has size {size}, the outer layout takes {outer.in_sizes[name]}")
        zero = (0,) * len(outer.out_items)

        def image(basis: Basis) -> Basis:
            total = zero
            for name, value in zip(self.out_dims, basis, strict=True):
                for bit, vector in enumerate(outer.bases[name]):
                    if value >> bit & 1:
                        total = tuple(a ^ b for a, b in zip(total, vector, strict=True))
            return total

        return LinearLayout(
            tuple((name, tuple(image(basis) for basis in vectors)) for name, vectors in self.in_items),
            outer.out_items,
        )

    def invert(self) -> LinearLayout:
        """The inverse map; LayoutError unless one-to-one and onto."""
        if not self.is_invertible:
            raise LayoutError(f"not invertible: rank {self.rank}, {self.in_bits} in bits, {self.out_bits} out bits")
        return self.right_inverse()

    def right_inverse(self) -> LinearLayout:
        """P with L(P(y)) == y, for a surjective L; P(y) is the index of y that uses the lowest bits."""
        if not self.is_surjective:
            raise LayoutError(f"no right inverse: rank {self.rank} of {self.out_bits} out bits")
        return self._solve([1 << bit for bit in range(self.out_bits)], self.out_items)

    def invert_and_compose(self, outer: LinearLayout) -> LinearLayout:
        """C with outer(C(x)) == self(x): the place in `outer` of the element that `self` has at x.

        Both map to the same out dims. `outer` need only cover the image of `self`, so layouts that are not surjective
        convert too. Among several places, the one that uses the lowest bits is taken.
        """
        if set(self.out_dims) != set(outer.out_dims):
            raise LayoutError(f"invert_and_compose: out dims {list(self.out_dims)} and {list(outer.out_dims)} differ")
        aligned = self.transpose_outs(outer.out_dims)
        if aligned.out_sizes != outer.out_sizes:
            raise LayoutError(f"invert_and_compose: sizes {aligned.out_sizes} and {outer.out_sizes} differ")
        solved = outer._solve(list(aligned.columns), tuple(self.in_sizes.items()))
        return LinearLayout(solved.in_items, solved.out_items)

    def _solve(self, targets: Sequence[int], in_items: Sequence[tuple[str, int]]) -> LinearLayout:
        """The layout whose i-th in bit maps to a combination of our in bits that reaches `targets[i]`."""
        span = self._span
        combos: list[int] = []
        for target in targets:
            rest, combo = _reduce(target, span)
            if rest:
                raise LayoutError(f"nothing maps to {self.unpack(target)}")
            combos.append(combo)
        return self._from_combinations(combos, in_items)

    def _from_combinations(self, combos: Sequence[int], in_items: Sequence[tuple[str, int]]) -> LinearLayout:
        """A layout into our in dims, from packed in indices."""
        sizes = list(self.in_sizes.values())
        flat = iter(_split(combo, sizes) for combo in combos)
        bases = {name: [next(flat) for _ in range(size.bit_length() - 1)] for name, size in in_items}
        return LinearLayout.from_bases(bases, self.in_sizes)

    # Reshaping

    def restrict(self, in_dims: Iterable[str], out_dims: Iterable[str]) -> LinearLayout:
        """Only these in dims (the others at 0) and these out dims (the others dropped), in their present order."""
        ins, outs = set(in_dims), set(out_dims)
        for name in (ins - set(self.in_dims)) | (outs - set(self.out_dims)):
            raise LayoutError(f"restrict: no dim {name} among {list(self.in_dims)} -> {list(self.out_dims)}")
        keep = [d for d, name in enumerate(self.out_dims) if name in outs]
        return LinearLayout(
            tuple((n, tuple(tuple(b[d] for d in keep) for b in v)) for n, v in self.in_items if n in ins),
            tuple(item for item in self.out_items if item[0] in outs),
        )

    def transpose_ins(self, order: Iterable[str]) -> LinearLayout:
        """The same map with the in dims in another order."""
        names = _permutation(order, self.in_dims)
        return LinearLayout(tuple((name, self.bases[name]) for name in names), self.out_items)

    def transpose_outs(self, order: Iterable[str]) -> LinearLayout:
        """The same map with the out dims in another order."""
        names = _permutation(order, self.out_dims)
        at = [self.out_dims.index(name) for name in names]
        return LinearLayout(
            tuple((n, tuple(tuple(b[d] for d in at) for b in v)) for n, v in self.in_items),
            tuple(self.out_items[d] for d in at),
        )

    def rename_outs(self, names: Mapping[str, str]) -> LinearLayout:
        """The same map; out dims found in `names` get their new name."""
        return LinearLayout(self.in_items, tuple((names.get(n, n), size) for n, size in self.out_items))

    def reshape_outs(self, dims: Mapping[str, int]) -> LinearLayout:
        """The same flattened coordinate, cut into other out dims (minor first)."""
        if math.prod(dims.values()) != 1 << self.out_bits:
            raise LayoutError(f"reshape: {dict(dims)} does not have {1 << self.out_bits} coordinates")
        sizes = list(dims.values())
        columns = iter(self.columns)
        return LinearLayout.from_bases(
            {name: [_split(next(columns), sizes) for _ in bases] for name, bases in self.in_items}, dims
        )

    # Comparing and printing

    def __eq__(self, other: object) -> bool:
        """Equal bases, sizes and order of dims."""
        if not isinstance(other, LinearLayout):
            return NotImplemented
        return self.in_items == other.in_items and self.out_items == other.out_items

    def __hash__(self) -> int:
        return hash((self.in_items, self.out_items))

    def equivalent(self, other: LinearLayout) -> bool:
        """Whether the maps are equal, up to the order of dims and to in dims of size 1."""

        def canonical(layout: LinearLayout) -> tuple[object, object]:
            by_name = layout.transpose_outs(sorted(layout.out_dims))
            return {n: v for n, v in by_name.in_items if v}, by_name.out_items

        return canonical(self) == canonical(other)

    def __str__(self) -> str:
        """The notation of Triton's layout dumps: a line per basis, then the sizes of the out dims."""
        lines: list[str] = []
        for name, bases in self.in_items:
            if not bases:
                lines.append(f" - {name} is a size 1 dimension")
            for bit, basis in enumerate(bases):
                image = f"({', '.join(map(str, basis))})"
                lines.append(f"{' - ' if bit == 0 else '   '}{name}={1 << bit} -> {image}")
        outs = ", ".join(f"{name} (size {size})" for name, size in self.out_items)
        return "\n".join([*lines, f"where out dims are: [{outs}]"])

    __repr__ = __str__


def _split(packed: int, sizes: Sequence[int]) -> Basis:
    """Cut a packed integer into one value per size, the first in the low bits."""
    values: list[int] = []
    for size in sizes:
        values.append(packed & (size - 1))
        packed >>= size.bit_length() - 1
    return tuple(values)


def _echelon(columns: Sequence[int]) -> dict[int, tuple[int, int]]:
    """The span of the columns by Gaussian elimination over GF(2).

    Leading bit -> (vector, combination of columns that makes it). Earlier columns are preferred, so that a solution
    uses the lowest in bits possible.
    """
    span: dict[int, tuple[int, int]] = {}
    for at, column in enumerate(columns):
        rest, combo = _reduce(column, span)
        if rest:
            span[rest.bit_length()] = (rest, combo ^ 1 << at)
    return span


def _reduce(vector: int, span: Mapping[int, tuple[int, int]]) -> tuple[int, int]:
    """The remainder of `vector` outside the span, and the combination of columns that was subtracted."""
    rest, combo = vector, 0
    for lead in sorted(span, reverse=True):
        if rest >> (lead - 1) & 1:
            rest ^= span[lead][0]
            combo ^= span[lead][1]
    return rest, combo


def _permutation(order: Iterable[str], names: Sequence[str]) -> tuple[str, ...]:
    wanted = tuple(order)
    if sorted(wanted) != sorted(names):
        raise LayoutError(f"{list(wanted)} is not an order of the dims {list(names)}")
    return wanted
