"""Random kernels, stock and dotload: how often a kernel that dotload changes becomes slower, or its result differs.

    python bench/random_kernels.py                                        # needs a Hopper GPU and PyTorch
    python bench/random_kernels.py --gemms 0 --uses 0 --others 300 --without unpack-in-load-layout
    python bench/random_kernels.py --capability 89                        # code for other GPUs, see other_gpus.py

A third are GEMMs of random types, memory orders, tiles, warps and stages, with masks or without, by pointers or by
descriptors. A third are the kernels of test/kernels_at_large.py, as people write them, with random launch options. The
others are kernels of the other benchmarks: attention over a cache, also as serving frameworks write it, quantised and
microscaled weights, gated products and those with scales. Tiles are not chosen for speed, unlike in the other
benchmarks. All that dotload changes are timed; those that become slower are listed, with the codes of their remarks,
and so are those whose results differ by more than rounding.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "test"))

import ablation
import gemm
import kernels_at_large as at_large
import kv_cache
import microscaled_weights
import quantised_weights
import scaled_products
import serving
import several_products
import triton
from compile_jobs import compile_all, compiled
from corpus import code
from in_turn import medians_in_turn
from other_gpus import CAPABILITIES, HOPPER, compile_for, on_hopper

SIZE, DEPTH = 2048, 4096
"""Rows and columns of the results, and k, unless a kernel is for other sizes."""
AS_FAST = 0.98
"""A kernel is slower below this ratio of stock's time to dotload's."""
SERVING_PROBLEMS = {
    "pages": serving.pages_problem,
    "slots": serving.slots_problem,
    "blocks": serving.blocks_problem,
}
"""Of each form of serving.py."""
FLAVOURS = ("stock", "dotload")
"""What `compiled` takes; other flavours are names of passes, which are left out."""

ROUNDING = 0.01
"""Results differ if the norm of their difference is larger, relative to stock's: bf16 and p in fp8 round to less."""


@dataclass(frozen=True)
class Bound:
    """A kernel's tensors: `launch` runs a compiled kernel on them, which writes `result`."""

    launch: Callable[[Any], None]
    result: Any

    def result_of(self, handle: Any) -> Any:
        """What a compiled kernel writes, in float64."""
        self.result.zero_()
        self.launch(handle)
        return self.result.double()


@dataclass(frozen=True)
class Gemm:
    """A kernel of bench/gemm.py, for GPUs of a compute capability."""

    case: gemm.Case
    capability: int = HOPPER

    def __str__(self) -> str:
        case = self.case
        how = ["TMA"] * case.descriptors + ["masked"] * case.masked
        return " ".join([case.kind, case.orders, case.tile, *how])

    def compile(self) -> Any:
        """The compiled kernel."""
        return self.case.compile(self.capability)

    def bind(self) -> Bound:
        """Allocate the operands."""
        tensors = gemm.tensors(self.case.kind, self.case.orders, SIZE, SIZE, DEPTH)
        return Bound(lambda kernel: self.case.launch(kernel, *tensors), tensors[-1])


@dataclass(frozen=True)
class Use:
    """A kernel of test/kernels_at_large.py, by its number there, since workers compile it."""

    number: int
    kind: str
    orders: str
    num_warps: int
    num_stages: int
    capability: int = HOPPER

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
        compile_for(self.capability)
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages, "grid": self.sizes()[-1]}
        return self.use.kernel.warmup(*self.arguments(), **self.use.constants(self.kind), **options)

    def bind(self) -> Bound:
        """Allocate the operands."""
        arguments, grid = self.arguments(), (*self.sizes()[-1], 1, 1)[:3]
        values = [*arguments, *self.use.constants(self.kind).values()]
        return Bound(lambda kernel: kernel[grid](*values), arguments[3])


@dataclass(frozen=True)
class Other:
    """A kernel of another benchmark."""

    kernel: ablation.Product | kv_cache.Kernel | quantised_weights.Kernel | serving.Kernel | microscaled_weights.Kernel
    capability: int = HOPPER

    def __str__(self) -> str:
        match self.kernel:
            case ablation.Product(kind=kind, orders=orders, tile=tile):
                return f"{kind} fp8 {orders} {tile}"
            case quantised_weights.Kernel(form=form, tile=tile):
                return f"quantised {form} {tile} s{self.kernel.num_stages}"
            case serving.Kernel(name=name, tile=tile):
                return f"{name} {tile} w{self.kernel.num_warps} s{self.kernel.num_stages}"
            case microscaled_weights.Kernel(format=name, order=order, tile=tile):
                return f"{self.kernel.a_format} x {name} {order} {tile}"
            case cached:
                flags = ("gathered", "paged", "cast_v", "cap", "window", "latent", "scaled")
                names = [name for name in flags if getattr(cached, name)]
                return f"attention q {cached.queries[1:]} head {cached.head} {' '.join([*names, cached.tile])}"

    def compile(self) -> Any:
        """The compiled kernel."""
        return self.kernel.compile(self.capability)

    def bind(self) -> Bound:
        """Allocate the problem."""
        match self.kernel:
            case ablation.Product(kind=kind, orders=orders, launch_options=tile):
                product = ablation.PRODUCTS[kind][1](orders)
                result = product.arguments["o_ptr" if kind == "latent" else "c_ptr"]
                return Bound(partial(product.run, tile), result)
            case quantised_weights.Kernel(form=form, m=rows) as kernel:
                weights = quantised_weights.random_problem(form, rows, 14336, 4096)
                return Bound(partial(weights.run, kernel), weights.result)
            case serving.Kernel(form=form) as kernel:
                served = SERVING_PROBLEMS[form](kernel, 64, 2048)
                return Bound(partial(served.run, kernel), served.results[0])
            case microscaled_weights.Kernel() as kernel:
                rows = max(64, kernel.m)
                of = microscaled_weights.Problem.random(kernel.format, kernel.order, rows, 8192, 4096, kernel.a_format)
                return Bound(partial(of.run, kernel), of.c)
            case cached:
                problem = kv_cache.Problem.random(cached, caches=528, length=2048)
                return Bound(partial(problem.launch, cached), problem.out)


Kernel = Gemm | Use | Other


@dataclass(frozen=True)
class Timed:
    """A kernel that dotload changes; `ratio`: time before over time after; `codes`: of its remarks.

    `difference`: the norm of the difference of both results, relative to that before.
    """

    ratio: float
    difference: float
    kernel: Kernel
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


def random_others(rng: random.Random, count: int) -> list[Other]:
    """Kernels of other benchmarks."""
    makers = (random_product, random_attention, random_weights, random_serving, random_microscaled)
    return [Other(rng.choice(makers)(rng)) for _ in range(count)]


def random_product(rng: random.Random) -> ablation.Product:
    """fp8 products: two of one A, with scales, or those of attention whose values are its keys."""
    kind = rng.choice(list(ablation.PRODUCTS))
    block_k = {"gated": rng.choice((32, 64, 128)), "latent": 0}.get(kind, scaled_products.GROUP)
    sizes = (rng.choice((64, 128)), rng.choice((32, 64, 128)), block_k)
    tile = several_products.Tile(*sizes, rng.choice((4, 8)), rng.choice((1, 2, 3, 4)))
    return ablation.Product(kind, "rr" if kind == "latent" else rng.choice(("rr", "cc", "cr")), tile)


def random_attention(rng: random.Random) -> kv_cache.Kernel:
    """Attention over an fp8 cache; one of four is MLA."""
    is_latent = rng.random() < 0.25
    kernel = kv_cache.Kernel(rng.choice((kv_cache.BF16, kv_cache.FP8)), kv_cache.FP8, rng.choice((16, 32, 64, 128)))
    head = 512 if is_latent else rng.choice((64, 128, 256))
    kernel = replace(kernel, head=head, head_v=head, rope=64 if is_latent else 0)
    flags = ("gathered", "paged", "scaled", "latent" if is_latent else "cast_v")
    kernel = replace(kernel, **{rng.choice(flags): True})
    kernel = replace(kernel, cap=rng.choice((0.0, 0.0, 30.0)), window=rng.choice((0, 0, 1000)))
    tiles = list(kernel.tiles()) or list(replace(kernel, rows=16).tiles())
    return replace(rng.choice(tiles), num_stages=rng.choice((1, 2, 3, 4)))


def random_weights(rng: random.Random) -> quantised_weights.Kernel:
    """Quantised weights."""
    sizes = (rng.choice((16, 32, 64)), rng.choice((32, 64, 128)), rng.choice((64, 128)))
    form = rng.choice(list(quantised_weights.FORMS))
    return quantised_weights.Kernel(form, *sizes, rng.choice((4, 8)), rng.choice((1, 2, 3, 4)))


def random_serving(rng: random.Random) -> serving.Kernel:
    """Decoding as serving frameworks write it."""
    group, tile = rng.choice((1, 4, 8, 16)), rng.choice((16, 32, 64))
    match rng.choice(list(SERVING_PROBLEMS)):
        case "pages":
            kinds = {"scaled": rng.random() < 0.5, "window": rng.choice((0, 0, 1000))}
            made = serving.pages_kernel(tile, tokens_scaled=rng.random() < 0.3, group=group, groups=4, **kinds)
        case "slots":
            made = serving.slots_kernel(
                max(32, tile), latent=rng.random() < 0.5, group=group, cap=rng.choice((0.0, 30.0))
            )
        case _:
            made = serving.blocks_kernel(max(32, tile), group=group, groups=4)
    return replace(made, num_warps=rng.choice((4, 8)), num_stages=rng.choice((1, 2, 3, 4)))


def random_microscaled(rng: random.Random) -> microscaled_weights.Kernel:
    """Microscaled weights."""
    a_format = rng.choice(("bf16", "bf16", "e4m3"))
    sizes = (rng.choice((16, 32, 64, 128)), rng.choice((64, 128)), rng.choice((64, 128, 256)))
    launched = (rng.choice((4, 8)), rng.choice((1, 2, 3, 4)))
    format_ = rng.choice(list(microscaled_weights.FORMATS))
    return microscaled_weights.Kernel(format_, rng.choice("rc"), *sizes, *launched, a_format)


def with_stages(kernel: Kernel, stages: int) -> Kernel:
    """The kernel with another `num_stages`."""
    match kernel:
        case Gemm(case=case):
            return replace(kernel, case=replace(case, num_stages=stages))
        case Use():
            return replace(kernel, num_stages=stages)
        case Other(kernel=ablation.Product(launch_options=tile) as product):
            return replace(kernel, kernel=replace(product, launch_options=replace(tile, num_stages=stages)))
        case Other(kernel=other):
            return replace(kernel, kernel=replace(other, num_stages=stages))


def compiled_as(kernel: Kernel, flavour: str) -> Any:
    """The kernel by stock Triton, with dotload, or with dotload but for a pass."""
    return on_hopper(compiled(kernel, flavour) if flavour in FLAVOURS else ablation.compile_without(kernel, flavour))


def is_changed(kernel: Kernel, base: str) -> bool:
    """Whether dotload, or the pass that `base` names, changes the kernel."""
    passes = getattr(compiled(kernel, "dotload").metadata, "dotload_passes", ())
    return bool(passes) if base == "stock" else base in passes


def timed(kernel: Kernel, base: str, rounds: int) -> Timed | None:
    """The kernel's time in both flavours, launched in turn; None if they are the same, or if one does not fit."""
    before, after = compiled_as(kernel, base), compiled_as(kernel, "dotload")
    if code(before.asm["ptx"]) == code(after.asm["ptx"]):
        return None
    bound = kernel.bind()
    try:
        difference = gemm.relative_difference(bound.result_of(before), bound.result_of(after))
        flavours = {"before": partial(bound.launch, before), "after": partial(bound.launch, after)}
        times = medians_in_turn(flavours, rounds)
    except triton.runtime.errors.OutOfResources:
        return None
    codes = [remark["reason"] for remark in getattr(after.metadata, "dotload", ())]
    return Timed(times["before"] / times["after"], difference, kernel, list(dict.fromkeys(filter(None, codes))))


def report(base: str, found: Sequence[Timed]) -> None:
    """The mean, the kernels that are slower, and those whose results differ."""
    slower = sorted((each for each in found if each.ratio < AS_FAST), key=lambda each: each.ratio)
    mean = statistics.geometric_mean([each.ratio for each in found] or [1])
    than = "of stock" if base == "stock" else f"without {base}"
    print(
        f"{len(found)} kernels changed: geometric mean {mean:.2f} times the speed {than}, {len(slower)} below {AS_FAST}"
    )
    for each in slower:
        print(f"  {each.ratio:.2f}  {each.kernel}  {' '.join(each.codes)}", flush=True)
    differ = [each for each in found if not each.difference <= ROUNDING]  # NaN, too
    print(f"{len(differ)} results differ by more than {ROUNDING}")
    for each in differ:
        print(f"  {each.difference:.2g}  {each.kernel}", flush=True)


def main() -> None:
    """Compile, time, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gemms", type=int, default=200)
    parser.add_argument("--uses", type=int, default=200, help="kernels of test/kernels_at_large.py")
    parser.add_argument("--others", type=int, default=200, help="kernels of other benchmarks")
    parser.add_argument("--only", default="", help="a regular expression: of these kernels, those whose names have it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=2, help="ten launches of each kernel a round")
    parser.add_argument("--stages", type=int, default=0, help="num_stages of all kernels; default: random")
    parser.add_argument("--capability", type=int, choices=CAPABILITIES, default=HOPPER)
    parser.add_argument("--without", default="stock", help="passes: compare with dotload without each; default: stock")
    options = parser.parse_args()
    import torch

    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}")
    rng = random.Random(options.seed)
    kernels: list[Kernel] = [*random_gemms(rng, options.gemms), *random_uses(rng, options.uses)]
    kernels += random_others(rng, options.others)
    kernels = [kernel for kernel in kernels if re.search(options.only, str(kernel))]
    if options.stages:
        kernels = [with_stages(kernel, options.stages) for kernel in kernels]
    kernels = [replace(kernel, capability=options.capability) for kernel in kernels]
    good = compile_all([(kernel, "dotload") for kernel in kernels], compiled_as)
    kernels = [kernel for kernel in kernels if (kernel, "dotload") in good]
    bases = options.without.split(",")
    jobs = [(kernel, base) for base in bases for kernel in kernels if is_changed(kernel, base)]
    good = compile_all(jobs, compiled_as)
    for base in bases:
        found = [timed(kernel, base, options.rounds) for kernel in kernels if (kernel, base) in good]
        report(base, [each for each in found if each is not None])


if __name__ == "__main__":
    main()
