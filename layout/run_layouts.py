"""Register layouts in which a lane holds runs of 16 bytes of a tile, along k or along x.

The other bits of the tile are dealt to lanes, then warps, then registers; each function says how.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from dotload.layout.access import MATRIX_ROW_BYTES
from dotload.layout.encodings import Linear
from dotload.layout.linear import Basis, log2_exact
from dotload.layout.nvidia_targets import REGISTER_BITS, WARP_LANES
from dotload.layout.raw_tiles import VECTOR_BYTES, Tile, tile_bits

WARP_LANE_BITS = log2_exact(WARP_LANES)


def k_run_layouts(tile: Tile, warps: int) -> Iterator[Linear]:
    """Register layouts in which a lane holds runs of 16 bytes of k for the x of one 4-byte read.

    The other bits of k and x are dealt to lanes, then warps, then registers, in every split between the two.
    """
    bits = _run_bits(tile, max(1, REGISTER_BITS // tile.element_bits))
    k_bits, x_bits = bits.beyond_k, bits.beyond_x
    for along_k in range(min(WARP_LANE_BITS, len(k_bits)), -1, -1):
        chosen_k, chosen_x = k_bits[:along_k], x_bits[: WARP_LANE_BITS - along_k]
        if len(chosen_k) + len(chosen_x) < WARP_LANE_BITS:
            continue
        rest = x_bits[len(chosen_x) :] + k_bits[along_k:]
        for lane in ((*chosen_k, *chosen_x), (*chosen_x, *chosen_k)):
            yield _deal(bits.register, lane, rest, warps)


def paired_run_layouts(tile: Tile, warps: int) -> Iterator[Linear]:
    """Register layouts in which a lane holds runs of 16 bytes of k for a pair of x, read by ldmatrix.trans.

    The groups of lanes of ldmatrix walk the eight pairs of a row; any two other bits of k and x are dealt to the two
    low lane bits, the rest to warps, then registers.
    """
    bits = _run_bits(tile, 2)
    pairs, others = bits.beyond_x[:3], (*bits.beyond_k, *bits.beyond_x[3:])
    if tile.element_bits != 8 or len(pairs) < 3:
        return
    for low in permutations(others, WARP_LANE_BITS - len(pairs)):
        rest = [basis for basis in (*bits.beyond_x[3:], *bits.beyond_k) if basis not in low]
        yield _deal(bits.register, (*low, *pairs), rest, warps)


def matrix_run_layouts(tile: Tile, warps: int) -> Iterator[Linear]:
    """Register layouts that ldmatrix.trans fills and stmatrix stores: four lanes hold 16 bytes of k for a pair of x.

    For tiles whose raw layout is given: its rows are k, and reads in `paired_run_layouts` have bank conflicts. The
    eight rows of x that stmatrix stores together lie two apart, so the upper four conflict with the lower four in a
    K-major swizzle; `copy_words` avoids these conflicts.
    """
    if tile.element_bits != 8 or min(tile.x, tile.k) < MATRIX_ROW_BYTES:
        return
    x, k = tile_bits(tile)
    yield _deal((*k[:2], x[0]), (*k[2:4], *x[1:4]), (*x[4:], *k[4:]), warps)


@dataclass(frozen=True)
class _RunBits:
    """The bits of a tile: `register` has those of a run of k and of the x beside it, the others those beyond."""

    register: tuple[Basis, ...]
    beyond_k: tuple[Basis, ...]
    beyond_x: tuple[Basis, ...]


def _run_bits(tile: Tile, width: int) -> _RunBits:
    """The bits of runs of 16 bytes of k, for `width` neighbouring x."""
    run, width = min(tile.k, VECTOR_BYTES * 8 // tile.element_bits), min(tile.x, width)
    x, k = tile_bits(tile)
    in_run, beside = log2_exact(run), log2_exact(width)
    return _RunBits((*k[:in_run], *x[:beside]), tuple(k[in_run:]), tuple(x[beside:]))


def row_run_layouts(tile: Tile, warps: int) -> Iterator[Linear]:
    """Register layouts in which a thread holds runs of 16 bytes of x, and lanes walk x, then k, in every split.

    Layouts with the most lanes along x come first, as in Triton's layout for loading the tile.
    """
    x, k = tile_bits(tile)
    run = log2_exact(min(tile.x, VECTOR_BYTES * 8 // tile.element_bits))
    beyond = x[run:]
    for along in range(min(WARP_LANE_BITS, len(beyond)), -1, -1):
        across = WARP_LANE_BITS - along
        if across <= len(k):
            yield _deal(x[:run], (*beyond[:along], *k[:across]), (*k[across:], *beyond[along:]), warps)


def _deal(register: Sequence[Basis], lane: Sequence[Basis], rest: Sequence[Basis], warps: int) -> Linear:
    """The layout that deals the bits `rest` to warps, then to registers."""
    count = log2_exact(warps)
    warp = (*rest[:count], *[(0, 0)] * (count - len(rest)))
    return Linear((*register, *rest[count:]), tuple(lane), warp)
