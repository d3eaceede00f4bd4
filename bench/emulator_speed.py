"""The emulator's speed: lane instructions per second and core, cost against size, and one whole large product.

    python bench/emulator_speed.py [--skip-seed]

Needs triton-xpu (`make xpu-env`) to compile the kernels.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

from dotload.emulator import Report, run
from dotload.plugin.xpu import XeKernel
from dotload.plugin.xpu_environment import compile_there

TESTS = Path(__file__).resolve().parents[1] / "test" / "unit" / "emulator"
sys.path.insert(0, str(TESTS))
SIZES = (256, 512, 1024, 2048)
BASE = 256
ROUNDS = 7


def compiled(requests: list[dict]) -> list[XeKernel]:
    kernels = compile_there(requests)
    for kernel in kernels:
        if isinstance(kernel, str):
            raise SystemExit(kernel)
    return kernels  # type: ignore[return-value]


def rate(report: Report, threads: int) -> float:
    """Millions of lane instructions per second and core."""
    return report.lane_instructions / report.seconds / threads / 1e6


def growth() -> None:
    """Time of a product as one of M, N, K grows and the others are 256, on one core."""
    from xpu_cases import gemm

    print("| grows | " + " | ".join(str(size) for size in SIZES) + " | exponent |\n|---|" + "--:|" * 5)
    for dimension in range(3):
        sizes = [[BASE] * 3 for _ in SIZES]
        for entry, size in zip(sizes, SIZES, strict=True):
            entry[dimension] = size
        cases = [gemm("size", "f16", "AxB", tuple(entry), (128, 128, 32), num_warps=16) for entry in sizes]
        (kernel,) = compiled([cases[0].request(dotload=True)])
        seconds = []
        for case in cases:
            best = min(
                run(kernel.llir, case.grid, case.make(np.random.default_rng(0)).args, 16, threads=1).seconds
                for _ in range(ROUNDS)
            )
            seconds.append(best)
        exponent = np.polyfit(np.log(SIZES), np.log(seconds), 1)[0]
        cells = " | ".join(f"{1000 * value:.1f} ms" for value in seconds)
        print(f"| {'MNK'[dimension]} | {cells} | {exponent:.2f} |")


def rates() -> None:
    """Each end-to-end kernel of a kind, on one core."""
    from xpu_cases import CASES

    names = ["AxB_f16", "AxB_i8", "ATxB_f16", "pointers_AxB_f16_masked", "attention_f16", "softmax"]
    cases = [case for case in CASES if case.name in names]
    kernels = compiled([case.request(dotload=True) for case in cases])
    print("\n| kernel | lane instructions | million a second a core |\n|---|--:|--:|")
    for case, kernel in zip(cases, kernels, strict=True):
        grid = (case.grid[0] * 8, *case.grid[1:]) if case.name == "AxB_f16" else case.grid
        reports = [
            run(kernel.llir, grid, case.make(np.random.default_rng(0)).args, kernel.num_warps, 16, threads=1)
            for _ in range(5 * ROUNDS)
        ]
        best = max(reports, key=lambda report: rate(report, 1))
        print(f"| {case.name} | {best.lane_instructions:,} | {rate(best, 1):.0f} |")


def seed_product() -> None:
    """The block-load document's product, whole, in both lowerings, against numpy."""
    m, n, k = 1024, 4096, 5120
    constants = {"BM": 256, "BN": 256, "BK": 32, "M": m, "N": n, "K": k}
    request = {
        "file": str(TESTS / "xpu_kernels.py"),
        "kernel": "seed_gemm",
        "signature": ["*fp16:16", "*fp16:16", "*fp32:16"],
        "constants": constants,
        "num_warps": 32,
    }
    kernels = compiled([request | {"dotload": how} for how in (False, True)])
    random = np.random.default_rng(0)
    a, b = random.standard_normal((m, k)).astype(np.float16), random.standard_normal((k, n)).astype(np.float16)
    wanted = a.astype(np.float32) @ b.astype(np.float32)
    threads = os.cpu_count() or 1
    print(f"\n{m} x {k} x {n}, f16, tiles of 256 x 256 x 32, 32 subgroups, {threads} cores:\n")
    print("| lowering | seconds | dpas | load messages | million lane instructions a second a core | largest error |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, kernel in zip(("Intel", "dotload"), kernels, strict=True):
        c = np.zeros((m, n), np.float32)
        begin = time.perf_counter()
        report = run(kernel.llir, (m // 256 * (n // 256),), [a, b, c], 32)
        seconds = time.perf_counter() - begin
        cells = f"{seconds:.1f} | {report.dpas:,} | {report.load_messages:,} | {rate(report, threads):.0f}"
        print(f"| {name} | {cells} | {np.abs(c - wanted).max():.1e} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skip-seed", action="store_true", help="leave the large product out")
    options = parser.parse_args()
    growth()
    rates()
    if not options.skip_seed:
        seed_product()
    return 0


if __name__ == "__main__":
    sys.exit(main())
