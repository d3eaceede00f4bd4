"""The three products of a linear layer in training, fp8: stock Triton, dotload, and cuBLAS.

    python bench/training_gemms.py                       # the MLP of an 8B model, 8192 and 512 rows
    python bench/training_gemms.py --rows 8192 --rounds 1

    forward  y  = x @ w.T    [rows, hidden] x [hidden, inner]     K-major as the tensors lie
    dgrad    dx = dy @ w     [rows, inner] x [inner, hidden]      w is row-major
    wgrad    dw = dy.T @ x   [inner, rows] x [rows, hidden]       dy.T is column-major, x row-major

cuBLAS (torch._scaled_mm) takes K-major fp8 only. "K-major" is its time with operands that are already K-major;
"transposing" adds the copies that a user must make first, of w for dgrad and of dy and x for wgrad. Triton's kernels
get the best of the tile list of gemm_orders.py, each checked against float64 at a smaller size.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import gemm
import triton
from compile_jobs import compile_all
from gemm_orders import check, compile_case, measure, run_cell

HIDDEN, INNER = 4096, 14336
FLAVOURS = ("stock", "dotload")
QUICK_ROUNDS, MILLISECONDS = 3, 60
LARGEST_ERROR = 1e-2
"""The largest relative error of the whole, in the 2-norm; outputs are fp16."""


@dataclass(frozen=True)
class Product:
    """One product of the layer: its name, the memory orders of its operands, and its size."""

    name: str
    orders: str
    m: int
    n: int
    k: int

    @property
    def size(self) -> tuple[int, int, int]:
        """m, n and k."""
        return self.m, self.n, self.k

    @property
    def flops(self) -> int:
        """Operations of one launch."""
        return 2 * self.m * self.n * self.k


def products(rows: int) -> list[Product]:
    """Forward, dgrad and wgrad of the layer from HIDDEN to INNER."""
    return [
        Product("forward", "rc", rows, INNER, HIDDEN),
        Product("dgrad", "rr", rows, HIDDEN, INNER),
        Product("wgrad", "cr", INNER, HIDDEN, rows),
    ]


def best_of_triton(product: Product, flavour: str, rounds: int) -> float:
    """TFLOP/s of the fastest tile."""
    good = compile_all([(case, flavour) for case in gemm.tiles("fp8", product.orders)], compile_case)
    finalists = run_cell([case for case, _ in good], flavour, product.size, QUICK_ROUNDS)
    right = [case for _, case in finalists if check(case, flavour, product.size) < LARGEST_ERROR]
    return max(
        statistics.median(measure(case, flavour, product.size, MILLISECONDS) for _ in range(rounds)) for case in right
    )


def of_cublas(product: Product, rounds: int, *, transposing: bool) -> float:
    """TFLOP/s of torch._scaled_mm; `transposing`: from the tensors as stored, copied K-major first."""
    import torch

    a, b, _ = gemm.tensors("fp8", product.orders if transposing else "rc", *product.size)
    one = torch.ones((), device="cuda")

    def call() -> Any:
        left, right = a.contiguous(), b.T.contiguous().T  # no copy of K-major operands
        return torch._scaled_mm(left, right, one, one, out_dtype=torch.bfloat16)

    return product.flops / statistics.median(_milliseconds(call) for _ in range(rounds)) / 1e9


def _milliseconds(call: Callable[[], Any]) -> float:
    return triton.testing.do_bench(call, warmup=5, rep=MILLISECONDS, return_mode="median")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[8192, 512], help="tokens of a batch")
    parser.add_argument("--rounds", type=int, default=3, help="measurements, of which the median counts")
    options = parser.parse_args()
    print("| rows | product | stock | dotload | cuBLAS, transposing | cuBLAS, K-major |\n|--:|---|--:|--:|--:|--:|")
    for rows in options.rows:
        for product in products(rows):
            numbers = [
                *(best_of_triton(product, flavour, options.rounds) for flavour in FLAVOURS),
                *(of_cublas(product, options.rounds, transposing=transposing) for transposing in (True, False)),
            ]
            cells = " | ".join(f"{number:.0f}" for number in numbers)
            print(f"| {rows} | {product.name}, {'x'.join(map(str, product.size))} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
