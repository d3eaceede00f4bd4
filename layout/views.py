"""Reshapes and transposes that move no data: on a memory descriptor they change which element an address is said to
hold, on a tensor which element a register is said to hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from dotload.layout.encodings import REGISTER, dim_names
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


def joined(layout: LinearLayout) -> LinearLayout:
    """The layout of two tensors joined along a new minor dim: their registers alternate (Triton, tt.join)."""
    bases = {name: tuple((*basis, 0) for basis in of_dim) for name, of_dim in layout.bases.items()}
    rank = len(layout.out_dims)
    bases[REGISTER] = ((*[0] * rank, 1), *bases[REGISTER])
    return LinearLayout.from_bases(bases, dict(zip(dim_names(rank + 1), (*layout.out_sizes.values(), 2), strict=True)))


def parted(layout: LinearLayout) -> LinearLayout | None:
    """The layout of two tensors that a join made one of this layout; None where no register tells them apart."""
    of_join = (*[0] * (len(layout.out_dims) - 1), 1)
    return halved(layout) if layout.bases[REGISTER][:1] == (of_join,) else None


def collapsed(layout: LinearLayout) -> LinearLayout:
    """The layout of a tensor without the last dim, from which broadcasting along it makes a tensor of this layout."""
    bases = {name: [basis[:-1] for basis in of_dim] for name, of_dim in layout.bases.items()}
    return LinearLayout.from_bases(bases, dict(list(layout.out_sizes.items())[:-1]))


def halved(layout: LinearLayout) -> LinearLayout | None:
    """The layout of the two tensors that a tensor is split into by its last index; None where no register has that."""
    of_index = (*[0] * (len(layout.out_dims) - 1), 1)
    registers = tuple(basis for basis in layout.bases[REGISTER] if basis != of_index)
    rest = {**layout.bases, REGISTER: registers}
    if len(registers) + 1 != len(layout.bases[REGISTER]) or any(
        basis[-1] for of_dim in rest.values() for basis in of_dim
    ):
        return None
    bases = {name: tuple(basis[:-1] for basis in of_dim) for name, of_dim in rest.items()}
    return LinearLayout.from_bases(bases, dict(list(layout.out_sizes.items())[:-1]))
