"""The layout in which a tile of bytes is converted to a wider type between its raw form in shared memory and wgmma's.

A thread reads 16 bytes and stores 32, if elements of 16 bits become of them, by two stores of 16. In the layout that
Triton loads a tile in, eight neighbouring lanes hold 128 bytes of one line. Wide, these are two lines of all banks,
which lie in different places, and in the first store lanes of the one meet lanes of the other:

    lane                                     0  1  2  3  4  5  6  7
    line                                     0  0  0  0  1  1  1  1
    16-byte chunk that it stores first       0  2  4  6  0  2  4  6

In the swizzle that wgmma reads, chunk c of line r lies at c ^ (r mod 8) (PTX ISA, asynchronous warpgroup level matrix
shared memory layout). So lanes that hold 64 bytes of each of two neighbouring lines meet in no bank: even chunks of an
odd line lie where odd ones of an even line do. The raw tile is swizzled to match, for its reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dotload.layout.access import SharedAccess, addresses, vector_access
from dotload.layout.encodings import Linear, NvmmaShared, SwizzledShared, layout_of
from dotload.layout.linear import LinearLayout
from dotload.layout.raw_tiles import Tile, raw_layouts
from dotload.layout.run_layouts import row_run_layouts


@dataclass(frozen=True)
class ConvertedStore:
    """Raw tile in `raw` -> `registers`, 16 bytes of a row each -> the wide tile. How the two are accessed."""

    raw: SwizzledShared
    registers: Linear
    read: SharedAccess
    write: SharedAccess

    @property
    def wavefronts(self) -> int:
        """Of a tile, all warps together."""
        return self.read.total_wavefronts + self.write.total_wavefronts


@lru_cache(maxsize=256)
def plan_converted_store(tile: Tile, target: NvmmaShared, warps: int) -> ConvertedStore | None:
    """The layouts with the fewest wavefronts, the simplest of them; None for a tile that is too small for a warp."""
    best: ConvertedStore | None = None
    for registers in row_run_layouts(tile, warps):
        held = layout_of(registers, tile.shape)
        write = store_access(held, tile, target)
        for raw in raw_layouts(tile):
            read = vector_access(addresses(held, layout_of(raw, tile.shape), tile.element_bits), "load")
            found = ConvertedStore(raw, registers, read, write)
            best = found if best is None or found.wavefronts < best.wavefronts else best
            if read.conflict_ways == 1:
                break
    return best


def store_access(held: LinearLayout, tile: Tile, target: NvmmaShared) -> SharedAccess:
    """How a layout's registers, widened to the elements of the target, are stored there."""
    return vector_access(addresses(held, layout_of(target, tile.shape), target.element_bits), "store")
