"""GEMM in all memory orders: stock Triton against dotload, the best tile of one list for each, in one run.

    python bench/gemm_orders.py                     # fp8, int8 and tf32, the table of the README
    python bench/gemm_orders.py --kinds fp8 --size 4096 --rounds 1
    python bench/gemm_orders.py --decode            # few rows of A against an 8192 x 8192 B
    python bench/gemm_orders.py --descriptors       # operands through tensor descriptors (TMA)

Every kernel of the list is compiled for both (in parallel, before anything is timed), checked against float64 at a
smaller size and timed once; the three fastest of each cell are then timed again in turn, and the best median counts.
Quote ratios within a run: the clocks of a GPU under load vary between runs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import gemm
import scheduled_copies
import triton
from compile_jobs import compile_all
from gemm import Case

import dotload
from dotload.plugin.nvidia import LOOPS, PIPELINES, STAGING

Cell = tuple[str, str, str]
"""(kind, orders, flavour)"""

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


def measure(case: Case, flavour: str, problem: tuple[int, int, int], milliseconds: int) -> float:
    """TFLOP/s of one kernel."""
    a, b, c = inputs(case, problem)
    kernel = compile_case(case, flavour)
    time_ms = triton.testing.do_bench(
        lambda: case.launch(kernel, a, b, c), warmup=5, rep=milliseconds, return_mode="median"
    )
    m, n, k = problem
    return 2 * m * n * k / time_ms / 1e9


_inputs: dict[tuple[str, str, tuple[int, int, int]], tuple[object, object, object]] = {}


def inputs(case: Case, problem: tuple[int, int, int]) -> tuple[object, object, object]:
    """The tensors of a problem, kept while the kind stays the same."""
    key = (case.kind, case.orders, problem)
    if key not in _inputs:
        if any(kept[0] != case.kind for kept in _inputs):
            _inputs.clear()
        _inputs[key] = gemm.tensors(case.kind, case.orders, *problem)
    return _inputs[key]


def check(case: Case, flavour: str, problem: tuple[int, int, int]) -> float:
    """Relative error at a size where float64 is fast."""
    small = (max(case.block_m, min(problem[0], 1024)), 1024, 1024)
    a, b, c = gemm.tensors(case.kind, case.orders, *small, seed=1)
    case.launch(compile_case(case, flavour), a, b, c)
    return gemm.relative_error(a, b, c)


def run_cell(cases: list[Case], flavour: str, problem: tuple[int, int, int], keep: int) -> list[tuple[float, Case]]:
    """The fastest few kernels of a cell by a quick measurement."""
    timed: list[tuple[float, Case]] = []
    for case in cases:
        try:
            timed.append((measure(case, flavour, problem, 12), case))
        except triton.runtime.errors.OutOfResources:
            continue
    return sorted(timed, key=lambda item: item[0], reverse=True)[:keep]


def table(
    kinds: list[str],
    sizes: dict[str, tuple[int, int, int]],
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
                cells[kind, orders, flavour] = [replace(case, descriptors=descriptors) for case in listed]
    jobs = [(case, cell[2]) for cell, cases in cells.items() for case in cases]
    good = compile_all(jobs, compile_case)
    if compile_only:
        return
    for kind in kinds:
        mine = {cell: cases for cell, cases in cells.items() if cell[0] == kind}
        finalists = {
            cell: run_cell([case for case in cases if (case, cell[2]) in good], cell[2], sizes[kind], 3)
            for cell, cases in mine.items()
        }
        results: dict[tuple[Cell, Case], list[float]] = {}
        for _ in range(rounds):
            for cell, best in finalists.items():
                for _, case in best:
                    results.setdefault((cell, case), []).append(measure(case, cell[2], sizes[kind], 60))
        print_kind(kind, sizes[kind], finalists, results)


def print_kind(
    kind: str,
    problem: tuple[int, int, int],
    finalists: dict[Cell, list[tuple[float, Case]]],
    results: dict[tuple[Cell, Case], list[float]],
) -> None:
    """One kind's rows: TFLOP/s, share of the K-major speed, tile, error."""
    reference = 0.0
    print(f"\n{kind} {'x'.join(map(str, problem))}   TFLOP/s   of K-major   tile   relative error")
    for cell, best in finalists.items():
        if not best:
            print(f"  {cell[1]} {cell[2]:8s} no kernel ran")
            continue
        speed, case = max(
            ((statistics.median(results[cell, case]), case) for _, case in best), key=lambda item: item[0]
        )
        reference = reference or speed
        error = check(case, cell[2], problem)
        print(
            f"  {cell[1]} {cell[2]:8s} {speed:8.0f} {speed / reference:10.2f}   {case.tile:22s} {error:.2e}", flush=True
        )


def main() -> None:
    """Read the command line, print the machine, then the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default="fp8,int8,tf32", help=f"comma-separated: {', '.join(gemm.KINDS)}")
    parser.add_argument("--size", type=int, help="M = N = K (default 8192, tf32 4096)")
    parser.add_argument("--rounds", type=int, default=3, help="how often the finalists are timed in turn")
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
