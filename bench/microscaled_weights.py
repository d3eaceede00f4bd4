"""Weights in MXFP4 and MXFP8 by `tl.dot_scaled`: a scale for each group of 32 rows of a column.

Activations are bf16; with 4096 rows, MXFP8 weights are also multiplied by activations in MXFP8.

    python bench/microscaled_weights.py                  # needs an NVIDIA GPU and PyTorch
    python bench/microscaled_weights.py --only 'MXFP4'

On GPUs without scaled products, sm_80 to sm_90, Triton unpacks the weights and multiplies in 16 bits. GB/s of weights
and scales, for 16 and 64 rows against 28672 x 8192 weights; TFLOP/s for 4096 rows against 8192 x 8192. Stock Triton and
dotload each get the best of one tile list.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import triton
import triton.language as tl
from ahead_of_time import source
from best_tile import best_of_each
from compile_jobs import compile_all, compiled
from triton.backends.compiler import GPUTarget

GROUP = 32
"""Rows of weights that have one scale (OCP Microscaling Formats 1.0)."""
FORMATS = {"MXFP4": ("e2m1", "*u8", 2), "MXFP8": ("e4m3", "*fp8e4nv", 1)}
"""Triton's name, the type of pointers, and the values per byte."""
MEMORY_BOUND = 64
"""Up to this number of rows, the product is limited by reading weights."""


@triton.jit
def multiply(
    a_ptr, a_scales_ptr, b_ptr, scales_ptr, c_ptr, depth,
    a_row, a_scales_row, b_row, b_column, scales_column, c_row,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, VALUES: tl.constexpr,
    A_FORMAT: tl.constexpr, FORMAT: tl.constexpr,
):  # fmt: skip
    """C = A (B scales), A and C in bf16; or (A a_scales) (B scales)."""
    m, n = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    k, packed, groups = tl.arange(0, K), tl.arange(0, K // VALUES), tl.arange(0, K // 32)
    a_at = a_ptr + m[:, None] * a_row + k[None, :]
    b_at = b_ptr + packed[:, None] * b_row + n[None, :] * b_column
    scales_at = scales_ptr + n[:, None] * scales_column + groups[None, :]
    a_scales_at = a_scales_ptr + m[:, None] * a_scales_row + groups[None, :]
    acc = tl.zeros((M, N), tl.float32)
    for _ in range(0, depth, K):
        a, b, scales = tl.load(a_at), tl.load(b_at), tl.load(scales_at)
        if A_FORMAT == "bf16":
            acc = tl.dot_scaled(a, None, A_FORMAT, b, scales, FORMAT, acc)
        else:
            acc = tl.dot_scaled(a, tl.load(a_scales_at), A_FORMAT, b, scales, FORMAT, acc)
        a_at += K
        b_at += K // VALUES * b_row
        scales_at += K // 32
        a_scales_at += K // 32
    tl.store(c_ptr + m[:, None] * c_row + n[None, :], acc.to(c_ptr.dtype.element_ty))


@dataclass(frozen=True)
class Kernel:
    """A format, the order of the weights in memory (`c`: K contiguous), and a tile."""

    format: str
    order: str
    m: int
    n: int
    k: int
    num_warps: int = 4
    num_stages: int = 3
    a_format: str = "bf16"

    @property
    def tile(self) -> str:
        """The tile as printed in tables."""
        return f"{self.m}x{self.n}x{self.k} w{self.num_warps} s{self.num_stages}"

    @property
    def constants(self) -> dict[str, Any]:
        """The constants in order, and the stride that is 1."""
        name, _, values = FORMATS[self.format]
        tile = {"M": self.m, "N": self.n, "K": self.k, "VALUES": values, "A_FORMAT": self.a_format, "FORMAT": name}
        return {**tile, ("b_row" if self.order == "c" else "b_column"): 1}

    def compile(self, capability: int = 90) -> Any:
        """The compiled kernel, from Triton's cache if it is there."""
        a_type, b_type = "*bf16" if self.a_format == "bf16" else "*fp8e4nv", FORMATS[self.format][1]
        types = {"a_ptr": a_type, "b_ptr": b_type, "c_ptr": "*bf16", "a_scales_ptr": "*u8", "scales_ptr": "*u8"}
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages}
        made = source(multiply, types, self.constants)
        return triton.compile(made, target=GPUTarget("cuda", capability, 32), options=options)


@dataclass
class Problem:
    """Tensors of a product, and the bytes of weights and scales."""

    a: Any
    a_scales: Any
    b: Any
    scales: Any
    c: Any

    @property
    def bytes(self) -> int:
        """Bytes of weights and scales."""
        return self.b.numel() + self.scales.numel()

    @staticmethod
    def random(format_: str, order: str, rows: int, columns: int, depth: int, a_format: str = "bf16") -> Problem:
        """All byte values except NaN in MXFP8, and some scales of every size; one scale in a thousand is NaN."""
        import torch

        generator = torch.Generator(device="cuda").manual_seed(0)

        def draw(low: int, high: int, *shape: int) -> Any:
            return torch.randint(low, high, shape, device="cuda", dtype=torch.uint8, generator=generator)

        b = draw(0, 256, columns, depth // FORMATS[format_][2])
        b = b if format_ == "MXFP4" else (b & 0xF7).view(torch.float8_e4m3fn)
        scales = draw(110, 135, columns, depth // GROUP)
        scales[::1001, ::7] = 255
        scales[5::97, 1::5], scales[7::97, 2::5] = 0, 254
        a = torch.randn((rows, depth), device="cuda", generator=generator)
        a = a.bfloat16() if a_format == "bf16" else a.to(torch.float8_e4m3fn)
        a_scales = draw(118, 128, rows, depth // GROUP)
        c = torch.full((rows, columns), 7.0, device="cuda", dtype=torch.bfloat16)
        b = b if order == "c" else b.view(torch.uint8).t().contiguous().t().view(b.dtype)
        return Problem(a, a_scales, b, scales, c)

    def run(self, kernel: Kernel, handle: Any) -> None:
        """Launch a compiled kernel."""
        (rows, depth), columns = self.a.shape, self.c.shape[1]
        of_a, of_b = (self.a.stride(0), self.a_scales.stride(0)), (self.b.stride(1), self.b.stride(0))
        strides = (*of_a, *of_b, self.scales.stride(0), self.c.stride(0))
        constants = list(kernel.constants.values())[:-1]
        grid = (rows // kernel.m, columns // kernel.n, 1)
        handle[grid](self.a, self.a_scales, self.b, self.scales, self.c, depth, *strides, *constants)


def tiles(format_: str, order: str, rows: int, a_format: str = "bf16") -> Iterator[Kernel]:
    """The tiles that fit into registers and shared memory."""
    for n, k, warps, stages in product((64, 128, 256), (128, 256), (4, 8), (3, 4)):
        m = min(rows, 128)
        kernel = Kernel(format_, order, m, n, k, warps, stages, a_format)
        held = m * n // (32 * warps) <= (64 if warps == 4 else 128)
        if held and stages * (2 * m * k + n * k // FORMATS[format_][2]) <= 200 * 1024:
            yield kernel


handle_of = cache(compiled)


@dataclass(frozen=True)
class Flavoured:
    """A problem, solved with or without dotload."""

    problem: Problem
    flavour: str

    @property
    def flops(self) -> int:
        """Operations of one launch."""
        return 2 * self.problem.c.numel() * self.problem.a.shape[1]

    def launch(self, kernel: Kernel) -> None:
        """Launch once."""
        self.problem.run(kernel, handle_of(kernel, self.flavour))


SIZES = {16: (28672, 8192), 64: (28672, 8192), 4096: (8192, 8192)}
"""Rows -> columns and depth."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a part of the format's name")
    parser.add_argument("--rounds", type=int, default=2, help="ten launches of the fastest tiles a round")
    options = parser.parse_args()
    cells = [(format_, order, rows, "bf16") for format_ in FORMATS for order in "cr" for rows in SIZES]
    cells += [("MXFP8", order, 4096, "e4m3") for order in "cr"]
    cells = [cell for cell in cells if options.only in cell[0]]
    jobs = [(kernel, flavour) for cell in cells for kernel in tiles(*cell) for flavour in ("stock", "dotload")]
    good = compile_all(jobs, compiled)
    print("| weights | rows | stock | dotload | |\n|---|--:|--:|--:|--:|")
    for format_, order, rows, a_format in cells:
        problem = Problem.random(format_, order, rows, *SIZES[rows], a_format)
        flavoured = {flavour: Flavoured(problem, flavour) for flavour in ("stock", "dotload")}
        listed = list(tiles(format_, order, rows, a_format))
        found = {flavour: [each for each in listed if (each, flavour) in good] for flavour in flavoured}
        speeds = best_of_each({flavour: (flavoured[flavour], found[flavour]) for flavour in found}, options.rounds)
        per_teraflop = problem.bytes * 1e3 / flavoured["stock"].flops if rows <= MEMORY_BOUND else 1.0
        stock, dotload = (speeds[flavour][0] * per_teraflop for flavour in flavoured)
        unit = "GB/s" if rows <= MEMORY_BOUND else "TFLOP/s"
        name = f"{format_}{' x MXFP8' * (a_format != 'bf16')}, {'K contiguous' if order == 'c' else 'row-major'}"
        print(f"| {name} | {rows} | {stock:.0f} | **{dotload:.0f}** {unit} | {dotload / stock:.2f} |", flush=True)


if __name__ == "__main__":
    main()
