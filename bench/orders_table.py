"""A table of GEMMs in all memory orders, stock Triton against dotload, the best of a list of tiles for each cell."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import gemm
import triton
from best_tile import best_of_each
from compile_jobs import compile_all, compiled
from gemm import Case

import dotload

FLAVOURS = ("stock", "dotload")

Tiles = Callable[[str, str], Iterable[Case]]
"""The cases to choose from, for an element type and a pair of memory orders."""


@cache
def handle_of(case: Case, flavour: str) -> Any:
    """The compiled kernel, looked up once a process."""
    return compiled(case, flavour)


@dataclass(frozen=True)
class Problem:
    """m = n = k = size, its tensors, and who compiled the kernel."""

    size: int
    tensors: tuple[Any, Any, Any]
    flavour: str

    @property
    def flops(self) -> int:
        """Of one launch."""
        return 2 * self.size**3

    def launch(self, case: Case) -> None:
        """Once, with a tile."""
        case.launch(handle_of(case, self.flavour), *self.tensors)


def error_of(case: Case, flavour: str) -> float:
    """Relative to float64, at a size that it manages quickly."""
    tensors = gemm.tensors(case.kind, case.orders, 512, 512, 1024, seed=1)
    case.launch(handle_of(case, flavour), *tensors)
    return gemm.relative_error(*tensors)


def print_tables(tables: dict[str, Tiles], doc: str) -> None:
    """Compile the kernels of all tables and print, for each, a line per type, order and flavour.

    `doc`: the benchmark's documentation, for `--help`.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--kinds", default="fp8,int8", help="comma-separated")
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--rounds", type=int, default=2, help="ten launches of the three fastest tiles a round")
    arguments = parser.parse_args()
    kinds = arguments.kinds.split(",")
    cases = [
        case for tiles in tables.values() for kind in kinds for orders in gemm.ORDERS for case in tiles(kind, orders)
    ]
    good = compile_all([(case, flavour) for case in cases for flavour in FLAVOURS])
    import torch

    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    for title, tiles in tables.items():
        print(f"{title}, {arguments.size}^3: TFLOP/s, best tile, relative error")
        for kind in kinds:
            problems: dict[tuple[str, str], tuple[Problem, list[Case]]] = {}
            for orders in gemm.ORDERS:
                tensors = gemm.tensors(kind, orders, *[arguments.size] * 3)
                for flavour in FLAVOURS:
                    fitting = [case for case in tiles(kind, orders) if (case, flavour) in good]
                    problems[orders, flavour] = Problem(arguments.size, tensors, flavour), fitting
            for (orders, flavour), (speed, case) in best_of_each(problems, arguments.rounds).items():
                name, error = f"{kind} {orders[0]} x {orders[1]}", error_of(case, flavour)
                print(f"  {name:12s} {flavour:8s} {speed:6.0f}  {case.tile:22s} {error:.3e}", flush=True)
