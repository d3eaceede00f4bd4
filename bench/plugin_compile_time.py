"""What dotload costs while a kernel compiles, on the CPU: the same kernels compiled in turns with it off and on.

    python bench/plugin_compile_time.py [--rounds 15] [--arch 90]

For each kernel: the time of a stock compilation and of one with dotload (no cache, all stages to cubin), and their
ratio. Each is the least of all rounds, as whatever else the machine does only adds to it. Beside it, what dotload
itself took of the time (the cheap look, the bridge, the passes), and the ratio for Triton's own stages, which get
another kernel where one was rewritten. The first compilation of each kind warms up and is shown apart: it loads xDSL.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import triton
import triton.language as tl
from ahead_of_time import source
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import dotload
from dotload.plugin.rewrite import Rewriter


@triton.jit
def gemm(a_ptr, b_ptr, c_ptr, m, n, k, a_row, b_row, b_col, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    a_at = a_ptr + rows[:, None] * a_row + inner[None, :]
    b_at = b_ptr + inner[:, None] * b_row + columns[None, :] * b_col
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, tl.cdiv(k, BK)):
        a = tl.load(a_at, mask=inner[None, :] < k - start * BK, other=0.0)
        b = tl.load(b_at, mask=inner[:, None] < k - start * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_at += BK
        b_at += BK * b_row
    c_at = c_ptr + rows[:, None] * n + columns[None, :]
    tl.store(c_at, acc.to(tl.float16), mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def softmax(x_ptr, y_ptr, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, SIZE)
    x = tl.load(x_ptr + at, mask=tl.arange(0, SIZE) < n, other=float("-inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + at, e / tl.sum(e, axis=0), mask=tl.arange(0, SIZE) < n)


@dataclass(frozen=True)
class Case:
    """A kernel to compile; `rewritten` says whether dotload should find something to do in it."""

    name: str
    source: ASTSource
    options: dict[str, int]
    rewritten: bool


def gemm_case(name: str, dtype: str, tile: tuple[int, int, int], *, row_major: bool, rewritten: bool) -> Case:
    """A GEMM with B row-major (n contiguous) or column-major (k contiguous)."""
    constants: dict[str, int] = dict(zip(("BM", "BN", "BK"), tile, strict=True))
    constants["b_col" if row_major else "b_row"] = 1
    pointers = {"a_ptr": f"*{dtype}", "b_ptr": f"*{dtype}", "c_ptr": "*fp16"}
    return Case(name, source(gemm, pointers, constants), {"num_warps": 8, "num_stages": 3}, rewritten)


CASES: tuple[Callable[[], Case], ...] = (
    lambda: gemm_case("fp8 r x r 128x128x64", "fp8e4nv", (128, 128, 64), row_major=True, rewritten=True),
    lambda: gemm_case("fp8 r x r 128x256x128", "fp8e4nv", (128, 256, 128), row_major=True, rewritten=True),
    lambda: gemm_case("tf32 r x r 128x128x32", "fp32", (128, 128, 32), row_major=True, rewritten=True),
    lambda: gemm_case("fp8 r x c 128x128x64", "fp8e4nv", (128, 128, 64), row_major=False, rewritten=False),
    lambda: gemm_case("fp16 r x r 128x128x64", "fp16", (128, 128, 64), row_major=True, rewritten=False),
    lambda: Case("softmax", source(softmax, {"x_ptr": "*fp32", "y_ptr": "*fp32"}, {"SIZE": 1024}), {}, False),
)


@dataclass
class Clock:
    """Seconds spent in dotload's rewriter since the last `take`."""

    seconds: float = 0.0

    def install(self) -> None:
        run = Rewriter.__call__

        def timed(rewriter: Rewriter, module: Any) -> Any:
            start = time.perf_counter()
            try:
                return run(rewriter, module)
            finally:
                self.seconds += time.perf_counter() - start

        Rewriter.__call__ = timed  # type: ignore[method-assign]

    def take(self) -> float:
        seconds, self.seconds = self.seconds, 0.0
        return seconds


def compile_once(case: Case, target: GPUTarget) -> float:
    """Seconds for one compilation, all stages."""
    start = time.perf_counter()
    triton.compile(case.source, target=target, options=case.options)
    return time.perf_counter() - start


def measure(case: Case, target: GPUTarget, rounds: int, clock: Clock) -> str:
    """One row of the table."""
    stock_first = compile_once(case, target)
    with dotload.enabled():
        first = compile_once(case, target)
    clock.take()
    stock, ours, inside = [], [], []
    for _ in range(rounds):
        stock.append(compile_once(case, target))
        with dotload.enabled():
            ours.append(compile_once(case, target))
        inside.append(clock.take())
    off, on, in_dotload = (1e3 * min(times) for times in (stock, ours, inside))
    first_off, first_on = 1e3 * stock_first, 1e3 * first
    limit = 1.10 if case.rewritten else 1.01
    return (
        f"| {case.name} | {off:.1f} | {on:.1f} | {on / off:.3f} | {limit:.2f} | {in_dotload:.2f} "
        f"| {(on - in_dotload) / off:.3f} | {first_off:.0f} | {first_on:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--arch", type=int, default=90, help="compute capability, 90 for H100 and H200")
    options = parser.parse_args()
    clock = Clock()
    clock.install()
    print(f"Triton {triton.__version__}, sm_{options.arch}, least of {options.rounds} rounds, milliseconds")
    print("| kernel | stock | dotload | ratio | limit | inside dotload | Triton's part | first stock | first dotload |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as cache:
        os.environ |= {"TRITON_CACHE_DIR": cache, "TRITON_ALWAYS_COMPILE": "1", "TRITON_DEFAULT_FP_FUSION": "1"}
        for make in CASES:
            print(measure(make(), GPUTarget("cuda", options.arch, 32), options.rounds, clock), flush=True)


if __name__ == "__main__":
    main()
