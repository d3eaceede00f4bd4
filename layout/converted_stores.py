"""Register layouts for converting a tile of bytes, read raw from shared memory, to the wider tile that wgmma reads.

A thread reads 16 bytes and, if they become elements of 16 bits, stores 32, by two stores of 16. In the layout in which
Triton loads a tile, eight neighbouring lanes hold 128 bytes of one line. Widened, these are two lines of all banks, and
in the first store, lanes of one line conflict with lanes of the other:

    lane                                     0  1  2  3  4  5  6  7
    line                                     0  0  0  0  1  1  1  1
    16-byte chunk that it stores first       0  2  4  6  0  2  4  6

In the swizzle that wgmma reads, chunk c of line r lies at c ^ (r mod 8) (PTX ISA, asynchronous warpgroup level matrix
shared memory layout). So lanes that hold 64 bytes of each of two neighbouring lines have no bank conflicts: even chunks
of an odd line lie in the places of odd chunks of an even line. The raw tile is swizzled to match, for its reads.
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
    """Raw tile in `raw` -> `registers`, 16 bytes of a row each -> the wide tile; and the accesses to both tiles."""

    raw: SwizzledShared
    registers: Linear
    read: SharedAccess
    write: SharedAccess

    @property
    def wavefronts(self) -> int:
        """Wavefronts of a tile, all warps together."""
        return self.read.total_wavefronts + self.write.total_wavefronts


@lru_cache(maxsize=256)
def plan_converted_store(tile: Tile, target: NvmmaShared, warps: int) -> ConvertedStore | None:
    """The simplest of the layouts with the fewest wavefronts; None for a tile that is too small for a warp."""
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
    """The store of a layout's registers, widened to the target's elements, to the target."""
    return vector_access(addresses(held, layout_of(target, tile.shape), target.element_bits), "store")
