"""GEMMs whose tiles are loaded by warps of their own, `tl.range(warp_specialize=True)`: stock Triton against dotload.

    python bench/warp_specialised.py [--kinds fp8,int8] [--size 8192] [--rounds 2]

The best of one list of tiles for every cell, loaded by tensor descriptors (TMA). All have 8 warps: with 4, Triton gives
each of two consumers half of the tile, and fails to compile every order but r x c (3.6 to 3.9).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import gemm
from gemm import Case
from orders_table import print_tables

WARPS = 8


def tiles(kind: str, orders: str) -> Iterator[Case]:
    """The tile list of the benchmarks, as far as it has 8 warps."""
    for case in gemm.tiles(kind, orders, rows=(128, 256)):
        if case.num_warps == WARPS:
            yield replace(case, descriptors=True, specialised=True)


if __name__ == "__main__":
    print_tables({"Warp-specialised": tiles}, __doc__)
