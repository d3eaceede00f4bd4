"""The shared-memory matrix layouts of NVIDIA's tensor cores: atoms, canonical layouts and tiles.

An operand tile is made of *atoms*: 8 lines of `width` bytes along the contiguous axis (PTX ISA, "Shared Memory Matrix
Layout", Table 38). In units of 16 bytes:

    mode    atom, K-major   atom, MN-major     16-byte chunk q of line r is stored at
    none    8x1             1x8                q
    32B     8x2             2x8                q ^ (r / 4 mod 2)
    64B     8x4             4x8                q ^ (r / 2 mod 4)
    128B    8x8             8x8                q ^ (r mod 8)

K-major: the contiguous axis is k, the lines are m or n. MN-major: the contiguous axis is m or n, the lines are k. The
formula behind the table is Swizzle<B,4,3> on byte addresses: bits [4, 4+B) ^= bits [7, 7+B), B = 0..3. An atom column
of 8 chunks then falls into 8 different bank groups; ldmatrix and wgmma read 8 chunks at a time.

The 128B mode exists with coarser atomicity too (32 or 64 bytes that stay together; for bulk tensor copies and
tcgen05, PTX ISA "Swizzling Modes"): Swizzle<2,5,2> and Swizzle<1,6,1>. wgmma reads 16-byte atomicity only.

Everywhere dim0 is m or n and dim1 is k, sizes are in elements unless the name says bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from dotload.layout.access import BANK_ROW_BYTES
from dotload.layout.cute import CuteLayout, Swizzle
from dotload.layout.linear import LayoutError, LinearLayout, log2_exact

CHUNK_BYTES = 16
ATOM_LINES = 8


class Major(Enum):
    """The axis that is contiguous in memory."""

    K = "K"
    MN = "MN"


class Mode(Enum):
    """The swizzling mode; its value is the width of a swizzled line in bytes, 0 for none."""

    NONE = 0
    B32 = 32
    B64 = 64
    B128 = 128

    @property
    def width_bytes(self) -> int:
        """Bytes of an atom along the contiguous axis."""
        return max(CHUNK_BYTES, self.value)

    @property
    def chunks(self) -> int:
        """16-byte chunks of an atom along the contiguous axis: 1, 2, 4, 8."""
        return self.width_bytes // CHUNK_BYTES

    def swizzle(self, atomicity_bytes: int = CHUNK_BYTES) -> Swizzle:
        """The swizzle functor on byte addresses. 32 and 64 bytes of atomicity exist in the 128B mode only."""
        if atomicity_bytes not in (16, 32, 64) or (atomicity_bytes > CHUNK_BYTES and self is not Mode.B128):
            raise LayoutError(f"no {self} swizzle of {atomicity_bytes}-byte atomicity: 128B has 16, 32, 64; others 16")
        base = log2_exact(atomicity_bytes)
        return Swizzle(log2_exact(self.width_bytes // atomicity_bytes), base, 7 - base)

    def __str__(self) -> str:
        return "no" if self is Mode.NONE else f"{self.value}B"


@dataclass(frozen=True)
class Atom:
    """The smallest piece that a layout repeats."""

    major: Major
    mode: Mode
    element_bits: int
    atomicity_bytes: int = CHUNK_BYTES

    def __post_init__(self) -> None:
        if self.element_bits not in (4, 8, 16, 32, 64, 128):
            raise LayoutError(f"no atom for elements of {self.element_bits} bits: expected 4, 8, 16, 32, 64 or 128")
        self.mode.swizzle(self.atomicity_bytes)

    @property
    def chunk(self) -> int:
        """Elements in 16 bytes: the factor T of the PTX ISA."""
        return CHUNK_BYTES * 8 // self.element_bits

    @property
    def shape(self) -> tuple[int, int]:
        """(m or n, k) in elements."""
        line = self.mode.chunks * self.chunk
        return (ATOM_LINES, line) if self.major is Major.K else (line, ATOM_LINES)

    @property
    def size_bytes(self) -> int:
        """Bytes of the atom; with 16-byte atomicity also the period of its swizzle."""
        return ATOM_LINES * self.mode.width_bytes

    @property
    def cute(self) -> CuteLayout:
        """The atom as a CuTe expression."""
        return Tile(self, self.shape).cute

    def chunk_order(self) -> list[int]:
        """For each 16-byte place in memory, which chunk it holds; chunks are numbered along the lines."""
        swizzle = self.mode.swizzle(self.atomicity_bytes)
        return [swizzle(place * CHUNK_BYTES) // CHUNK_BYTES for place in range(self.size_bytes // CHUNK_BYTES)]


class AtomOrder(Enum):
    """Which neighbour of an atom comes next in memory."""

    K_FIRST = "k first"
    MN_FIRST = "mn first"


@dataclass(frozen=True)
class Tile:
    """A tile of whole atoms, `shape` = (m or n, k) in elements, in one of the two atom orders."""

    atom: Atom
    shape: tuple[int, int]
    order: AtomOrder = AtomOrder.MN_FIRST

    def __post_init__(self) -> None:
        for extent, unit, axis in zip(self.shape, self.atom.shape, ("m or n", "k"), strict=True):
            if extent <= 0 or extent % unit:
                raise LayoutError(
                    f"{extent} elements along {axis} are not a whole number of {self.atom.mode} swizzle atoms of {unit}"
                )

    @property
    def grid(self) -> tuple[int, int]:
        """Atoms along (m or n, k)."""
        return self.shape[0] // self.atom.shape[0], self.shape[1] // self.atom.shape[1]

    @property
    def atom_strides(self) -> tuple[int, int]:
        """Elements between neighbouring atoms along (m or n, k)."""
        size = self.atom.shape[0] * self.atom.shape[1]
        if self.order is AtomOrder.MN_FIRST:
            return size, size * self.grid[0]
        return size * self.grid[1], size

    @property
    def cute(self) -> CuteLayout:
        """The tile as a CuTe expression: line modes and contiguous modes, in the order (m or n, k)."""
        atom = self.atom
        line, chunk = atom.mode.chunks * atom.chunk, atom.chunk
        mn_step, k_step = self.atom_strides
        mn_count, k_count = self.grid
        if atom.major is Major.K:
            shape = ((ATOM_LINES, mn_count), (chunk, atom.mode.chunks, k_count))
            stride = ((line, mn_step), (1, chunk, k_step))
        else:
            shape = ((chunk, atom.mode.chunks, mn_count), (ATOM_LINES, k_count))
            stride = ((1, chunk, mn_step), (line, k_step))
        return CuteLayout(shape, stride, atom.element_bits, atom.mode.swizzle(atom.atomicity_bytes))

    def to_linear_layout(self) -> LinearLayout:
        """offset -> (dim0 = m or n, dim1 = k), offsets in elements."""
        return self.cute.to_linear_layout()


def canonical_formula(major: Major, mode: Mode) -> str:
    """The canonical layout in the manual's letters: LBO and SBO trade places in MN-major layouts without a swizzle."""
    line = f"{mode.chunks}T"
    swizzle = mode.swizzle()
    if major is Major.K:
        next_chunk = "LBO" if mode is Mode.NONE else "T"
        return f"{swizzle} o ((8,m),(T,2k)):(({line},SBO),(1,{next_chunk}))"
    next_mn, next_k = ("SBO", "LBO") if mode is Mode.NONE else ("LBO", "SBO")
    return f"{swizzle} o ((T,{mode.chunks},m),(8,k)):((1,T,{next_mn}),({line},{next_k}))"


def request_bytes(atom: Atom) -> int:
    """Contiguous bytes of global memory behind a warp's 128-byte shared store.

    32 lanes that store 4 bytes each without a conflict fill one 128-byte row of banks. In a matrix that is contiguous
    along the atom's major axis, that row consists of runs; this is the length of one run.
    """
    layout = Tile(atom, atom.shape).to_linear_layout()
    per_row = BANK_ROW_BYTES * 8 // atom.element_bits
    contiguous = 1 if atom.major is Major.K else 0
    coordinates = layout.table()[:per_row]
    lines = len(np.unique(coordinates[:, 1 - contiguous]))
    return BANK_ROW_BYTES // lines
