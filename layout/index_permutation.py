"""Index permutations: the bits of each dim's index permuted, and the dims in another order.

No data moves. The permutation changes which tensor index a register or an address stands for; in a linear layout, it
permutes the bits of the coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dotload.layout.encodings import dim_names
from dotload.layout.linear import Index, LayoutError, LinearLayout, log2_exact
from dotload.layout.views import Reshape, Transpose, View


@dataclass(frozen=True)
class BitPermutation:
    """A permutation x -> x' of an index: bit i of x is bit `image[i]` of x'."""

    image: tuple[int, ...]

    def __post_init__(self) -> None:
        if sorted(self.image) != list(range(len(self.image))):
            raise LayoutError(f"{list(self.image)} is not a permutation of {len(self.image)} bits")

    @staticmethod
    def identity(size: int) -> BitPermutation:
        """x' == x for each of `size` indices."""
        return BitPermutation(tuple(range(log2_exact(size))))

    @property
    def size(self) -> int:
        """The number of indices."""
        return 1 << len(self.image)

    @property
    def is_identity(self) -> bool:
        """Whether x' == x for every x."""
        return self.image == tuple(range(len(self.image)))

    @property
    def inverse(self) -> BitPermutation:
        """x' -> x."""
        return BitPermutation(tuple(self.image.index(bit) for bit in range(len(self.image))))

    def groups(self) -> tuple[list[int], list[int]]:
        """Runs of bits that move together: the size of each in indices, highest bits first; and their order in x'."""
        runs: list[tuple[int, int]] = []  # the lowest bit in x', and the number of bits
        for bit in self.image:
            if runs and sum(runs[-1]) == bit:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1)
            else:
                runs.append((bit, 1))
        runs.reverse()
        order = sorted(range(len(runs)), key=lambda at: runs[at][0], reverse=True)
        return [1 << length for _, length in runs], order

    def __call__(self, x: Index) -> Index:
        """x' of an index, or of an array of indices."""
        permuted = x * 0
        for bit, image in enumerate(self.image):
            permuted = permuted | (x >> bit & 1) << image
        return permuted


@dataclass(frozen=True)
class IndexPermutation:
    """Dim d of the result is dim `order[d]` of the source, its index permuted by `permutations[order[d]]`."""

    permutations: tuple[BitPermutation, ...]
    order: tuple[int, ...]

    @staticmethod
    def of(
        shape: Sequence[int], permutations: Sequence[BitPermutation | None], order: Sequence[int] | None = None
    ) -> IndexPermutation:
        """The permutation of a tensor of this shape; None leaves an index, or the order of the dims, as it is."""
        each = zip(shape, permutations, strict=True)
        full = tuple(permutation or BitPermutation.identity(size) for size, permutation in each)
        permutation = IndexPermutation(full, tuple(range(len(full)) if order is None else order))
        permutation._check(shape)
        return permutation

    @staticmethod
    def along(shape: Sequence[int], axis: int, permutation: BitPermutation) -> IndexPermutation:
        """The permutation of one index of a tensor of this shape."""
        return IndexPermutation.of(shape, [permutation if dim == axis else None for dim in range(len(shape))])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return tuple(self.permutations[d].size for d in self.order)

    @property
    def is_identity(self) -> bool:
        """Whether every element keeps its index."""
        return self.order == tuple(range(len(self.order))) and all(each.is_identity for each in self.permutations)

    @property
    def inverse(self) -> IndexPermutation:
        """From the result's indices back to the source's."""
        permutations = tuple(self.permutations[d].inverse for d in self.order)
        return IndexPermutation(permutations, tuple(self.order.index(d) for d in range(len(self.order))))

    def __call__(self, coordinate: Sequence[Index]) -> tuple[Index, ...]:
        """The index of an element in the result, or arrays of indices for arrays."""
        return tuple(self.permutations[d](coordinate[d]) for d in self.order)

    def layout(self, layout: LinearLayout) -> LinearLayout:
        """The layout of the result, out dims dim0, dim1, ...; LayoutError where the source has another shape."""
        self._check(tuple(layout.out_sizes.values()))
        bases = {name: [self(basis) for basis in images] for name, images in layout.in_items}
        return LinearLayout.from_bases(bases, dict(zip(dim_names(len(self.order)), self.shape, strict=True)))

    def views(self) -> tuple[View, ...]:
        """The same permutation by reshapes and a transpose: each run of bits becomes a dim in between."""
        if self.is_identity:
            return ()
        if all(permutation.is_identity for permutation in self.permutations):
            return (Transpose(self.order),)
        groups = [permutation.groups() for permutation in self.permutations]
        first = [sum(len(sizes) for sizes, _ in groups[:d]) for d in range(len(groups))]
        split = tuple(size for sizes, _ in groups for size in sizes)
        moved = tuple(first[d] + at for d in self.order for at in groups[d][1])
        return Reshape(split), Transpose(moved), Reshape(self.shape)

    def _check(self, shape: Sequence[int]) -> None:
        own = tuple(permutation.size for permutation in self.permutations)
        if own != tuple(shape):
            raise LayoutError(f"an index permutation of {list(own)} does not fit {list(shape)}")
