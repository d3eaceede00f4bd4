"""Products as other versions of Triton compile them, on a GPU where these versions are not installed.

    python bench/versions.py compile FOLDER [--problems 100] [--only fp8,gated]   # with the Python of each version
    python bench/versions.py run FOLDER [--rounds 5]                              # needs a Hopper GPU and PyTorch
    python bench/versions.py cycles FOLDER                                        # needs ncu as well

The first needs no GPU. It writes FOLDER/triton-<version>.zip: cubins, and what it takes to launch them. The second
launches what it finds. Random GEMMs: how many of dotload's results are further from float64 than stock Triton's. Speed:
dotload's in each memory order against stock Triton's of K-major operands, both of this version, the best of the tile
list of gemm_orders.py; of gated and scaled products (bench/several_products.py, bench/scaled_products.py) the best of a
few. All orders are launched in turn (in_turn.py). The third counts cycles, which do not depend on the clocks.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import random
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import gemm
import scaled_products
import several_products
import triton
from best_tile import best_of_each
from counters import count
from cubins import Cubin, Driver
from gemm import Case
from gemm_orders import compile_case
from several_products import Problem, Tile
from triton.backends.compiler import GPUTarget

import dotload
from dotload.layout.nvidia_targets import HOPPER

Shape = tuple[int, int, int]

SIZES: dict[str, Shape] = {"fp8": (8192,) * 3, "int8": (8192,) * 3, "tf32": (4096,) * 3}
COUNTED = (4096, 4096, 4096)
LAUNCHES = 3
"""Launches of each kernel whose cycles are counted. The least is printed: with two resident blocks, launches differ."""
PRODUCT_SIZE = 4096
SCALED_TILES = (Tile(128, 128, 128, 8, 3), Tile(128, 128, 128, 8, 4), Tile(64, 128, 128, 4, 3))
PRODUCT_TILES = {
    "gated": (Tile(128, 128, 128, 8, 3), Tile(128, 128, 128, 8, 4), Tile(128, 128, 64, 8, 4), Tile(256, 64, 128, 8, 3)),
    "scaled": SCALED_TILES,
    "wrapped": SCALED_TILES,
}
"""A few of the lists of the two benchmarks; 128x128x128 is the fastest of these in most orders and versions."""
PRODUCTS: dict[str, tuple[Callable[[str, Tile], Any], Callable[[str], Problem]]] = {
    "gated": (
        lambda orders, tile: several_products.gated_source("fp8", orders, tile),
        lambda orders: several_products.gated_problem("fp8", orders, PRODUCT_SIZE),
    ),
    "scaled": (
        scaled_products.scaled_source,
        lambda orders: scaled_products.problem(orders, PRODUCT_SIZE),
    ),
    "wrapped": (
        lambda orders, tile: scaled_products.scaled_source(orders, tile, wrap=True),
        lambda orders: scaled_products.problem(orders, PRODUCT_SIZE, wrap=True),
    ),
}
"""fp8: what triton.compile takes, and what is launched. `wrapped`: scaled, with columns modulo N."""


@dataclass(frozen=True)
class Product:
    """A kernel of several products, or of scaled ones."""

    kind: str
    orders: str
    tile: Tile

    def compile(self, flavour: str) -> Cubin:
        """Stock Triton's, or dotload's."""
        source = PRODUCTS[self.kind][0](self.orders, self.tile)
        with dotload.enabled() if flavour == "dotload" else nullcontext():
            return Cubin.of(source, triton.compile(source, GPUTarget("cuda", 90, 32), self.tile.options))


@dataclass(frozen=True)
class Job:
    """A kernel of one flavour and the problem that it is for; `set` is "random", "speed" or "product"."""

    set: str
    case: Case | Product
    flavour: str
    problem: Shape

    @property
    def row(self) -> str:
        """The row of the printed table: kernels of one kind that differ in tile and memory orders."""
        return self.case.kind + (" TMA" if isinstance(self.case, Case) and self.case.descriptors else "")

    @property
    def cell(self) -> str:
        """The cell of that row: kernels that differ only in tile. "rc" is stock's."""
        is_k_major = self.case.orders == "rc"
        return self.case.orders + (" dotload" if is_k_major and self.flavour == "dotload" else "")


@dataclass(frozen=True)
class Compiled:
    """A job's cubin."""

    job: Job
    cubin: Cubin

    def record(self) -> dict[str, Any]:
        """All but the machine code, for JSON."""
        record = asdict(self)
        del record["cubin"]["code"]
        return record

    @staticmethod
    def of(record: dict[str, Any], code: bytes) -> Compiled:
        """What `record` gave."""
        job, cubin = record["job"], record["cubin"]
        given = job["case"]
        case = Product(**{**given, "tile": Tile(**given["tile"])}) if job["set"] == "product" else Case(**given)
        cubin = Cubin(**{**cubin, "code": code, "arguments": tuple(cubin["arguments"])})
        return Compiled(Job(job["set"], case, job["flavour"], tuple(job["problem"])), cubin)


def speed_jobs(rows: tuple[int, ...]) -> Iterator[Job]:
    """GEMMs, by the tile list of gemm_orders.py with so many rows."""
    for kind, problem in SIZES.items():
        for orders in gemm.ORDERS:
            for case in gemm.tiles(kind, orders, rows=rows):
                for descriptors in (False, True):
                    flavour = "stock" if orders == "rc" else "dotload"
                    yield Job("speed", replace(case, descriptors=descriptors), flavour, problem)


def product_jobs() -> Iterator[Job]:
    """Gated and scaled products, timed as well."""
    for kind, tiles in PRODUCT_TILES.items():
        for orders, tile in itertools.product(gemm.ORDERS, tiles):
            for flavour in ("stock", "dotload") if orders == "rc" else ("dotload",):
                yield Job("product", Product(kind, orders, tile), flavour, (PRODUCT_SIZE,) * 3)


def random_jobs(problems: int, seed: int) -> Iterator[Job]:
    """Random problems, each for both flavours."""
    rng = random.Random(seed)
    for _ in range(problems):
        case, problem = gemm.random_problem(rng)
        for flavour in ("stock", "dotload"):
            yield Job("random", case, flavour, problem)


def compile_job(job: Job) -> Compiled | None:
    """None for what this version cannot compile. Random kernels are compiled in strict mode, timed ones as users do."""
    os.environ["DOTLOAD_STRICT"] = "1" if job.set == "random" else "0"
    try:
        if isinstance(job.case, Product):
            return Compiled(job, job.case.compile(job.flavour))
        return Compiled(job, Cubin.of(job.case.source(), compile_case(job.case, job.flavour)))
    except Exception as error:
        print(f"{job.case} {job.flavour}: {error!r}"[:200], file=sys.stderr)
        return None


def compile_all(folder: Path, problems: int, seed: int, only: set[str], rows: tuple[int, ...]) -> None:
    """Write the archive of this version; of what is timed, these kinds."""
    timed_jobs = [job for job in (*speed_jobs(rows), *product_jobs()) if job.case.kind in only]
    jobs = [*random_jobs(problems, seed), *timed_jobs]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        done = [compiled for compiled in pool.map(compile_job, jobs, chunksize=4) if compiled]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"triton-{triton.__version__}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("jobs.json", json.dumps([compiled.record() for compiled in done]))
        for number, compiled in enumerate(done):
            archive.writestr(f"{number}.cubin", compiled.cubin.code)
    print(f"{path}: {len(done)} of {len(jobs)} kernels")


def load_all(path: Path) -> list[Compiled]:
    """The kernels of an archive that fit into shared memory."""
    with zipfile.ZipFile(path) as archive:
        records = json.loads(archive.read("jobs.json"))
        kernels = [Compiled.of(record, archive.read(f"{number}.cubin")) for number, record in enumerate(records)]
    return [kernel for kernel in kernels if kernel.cubin.shared_bytes <= HOPPER.max_block_bytes]


@dataclass(frozen=True)
class Bound:
    """A kernel with its arguments; `error` of what the last launch has left there, relative to float64."""

    launch: Callable[[], None]
    flops: int
    error: Callable[[], float]


def bind(driver: Driver, compiled: Compiled, shape: Shape) -> Bound:
    """The kernel on random tensors: a GEMM's of this shape; products have one size."""
    case = compiled.job.case
    if isinstance(case, Product):
        problem = product_problem(case.kind, case.orders)
        problem.arguments["c_ptr"].fill_(float("nan"))  # all tiles and versions write to this buffer
        launch = driver.launcher(compiled.cubin, problem.programs(case.tile), problem.arguments)
        return Bound(launch, problem.flops, problem.error)
    m, n, k = shape
    a, b, c = tensors(case.kind, case.orders, shape)
    c.fill_(gemm.UNTOUCHED)
    strides = dict(zip(("stride_am", "stride_ak", "stride_bk", "stride_bn"), (*a.stride(), *b.stride()), strict=True))
    pointers = {"a_ptr": a, "b_ptr": b, "c_ptr": c}
    numbers = {"M": m, "N": n, "K": k, "stride_cm": c.stride(0), "stride_cn": c.stride(1)}
    programs = triton.cdiv(m, case.block_m) * triton.cdiv(n, case.block_n)
    launch = driver.launcher(compiled.cubin, (programs, 1), pointers | numbers | strides)
    return Bound(launch, 2 * m * n * k, lambda: gemm.relative_error(a, b, c))


@lru_cache(maxsize=len(gemm.ORDERS))
def tensors(kind: str, orders: str, shape: Shape) -> tuple[Any, Any, Any]:
    """Of a GEMM, for all tiles and versions."""
    return gemm.tensors(kind, orders, *shape, seed=1)


@cache
def product_problem(kind: str, orders: str) -> Problem:
    """One for all tiles and versions."""
    return PRODUCTS[kind][1](orders)


def error_of(driver: Driver, compiled: Compiled, shape: Shape) -> float:
    """Relative to float64."""
    bound = bind(driver, compiled, shape)
    bound.launch()
    return bound.error()


def check_random(driver: Driver, kernels: list[Compiled]) -> None:
    """Every random problem that both flavours compile for."""
    errors: dict[tuple[Case, Shape], dict[str, float]] = defaultdict(dict)
    for compiled in kernels:
        job = compiled.job
        if isinstance(job.case, Case):
            errors[job.case, job.problem][job.flavour] = error_of(driver, compiled, job.problem)
    both = {problem: found for problem, found in errors.items() if len(found) == 2}
    lost = [problem for problem, found in errors.items() if "dotload" not in found]
    worse = [problem for problem, found in both.items() if not found["dotload"] <= found["stock"] * 1.01 + 1e-7]
    print(f"{len(both)} random problems, {len(worse)} further from float64 than stock; {len(lost)} for stock only")
    for problem in [*worse, *lost]:
        print(f"  {problem}: {errors[problem]}")


def time_rows(driver: Driver, kernels: list[Compiled], rounds: int) -> None:
    """A line for each row."""
    rows: dict[str, list[Compiled]] = defaultdict(list)
    for kernel in kernels:
        rows[kernel.job.row].append(kernel)
    for name, cells in rows.items():
        time_row(driver, name, cells, rounds)


@dataclass(frozen=True)
class Cell:
    """The kernels of one order, as tiles of a problem; `kernels` are bound."""

    kernels: Sequence[Bound]

    @property
    def flops(self) -> int:
        """Operations of one launch."""
        return self.kernels[0].flops

    def launch(self, number: int) -> None:
        """Launch once."""
        self.kernels[number].launch()


def time_row(driver: Driver, name: str, kernels: list[Compiled], rounds: int) -> None:
    """The fastest tile of each order against that of K-major operands, all launched in turn."""
    by_cell: dict[str, list[Compiled]] = defaultdict(list)
    for kernel in kernels:
        by_cell[kernel.job.cell].append(kernel)
    if not set(gemm.ORDERS) <= set(by_cell):
        print(f"{name}: not every order was compiled")
        return
    cells = {
        cell: (Cell([bind(driver, kernel, kernel.job.problem) for kernel in found]), range(len(found)))
        for cell, found in by_cell.items()
    }
    told: list[str] = []
    best = best_of_each(cells, rounds)
    for cell, (speed, number) in best.items():
        kernel = by_cell[cell][number]
        error = error_of(driver, kernel, (1024, 1024, 1024))
        told.append(f"{cell} {speed:.0f} ({speed / best['rc'][0]:.2f}, {kernel.job.case.tile}, {error:.2e})")
    print(f"{name}: " + "; ".join(told), flush=True)


def launch_all(folder: Path) -> None:
    """What is timed, LAUNCHES times each; GEMMs at a smaller size."""
    driver = Driver()
    for _, kernel in timed(folder):
        launch = bind(driver, kernel, COUNTED).launch
        for _ in range(LAUNCHES):
            launch()


def timed(folder: Path) -> list[tuple[str, Compiled]]:
    """Archive and kernel of all that is timed."""
    kernels = [(path.stem, kernel) for path in sorted(folder.glob("triton-*.zip")) for kernel in load_all(path)]
    return [(name, kernel) for name, kernel in kernels if kernel.job.set != "random"]


def count_all(folder: Path) -> None:
    """The fewest cycles of each order, and its speed at the same clock as K-major operands'."""
    metric = "sm__cycles_elapsed.max"
    counted = count([sys.executable, __file__, "launch", str(folder)], [metric], "matmul|gated|scaled")
    best: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    launched = [each for each in timed(folder) for _ in range(LAUNCHES)]
    for (name, kernel), found in zip(launched, counted, strict=True):
        row, orders = best[name, kernel.job.row], kernel.job.case.orders
        row[orders] = min(found[metric], row.get(orders, math.inf))
    print(f"cycles of {'x'.join(map(str, COUNTED))} (speed of K-major)")
    for (name, kind), row in best.items():
        told = [f"{orders} {cycles:.0f} ({row['rc'] / cycles:.2f})" for orders, cycles in row.items()]
        print(f"{name} {kind}: " + "; ".join(told))


def run_all(folder: Path, rounds: int) -> None:
    """Every archive in the folder."""
    import torch

    driver = Driver()
    print(f"{torch.cuda.get_device_name()}; TFLOP/s (of K-major, tile, relative error)")
    for path in sorted(folder.glob("triton-*.zip")):
        print(path.stem, flush=True)
        kernels = load_all(path)
        check_random(driver, [kernel for kernel in kernels if kernel.job.set == "random"])
        time_rows(driver, [kernel for kernel in kernels if kernel.job.set != "random"], rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=["compile", "run", "cycles", "launch"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--problems", type=int, default=100, help="random problems to compile")
    parser.add_argument("--only", default=",".join((*SIZES, *PRODUCTS)), help="kinds to time, comma-separated")
    parser.add_argument("--rows", default="64,128,256", help="comma-separated: rows of the tiles of GEMMs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3, help="ten launches of the fastest tiles a round")
    options = parser.parse_args()
    match options.command:
        case "compile":
            rows = tuple(map(int, options.rows.split(",")))
            compile_all(options.folder, options.problems, options.seed, set(options.only.split(",")), rows)
        case "run":
            run_all(options.folder, options.rounds)
        case "cycles":
            count_all(options.folder)
        case _:
            launch_all(options.folder)


if __name__ == "__main__":
    main()
