"""fp8 products scaled per block before accumulation, stock Triton against dotload.

    python bench/scaled_products.py [--size 4096] [--rounds 3] [--wrap]

Each 128 columns of a row of A, and each 128 x 128 block of B, have their own scale, as in training and serving with fp8
weights: acc += (A B) * scale_a * scale_b once per 128 of K. Each flavour gets the best of the same tile list.
`--wrap`: columns are taken modulo N, as in SGLang and torchao, so that no compiler sees that a tile's scales of B are
all the same.
"""

from __future__ import annotations

import argparse
from functools import partial

import triton
import triton.language as tl
from ahead_of_time import source
from several_products import Problem, Tile, matrix, relative_error, report, unit_strides
from triton.compiler.compiler import ASTSource

import dotload

GROUP = 128
"""Elements of K, and of N, per scale."""


@triton.jit
def scaled(
    a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
    WRAP: tl.constexpr = False,
):  # fmt: skip
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    first_m = tl.program_id(0) // (8 * tiles_n) * 8
    height = min(tiles_m - first_m, 8)
    tile_m = first_m + tl.program_id(0) % (8 * tiles_n) % height
    tile_n = tl.program_id(0) % (8 * tiles_n) // height
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    if WRAP:
        columns = columns % N
    k = tl.arange(0, BLOCK_K)
    a_tile = a_ptr + rows[:, None] * stride_am + k[None, :] * stride_ak
    b_tile = b_ptr + k[:, None] * stride_bk + columns[None, :] * stride_bn
    a_scales = a_scale_ptr + rows * (K // GROUP)
    b_scales = b_scale_ptr + columns // GROUP * (K // GROUP)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for done in range(0, K, BLOCK_K):
        group = done // GROUP
        part = tl.dot(tl.load(a_tile), tl.load(b_tile))
        acc += part * tl.load(a_scales + group)[:, None] * tl.load(b_scales + group)[None, :]
        a_tile += BLOCK_K * stride_ak
        b_tile += BLOCK_K * stride_bk
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(c_ptr.dtype.element_ty))


def scaled_source(orders: str, tile: Tile, wrap: bool = False) -> ASTSource:
    """The source for triton.compile."""
    types = {"a_ptr": "*fp8e4nv", "b_ptr": "*fp8e4nv", "c_ptr": "*bf16", "a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"}
    return source(scaled, types, tile.blocks | unit_strides(orders) | {"GROUP": GROUP, "WRAP": wrap})


def problem(orders: str, size: int, wrap: bool = False, columns: int | None = None) -> Problem:
    """A problem with random scales, square unless B has another number of columns."""
    import torch

    n = columns or size
    a, b = matrix(size, size, orders[0], "fp8"), matrix(size, n, orders[1], "fp8")
    groups, column_groups = size // GROUP, triton.cdiv(n, GROUP)
    a_scale = torch.rand(size, groups, device="cuda") + 0.5
    b_scale = torch.rand(column_groups, groups, device="cuda") + 0.5
    c = torch.empty(size, n, device="cuda", dtype=torch.bfloat16)
    shapes = ((128, 128, 8), (128, 128, 4), (64, 256, 8), (64, 128, 4), (128, 64, 4), (64, 64, 4), (128, 256, 8))
    tiles = [Tile(m, n, k, warps, stages) for m, n, warps in shapes for k in (64, 128) for stages in (3, 4)]

    sizes = {"M": size, "N": n, "K": size}
    pointers = {"a_ptr": a, "b_ptr": b, "c_ptr": c, "a_scale_ptr": a_scale, "b_scale_ptr": b_scale}

    def constants(tile: Tile) -> dict[str, int]:
        return tile.blocks | {"GROUP": GROUP, "WRAP": wrap}

    def programs(tile: Tile) -> tuple[int, int]:
        return triton.cdiv(size, tile.block_m) * triton.cdiv(n, tile.block_n), 1

    def error() -> float:
        rows, weights = a[:256].double(), b.double()
        rows = (rows.view(256, groups, GROUP) * a_scale[:256, :, None]).view(256, size)
        scales = b_scale.double().T.repeat_interleave(GROUP, 0).repeat_interleave(GROUP, 1)
        weights *= scales[:, :n]
        return relative_error(c[:256], rows @ weights)

    made = partial(scaled_source, orders, wrap=wrap)
    strides = dict(zip(("stride_am", "stride_ak", "stride_bk", "stride_bn"), (*a.stride(), *b.stride()), strict=True))
    return Problem(scaled, made, tiles, pointers | sizes | strides, constants, programs, 2 * size * size * n, error)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--orders", default="rc,rr,cr,cc", help="comma-separated: of A, then of B")
    parser.add_argument("--wrap", action="store_true", help="take columns modulo N")
    arguments = parser.parse_args()
    import torch

    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    print(f"Scaled by block, fp8, {arguments.size}^3{', columns modulo N' if arguments.wrap else ''}")
    print(f"  {'':18s} {'':8s}  TFLOP/s   of stock   tile                 relative error")
    named = {f"{orders[0]} x {orders[1]}": orders for orders in arguments.orders.split(",")}
    report({name: problem(orders, arguments.size, arguments.wrap) for name, orders in named.items()}, arguments.rounds)


if __name__ == "__main__":
    main()
