"""Random kernels, stock and dotload: how often a kernel that dotload changes becomes slower.

    python bench/random_kernels.py [--gemms 200] [--uses 200] [--seed 0]     # needs a Hopper GPU and PyTorch

Half of them are GEMMs of random types, memory orders, tiles, warps and stages, with masks or without, by pointers or by
descriptors. The others are the kernels of test/kernels_at_large.py, as people write them, with random launch options.
Tiles are not chosen for speed, unlike in the other benchmarks. All that dotload changes are timed; those that become
slower are listed, with the codes of their remarks.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "test"))

import gemm
import kernels_at_large as at_large
import triton
from compile_jobs import compile_all, compiled
from corpus import code

SIZE, DEPTH = 2048, 4096
"""Rows and columns of the results, and k, unless a kernel is for other sizes."""
AS_FAST = 0.98
"""A kernel is slower below this ratio of stock's time to dotload's."""

Launch = Callable[[Any], None]
"""Runs a compiled kernel on tensors that are bound."""


@dataclass(frozen=True)
class Gemm:
    """A kernel of bench/gemm.py."""

    case: gemm.Case

    def __str__(self) -> str:
        case = self.case
        how = ["TMA"] * case.descriptors + ["masked"] * case.masked
        return " ".join([case.kind, case.orders, case.tile, *how])

    def compile(self) -> Any:
        """The compiled kernel."""
        return self.case.compile()

    def bind(self) -> Launch:
        """Allocate the operands."""
        tensors = gemm.tensors(self.case.kind, self.case.orders, SIZE, SIZE, DEPTH)
        return lambda kernel: self.case.launch(kernel, *tensors)


@dataclass(frozen=True)
class Use:
    """A kernel of test/kernels_at_large.py, by its number there, since workers compile it."""

    number: int
    kind: str
    orders: str
    num_warps: int
    num_stages: int

    @property
    def use(self) -> at_large.Use:
        """The kernel with its tile."""
        return at_large.USES[self.number]

    def __str__(self) -> str:
        tile = "x".join(str(size) for size in self.use.tile.values())
        return f"{self.use} {self.kind} {self.orders} {tile} w{self.num_warps} s{self.num_stages}"

    def sizes(self) -> tuple[int, int, int, tuple[int, ...]]:
        """M, N, K and the grid; larger than in the tests if a program computes one tile."""
        use, depth = self.use, self.use.depth(self.kind)
        m, n = use.tile["BM"], use.tile["BN"]
        if use.grid != (at_large.M // m, at_large.N // n):
            return at_large.M, at_large.N, depth, use.grid
        return SIZE, SIZE, DEPTH if use.steps is None else depth, (SIZE // m, SIZE // n)

    def arguments(self) -> list[Any]:
        """The tensors, the sizes and the strides."""
        import torch

        m, n, k, _ = self.sizes()
        a, b, _ = gemm.tensors(self.kind, self.orders, m, n, k)
        _, d, _ = gemm.tensors(self.kind, self.orders, m, n, k, seed=1)
        if self.use.kernel is at_large.gathered:
            d = torch.arange(max(m, k), device="cuda", dtype=torch.int32) % m
        return [a, b, d, torch.zeros((m, n), device="cuda"), m, n, k, *a.stride(), *b.stride()]

    def compile(self) -> Any:
        """The compiled kernel."""
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages, "grid": self.sizes()[-1]}
        return self.use.kernel.warmup(*self.arguments(), **self.use.constants(self.kind), **options)

    def bind(self) -> Launch:
        """Allocate the operands."""
        arguments, grid = self.arguments(), (*self.sizes()[-1], 1, 1)[:3]
        values = [*arguments, *self.use.constants(self.kind).values()]
        return lambda kernel: kernel[grid](*values)


@dataclass(frozen=True)
class Timed:
    """A kernel that dotload changes; `ratio`: stock's time over dotload's; `codes`: of its remarks."""

    ratio: float
    kernel: Gemm | Use
    codes: Sequence[str]


def random_gemms(rng: random.Random, count: int) -> Iterator[Gemm]:
    """GEMMs with an operand that dotload may change."""
    cases = (gemm.random_problem(rng)[0] for _ in itertools.count())
    changed = (case for case in cases if case.kind != "fp16" and (case.orders != "rc" or "x" in case.kind))
    return map(Gemm, itertools.islice(changed, count))


def random_uses(rng: random.Random, count: int) -> list[Use]:
    """Kernels at large, each type and order at most once."""
    numbers = [number for number, use in enumerate(at_large.USES) if use.kernel is not at_large.block_pointers]
    cells = list(itertools.product(numbers, at_large.DEPTHS, ("rr", "cr", "cc")))
    return [Use(*cell, rng.choice((4, 8)), rng.choice((2, 3, 4))) for cell in rng.sample(cells, min(count, len(cells)))]


def with_stages(kernel: Gemm | Use, stages: int) -> Gemm | Use:
    """The kernel with another `num_stages`."""
    if isinstance(kernel, Gemm):
        return Gemm(replace(kernel.case, num_stages=stages))
    return replace(kernel, num_stages=stages)


def timed(kernel: Gemm | Use, rounds: int) -> Timed | None:
    """The kernel's time in both flavours; None if dotload leaves it alone, or if stock's does not fit."""
    stock, ours = compiled(kernel, "stock"), compiled(kernel, "dotload")
    if code(stock.asm["ptx"]) == code(ours.asm["ptx"]):
        return None
    launch = kernel.bind()
    try:
        launch(stock)
    except triton.runtime.errors.OutOfResources:
        return None
    times = [(time_of(launch, stock), time_of(launch, ours)) for _ in range(rounds)]
    of_stock, of_ours = map(min, zip(*times, strict=True))
    codes = [remark["reason"] for remark in getattr(ours.metadata, "dotload", ())]
    return Timed(of_stock / of_ours, kernel, list(dict.fromkeys(filter(None, codes))))


def time_of(launch: Launch, kernel: Any) -> float:
    """Median milliseconds."""
    return triton.testing.do_bench(lambda: launch(kernel), warmup=3, rep=8, return_mode="median")


def report(found: Sequence[Timed]) -> None:
    """The mean, and the kernels that are slower."""
    ratios = [each.ratio for each in found]
    slower = sorted((each for each in found if each.ratio < AS_FAST), key=lambda each: each.ratio)
    print(f"{len(found)} kernels changed: geometric mean {statistics.geometric_mean(ratios):.2f} times stock's speed")
    print(f"{len(slower)} below {AS_FAST}")
    for each in slower:
        print(f"  {each.ratio:.2f}  {each.kernel}  {' '.join(each.codes)}")


def main() -> None:
    """Compile, time, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gemms", type=int, default=200)
    parser.add_argument("--uses", type=int, default=200, help="kernels of test/kernels_at_large.py")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--stages", type=int, default=0, help="num_stages of all kernels; default: random")
    options = parser.parse_args()
    import torch

    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}")
    rng = random.Random(options.seed)
    kernels = [*random_gemms(rng, options.gemms), *random_uses(rng, options.uses)]
    if options.stages:
        kernels = [with_stages(kernel, options.stages) for kernel in kernels]
    good = compile_all([(kernel, flavour) for kernel in kernels for flavour in ("stock", "dotload")])
    found = [timed(each, options.rounds) for each in kernels if (each, "stock") in good and (each, "dotload") in good]
    report([each for each in found if each is not None])


if __name__ == "__main__":
    main()
