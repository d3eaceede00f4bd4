"""A tile of an operand as it lies in global memory, and its possible layouts in shared memory.

The search of `dotload.layout.staging` visits these layouts in order, the simple ones first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from dotload.layout.access import MATRIX_ROW_BYTES
from dotload.layout.encodings import NvmmaShared, SharedLinear, SwizzledShared
from dotload.layout.linear import Basis, log2_exact

VECTOR_BYTES = 16
"""The widest copy of a thread (cp.async, ld.global)."""
MATRIX_ROWS = 8
"""Rows of a matrix of ldmatrix (PTX ISA, ldmatrix)."""
BANK_ROW_CHUNKS = 8
"""16-byte chunks in a row of all banks."""

RawLayout = SwizzledShared | SharedLinear | NvmmaShared


@dataclass(frozen=True)
class Tile:
    """One operand's tile as it lies in memory: `x` elements contiguous (M of A, N of B), `k` of the other index.

    `x_axis` is the dim of x in the tensor that is loaded: 0 for A as a rule, 1 for B. `arrives` is the layout of the
    tile in shared memory if the plan cannot choose it: the layout that TMA writes.
    """

    x_axis: int
    x: int
    k: int
    element_bits: int
    arrives: NvmmaShared | None = None

    @staticmethod
    def of(shape: Sequence[int], x_axis: int, element_bits: int, arrives: NvmmaShared | None = None) -> Tile:
        """The tile of a tensor of this shape."""
        return Tile(x_axis, shape[x_axis], shape[1 - x_axis], element_bits, arrives)

    @property
    def shape(self) -> tuple[int, int]:
        """The shape in the tensor's order of dims."""
        return self.by_dim(self.x, self.k)

    def by_dim(self, x: int, k: int) -> tuple[int, int]:
        """What there is along x, and along k, in the tensor's order of dims."""
        return (x, k) if self.x_axis == 0 else (k, x)


def tile_bits(tile: Tile) -> tuple[list[Basis], list[Basis]]:
    """The coordinates of the powers of two of x, and of k."""
    x = [tile.by_dim(1 << bit, 0) for bit in range(log2_exact(tile.x))]
    return x, [tile.by_dim(0, 1 << bit) for bit in range(log2_exact(tile.k))]


def raw_layouts(tile: Tile) -> Iterator[SwizzledShared]:
    """Swizzles of the tile as it lies in memory, the simple ones first.

    A group of `vec` elements is never smaller than the 16 bytes that one cp.async writes.
    """
    order = (tile.x_axis, 1 - tile.x_axis)
    yield SwizzledShared(1, 1, 1, order)
    smallest = min(tile.x, VECTOR_BYTES * 8 // tile.element_bits)
    for max_phase in (2, 4, 8, 16):
        for per_phase in (1, 2, 4, 8, 16, 32):
            for vec in (smallest, 2 * smallest, 4 * smallest):
                if vec * max_phase <= tile.x and per_phase * max_phase <= tile.k:
                    yield SwizzledShared(vec, per_phase, max_phase, order)


def xor_layouts(tile: Tile, *, for_both_orders: bool = False) -> Iterator[SharedLinear]:
    """Swizzles of the tile as it lies in memory: any three bits of k move the 16-byte chunks of a row of banks.

    The rows of one ldmatrix need not be neighbours, as a SwizzledShared requires. The first layout is the plain one.
    `for_both_orders`: the three lowest bits of k move chunks too, each by the amount of another mover, for reads of the
    tile in memory order: there the rows of ldmatrix are neighbours.
    """
    chunk_bits = log2_exact(min(tile.x, MATRIX_ROW_BYTES * 8 // tile.element_bits))
    x_bits, k_bits = log2_exact(tile.x), log2_exact(tile.k)
    row_bits = chunk_bits + log2_exact(BANK_ROW_CHUNKS)
    movable = range(chunk_bits, min(row_bits, x_bits))
    beyond = range(max(0, row_bits - x_bits), k_bits)

    def layout(movers: Sequence[int]) -> SharedLinear:
        moved = {bit: 1 << chunk for bit, chunk in zip(movers, movable, strict=False)}
        if for_both_orders:
            low = [bit for bit in beyond if bit < log2_exact(MATRIX_ROWS)]
            higher = [moved[bit] for bit in moved if bit not in low]
            moved |= dict(zip([bit for bit in low if bit not in moved], higher, strict=False))
        rows = [tile.by_dim(moved.get(bit, 0), 1 << bit) for bit in range(k_bits)]
        return SharedLinear((*[tile.by_dim(1 << bit, 0) for bit in range(x_bits)], *rows))

    yield layout(())
    for movers in permutations(beyond, min(len(movable), len(beyond))):
        if movers:
            yield layout(movers)
