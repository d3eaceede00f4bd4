"""The benefit of each NVIDIA pass: the time of kernels compiled without it, relative to all passes together.

    python bench/ablation.py                          # needs a Hopper GPU and PyTorch
    python bench/ablation.py --only 'decode|mla' --passes multiply-in-f16,permute-k-for-ldmatrix
    python bench/ablation.py --tiles 1 --rounds 1     # faster

The problems are those of the other benchmarks. The fastest tiles of each with all passes are compiled again, each time
without one of the passes that change them. Kernels whose machine code differs are timed. A ratio is the best tile's
time without the pass over the best tile's time with it: above 1 the pass pays. It is infinite, and not part of the
mean, where these tiles need too much memory without the pass.

All kernels of a problem are launched in turn (in_turn.py), and a time is the median of the launches.
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import attention_fp8
import gemm
import kv_cache
import quantised_weights
import several_products
import triton
import versions
from compile_jobs import compile_all
from in_turn import medians_in_turn
from triton.backends.compiler import GPUTarget
from versions import SIZES

import dotload
from dotload.plugin import nvidia
from dotload.plugin.cubin import sections_of
from dotload.plugin.triton_types import minor_version

TILES = {
    8: [(128, 256, 128, 8, 3), (256, 128, 128, 8, 3), (128, 128, 128, 8, 3), (256, 128, 128, 8, 4)],
    32: [(128, 256, 32, 8, 3), (256, 128, 32, 8, 3), (128, 128, 32, 4, 3), (128, 128, 32, 8, 3)],
}
"""Bits of an element -> the tiles that were fastest with Triton 3.6 in `gemm_orders.py`."""

ALL = ""
"""Stands for the name of the omitted pass if none is omitted."""
Launch = Callable[["Kernel", Any], None]
"""Runs a compiled kernel."""


class Kernel(Protocol):
    """A kernel with its tile."""

    @property
    def tile(self) -> str:
        """As the table prints it."""
        ...

    def compile(self) -> Any:
        """Compile the kernel for the present GPU."""
        ...


Sources = Callable[[str, several_products.Tile], Any]
Problems = Callable[[str], several_products.Problem]

PRODUCTS: dict[str, tuple[Sources, Problems]] = {
    **versions.PRODUCTS,
    "latent": (
        lambda _, tile: several_products.latent_source("fp8", tile),
        lambda _: several_products.latent_problem("fp8", 4096),
    ),
}
"""The source for triton.compile, and the problem to launch."""


@dataclass(frozen=True)
class Product:
    """A kernel of bench/several_products.py or bench/scaled_products.py."""

    kind: str
    orders: str
    launch_options: several_products.Tile

    @property
    def tile(self) -> str:
        """As the table prints it."""
        return str(self.launch_options)

    def compile(self, capability: int = 90) -> Any:
        """The compiled kernel."""
        source = PRODUCTS[self.kind][0](self.orders, self.launch_options)
        return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=self.launch_options.options)

    def bind(self) -> Launch:
        """Allocate the problem's tensors, for kernels of this kind and order with any tile."""
        problem = PRODUCTS[self.kind][1](self.orders)

        def launch(kernel: Any, handle: Any) -> None:
            problem.run(kernel.launch_options, handle)

        return launch


@dataclass(frozen=True)
class Attention:
    """A kernel of bench/attention_fp8.py, V row-major."""

    launch_options: attention_fp8.Tile

    @property
    def tile(self) -> str:
        """As the table prints it."""
        return str(self.launch_options)

    def compile(self) -> Any:
        """The compiled kernel."""
        return self.launch_options.compile(transposed=False)


@dataclass(frozen=True)
class Cell:
    """One problem: its name, the kernels that may solve it, and `bind`, which allocates the problem's tensors."""

    name: str
    kernels: Sequence[Any]
    bind: Callable[[], Launch]


def gemms() -> Iterator[Cell]:
    """Large products, with pointers and with descriptors, and products of converted operands."""
    for kind, problem in SIZES.items():
        for orders, descriptors in itertools.product(("rr", "cc", "cr"), (False, True)):
            tiles = TILES[gemm.KINDS[kind].bits]
            cases = [gemm.Case(kind, orders, *tile, descriptors=descriptors) for tile in tiles]
            yield of_cases(f"gemm {kind} {orders}{' TMA' if descriptors else ''}", cases, problem)
    for kind, orders in itertools.product(("fp16xint8", "bf16xfp8"), ("rc", "rr")):
        sizes = itertools.product(((128, 128), (128, 256), (256, 128)), (64, 128), (3, 4))
        cases = [gemm.Case(kind, orders, m, n, k, 8, stages) for (m, n), k, stages in sizes]
        yield of_cases(f"converted {kind} {orders}", cases, SIZES["fp8"])
        for rows in (16, 64):
            tiles = itertools.product((64, 128, 256), (64, 128), (4, 8), (4, 5))
            cases = [gemm.Case(kind, orders, rows, n, k, warps, stages) for n, k, warps, stages in tiles]
            yield of_cases(f"rows{rows} {kind} {orders}", cases, (rows, 28672, 8192))


def of_cases(name: str, cases: list[gemm.Case], problem: tuple[int, int, int]) -> Cell:
    """The cell of a product."""

    def bind() -> Launch:
        a, b, c = gemm.tensors(cases[0].kind, cases[0].orders, *problem)
        return lambda case, handle: case.launch(handle, a, b, c)  # pyright: ignore

    return Cell(name, cases, bind)


def products() -> Iterator[Cell]:
    """Gated products, those that are scaled by block, and attention whose values are its keys."""
    for kind in PRODUCTS:
        for orders in ("rr",) if kind == "latent" else ("rr", "cc", "cr"):
            yield of_products(kind, orders)


def of_products(kind: str, orders: str) -> Cell:
    """The cell of a kernel with several products."""
    tiles = versions.PRODUCT_TILES.get(kind, several_products.LATENT_TILES)
    kernels = [Product(kind, orders, tile) for tile in tiles]
    return Cell(f"{kind} fp8 {orders}", kernels, kernels[0].bind)


def attentions() -> Iterator[Cell]:
    """Prefill in fp8, and all tables of bench/kv_cache.py."""

    def bind() -> Launch:
        heads, sequence = 32, 4096
        problem = attention_fp8.Problem.random(heads, sequence, transposed=False)
        tensors = (problem.q, problem.k, problem.v, problem.out, attention_fp8.HEAD**-0.5)
        strides = (sequence * attention_fp8.HEAD,) * 2 + (attention_fp8.HEAD, 1)

        def launch(kernel: Any, handle: Any) -> None:
            tile = kernel.launch_options
            constants = (tile.block_m, tile.block_n, attention_fp8.HEAD)
            handle[(sequence // tile.block_m, heads, 1)](*tensors, *strides, sequence, *constants)

        return launch

    yield Cell("attention fp8", list(map(Attention, attention_fp8.TILES)), bind)
    for name, table in kv_cache.TABLES.items():
        for row in table.rows():
            if row.kernel.cache == kv_cache.FP8:
                yield Cell(f"{name} {row.name}", list(row.kernel.tiles()), lambda row=row: bind_cache(row))


def weights() -> Iterator[Cell]:
    """Quantised weights, by the forms and tiles of bench/quantised_weights.py."""
    for form, rows in itertools.product(quantised_weights.FORMS, (16, 64, 2048)):
        if kernels := [each for each in quantised_weights.kernels(rows) if each.form == form]:
            yield Cell(f"quantised {form}, {rows} rows", kernels, lambda form=form, rows=rows: bind_weights(form, rows))


def bind_weights(form: str, rows: int) -> Launch:
    """Quantised weights."""
    shape = (14336, 4096) if rows < quantised_weights.MANY_ROWS else (8192, 8192, 1)
    return quantised_weights.random_problem(form, rows, *shape).run  # pyright: ignore


def bind_cache(row: kv_cache.Row) -> Launch:
    """Attention over a cache."""
    return kv_cache.Problem.random(row.kernel, row.caches, row.length, row.blocks).launch  # pyright: ignore


def passes() -> list[str]:
    """The passes that run with this version of Triton."""
    names = f"{nvidia.TILES},{nvidia.NESTS},{nvidia.STAGING},{nvidia.LOOPS}".split(",")
    return [name for name in names if nvidia.runs_with(name, minor_version())]


def compile_without(kernel: Kernel, left_out: str) -> Any:
    """The compiled kernel, from Triton's cache if it is there."""
    with dotload.enabled([name for name in passes() if name != left_out]):
        return kernel.compile()


def changing(kernel: Kernel, names: Sequence[str]) -> list[str]:
    """The passes among these that change the kernel."""
    changed = getattr(compile_without(kernel, ALL).metadata, "dotload_passes", ())
    return [name for name in names if name in changed]


def fastest(cell: Cell, launch: Launch, good: set[tuple[Any, str]], count: int) -> list[Any]:
    """The fastest kernels with all passes, by a quick measurement."""
    timed: list[tuple[float, Any]] = []
    for kernel in cell.kernels:
        if (kernel, ALL) in good:
            try:
                timed.append((time_of(launch, kernel, compile_without(kernel, ALL), 8), kernel))
            except triton.runtime.errors.OutOfResources:
                continue
    return [kernel for _, kernel in sorted(timed, key=lambda item: item[0])[:count]]


def time_of(launch: Launch, kernel: Any, handle: Any, milliseconds: int) -> float:
    """Median milliseconds."""
    run = lambda: launch(kernel, handle)  # noqa: E731
    return triton.testing.do_bench(run, warmup=4, rep=milliseconds, return_mode="median")


def times_in_turn(launch: Launch, handles: Mapping[tuple[Any, str], Any], rounds: int) -> dict[tuple[Any, str], float]:
    """Median milliseconds of each kernel; infinite if it needs more memory than there is."""
    fitting = {key: partial(launch, key[0], handle) for key, handle in handles.items() if fits(launch, key[0], handle)}
    return {**dict.fromkeys(handles, math.inf), **medians_in_turn(fitting, rounds)}


def fits(launch: Launch, kernel: Any, handle: Any) -> bool:
    """Whether the kernel can be launched."""
    try:
        launch(kernel, handle)
    except triton.runtime.errors.OutOfResources:
        return False
    return True


def machine_code(cubin: bytes) -> list[bytes]:
    """The instructions of a cubin."""
    return [contents for name, contents in sections_of(cubin) if name.startswith(".text")]


def ratios(
    cell: Cell, kernels: list[Any], good: set[tuple[Any, str]], left_out: list[str], rounds: int
) -> dict[str, float]:
    """Time without a pass over time with it, for each pass that changes a kernel of the cell."""
    launch = cell.bind()
    handles = {kernel: {ALL: compile_without(kernel, ALL)} for kernel in kernels}
    for kernel, name in itertools.product(kernels, left_out):
        if (kernel, name) in good:
            handle = compile_without(kernel, name)
            if machine_code(handle.asm["cubin"]) != machine_code(handles[kernel][ALL].asm["cubin"]):
                handles[kernel][name] = handle
    timed = {(kernel, name): handle for kernel, by_pass in handles.items() for name, handle in by_pass.items()}
    times = times_in_turn(launch, timed, rounds)
    found: dict[str, float] = {}
    for name in left_out:
        changed = [kernel for kernel in kernels if name in handles[kernel]]
        if changed:
            without = [times[kernel, name if kernel in changed else ALL] for kernel in kernels]
            found[name] = min(without) / min(times[kernel, ALL] for kernel in kernels)
    return found


def report(found: dict[str, dict[str, float]]) -> None:
    """A line for each pass, then its cells, the largest ratio first."""
    print("time without the pass / time with it: geometric mean, least, most, problems that it changes")
    for name, by_cell in found.items():
        told = sorted(by_cell.items(), key=lambda item: -item[1])
        if not told:
            print(f"{name:36s} changes no kernel")
            continue
        running = [ratio for ratio in by_cell.values() if math.isfinite(ratio)] or [math.inf]
        mean = statistics.geometric_mean(running)
        print(f"{name:36s} {mean:5.2f} {min(running):5.2f} {max(running):5.2f} {len(told):4d}")
        print("    " + "; ".join(f"{cell} {ratio:.2f}" for cell, ratio in told), flush=True)


def main() -> None:
    """Compile, time, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="a regular expression that a problem's name has a match of")
    parser.add_argument("--passes", default="", help="comma-separated; default: all")
    parser.add_argument("--tiles", type=int, default=2, help="the fastest tiles of a problem that are compiled anew")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    import torch

    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    cells = [cell for cell in (*gemms(), *products(), *attentions(), *weights()) if re.search(options.only, cell.name)]
    left_out = [name for name in options.passes.split(",") if name] or passes()
    good = compile_all([(kernel, ALL) for cell in cells for kernel in cell.kernels], compile_without)
    best = {cell.name: fastest(cell, cell.bind(), good, options.tiles) for cell in cells}
    good |= compile_all(
        [(kernel, name) for cell in cells for kernel in best[cell.name] for name in changing(kernel, left_out)],
        compile_without,
    )
    found: dict[str, dict[str, float]] = {name: {} for name in left_out}
    for cell in cells:
        by_pass = ratios(cell, best[cell.name], good, left_out, options.rounds)
        print(f"{cell.name}: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in by_pass.items()), flush=True)
        for name, ratio in by_pass.items():
            found[name][cell.name] = ratio
    report(found)


if __name__ == "__main__":
    main()
