"""GEMMs as other versions of Triton compile them, on a GPU where these versions are not installed.

    python bench/versions.py compile FOLDER [--problems 100]    # with the Python of each version; needs no GPU
    python bench/versions.py run FOLDER [--rounds 5]            # needs a Hopper GPU and PyTorch
    python bench/versions.py cycles FOLDER                      # needs ncu as well

The first writes FOLDER/triton-<version>.zip: cubins, and what it takes to launch them. The second launches what it
finds. Random problems: how many of dotload's results are further from float64 than stock Triton's. Speed: dotload's in
each memory order against stock Triton's of K-major operands, both of this version. The third counts cycles, which do
not depend on the clocks of the moment.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import random
import statistics
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import gemm
import triton
from counters import count
from gemm import Case
from gemm_orders import compile_case

Problem = tuple[int, int, int]

SIZES: dict[str, Problem] = {"fp8": (8192,) * 3, "int8": (8192,) * 3, "tf32": (4096,) * 3}
COUNTED = (4096, 4096, 4096)
LAUNCHES = 3
"""Of each kernel whose cycles are counted; the least is told: with two blocks on a multiprocessor, launches differ."""
TILES = {
    8: [(128, 256, 128, 8, 3), (256, 128, 128, 8, 3), (128, 128, 128, 8, 3), (256, 128, 128, 8, 4)],
    32: [(128, 256, 32, 8, 3), (256, 128, 32, 8, 3), (128, 128, 32, 4, 3), (128, 128, 32, 8, 3)],
}
"""Bits of an element -> the tiles that were fastest with Triton 3.6 in `gemm_orders.py`."""


@dataclass(frozen=True)
class Job:
    """A kernel of one flavour and the problem that it is for; `set` is "random" or "speed"."""

    set: str
    case: Case
    flavour: str
    problem: Problem

    def is_of(self, kind: str, descriptors: bool) -> bool:
        """Whether it is in the row of this kind, through descriptors or not."""
        return (self.case.kind, self.case.descriptors) == (kind, descriptors)


@dataclass(frozen=True)
class Compiled:
    """How to launch a job's cubin: a block of `threads`, the arguments by name, then two pointers to scratch memory."""

    job: Job
    cubin: bytes
    name: str
    arguments: tuple[str, ...]
    threads: int
    shared_bytes: int
    scratch_bytes: int

    def record(self) -> dict[str, Any]:
        """All but the cubin, for JSON."""
        return {name: value for name, value in asdict(self).items() if name != "cubin"}

    @staticmethod
    def of(record: dict[str, Any], cubin: bytes) -> Compiled:
        """What `record` gave."""
        job = record["job"]
        job = Job(job["set"], Case(**job["case"]), job["flavour"], tuple(job["problem"]))
        return Compiled(**{**record, "job": job, "arguments": tuple(record["arguments"])}, cubin=cubin)


def speed_jobs() -> Iterator[Job]:
    """What is timed."""
    for kind, problem in SIZES.items():
        for orders in gemm.ORDERS:
            for tile in TILES[gemm.KINDS[kind].bits]:
                for descriptors in (False, True):
                    case = Case(kind, orders, *tile, descriptors=descriptors)
                    yield Job("speed", case, "stock" if orders == "rc" else "dotload", problem)


def random_jobs(problems: int, seed: int) -> Iterator[Job]:
    """Random problems, each for both flavours."""
    rng = random.Random(seed)
    for _ in range(problems):
        case, problem = gemm.random_problem(rng)
        for flavour in ("stock", "dotload"):
            yield Job("random", case, flavour, problem)


def compile_job(job: Job) -> Compiled | None:
    """None for what this version cannot compile."""
    try:
        kernel = compile_case(job.case, job.flavour)
    except Exception as error:
        print(f"{job.case} {job.flavour}: {error!r}"[:200], file=sys.stderr)
        return None
    source, meta = job.case.source(), kernel.metadata
    arguments = tuple(name for name in source.fn.arg_names if name not in job.case.constants)
    entry = kernel.asm["ptx"].split(".visible .entry")[1].split(")")[0]
    if entry.count(".param") != len(arguments) + 2 or meta.profile_scratch_size:
        raise SystemExit(f"error: Triton {triton.__version__} launches kernels in another way than this script")
    threads, scratch = 32 * meta.num_warps, meta.global_scratch_size
    return Compiled(job, kernel.asm["cubin"], meta.name, arguments, threads, meta.shared, scratch)


def compile_all(folder: Path, problems: int, seed: int) -> None:
    """Write the archive of this version."""
    os.environ["DOTLOAD_STRICT"] = "1"
    jobs = [*random_jobs(problems, seed), *speed_jobs()]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        done = [compiled for compiled in pool.map(compile_job, jobs, chunksize=4) if compiled]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"triton-{triton.__version__}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("jobs.json", json.dumps([compiled.record() for compiled in done]))
        for number, compiled in enumerate(done):
            archive.writestr(f"{number}.cubin", compiled.cubin)
    print(f"{path}: {len(done)} of {len(jobs)} kernels")


def load_all(path: Path) -> list[Compiled]:
    """The kernels of an archive."""
    with zipfile.ZipFile(path) as archive:
        records = json.loads(archive.read("jobs.json"))
        return [Compiled.of(record, archive.read(f"{number}.cubin")) for number, record in enumerate(records)]


class Driver:
    """The part of the CUDA driver API that launches a cubin."""

    MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
    """CUfunction_attribute"""

    def __init__(self) -> None:
        import torch

        torch.cuda.init()
        torch.zeros(1, device="cuda")  # makes the context that everything runs in
        self.library = ctypes.CDLL("libcuda.so.1")

    def call(self, name: str, *arguments: Any) -> None:
        """RuntimeError for what does not return success."""
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: CUDA error {status}")

    def function(self, compiled: Compiled) -> ctypes.c_void_p:
        """The kernel, loaded."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), compiled.cubin)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, compiled.name.encode())
        self.call("cuFuncSetAttribute", function, self.MAX_DYNAMIC_SHARED_SIZE_BYTES, compiled.shared_bytes)
        return function

    def launcher(self, compiled: Compiled, a: Any, b: Any, c: Any) -> Callable[[], None]:
        """Launches the kernel on torch tensors, on the default stream."""
        import torch

        (m, k), n, case = a.shape, b.shape[1], compiled.job.case
        blocks = triton.cdiv(m, case.block_m) * triton.cdiv(n, case.block_n)
        scratch = torch.empty(max(1, compiled.scratch_bytes * blocks), dtype=torch.int8, device="cuda")
        strides = dict(
            zip(("stride_am", "stride_ak", "stride_bk", "stride_bn"), (*a.stride(), *b.stride()), strict=True)
        )
        numbers = {"M": m, "N": n, "K": k, "stride_cm": c.stride(0), "stride_cn": c.stride(1), **strides}
        pointers = {"a_ptr": a, "b_ptr": b, "c_ptr": c}
        values: list[Any] = [
            ctypes.c_void_p(pointers[name].data_ptr()) if name in pointers else ctypes.c_int32(numbers[name])
            for name in compiled.arguments
        ]
        values += [ctypes.c_void_p(scratch.data_ptr()), ctypes.c_void_p(0)]
        packed = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        function = self.function(compiled)
        kept = (scratch, values)

        def launch(_: Any = kept) -> None:
            shape = (blocks, 1, 1, compiled.threads, 1, 1)
            self.call("cuLaunchKernel", function, *shape, compiled.shared_bytes, None, packed, None)

        return launch


def error_of(driver: Driver, compiled: Compiled, problem: Problem) -> float:
    """Relative to float64."""
    import torch

    case = compiled.job.case
    a, b, c = gemm.tensors(case.kind, case.orders, *problem, seed=1)
    driver.launcher(compiled, a, b, c)()
    torch.cuda.synchronize()
    return gemm.relative_error(a, b, c)


def check_random(driver: Driver, kernels: list[Compiled]) -> None:
    """Every random problem that both flavours compile for."""
    errors: dict[tuple[Case, Problem], dict[str, float]] = defaultdict(dict)
    for compiled in kernels:
        job = compiled.job
        if compiled.shared_bytes <= 227 << 10:
            errors[job.case, job.problem][job.flavour] = error_of(driver, compiled, job.problem)
    both = {problem: found for problem, found in errors.items() if len(found) == 2}
    lost = [problem for problem, found in errors.items() if "dotload" not in found]
    worse = [problem for problem, found in both.items() if not found["dotload"] <= found["stock"] * 1.01 + 1e-7]
    print(f"{len(both)} random problems, {len(worse)} further from float64 than stock; {len(lost)} for stock only")
    for problem in [*worse, *lost]:
        print(f"  {problem}: {errors[problem]}")


def tflops(driver: Driver, compiled: Compiled, milliseconds: int) -> float:
    """Median speed of one kernel."""
    case, (m, n, k) = compiled.job.case, compiled.job.problem
    launch = driver.launcher(compiled, *gemm.tensors(case.kind, case.orders, m, n, k))
    return 2 * m * n * k / triton.testing.do_bench(launch, warmup=5, rep=milliseconds, return_mode="median") / 1e9


def time_cells(driver: Driver, kernels: list[Compiled], rounds: int) -> None:
    """The fastest tile of each order, timed in turn, against that of K-major operands."""
    for descriptors in (False, True):
        for kind in SIZES:
            cells = [kernel for kernel in kernels if kernel.job.is_of(kind, descriptors)]
            best = {}
            for orders in gemm.ORDERS:
                cell = [kernel for kernel in cells if kernel.job.case.orders == orders]
                best[orders] = max(cell, key=lambda kernel: tflops(driver, kernel, 12))
            found: dict[str, list[float]] = defaultdict(list)
            for _ in range(rounds):
                for orders, kernel in best.items():
                    found[orders].append(tflops(driver, kernel, 40))
            speeds = {orders: statistics.median(values) for orders, values in found.items()}
            told = [
                f"{orders} {speed:.0f} ({speed / speeds['rc']:.2f}, {best[orders].job.case.tile}, "
                f"{error_of(driver, best[orders], (1024, 1024, 1024)):.2e})"
                for orders, speed in speeds.items()
            ]
            print(f"{kind}{' TMA' if descriptors else ''}: " + "; ".join(told), flush=True)


def launch_all(folder: Path) -> None:
    """What is timed, LAUNCHES times each, at a smaller size."""
    driver = Driver()
    for _, kernel in timed(folder):
        case = kernel.job.case
        launch = driver.launcher(kernel, *gemm.tensors(case.kind, case.orders, *COUNTED))
        for _ in range(LAUNCHES):
            launch()


def timed(folder: Path) -> list[tuple[str, Compiled]]:
    """Archive and kernel of all that is timed."""
    kernels = [(path.stem, kernel) for path in sorted(folder.glob("triton-*.zip")) for kernel in load_all(path)]
    return [(name, kernel) for name, kernel in kernels if kernel.job.set == "speed"]


def count_all(folder: Path) -> None:
    """The fewest cycles of each order, and its speed at the same clock as K-major operands'."""
    metric = "sm__cycles_elapsed.max"
    counted = count([sys.executable, __file__, "launch", str(folder)], [metric], "matmul")
    best: dict[tuple[str, str, bool], dict[str, float]] = defaultdict(dict)
    launched = [each for each in timed(folder) for _ in range(LAUNCHES)]
    for (name, kernel), found in zip(launched, counted, strict=True):
        case = kernel.job.case
        row = best[name, case.kind, case.descriptors]
        row[case.orders] = min(found[metric], row.get(case.orders, math.inf))
    print(f"cycles of {'x'.join(map(str, COUNTED))} (speed of K-major)")
    for (name, kind, descriptors), row in best.items():
        told = [f"{orders} {cycles:.0f} ({row['rc'] / cycles:.2f})" for orders, cycles in row.items()]
        print(f"{name} {kind}{' TMA' if descriptors else ''}: " + "; ".join(told))


def run_all(folder: Path, rounds: int) -> None:
    """Every archive in the folder."""
    import torch

    driver = Driver()
    print(f"{torch.cuda.get_device_name()}; TFLOP/s (of K-major, tile, relative error)")
    for path in sorted(folder.glob("triton-*.zip")):
        print(path.stem, flush=True)
        kernels = load_all(path)
        check_random(driver, [kernel for kernel in kernels if kernel.job.set == "random"])
        time_cells(driver, [kernel for kernel in kernels if kernel.job.set == "speed"], rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=["compile", "run", "cycles", "launch"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--problems", type=int, default=100, help="random problems to compile")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    match options.command:
        case "compile":
            compile_all(options.folder, options.problems, options.seed)
        case "run":
            run_all(options.folder, options.rounds)
        case "cycles":
            count_all(options.folder)
        case _:
            launch_all(options.folder)


if __name__ == "__main__":
    main()
