"""The three products of a linear layer in training, fp8: stock Triton, dotload, and cuBLAS.

    python bench/training_gemms.py                       # the MLP of an 8B model, 8192 and 512 rows
    python bench/training_gemms.py --rows 8192 --rounds 1

    forward  y  = x @ w.T    [rows, hidden] x [hidden, inner]     K-major as the tensors lie
    dgrad    dx = dy @ w     [rows, inner] x [inner, hidden]      w is row-major
    wgrad    dw = dy.T @ x   [inner, rows] x [rows, hidden]       dy.T is column-major, x row-major

cuBLAS (torch._scaled_mm) takes K-major fp8 only. "K-major" is its time with operands that are already K-major;
"transposing" adds the copies that a user must make first, of w for dgrad and of dy and x for wgrad. Triton's kernels
get the best of the tile list of gemm_orders.py, each checked against float64 at a smaller size. All are launched in
turn.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import gemm
from best_tile import best_of_each, finalists
from compile_jobs import compile_all
from gemm import Case
from gemm_orders import Cell, check, compile_case, inputs

HIDDEN, INNER = 4096, 14336
FLAVOURS = ("stock", "dotload")
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


def tiles_of_triton(product: Product, flavour: str) -> list[Case]:
    """The tiles that compile, without those among the fastest whose results are wrong."""
    cell = Cell("fp8", product.orders, flavour, product.size)
    good = [
        case for case, _ in compile_all([(case, flavour) for case in gemm.tiles("fp8", product.orders)], compile_case)
    ]
    return [case for case in finalists(cell, good) if check(case, flavour, product.size) < LARGEST_ERROR]


@dataclass(frozen=True)
class Cublas:
    """torch._scaled_mm; `transposing`: from the tensors as stored, copied K-major first."""

    product: Product
    transposing: bool

    @property
    def flops(self) -> int:
        """Operations of one launch."""
        return self.product.flops

    def launch(self, _: Any) -> None:
        """Once. There is no choice of tile."""
        import torch

        a, b, _ = inputs("fp8", self.product.orders if self.transposing else "rc", self.product.size)
        left, right = a.contiguous(), b.T.contiguous().T  # no copy of K-major operands
        torch._scaled_mm(left, right, one(), one(), out_dtype=torch.bfloat16)


@cache
def one() -> Any:
    """The scale."""
    import torch

    return torch.ones((), device="cuda")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[8192, 512], help="tokens of a batch")
    parser.add_argument("--rounds", type=int, default=3, help="ten launches of each a round")
    options = parser.parse_args()
    print("| rows | product | stock | dotload | cuBLAS, transposing | cuBLAS, K-major |\n|--:|---|--:|--:|--:|--:|")
    for rows in options.rows:
        for product in products(rows):
            inputs.cache_clear()
            problems: dict[str, tuple[Any, list[Any]]] = {
                flavour: (Cell("fp8", product.orders, flavour, product.size), tiles_of_triton(product, flavour))
                for flavour in FLAVOURS
            }
            for name, transposing in (("transposing", True), ("K-major", False)):
                problems[name] = Cublas(product, transposing), [None]
            cells = " | ".join(f"{speed:.0f}" for speed, _ in best_of_each(problems, options.rounds).values())
            print(f"| {rows} | {product.name}, {'x'.join(map(str, product.size))} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
