"""Weights of 8 and 4 bits with a scale for each group of rows, in kernels modelled on serving kernels.

    python bench/quantised_weights.py                   # needs an NVIDIA GPU and PyTorch
    python bench/quantised_weights.py --only 'experts, 4'
    python bench/quantised_weights.py --rows 2048       # not for experts, who have few rows each

`experts`: each block of rows has its own expert, whose weights are K-major, in bytes of one or two values; scales are
loaded for each row of a tile, and each byte for each of its values, as in vLLM's kernel for quantised experts.
`a row`: the scales of a tile are loaded as one row.
`packed`: words or bytes of 8 or 2 values of 4 bits, loaded for each value, as in GPTQ's and GemLite's kernels.
`packed along N`: words of 8 columns, with zeros of groups that are packed likewise, in the order of AWQ's kernels.
`bytes`: values of 8 bits with columns contiguous, else as `packed`.
`by descriptors`: bytes as well, in both memory orders; `persistent`: a program computes one tile after the other.

GB/s of weights, and TFLOP/s from 256 rows on; stock Triton and dotload, launched in turn; each tile is a row.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import triton
import triton.language as tl
from ahead_of_time import source
from compile_jobs import compile_all, compiled
from in_turn import medians_in_turn
from triton.backends.compiler import GPUTarget

import dotload

FLAVOURS = ("stock", "dotload")
GROUP = 128
"""Rows of weights that have one scale."""

MANY_ROWS = 256
"""Rows of activations from which on a product is limited by operations, not by memory."""


@triton.jit
def experts(
    a_ptr, b_ptr, c_ptr, scales_ptr, tokens_ptr, experts_ptr, columns, depth, count, a_row, b_expert, b_column, c_row,
    scales_expert, scales_column,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ROWS_OF_SCALE: tl.constexpr, HALVES: tl.constexpr,
    A_ROW: tl.constexpr,
):  # fmt: skip
    """C[token] = A[token] (B[expert] - middle) scales[expert].

    `HALVES`: two values of a byte; `A_ROW`: the scales of a tile are one row.
    """
    programs = tl.cdiv(columns, N)
    block, first = tl.program_id(0) // programs, tl.program_id(0) % programs * N
    tokens = tl.load(tokens_ptr + block * M + tl.arange(0, M))
    expert = tl.load(experts_ptr + block).to(tl.int64)
    n, k, is_token = (first + tl.arange(0, N).to(tl.int64)) % columns, tl.arange(0, K), tokens < count
    a_at = a_ptr + tokens[:, None] * a_row + k[None, :]
    b_at = b_ptr + expert * b_expert + (k[:, None] // 2 if HALVES else k[:, None]) + n[None, :] * b_column
    acc = tl.zeros((M, N), tl.float32)
    for step in range(0, tl.cdiv(depth, K)):
        a = tl.load(a_at, mask=is_token[:, None] & (k[None, :] < depth - step * K), other=0.0)
        b = tl.load(b_at)
        if HALVES:
            b = (b >> (k[:, None] % 2 * 4)) & 0xF
        scales_at = scales_ptr + expert * scales_expert + n[None, :] * scales_column
        if A_ROW:
            scales = tl.load(scales_at + step * K // ROWS_OF_SCALE)
        else:
            group = (k[:, None] + step * K) // ROWS_OF_SCALE
            scales = tl.load(scales_at + group, mask=k[:, None] < depth - step * K, other=0.0)
        b = ((b.to(tl.float32) - (8 if HALVES else 128)) * scales.to(tl.float32)).to(a.dtype)
        acc = tl.dot(a, b, acc=acc)
        a_at += K
        b_at += K // 2 if HALVES else K
    out = first + tl.arange(0, N)
    c_at = c_ptr + tokens[:, None] * c_row + out[None, :]
    tl.store(c_at, acc.to(c_ptr.dtype.element_ty), mask=is_token[:, None] & (out[None, :] < columns))


@triton.jit
def packed(
    a_ptr, b_ptr, c_ptr, scales_ptr, rows, columns, depth, a_row, b_row, c_row, scales_row,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ROWS_OF_SCALE: tl.constexpr, VALUES: tl.constexpr,
):  # fmt: skip
    """C = A (B - middle) scales, with `VALUES` rows of B in a row of words; one value is a byte."""
    programs = tl.cdiv(columns, N)
    m, n = tl.program_id(0) // programs * M + tl.arange(0, M), tl.program_id(0) % programs * N + tl.arange(0, N)
    k = tl.arange(0, K)
    a_at = a_ptr + m[:, None] * a_row + k[None, :]
    b_at = b_ptr + (k[:, None] // VALUES) * b_row + n[None, :]
    acc = tl.zeros((M, N), tl.float32)
    for step in range(0, tl.cdiv(depth, K)):
        a = tl.load(a_at, mask=m[:, None] < rows, other=0.0)
        b = tl.load(b_at)
        b = ((b >> (k[:, None] % VALUES * 4)) & 0xF) - 8 if VALUES > 1 else b
        b = b.to(a.dtype) if VALUES > 1 else b.to(a.dtype) - 128
        scales = tl.load(scales_ptr + step * K // ROWS_OF_SCALE * scales_row + n[None, :])
        acc = tl.dot(a, b * scales, acc)
        a_at += K
        b_at += K // VALUES * b_row
    tl.store(c_ptr + m[:, None] * c_row + n[None, :], acc.to(c_ptr.dtype.element_ty), mask=m[:, None] < rows)


@triton.jit
def eight_columns(words):
    """Each word eight times, beside each other."""
    words = tl.interleave(words, words)
    words = tl.interleave(words, words)
    return tl.interleave(words, words)


@triton.jit
def packed_along_n(
    a_ptr, b_ptr, c_ptr, scales_ptr, zeros_ptr, rows, columns, depth, a_row, b_row, c_row, scales_row,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ROWS_OF_SCALE: tl.constexpr,
):  # fmt: skip
    """C = A (B - zeros) scales; 8 columns of B, and of zeros, are in a word: 0, 2, 4, 6, 1, 3, 5, 7 from the lowest."""
    programs = tl.cdiv(columns, N)
    m, first = tl.program_id(0) // programs * M + tl.arange(0, M), tl.program_id(0) % programs * N
    n, words, k = first + tl.arange(0, N), first // 8 + tl.arange(0, N // 8), tl.arange(0, K)
    column = tl.arange(0, N) % 8
    places = ((column // 2 + column % 2 * 4) * 4)[None, :]
    a_at = a_ptr + m[:, None] * a_row + k[None, :]
    b_at = b_ptr + k[:, None] * b_row + words[None, :]
    acc = tl.zeros((M, N), tl.float32)
    for step in range(0, tl.cdiv(depth, K)):
        group = step * K // ROWS_OF_SCALE
        a = tl.load(a_at, mask=m[:, None] < rows, other=0.0)
        b = (eight_columns(tl.load(b_at)) >> places) & 0xF
        zeros = (eight_columns(tl.load(zeros_ptr + group * b_row + words[None, :])) >> places) & 0xF
        scales = tl.load(scales_ptr + group * scales_row + n[None, :])
        acc = tl.dot(a, ((b - zeros) * scales).to(a.dtype), acc)
        a_at += K
        b_at += K * b_row
    tl.store(c_ptr + m[:, None] * c_row + n[None, :], acc.to(c_ptr.dtype.element_ty), mask=m[:, None] < rows)


@triton.jit
def by_descriptors(
    a_ptr, b_ptr, c_ptr, scales_ptr, rows, columns, depth, a_row, b_row, c_row, scales_row,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ROWS_OF_SCALE: tl.constexpr, BY_ROWS: tl.constexpr,
):  # fmt: skip
    """C = A (B - middle) scales, with bytes of B as [K, N] or, transposed in the kernel, as [N, K]."""
    programs = tl.cdiv(columns, N)
    m, n = tl.program_id(0) // programs * M, tl.program_id(0) % programs * N
    a = tl.make_tensor_descriptor(a_ptr, [rows, depth], [a_row, 1], [M, K])
    if BY_ROWS:
        b = tl.make_tensor_descriptor(b_ptr, [depth, columns], [b_row, 1], [K, N])
    else:
        b = tl.make_tensor_descriptor(b_ptr, [columns, depth], [b_row, 1], [N, K])
    acc = tl.zeros((M, N), tl.float32)
    for k in range(0, depth, K):
        x = a.load([m, k])
        y = b.load([k, n]) if BY_ROWS else b.load([n, k]).T
        scales = tl.load(scales_ptr + k // ROWS_OF_SCALE * scales_row + n + tl.arange(0, N))
        acc = tl.dot(x, (y.to(x.dtype) - 128) * scales[None, :], acc)
    c_at = c_ptr + (m + tl.arange(0, M))[:, None] * c_row + (n + tl.arange(0, N))[None, :]
    tl.store(c_at, acc.to(c_ptr.dtype.element_ty), mask=(m + tl.arange(0, M))[:, None] < rows)


@triton.jit
def persistent(
    a_ptr, b_ptr, c_ptr, scales_ptr, rows, columns, depth, a_row, b_row, c_row, scales_row,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ROWS_OF_SCALE: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """C = A (B - middle) scales, with bytes of B as [N, K]."""
    a = tl.make_tensor_descriptor(a_ptr, [rows, depth], [a_row, 1], [M, K])
    b = tl.make_tensor_descriptor(b_ptr, [columns, depth], [b_row, 1], [N, K])
    c = tl.make_tensor_descriptor(c_ptr, [rows, columns], [c_row, 1], [M, N])
    across = tl.cdiv(columns, N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(rows, M) * across, PROGRAMS, flatten=True):
        m, n = tile // across * M, tile % across * N
        acc = tl.zeros((M, N), tl.float32)
        for k in range(0, depth, K):
            x = a.load([m, k])
            y = b.load([n, k]).T
            scales = tl.load(scales_ptr + k // ROWS_OF_SCALE * scales_row + n + tl.arange(0, N))
            acc = tl.dot(x, (y.to(x.dtype) - 128) * scales[None, :], acc)
        c.store([m, n], acc.to(c_ptr.dtype.element_ty))


EXPERTS_TYPES = {"a_ptr": "*bf16", "b_ptr": "*u8", "c_ptr": "*bf16", "scales_ptr": "*bf16"} | {
    "tokens_ptr": "*i32", "experts_ptr": "*i32"
}  # fmt: skip
PACKED_TYPES = {"a_ptr": "*fp16", "b_ptr": "*i32", "c_ptr": "*fp16", "scales_ptr": "*fp16"}
FORMS: Mapping[str, tuple[Any, Mapping[str, str], Mapping[str, Any]]] = {
    "experts, 8 bits": (experts, EXPERTS_TYPES, {"HALVES": False, "A_ROW": False}),
    "experts, 4 bits": (experts, EXPERTS_TYPES, {"HALVES": True, "A_ROW": False}),
    "experts, 8 bits, a row": (experts, EXPERTS_TYPES, {"HALVES": False, "A_ROW": True}),
    "experts, 4 bits, a row": (experts, EXPERTS_TYPES, {"HALVES": True, "A_ROW": True}),
    "packed, 4 bits": (packed, PACKED_TYPES, {"VALUES": 8}),
    "packed in bytes, 4 bits": (packed, PACKED_TYPES | {"b_ptr": "*u8"}, {"VALUES": 2}),
    "packed along N, 4 bits": (packed_along_n, PACKED_TYPES | {"zeros_ptr": "*i32"}, {}),
    "bytes, row-major": (packed, PACKED_TYPES | {"b_ptr": "*u8"}, {"VALUES": 1}),
    "by descriptors, row-major": (by_descriptors, PACKED_TYPES | {"b_ptr": "*u8"}, {"BY_ROWS": True}),
    "by descriptors, K-major": (by_descriptors, PACKED_TYPES | {"b_ptr": "*u8"}, {"BY_ROWS": False}),
    "persistent, K-major": (persistent, PACKED_TYPES | {"b_ptr": "*u8"}, {"PROGRAMS": 132}),
}
"""Functions, the types of their arguments, and constants besides the tile's; integers if no type is given."""


@dataclass(frozen=True)
class Kernel:
    """A form and a tile."""

    form: str
    m: int
    n: int
    k: int
    num_warps: int = 4
    num_stages: int = 3

    @property
    def tile(self) -> str:
        """The tile as printed in tables."""
        return f"{self.m}x{self.n}x{self.k}, {self.num_warps} warps"

    @property
    def has_one_row(self) -> bool:
        """Whether a tile has one row of scales, so that it has no more rows than a group."""
        return not self.form.startswith("experts") or FORMS[self.form][2]["A_ROW"]

    @property
    def constants(self) -> dict[str, Any]:
        """The constants in order."""
        return {"M": self.m, "N": self.n, "K": self.k, "ROWS_OF_SCALE": GROUP, **FORMS[self.form][2]}

    def compile(self, capability: int = 90) -> Any:
        """The compiled kernel, from Triton's cache if it is there."""
        function, types, _ = FORMS[self.form]
        made = source(function, types, self.constants, any_number=("count", "rows"))
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages}
        return triton.compile(made, target=GPUTarget("cuda", capability, 32), options=options)


@dataclass(frozen=True)
class Problem:
    """Arguments without constants, the result, its rows and columns, and the work.

    `work`: bytes of weights; thousands of operations if there are many rows.
    """

    arguments: tuple[Any, ...]
    result: Any
    rows: int
    columns: int
    work: float

    def run(self, kernel: Kernel, handle: Any) -> None:
        """Launch a compiled kernel."""
        tiles = triton.cdiv(self.rows, kernel.m) * triton.cdiv(self.columns, kernel.n)
        programs = min(tiles, kernel.constants.get("PROGRAMS", tiles))
        handle[(programs, 1, 1)](*self.arguments, *kernel.constants.values())

    def rate(self, time_ms: float) -> float:
        """GB/s or TFLOP/s."""
        return self.work / time_ms / 1e6


def random_problem(form: str, rows: int, columns: int, depth: int, count: int = 8) -> Problem:
    """`count` experts of `rows` tokens each; or one product of `rows`, with as many weights."""
    import torch

    torch.manual_seed(0)
    integers, normal = (partial(make, device="cuda") for make in (torch.randint, torch.randn))
    if form.startswith("experts"):
        width = depth // 2 if FORMS[form][2]["HALVES"] else depth
        a = normal(count * rows, depth, dtype=torch.bfloat16)
        b = integers(0, 256, (count, columns, width), dtype=torch.uint8)
        scales = 0.01 * normal(count, columns, depth // GROUP, dtype=torch.bfloat16)
        tokens, of_block = (torch.arange(size, device="cuda", dtype=torch.int32) for size in (count * rows, count))
        c = torch.zeros(count * rows, columns, device="cuda", dtype=torch.bfloat16)
        sizes = (columns, depth, count * rows, depth, *b.stride()[:2], columns, *scales.stride()[:2])
        return Problem((a, b, c, scales, tokens, of_block, *sizes), c, count * rows, columns, b.numel())
    columns *= count
    a = normal(rows, depth, dtype=torch.float16)
    shape, words = shape_of(form, columns, depth), partial(integers, -(2**31), 2**31 - 1, dtype=torch.int32)
    b = integers(0, 256, shape, dtype=torch.uint8) if FORMS[form][1]["b_ptr"] == "*u8" else words(shape)
    zeros = [words((depth // GROUP, columns // 8))] if "zeros_ptr" in FORMS[form][1] else []
    scales = 0.01 * normal(depth // GROUP, columns, dtype=torch.float16)
    c = torch.zeros(rows, columns, device="cuda", dtype=torch.float16)
    sizes = (rows, columns, depth, depth, shape[1], columns, columns)
    work = b.nbytes if rows < MANY_ROWS else 2 * rows * columns * depth / 1000
    return Problem((a, b, c, scales, *zeros, *sizes), c, rows, columns, work)


def shape_of(form: str, columns: int, depth: int) -> tuple[int, int]:
    """The shape of the weights of one product."""
    _, types, constants = FORMS[form]
    if "zeros_ptr" in types:
        return depth, columns // 8
    by_rows = "VALUES" in constants or constants.get("BY_ROWS", False)
    return (depth // constants.get("VALUES", 1), columns) if by_rows else (columns, depth)


def kernels(rows: int) -> Iterator[Kernel]:
    """Each form's tiles; with 64 rows or more, also some with 8 warps."""
    for form in FORMS:
        if rows >= MANY_ROWS and not form.startswith("experts"):
            for m, n, k, warps in ((128, 128, 64, 4), (128, 128, 64, 8), (256, 128, 64, 8), (128, 128, 128, 8)):
                yield Kernel(form, m, n, k, warps)
        elif rows < MANY_ROWS:
            for n, k in ((32, 128), (64, 64), (64, 128), (128, 64), (128, 128)):
                yield Kernel(form, rows, n, k)
            for n, k in ((128, 64), (128, 128)) if rows >= 64 else ():
                yield Kernel(form, rows, n, k, num_warps=8)


@cache
def handle_of(kernel: Kernel, flavour: str) -> Any:
    """The compiled kernel of a flavour, cached in the process."""
    return compiled(kernel, flavour)


def measure(kernel: Kernel, problem: Problem, rounds: int) -> None:
    """Print a row: both flavours, and the difference between dotload's result and stock's."""
    import torch

    launches = {flavour: partial(problem.run, kernel, handle_of(kernel, flavour)) for flavour in FLAVOURS}
    found: dict[str, Any] = {}
    for flavour, launch in launches.items():
        try:
            launch()
        except triton.runtime.errors.OutOfResources:
            continue
        found[flavour] = problem.result.double()
    times = medians_in_turn({flavour: launches[flavour] for flavour in found}, rounds)
    cells = [f"{problem.rate(times[flavour]):6.0f}" if flavour in times else " too large" for flavour in FLAVOURS]
    if len(found) == 2:
        away = ((found["dotload"] - found["stock"]).norm() / found["stock"].norm()).item()
        share = (found["dotload"] != found["stock"]).double().mean().item()
        assert torch.isfinite(found["dotload"]).all()
        cells.append(f"  {away:.1e} {share:7.2%}")
    print(f"  {kernel.form:25s} {kernel.tile:20s} " + " ".join(cells), flush=True)


def main() -> None:
    """Compile everything, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="kernels whose form has this in it")
    parser.add_argument("--rows", default="16,64", help="comma-separated")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    rows = [int(number) for number in options.rows.split(",")]
    wanted = [(number, kernel) for number in rows for kernel in kernels(number) if options.only in kernel.form]
    good = compile_all([(kernel, flavour) for _, kernel in wanted for flavour in FLAVOURS])
    import torch

    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    print("GB/s of weights, or TFLOP/s: stock, dotload; distance of the results, and how many differ")
    problems = lru_cache(maxsize=1)(random_problem)
    for number, kernel in wanted:
        if (kernel, "dotload") in good:
            shape = (14336, 4096) if number < MANY_ROWS else (8192, 8192, 1)
            measure(kernel, problems(kernel.form, number, *shape), options.rounds)


if __name__ == "__main__":
    main()
