"""GEMM in all memory orders: stock Triton against dotload, the best tile of one list for each, in one run.

    python bench/gemm_orders.py                     # fp8, int8 and tf32, the table of the README
    python bench/gemm_orders.py --kinds fp8 --size 4096 --rounds 1
    python bench/gemm_orders.py --decode            # few rows of A against an 8192 x 8192 B
    python bench/gemm_orders.py --descriptors       # operands through tensor descriptors (TMA)

Every kernel of the list is compiled for both (in parallel, before anything is timed) and timed once. The three fastest
of each cell are then launched in turn (in_turn.py), and the best median counts. Its result is compared with float64 at
a smaller size. Quote ratios within a run: the clocks of a GPU under load vary between runs.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import gemm
import scheduled_copies
import triton
from best_tile import best_of_each
from compile_jobs import compile_all
from gemm import Case

import dotload
from dotload.plugin.nvidia import LOOPS, PIPELINES, STAGING

Shape = tuple[int, int, int]
"""m, n and k"""

READS = {"convert-staged-operands-to-llvm": "", "lower-staged-reads": "{partitions-only=false}"}
"""The passes that read staged tiles, and the option with which each reads all of them."""


def pipeline(read_by: str) -> tuple[str, ...]:
    """dotload's passes, with one of the two that read staged tiles."""
    loops = [name for name in LOOPS.split(",") if name not in READS or name == read_by]
    return (*STAGING.split(","), *(name + READS.get(name, "") for name in loops))


def scheduled() -> tuple[str, ...]:
    """dotload's passes, with K-major copies pipelined by Triton's expander instead of `pipeline-operand-copies`."""
    passes = pipeline("convert-staged-operands-to-llvm")
    return (
        *(name for name in passes if name != "pipeline-operand-copies"),
        scheduled_copies.ScheduleOperandCopiesPass.name,
    )


FLAVOURS: dict[str, tuple[str, ...] | None] = {
    "stock": None,
    "dotload": tuple(name for placed in PIPELINES for name in placed.passes),
    "llvm": pipeline("convert-staged-operands-to-llvm"),
    "ttgir": pipeline("lower-staged-reads"),
    "scheduled": scheduled(),
}
"""Flavour -> dotload's passes, None for none."""


def compile_case(case: Case, flavour: str) -> object:
    """The compiled kernel of one flavour."""
    passes = FLAVOURS[flavour]
    if passes is None:
        return case.compile()
    if flavour == "scheduled":
        scheduled_copies.register()
    with dotload.enabled(passes=passes):
        return case.compile()


handle_of = cache(compile_case)


@cache
def inputs(kind: str, orders: str, shape: Shape) -> tuple[Any, Any, Any]:
    """The tensors of a problem."""
    return gemm.tensors(kind, orders, *shape)


@dataclass(frozen=True)
class Cell:
    """A problem, A [m, k] by B [k, n] with `shape` (m, n, k), and who compiles its kernels."""

    kind: str
    orders: str
    flavour: str
    shape: Shape

    @property
    def flops(self) -> int:
        """Operations of one launch."""
        m, n, k = self.shape
        return 2 * m * n * k

    def launch(self, case: Case) -> None:
        """Launch once, with a tile."""
        case.launch(handle_of(case, self.flavour), *inputs(self.kind, self.orders, self.shape))


def check(case: Case, flavour: str, problem: Shape) -> float:
    """Relative error at a size where float64 is fast."""
    small = (max(case.block_m, min(problem[0], 1024)), 1024, 1024)
    a, b, c = gemm.tensors(case.kind, case.orders, *small, seed=1)
    case.launch(handle_of(case, flavour), a, b, c)
    return gemm.relative_error(a, b, c)


def table(
    kinds: list[str],
    sizes: dict[str, Shape],
    rounds: int,
    rows: tuple[int, ...],
    orders_list: list[str],
    flavours: list[str],
    *,
    descriptors: bool,
    compile_only: bool,
) -> None:
    """Measure and print every cell; K-major operands, which dotload does not change, are measured for stock only."""
    cells: dict[Cell, list[Case]] = {}
    for kind in kinds:
        for orders in orders_list:
            for flavour in flavours if orders != "rc" or gemm.KINDS[kind].weights else ("stock",):
                listed = gemm.tiles(kind, orders, rows=rows)
                cells[Cell(kind, orders, flavour, sizes[kind])] = [
                    replace(case, descriptors=descriptors) for case in listed
                ]
    good = compile_all([(case, cell.flavour) for cell, cases in cells.items() for case in cases], compile_case)
    if compile_only:
        return
    for kind in kinds:
        inputs.cache_clear()
        mine = {cell: cases for cell, cases in cells.items() if cell.kind == kind}
        print_kind({cell: [case for case in mine[cell] if (case, cell.flavour) in good] for cell in mine}, rounds)


def print_kind(cells: dict[Cell, list[Case]], rounds: int) -> None:
    """One kind's rows: TFLOP/s, share of the first row's speed, tile, error."""
    first = next(iter(cells))
    print(f"\n{first.kind} {'x'.join(map(str, first.shape))}   TFLOP/s   of K-major   tile   relative error")
    best = best_of_each({cell: (cell, cases) for cell, cases in cells.items()}, rounds)
    reference = next((speed for speed, _ in best.values()), 0.0)
    for cell in cells:
        if cell not in best:
            print(f"  {cell.orders} {cell.flavour:8s} no kernel ran")
            continue
        speed, case = best[cell]
        error, share = check(case, cell.flavour, cell.shape), speed / reference
        print(f"  {cell.orders} {cell.flavour:8s} {speed:8.0f} {share:10.2f}   {case.tile:22s} {error:.2e}", flush=True)


def main() -> None:
    """Read the command line, print the machine, then the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default="fp8,int8,tf32", help=f"comma-separated: {', '.join(gemm.KINDS)}")
    parser.add_argument("--size", type=int, help="M = N = K (default 8192, tf32 4096)")
    parser.add_argument("--rounds", type=int, default=3, help="ten launches of each finalist a round")
    parser.add_argument("--orders", default=",".join(gemm.ORDERS), help="comma-separated; rc first, for the shares")
    parser.add_argument("--flavours", default="stock,dotload", help=f"comma-separated: {', '.join(FLAVOURS)}")
    parser.add_argument("--rows", default="64,128,256", help="comma-separated: rows of the tiles that are tried")
    parser.add_argument("--decode", action="store_true", help="M = 16, 64, 128, 256 with N = K = 8192")
    parser.add_argument("--descriptors", action="store_true", help="load through tensor descriptors, not pointers")
    parser.add_argument("--compile-only", action="store_true", help="fill Triton's cache and stop")
    arguments = parser.parse_args()
    import torch

    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))

    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    kinds, orders, flavours = (text.split(",") for text in (arguments.kinds, arguments.orders, arguments.flavours))
    how = {"descriptors": arguments.descriptors, "compile_only": arguments.compile_only}
    if arguments.decode:
        for m in (16, 64, 128, 256):
            sizes, rows = dict.fromkeys(kinds, (m, 8192, 8192)), (16, 32, 64, 128)
            table(kinds, sizes, arguments.rounds, rows, orders, flavours, **how)
        return
    sizes = {kind: arguments.size or (4096 if kind == "tf32" else 8192) for kind in kinds}
    table(
        kinds,
        {kind: (size, size, size) for kind, size in sizes.items()},
        arguments.rounds,
        tuple(map(int, arguments.rows.split(","))),
        orders,
        flavours,
        **how,
    )


if __name__ == "__main__":
    main()
