"""Renaming an index by reshaping and transposing: the same memory, or the same registers, read under other names.

A permutation of the bits of one index is a reshape to groups of bits, a transpose of the groups, and a reshape back.
All three only rename: none of them moves data. On a memory descriptor they change which element an address is said
to hold, on a tensor which element a register is said to hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dotload.layout.encodings import dim_names
from dotload.layout.linear import LayoutError, LinearLayout


@dataclass(frozen=True)
class Reshape:
    """Row-major reshape to `shape`."""

    shape: tuple[int, ...]

    def apply(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """What it does to an array."""
        return np.reshape(values, self.shape)

    def layout(self, layout: LinearLayout) -> LinearLayout:
        """What it does to a layout with out dims dim0, dim1, ..."""
        minor_first = layout.transpose_outs(reversed(layout.out_dims))
        names = dim_names(len(self.shape))
        outs = dict(zip(reversed(names), reversed(self.shape), strict=True))
        return minor_first.reshape_outs(outs).transpose_outs(names)


@dataclass(frozen=True)
class Transpose:
    """Result dim i is source dim `order[i]`."""

    order: tuple[int, ...]

    def apply(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """What it does to an array."""
        return np.transpose(values, self.order)

    def layout(self, layout: LinearLayout) -> LinearLayout:
        """What it does to a layout with out dims dim0, dim1, ..."""
        moved = [layout.out_dims[d] for d in self.order]
        return layout.transpose_outs(moved).rename_outs(dict(zip(moved, dim_names(len(moved)), strict=True)))


View = Reshape | Transpose


@dataclass(frozen=True)
class BitPermutation:
    """An index x renamed x': bit i of x is bit `image[i]` of x'."""

    image: tuple[int, ...]

    def __post_init__(self) -> None:
        if sorted(self.image) != list(range(len(self.image))):
            raise LayoutError(f"{list(self.image)} is not a permutation of {len(self.image)} bits")

    @property
    def size(self) -> int:
        """How many indices there are."""
        return 1 << len(self.image)

    @property
    def is_identity(self) -> bool:
        """x' == x for every x."""
        return self.image == tuple(range(len(self.image)))

    @property
    def inverse(self) -> BitPermutation:
        """x' -> x."""
        return BitPermutation(tuple(self.image.index(bit) for bit in range(len(self.image))))

    def __call__(self, x: int) -> int:
        return sum(1 << image for bit, image in enumerate(self.image) if x >> bit & 1)

    def runs(self) -> list[tuple[int, int]]:
        """Maximal runs of bits that stay together, lowest bit of x first: (lowest bit of the run in x', length)."""
        runs: list[tuple[int, int]] = []
        for bit in self.image:
            if runs and sum(runs[-1]) == bit:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1)
            else:
                runs.append((bit, 1))
        return runs


def rename_and_place(
    shape: Sequence[int], axis: int, permutation: BitPermutation, order: Sequence[int]
) -> tuple[View, ...]:
    """Views that rename the index of dim `axis` and then transpose the dims to `order`.

    Result dim i is source dim `order[i]`; the element at x lies at permutation(x) afterwards.
    """
    if permutation.size != shape[axis]:
        raise LayoutError(f"a permutation of {permutation.size} indices does not fit dim {axis} of {list(shape)}")
    if permutation.is_identity:
        return () if list(order) == sorted(order) else (Transpose(tuple(order)),)
    runs = permutation.runs()[::-1]  # the most significant first, as a row-major reshape has them
    split = [*shape[:axis], *[1 << length for _, length in runs], *shape[axis + 1 :]]
    first = {d: d if d < axis else d + len(runs) - 1 for d in range(len(shape))}
    renamed = [axis + at for at in sorted(range(len(runs)), key=lambda at: runs[at][0], reverse=True)]
    moved: list[int] = []
    for d in order:
        moved += renamed if d == axis else [first[d]]
    result = tuple(shape[d] for d in order)
    return Reshape(tuple(split)), Transpose(tuple(moved)), Reshape(result)


def apply_views(views: Sequence[View], layout: LinearLayout) -> LinearLayout:
    """The layout after the views; its out dims are dim0, dim1, ..."""
    for view in views:
        layout = view.layout(layout)
    return layout


def check_rename(
    views: Sequence[View], shape: Sequence[int], axis: int, permutation: BitPermutation, order: Sequence[int]
) -> bool:
    """Whether the views do what `rename_and_place` promises, element by element, by numpy's own reshape and
    transpose."""
    values = np.reshape(np.arange(math.prod(shape), dtype=np.int64), tuple(shape))
    came_from = np.array([permutation.inverse(x) for x in range(shape[axis])])
    expected = np.transpose(np.take(values, came_from, axis=axis), tuple(order))
    for view in views:
        values = view.apply(values)
    return np.array_equal(values, expected)
