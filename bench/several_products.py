"""Kernels in which several products read one tile, stock Triton against dotload.

    python bench/several_products.py [--size 4096] [--sequence 4096] [--rounds 3]

Gated: silu(A B) * (A D), as in a gated MLP, with both products in one loop; in the order r x c, dotload has nothing to
do. Latent: attention whose V is K, as in multi-head latent attention: Q K^T needs the tile of K as it lies in memory, P
K needs it transposed. Each flavour gets the best of the same tile list.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import triton
import triton.language as tl
from ahead_of_time import source
from best_tile import best_of_each
from compile_jobs import compile_all, compiled
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource

import dotload

HEADS, HEAD = 16, 128
FLAVOURS = ("stock", "dotload")
POINTERS = {"fp8": ("*fp8e4nv", "*fp16"), "tf32": ("*fp32", "*fp32")}
"""Kind -> pointer types of inputs and results."""


@triton.jit
def gated(
    a_ptr, b_ptr, d_ptr, c_ptr, N, K, stride_am, stride_ak, stride_bk, stride_bn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_tile = a_ptr + rows[:, None] * stride_am + k[None, :] * stride_ak
    b_tile = k[:, None] * stride_bk + columns[None, :] * stride_bn
    gate = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        a = tl.load(a_tile)
        gate = tl.dot(a, tl.load(b_ptr + b_tile), gate)
        acc = tl.dot(a, tl.load(d_ptr + b_tile), acc)
        a_tile += BLOCK_K * stride_ak
        b_tile += BLOCK_K * stride_bk
    c = gate * tl.sigmoid(gate) * acc
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], c.to(c_ptr.dtype.element_ty))


@triton.jit
def latent(q_ptr, k_ptr, o_ptr, scale, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns, dims = tl.arange(0, BLOCK_N), tl.arange(0, D)
    start = tl.program_id(1) * N * D
    q = tl.load(q_ptr + start + rows[:, None] * D + dims[None, :])
    k_tile = k_ptr + start + columns[:, None] * D + dims[None, :]
    best = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for _ in range(0, N, BLOCK_N):
        k = tl.load(k_tile)
        scores = tl.dot(q, k.T) * scale
        new_best = tl.maximum(best, tl.max(scores, 1))
        p = tl.math.exp2(scores - new_best[:, None])
        correction = tl.math.exp2(best - new_best)
        total = total * correction + tl.sum(p, 1)
        acc = tl.dot(p.to(k.dtype), k, acc * correction[:, None])
        best = new_best
        k_tile += BLOCK_N * D
    o = acc / total[:, None]
    tl.store(o_ptr + start + rows[:, None] * D + dims[None, :], o.to(o_ptr.dtype.element_ty))


@dataclass(frozen=True)
class Tile:
    """Launch parameters; `block_k` is for products that loop over it."""

    block_m: int
    block_n: int
    block_k: int
    num_warps: int
    num_stages: int

    def __str__(self) -> str:
        depth = f"x{self.block_k}" if self.block_k else ""
        return f"{self.block_m}x{self.block_n}{depth} w{self.num_warps} s{self.num_stages}"

    @property
    def options(self) -> dict[str, int]:
        """The launch options besides the kernel's own constants."""
        return {"num_warps": self.num_warps, "num_stages": self.num_stages}

    @property
    def blocks(self) -> dict[str, int]:
        """The kernel's own constants."""
        return {"BLOCK_M": self.block_m, "BLOCK_N": self.block_n, "BLOCK_K": self.block_k}


@dataclass(frozen=True)
class Problem:
    """A launch: the kernel, its arguments by name, and per tile its constants and the programs of its grid.

    `source`: what triton.compile takes, without the GPU's tensors, so that other processes can compile it. `flops`:
    operations of one launch. `error`: the error of the result, relative to float64.
    """

    kernel: Any
    source: Callable[[Tile], ASTSource]
    tiles: Sequence[Tile]
    arguments: Mapping[str, Any]
    constants: Callable[[Tile], Mapping[str, Any]]
    programs: Callable[[Tile], tuple[int, int]]
    flops: int
    error: Callable[[], float]

    def launch(self, tile: Tile) -> Any:
        """Compile and launch; returns the compiled kernel."""
        return self.kernel[self.programs(tile)](**self.arguments, **self.constants(tile), **tile.options)

    def run(self, tile: Tile, handle: Any) -> None:
        """Launch a compiled kernel."""
        values = {**self.arguments, **self.constants(tile)}
        handle[(*self.programs(tile), 1)](*(values[name] for name in self.kernel.arg_names))


def matrix(rows: int, columns: int, order: str, kind: str) -> Any:
    """Random numbers, "r"ow- or "c"olumn-major."""
    import torch

    shape = (rows, columns) if order == "r" else (columns, rows)
    stored = torch.randn(shape, device="cuda").to({"fp8": torch.float8_e4m3fn, "tf32": torch.float32}[kind])
    return stored if order == "r" else stored.T


def relative_error(found: Any, wanted: Any) -> float:
    """Relative error of the whole, in the 2-norm."""
    return ((found.double() - wanted).norm() / wanted.norm()).item()


def strides(orders: str, size: int) -> dict[str, int]:
    """Strides of A and of B, which are square."""
    (am, ak), (bk, bn) = ((size, 1) if order == "r" else (1, size) for order in orders)
    return {"stride_am": am, "stride_ak": ak, "stride_bk": bk, "stride_bn": bn}


def unit_strides(orders: str) -> dict[str, int]:
    """The strides that are 1, which Triton makes constants."""
    return {name: stride for name, stride in strides(orders, 2).items() if stride == 1}


def gated_source(kind: str, orders: str, tile: Tile) -> ASTSource:
    """What triton.compile takes."""
    inputs, output = POINTERS[kind]
    types = dict.fromkeys(("a_ptr", "b_ptr", "d_ptr"), inputs) | {"c_ptr": output}
    return source(gated, types, tile.blocks | unit_strides(orders))


def gated_problem(kind: str, orders: str, size: int) -> Problem:
    """A gated product; both weights are in the order of B."""
    import torch

    a, b, d = (matrix(size, size, order, kind) for order in (orders[0], orders[1], orders[1]))
    c = torch.empty(size, size, device="cuda", dtype=torch.float16 if kind == "fp8" else torch.float32)
    depths = (64, 128) if kind == "fp8" else (32,)
    shapes = ((128, 128, 8), (64, 256, 8), (256, 64, 8), (128, 64, 4), (64, 128, 4), (128, 128, 4))
    tiles = [Tile(m, n, k, warps, stages) for m, n, warps in shapes for k in depths for stages in (3, 4)]
    arguments = {"a_ptr": a, "b_ptr": b, "d_ptr": d, "c_ptr": c, "N": size, "K": size, **strides(orders, size)}

    def programs(tile: Tile) -> tuple[int, int]:
        return size // tile.block_m, size // tile.block_n

    def error() -> float:
        rows = a[:256].double()
        gate = rows @ b.double()
        return relative_error(c[:256], gate * torch.sigmoid(gate) * (rows @ d.double()))

    made = partial(gated_source, kind, orders)
    return Problem(gated, made, tiles, arguments, lambda tile: tile.blocks, programs, 4 * size**3, error)


LATENT_TILES = [
    Tile(m, n, 0, warps, stages)
    for m, warps in ((64, 4), (128, 4), (128, 8))
    for n in (32, 64, 128)
    for stages in (2, 3, 4)
]


def latent_constants(tile: Tile) -> dict[str, int]:
    """The kernel's own constants."""
    return {"BLOCK_M": tile.block_m, "BLOCK_N": tile.block_n, "D": HEAD}


def latent_source(kind: str, tile: Tile) -> ASTSource:
    """What triton.compile takes."""
    inputs, output = POINTERS[kind]
    types = dict.fromkeys(("q_ptr", "k_ptr"), inputs) | {"o_ptr": output, "scale": "fp32"}
    return source(latent, types, latent_constants(tile), any_number=("scale",))


def latent_problem(kind: str, sequence: int) -> Problem:
    """Latent attention; rows of Q and of K are contiguous, head by head."""
    import torch

    q, k = (matrix(HEADS * sequence, HEAD, "r", kind) for _ in range(2))
    o = torch.empty(q.shape, device="cuda", dtype=torch.float16 if kind == "fp8" else torch.float32)
    arguments = {"q_ptr": q, "k_ptr": k, "o_ptr": o, "scale": HEAD**-0.5 * 1.44269504, "N": sequence}

    def programs(tile: Tile) -> tuple[int, int]:
        return sequence // tile.block_m, HEADS

    def error() -> float:
        first = k[:sequence].double()
        scores = q[:sequence].double() @ first.T * HEAD**-0.5
        return relative_error(o[:sequence], torch.softmax(scores, -1) @ first)

    made, flops = partial(latent_source, kind), 4 * HEADS * sequence**2 * HEAD
    return Problem(latent, made, LATENT_TILES, arguments, latent_constants, programs, flops, error)


@dataclass(frozen=True)
class Kernel:
    """What triton.compile takes for a tile, and the tile."""

    source: Callable[[Tile], ASTSource]
    tile: Tile

    def compile(self) -> Any:
        """The compiled kernel."""
        return triton.compile(self.source(self.tile), target=GPUTarget("cuda", 90, 32), options=self.tile.options)


@dataclass(frozen=True, eq=False)
class Flavoured:
    """A problem whose kernels are compiled with dotload or without."""

    problem: Problem
    flavour: str

    @property
    def flops(self) -> int:
        """Operations of one launch."""
        return self.problem.flops

    def launch(self, kernel: Kernel) -> None:
        """Launch once."""
        self.problem.run(kernel.tile, handle_of(kernel, self.flavour))


@cache
def handle_of(kernel: Kernel, flavour: str) -> Any:
    """The compiled kernel, looked up once a process."""
    return compiled(kernel, flavour)


def report(problems: Mapping[str, Problem], rounds: int) -> None:
    """Print a line for each problem and flavour. All are launched in turn."""
    kernels = {name: [Kernel(each.source, tile) for tile in each.tiles] for name, each in problems.items()}
    good = compile_all([(kernel, flavour) for each in kernels.values() for kernel in each for flavour in FLAVOURS])
    cells = {(name, flavour): Flavoured(each, flavour) for name, each in problems.items() for flavour in FLAVOURS}
    fitting = {key: (cell, [each for each in kernels[key[0]] if (each, key[1]) in good]) for key, cell in cells.items()}
    best = best_of_each(fitting, rounds)
    for (name, flavour), (speed, kernel) in best.items():
        cell, share = cells[name, flavour], speed / best[name, "stock"][0]
        cell.launch(kernel)
        row = f"{speed:8.0f} {share:10.2f}   {kernel.tile!s:20s} {cell.problem.error():.2e}"
        print(f"  {name:18s} {flavour:8s} {row}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--sequence", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--orders", default="rc,rr,cr,cc", help="comma-separated: of A, then of B")
    parser.add_argument("--kinds", default=",".join(POINTERS), help="comma-separated")
    arguments = parser.parse_args()
    import torch

    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    print(f"Gated, {arguments.size}^3; latent, {HEADS} heads x {arguments.sequence} x {HEAD}")
    print(f"  {'':18s} {'':8s}  TFLOP/s   of stock   tile                 relative error")
    for kind in arguments.kinds.split(","):
        named = {
            f"gated {kind} {orders[0]} x {orders[1]}": orders for orders in filter(None, arguments.orders.split(","))
        }
        problems = {name: gated_problem(kind, orders, arguments.size) for name, orders in named.items()}
        report(problems, arguments.rounds)
        report({f"latent {kind}": latent_problem(kind, arguments.sequence)}, arguments.rounds)


if __name__ == "__main__":
    main()
