"""A Gluon GEMM that loads both operands straight in mma.sync's operand layout: stock Triton against dotload.

python bench/gluon_dot_loads.py                 # 4096 x 4096 x 4096, fp16, row-major and column-major B
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import triton
from best_tile import best_of_each
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import mma_v2

import dotload

SIZE = 4096
Tile = tuple[int, int, int, int]
TILES: list[Tile] = [
    (64, 64, 32, 4),
    (128, 64, 32, 4),
    (64, 128, 32, 4),
    (128, 128, 32, 4),
    (128, 128, 32, 8),
    (128, 128, 64, 8),
]


@gluon.jit
def matmul(
    a_ptr, b_ptr, c_ptr, K, stride_am, stride_bk, stride_bn, stride_cm,
    BLOCK_M: gl.constexpr, BLOCK_N: gl.constexpr, BLOCK_K: gl.constexpr, WARPS_M: gl.constexpr, WARPS_N: gl.constexpr,
):  # fmt: skip
    mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [WARPS_M, WARPS_N], [16, 8])
    a_layout: gl.constexpr = gl.DotOperandLayout(0, mma, 2)
    b_layout: gl.constexpr = gl.DotOperandLayout(1, mma, 2)
    pid_m = gl.program_id(0)
    pid_n = gl.program_id(1)
    a_rows = pid_m * BLOCK_M + gl.arange(0, BLOCK_M, gl.SliceLayout(1, a_layout))
    a_inner = gl.arange(0, BLOCK_K, gl.SliceLayout(0, a_layout))
    b_inner = gl.arange(0, BLOCK_K, gl.SliceLayout(1, b_layout))
    b_columns = pid_n * BLOCK_N + gl.arange(0, BLOCK_N, gl.SliceLayout(0, b_layout))
    a = a_ptr + a_rows[:, None] * stride_am + a_inner[None, :]
    b = b_ptr + b_inner[:, None] * stride_bk + b_columns[None, :] * stride_bn
    acc = gl.zeros([BLOCK_M, BLOCK_N], gl.float32, mma)
    for _ in range(0, K, BLOCK_K):
        acc = mma_v2(gl.load(a), gl.load(b), acc)
        a += BLOCK_K
        b += BLOCK_K * stride_bk
    rows = pid_m * BLOCK_M + gl.arange(0, BLOCK_M, gl.SliceLayout(1, mma))
    columns = pid_n * BLOCK_N + gl.arange(0, BLOCK_N, gl.SliceLayout(0, mma))
    gl.store(c_ptr + rows[:, None] * stride_cm + columns[None, :], acc.to(gl.float16))


@dataclass(frozen=True)
class Product:
    """C = A B by kernels of one flavour."""

    a: Any
    b: Any
    c: Any
    flavour: str
    flops: int = 2 * SIZE**3

    def launch(self, tile: Tile) -> None:
        """Once."""
        block_m, block_n, block_k, warps = tile
        grid = (SIZE // block_m, SIZE // block_n, 1)
        arguments = (self.a, self.b, self.c, SIZE, self.a.stride(0), *self.b.stride(), self.c.stride(0))
        constants = (block_m, block_n, block_k, warps // 2, 2)
        key = (self.flavour, self.b.stride(), tile)
        if key not in compiled:
            with dotload.enabled() if self.flavour == "dotload" else nullcontext():
                compiled[key] = matmul.warmup(*arguments, *constants, num_warps=warps, grid=grid)
        compiled[key][grid](*arguments, *constants)


compiled: dict[Any, Any] = {}
"""Compiled kernels by flavour, strides of B and tile."""


def main() -> None:
    """Print the table."""
    import torch

    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    print(f"Gluon, fp16, {SIZE}^3, operands loaded in mma.sync's layout   TFLOP/s   of stock   tile   relative error")
    a, stored = (torch.randn(SIZE, SIZE, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty(SIZE, SIZE, device="cuda", dtype=torch.float16)
    for order, b in (("row-major B", stored), ("column-major B", stored.T)):
        reference = a.double() @ b.double()
        products = {flavour: Product(a, b, c, flavour) for flavour in ("stock", "dotload")}
        best = best_of_each({flavour: (product, TILES) for flavour, product in products.items()}, rounds=3)
        for flavour, (speed, tile) in best.items():
            c.fill_(123)
            products[flavour].launch(tile)
            error = ((c.double() - reference).norm() / reference.norm()).item()
            share, size = speed / best["stock"][0], "x".join(map(str, tile[:3]))
            print(f"  {order:15s} {flavour:8s} {speed:8.0f} {share:8.2f}   {size} w{tile[3]}   {error:.2e}")


if __name__ == "__main__":
    main()
