"""16-bit activations by 8-bit weights that the kernel converts: stock Triton against dotload, best of one tile list.

    python bench/converted_operands.py                    # 8192^3; and 16 and 64 rows, which memory limits
    python bench/converted_operands.py --tables rows16
    python bench/converted_operands.py --tables rows16 --in-turn   # launched on several sets of tensors in turn
    python bench/converted_operands.py --compile-only     # fill Triton's cache in several processes

Orders as in bench/gemm_orders.py: r c has weights with K contiguous, r r has them row-major. The references for the
large product are stock's plain fp16 r c, and cuBLAS. Errors are relative to float64, at a smaller size.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import gemm
import triton
from compile_jobs import compile_all, compiled
from gemm import Case
from in_turn import time_in_turn

import dotload

WEIGHTS = (("fp16xint8", "rc"), ("fp16xint8", "rr"), ("bf16xfp8", "rc"), ("bf16xfp8", "rr"))
SETS = 4
"""The number of sets of tensors for launches in turn: a gigabyte of weights."""
HEADER = "best tile, error; for each flavour; results that differ"
FLAVOURS = ("stock", "dotload")
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
        for block_n, block_k in product((32, 64, 128, 256), (64, 128, 256)):
            for warps, stages in product((2, 4, 8), (3, 4, 5)):
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


def time_of(launches: list[Callable[[], Any]], milliseconds: int) -> float:
    """Milliseconds of a launch, in turn if there are several."""
    if len(launches) > 1:
        return time_in_turn(launches, milliseconds)
    return triton.testing.do_bench(launches[0], warmup=5, rep=milliseconds, return_mode="median")


def best_of(cases: list[Case], flavour: str, sets: list[Tensors], rounds: int) -> tuple[float, Case] | None:
    """Milliseconds of the fastest tile, and the tile; all tiles are timed once, the three fastest again."""

    def time(case: Case, milliseconds: int) -> float:
        handle = handle_of(case, flavour)
        return time_of([partial(case.launch, handle, *tensors) for tensors in sets], milliseconds)

    timed: list[tuple[float, Case]] = []
    for case in cases:
        try:
            timed.append((time(case, 10), case))
        except triton.runtime.errors.OutOfResources:
            continue
    finalists = sorted(timed, key=lambda item: item[0])[:3]
    again = [(min(time(case, 40) for _ in range(rounds)), case) for _, case in finalists]
    return min(again, key=lambda item: item[0], default=None)


def error_of(case: Case, flavour: str, rows: int) -> tuple[float, Any]:
    """The error relative to float64, at a size where that is fast, and the result."""
    a, b, c = gemm.tensors(case.kind, case.orders, max(case.block_m, min(rows, 512)), 1024, 1024, seed=1)
    case.launch(handle_of(case, flavour), a, b, c)
    return gemm.relative_error(a, b, c), c


def sets_of(table: Table, kind: str, orders: str, count: int) -> list[Tensors]:
    """Several sets of the problem's tensors."""
    return [gemm.tensors(kind, orders, *table.problem) for _ in range(count)]


def measure(
    table: Table, kind: str, orders: str, good: set[tuple[Case, str]], flavours: tuple[str, ...], rounds: int, sets: int
) -> None:
    """Print a row."""
    tensors = sets_of(table, kind, orders, sets)
    cells: list[str] = []
    last: Case | None = None
    for flavour in flavours_of(kind, flavours):
        cases = [case for case in table.tiles(kind, orders) if (case, flavour) in good]
        found = best_of(cases, flavour, tensors, rounds)
        if found is None:
            cells.append("no kernel ran")
            continue
        time_ms, last = found
        error, _ = error_of(last, flavour, table.problem[0])
        cells.append(f"{table.rate(kind, time_ms):6.0f}  {last.tile:20s} {error:.3e}")
    if last is not None and len(cells) == 2 and (last, "stock") in good:
        stock, ours = (error_of(last, flavour, table.problem[0])[1] for flavour in FLAVOURS)
        cells.append(f"{(stock != ours).float().mean().item():.2%}")
    print(f"  {kind:10s} {orders}  " + "   ".join(cells), flush=True)


def measure_cublas(table: Table, sets: int) -> None:
    """Print the speed of cuBLAS with 16-bit weights."""
    import torch

    tensors = sets_of(table, "fp16", "rc", sets)
    time_ms = time_of([partial(torch.matmul, a, b, out=c) for a, b, c in tensors], 60)
    print(f"  {'cuBLAS':10s} rc  {table.rate('fp16', time_ms):6.0f}", flush=True)


def main() -> None:
    """Compile everything, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", default="large,rows16,rows64", help=", ".join(TABLES))
    parser.add_argument("--rounds", type=int, default=3, help="how often the three fastest tiles are timed again")
    parser.add_argument("--flavours", default=",".join(FLAVOURS), help="comma-separated")
    parser.add_argument("--in-turn", action="store_true", help="launch on several sets of tensors in turn (in_turn.py)")
    parser.add_argument("--compile-only", action="store_true", help="fill Triton's cache and stop")
    arguments = parser.parse_args()
    flavours = tuple(arguments.flavours.split(","))
    tables = [TABLES[name] for name in arguments.tables.split(",")]
    cells = (("fp16", "rc"), *WEIGHTS)
    jobs = [
        (case, flavour)
        for table in tables
        for kind, orders in cells
        for case in table.tiles(kind, orders)
        for flavour in flavours_of(kind, flavours)
    ]
    good = compile_all(jobs)
    if arguments.compile_only:
        return
    import torch

    sets = SETS if arguments.in_turn else 1
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    for table in tables:
        print("\n" + " x ".join(map(str, table.problem)) + f": {table.unit}, {HEADER}")
        measure_cublas(table, sets)
        for kind, orders in cells:
            measure(table, kind, orders, good, flavours, arguments.rounds, sets)


if __name__ == "__main__":
    main()
