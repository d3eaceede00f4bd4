"""CPU time of dotload during compilation: the same kernels compiled in turn with dotload off and on.

    python bench/plugin_compile_time.py [--rounds 15] [--kernels rewritten|left-alone] [--arch 90]

For each kernel: the time of a stock compilation and of one with dotload (no cache, all stages to cubin), and their
ratio. The time of a compilation is the sum of its parts, Triton's stages and the work between them, each the least of
all rounds: other load on the machine only adds time, and disturbs a short part less often than a long whole. Also
printed: the median ratio of the two whole compilations of a round, disturbances included, with its 95 % confidence
interval; the time in dotload (the cheap look, the bridge, the passes); and the ratio for Triton's own stages, which get
another kernel if it was rewritten. The first compilation of each kind warms up and is shown apart: it loads xDSL.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import gemm
import kv_cache
import triton
import triton.language as tl
from ahead_of_time import source
from attention_fp8 import Tile
from triton.backends.compiler import GPUTarget

import dotload
from dotload.plugin.rewrite import Rewriter

Compile = Callable[[int], Any]
"""Compiles a kernel for a compute capability."""


@triton.jit
def softmax(x_ptr, y_ptr, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, SIZE)
    x = tl.load(x_ptr + at, mask=tl.arange(0, SIZE) < n, other=float("-inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + at, e / tl.sum(e, axis=0), mask=tl.arange(0, SIZE) < n)


@dataclass(frozen=True)
class Softmax:
    """A kernel without a product."""

    size: int = 1024

    def compile(self, capability: int = 90) -> Any:
        """The compiled kernel."""
        kernel = source(softmax, {"x_ptr": "*fp32", "y_ptr": "*fp32"}, {"SIZE": self.size})
        return triton.compile(kernel, target=GPUTarget("cuda", capability, 32))


REWRITTEN = (
    gemm.Case("fp8", "rr", 128, 128, 64, 8, 3, masked=True),
    gemm.Case("fp8", "rr", 128, 256, 128, 8, 3),
    gemm.Case("fp8", "cr", 256, 128, 128, 8, 3),
    gemm.Case("tf32", "rr", 128, 128, 32, 8, 3),
    gemm.Case("tf32", "rr", 256, 128, 32, 8, 3),
    Tile(128, 128, 4, 3),
    kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, 16, 64, 4, 3),
    kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, 64, 64, 4, 3, gathered=True),
)
"""Kernels that dotload rewrites: GEMMs, attention, and attention over a cache."""

LEFT_ALONE = (
    gemm.Case("fp8", "rc", 128, 128, 64, 8, 3),
    gemm.Case("fp16", "rr", 128, 128, 64, 8, 3),
    Softmax(),
)


KERNELS = {"rewritten": (REWRITTEN, 1.10), "left-alone": (LEFT_ALONE, 1.01)}
"""The choices of `--kernels`, and the limit on the compile time with dotload relative to stock's."""


def compiler(kernel: gemm.Case | Tile | kv_cache.Kernel | Softmax) -> tuple[str, Compile]:
    """The name of a kernel, and a function that compiles it."""
    if isinstance(kernel, Softmax):
        return "softmax", kernel.compile
    if isinstance(kernel, kv_cache.Kernel):
        return f"fp8 cache, {kernel.rows} rows {kernel.tile}{' through an index' * kernel.gathered}", kernel.compile
    if isinstance(kernel, Tile):
        return f"fp8 attention {kernel}", lambda capability: kernel.compile(transposed=False, capability=capability)
    masked = " masked" if kernel.masked else ""
    return f"{kernel.kind} {' x '.join(kernel.orders)} {kernel.tile}{masked}", kernel.compile


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


@dataclass
class Parts:
    """Seconds of the parts of compilations, each the minimum so far; `wholes`: of whole compilations."""

    least: dict[str, float] = field(default_factory=dict)
    wholes: list[float] = field(default_factory=list)

    def add(self, compile_: Callable[[], Any]) -> None:
        """Compile once more and record the times."""
        heard: list[Any] = []

        def listen(*, times: Any, **_: Any) -> None:
            heard.append(times)

        start = time.perf_counter()
        with triton.knobs.compilation.scope():
            triton.knobs.compilation.listener = listen
            compile_()
        self.wholes.append(time.perf_counter() - start)
        (times,) = heard
        parts = {"front end": times.ir_initialization, **dict(times.lowering_stages), "files": times.store_results}
        seconds = {name: 1e-6 * microseconds for name, microseconds in parts.items()}
        seconds["between"] = self.wholes[-1] - sum(seconds.values())
        self.least = {name: min(value, self.least.get(name, value)) for name, value in seconds.items()}

    @property
    def milliseconds(self) -> float:
        """Milliseconds of a compilation."""
        return 1e3 * sum(self.least.values())


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % confidence interval of the median of the distribution of `values`: binomial, by ranks."""
    ranked = sorted(values)
    aside = 0.98 * math.sqrt(len(ranked))
    low, high = (round(len(ranked) / 2 + sign * aside - 0.5) for sign in (-1, 1))
    return ranked[max(low, 0)], ranked[min(high, len(ranked) - 1)]


def measure(name: str, compile_: Callable[[], Any], limit: float, rounds: int, clock: Clock) -> str:
    """One row of the table; `compile_` compiles the kernel once."""
    first_stock, first = Parts(), Parts()
    first_stock.add(compile_)
    with dotload.enabled():
        first.add(compile_)
    clock.take()
    stock, ours, inside = Parts(), Parts(), list[float]()
    for number in range(rounds):
        for on in (number % 2 == 1, number % 2 == 0):  # each goes first equally often
            with dotload.enabled() if on else nullcontext():
                (ours if on else stock).add(compile_)
        inside.append(clock.take())
    without, with_it, in_dotload = stock.milliseconds, ours.milliseconds, 1e3 * min(inside)
    pairs = [on / off for on, off in zip(ours.wholes, stock.wholes, strict=True)]
    low, high = median_interval(pairs)
    cells = (
        name,
        f"{without:.1f}",
        f"{with_it:.1f}",
        f"{with_it / without:.3f}",
        f"{limit:.2f}",
        f"{statistics.median(pairs):.3f} ({low:.3f} to {high:.3f})",
        f"{in_dotload:.2f}",
        f"{(with_it - in_dotload) / without:.3f}",
        f"{1e3 * first_stock.wholes[0]:.0f}",
        f"{1e3 * first.wholes[0]:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--arch", type=int, default=90, help="compute capability, 90 for H100 and H200")
    parser.add_argument("--kernels", choices=[*KERNELS], action="append", help="all, if not said")
    options = parser.parse_args()
    clock = Clock()
    clock.install()
    print(
        f"Triton {triton.__version__}, sm_{options.arch}, parts at their least of {options.rounds} rounds, milliseconds"
    )
    columns = (
        "kernel stock dotload ratio limit pair_by_pair inside_dotload Triton's_part first_stock first_dotload".split()
    )
    print(f"| {' | '.join(columns).replace('_', ' ')} |")
    print("|---" * len(columns) + "|")
    chosen = [KERNELS[kind] for kind in options.kernels or KERNELS]
    cases = [(*compiler(kernel), limit) for kernels, limit in chosen for kernel in kernels]
    with tempfile.TemporaryDirectory() as cache:
        os.environ |= {"TRITON_CACHE_DIR": cache, "TRITON_ALWAYS_COMPILE": "1", "TRITON_DEFAULT_FP_FUSION": "1"}
        for name, compile_, limit in cases:
            row = measure(name, partial(compile_, options.arch), limit, options.rounds, clock)
            print(row, flush=True)


if __name__ == "__main__":
    main()
