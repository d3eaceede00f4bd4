"""16-bit activations by 8-bit weights that the kernel converts: stock Triton against dotload, best of one tile list.

    python bench/converted_operands.py                    # 8192^3; and 16 and 64 rows, which memory limits
    python bench/converted_operands.py --tables rows16
    python bench/converted_operands.py --tables rows16 --in-turn   # launched on several sets of tensors in turn
    python bench/converted_operands.py --compile-only     # fill Triton's cache in several processes

Orders as in bench/gemm_orders.py: r c has weights with K contiguous, r r has them row-major. The references for the
large product are stock's plain fp16 r c, and cuBLAS. Errors are relative to float64, at a smaller size. All kernels of
a table are launched in turn; with `--in-turn`, each on its own, on several sets of tensors in turn.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import gemm
import triton
from best_tile import FINALISTS, fastest_of_each
from compile_jobs import compile_all, compiled
from gemm import Case
from in_turn import time_in_turn

import dotload

CELLS = (("fp16", "rc"), ("fp16xint8", "rc"), ("fp16xint8", "rr"), ("bf16xfp8", "rc"), ("bf16xfp8", "rr"))
"""Kinds and orders: the reference, and the weights."""
SETS = 4
"""The number of sets of tensors for launches in turn: a gigabyte of weights."""
HEADER = "best tile, error; for each flavour; results that differ"
FLAVOURS = ("stock", "dotload")
CUBLAS = "cuBLAS"
Tensors = tuple[Any, Any, Any]


@dataclass(frozen=True)
class Table:
    """A problem [m, n, k], its tiles, and the unit of its rate: bytes of weights, or operations."""

    problem: tuple[int, int, int]
    tiles: Callable[[str, str], Iterator[Case]]
    unit: str

    def rate(self, kind: str, time_ms: float) -> float:
        """GB/s of weights, or TFLOP/s."""
        m, n, k = self.problem
        bits = 8 if gemm.KINDS[kind].weights else gemm.KINDS[kind].bits
        return (n * k * bits / 8 if self.unit == "GB/s" else 2 * m * n * k / 1000) / time_ms / 1e6


def large(kind: str, orders: str) -> Iterator[Case]:
    """Tiles of large products."""
    for case in gemm.tiles(kind, orders, rows=(64, 128, 256)):
        if case.block_m * case.block_n >= 128 * 128:
            yield case


def few_rows(rows: int) -> Callable[[str, str], Iterator[Case]]:
    """Tiles of products of a few rows: 32 to 220 KB of 8-bit weights and activations in flight, up to 16 KB a warp."""

    def tiles(kind: str, orders: str) -> Iterator[Case]:
        for block_n, block_k in itertools.product((32, 64, 128, 256), (64, 128, 256)):
            for warps, stages in itertools.product((2, 4, 8), (3, 4, 5)):
                in_flight = (2 * rows + block_n) * block_k * stages
                of_a_warp = block_n * block_k // warps
                if 32 * 1024 <= in_flight <= 220 * 1024 and 2048 <= of_a_warp <= 16384:
                    yield Case(kind, orders, rows, block_n, block_k, warps, stages)

    return tiles


SHAPE = (28672, 8192)
"""Columns and depth of products of a few rows: 235 MB of weights, more than the caches hold."""

TABLES = {
    "large": Table((8192, 8192, 8192), large, "TFLOP/s"),
    "rows16": Table((16, *SHAPE), few_rows(16), "GB/s"),
    "rows64": Table((64, *SHAPE), few_rows(64), "GB/s"),
}


def flavours_of(kind: str, flavours: tuple[str, ...]) -> tuple[str, ...]:
    """The flavours of a kind; plain products are the reference, which dotload does not change."""
    return flavours if gemm.KINDS[kind].weights else ("stock",)


@cache
def handle_of(case: Case, flavour: str) -> Any:
    """The compiled kernel of a flavour, cached in the process."""
    return compiled(case, flavour)


@dataclass(frozen=True)
class Product:
    """A product of a kind and orders on one or several sets of tensors, and who computes it: a flavour, or cuBLAS."""

    kind: str
    orders: str
    flavour: str
    sets: tuple[Tensors, ...]

    def launch(self, case: Case | None, at: int = 0) -> None:
        """Once, with a tile, or None for cuBLAS."""
        import torch

        a, b, c = self.sets[at]
        if case is None:
            torch.matmul(a, b, out=c)
        else:
            case.launch(handle_of(case, self.flavour), a, b, c)

    def time(self, case: Case | None, milliseconds: int) -> float:
        """Milliseconds of a launch, on each set of tensors in turn."""
        return time_in_turn([partial(self.launch, case, at) for at in range(len(self.sets))], milliseconds)


Products = dict[Any, tuple[Product, list[Any]]]
"""Products and their tiles."""


def fastest_on_sets(products: Products, rounds: int) -> dict[Any, tuple[float, Any]]:
    """Milliseconds of each product's fastest tile on its sets of tensors in turn, and the tile."""
    found: dict[Any, tuple[float, Any]] = {}
    for key, (product, tiles) in products.items():
        timed: list[tuple[float, int]] = []
        for number, tile in enumerate(tiles):
            try:
                timed.append((product.time(tile, 10), number))
            except triton.runtime.errors.OutOfResources:
                continue
        finalists = [number for _, number in sorted(timed)[:FINALISTS]]
        again = [(min(product.time(tiles[number], 40) for _ in range(rounds)), number) for number in finalists]
        if again:
            time_ms, number = min(again)
            found[key] = time_ms, tiles[number]
    return found


def error_of(case: Case, flavour: str, rows: int) -> tuple[float, Any]:
    """The error relative to float64, at a size where that is fast, and the result."""
    a, b, c = gemm.tensors(case.kind, case.orders, max(case.block_m, min(rows, 512)), 1024, 1024, seed=1)
    case.launch(handle_of(case, flavour), a, b, c)
    return gemm.relative_error(a, b, c), c


def products_of(table: Table, good: set[tuple[Case, str]], flavours: tuple[str, ...], sets: int) -> Products:
    """What a table measures, by kind, orders and flavour."""
    cells = [(kind, orders, flavour) for kind, orders in CELLS for flavour in flavours_of(kind, flavours)]
    tensors = {
        (kind, orders): tuple(gemm.tensors(kind, orders, *table.problem) for _ in range(sets)) for kind, orders in CELLS
    }
    found: Products = {("fp16", "rc", CUBLAS): (Product("fp16", "rc", CUBLAS, tensors["fp16", "rc"]), [None])}
    for kind, orders, flavour in cells:
        tiles = [case for case in table.tiles(kind, orders) if (case, flavour) in good]
        found[kind, orders, flavour] = Product(kind, orders, flavour, tensors[kind, orders]), tiles
    return found


def show(
    table: Table, fastest: Mapping[Any, tuple[float, Any]], good: set[tuple[Case, str]], flavours: tuple[str, ...]
) -> None:
    """Print a table."""
    print(f"  {CUBLAS:10s} rc  {table.rate('fp16', fastest['fp16', 'rc', CUBLAS][0]):6.0f}")
    for kind, orders in CELLS:
        found = {flavour: fastest.get((kind, orders, flavour)) for flavour in flavours_of(kind, flavours)}
        cells = [cell(table, kind, flavour, best) for flavour, best in found.items()]
        if all(map(found.get, FLAVOURS)) and (found["dotload"][1], "stock") in good:
            stock, ours = (error_of(found["dotload"][1], flavour, table.problem[0])[1] for flavour in FLAVOURS)
            cells.append(f"{(stock != ours).float().mean().item():.2%}")
        print(f"  {kind:10s} {orders}  " + "   ".join(cells), flush=True)


def cell(table: Table, kind: str, flavour: str, best: tuple[float, Case] | None) -> str:
    """Speed, tile and error of a flavour's fastest kernel."""
    if best is None:
        return "no kernel ran"
    time_ms, case = best
    error, _ = error_of(case, flavour, table.problem[0])
    return f"{table.rate(kind, time_ms):6.0f}  {case.tile:20s} {error:.3e}"


def main() -> None:
    """Compile everything, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", default="large,rows16,rows64", help=", ".join(TABLES))
    parser.add_argument("--rounds", type=int, default=3, help="launches of the fastest tiles: ten a round")
    parser.add_argument("--flavours", default=",".join(FLAVOURS), help="comma-separated")
    parser.add_argument("--in-turn", action="store_true", help="launch on several sets of tensors in turn (in_turn.py)")
    parser.add_argument("--compile-only", action="store_true", help="fill Triton's cache and stop")
    arguments = parser.parse_args()
    flavours = tuple(arguments.flavours.split(","))
    tables = [TABLES[name] for name in arguments.tables.split(",")]
    jobs = [
        (case, flavour)
        for table in tables
        for kind, orders in CELLS
        for case in table.tiles(kind, orders)
        for flavour in flavours_of(kind, flavours)
    ]
    good = compile_all(jobs)
    if arguments.compile_only:
        return
    import torch

    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    for table in tables:
        print("\n" + " x ".join(map(str, table.problem)) + f": {table.unit}, {HEADER}")
        if arguments.in_turn:
            fastest = fastest_on_sets(products_of(table, good, flavours, SETS), arguments.rounds)
        else:
            fastest = fastest_of_each(products_of(table, good, flavours, 1), arguments.rounds)
        show(table, fastest, good, flavours)


if __name__ == "__main__":
    main()
