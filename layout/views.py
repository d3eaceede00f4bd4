"""Reshapes and transposes that move no data: on a memory descriptor they change which element an address is said to
hold, on a tensor which element a register is said to hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from dotload.layout.encodings import dim_names
from dotload.layout.linear import LinearLayout


@dataclass(frozen=True)
class Reshape:
    """Row-major reshape to `shape`."""

    shape: tuple[int, ...]

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

    def layout(self, layout: LinearLayout) -> LinearLayout:
        """What it does to a layout with out dims dim0, dim1, ..."""
        moved = [layout.out_dims[d] for d in self.order]
        return layout.transpose_outs(moved).rename_outs(dict(zip(moved, dim_names(len(moved)), strict=True)))


View = Reshape | Transpose
