"""Instructions that dotload adds to a compilation, a measure that is independent of the machine's load.

    python bench/plugin_instructions.py [--kernels left-alone|rewritten] [--arch 90]

The kernels of `plugin_compile_time.py`, compiled with dotload off and on, each in its own processes under valgrind
(which must be installed). Two processes compile a kernel different numbers of times; the difference of their counts is
the cost of the compilations. ptxas is a separate process and not counted: kernels that are left alone give it the same
PTX. Python's garbage collector, which runs irregularly, is off.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import triton
from plugin_compile_time import KERNELS, compiler

import dotload

FEW, MORE = 2, 6
"""Compilations of the two processes; the first one of a process warms up."""


def work(kernels: str, number: int, flavour: str, count: int, arch: int) -> None:
    """Compile a kernel `count` times."""
    os.environ |= {"TRITON_CACHE_DIR": tempfile.mkdtemp(), "TRITON_ALWAYS_COMPILE": "1"}
    gc.disable()
    _, compile_ = compiler(KERNELS[kernels][0][number])
    with dotload.enabled() if flavour == "dotload" else nullcontext():
        for _ in range(count):
            compile_(arch)


def instructions(kernels: str, number: int, flavour: str, count: int, arch: int) -> int:
    """Instructions of a process that compiles a kernel `count` times."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", sys.executable]
    task = [__file__, "--kernels", kernels, "--arch", str(arch), "--work", str(number), flavour, str(count)]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}  # its threads spin
    done = subprocess.run([*command, *task], env=environment, capture_output=True, text=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode or found is None:
        raise SystemExit(f"error: a process under valgrind failed:\n{done.stderr[-2000:]}")
    return int(found[1].replace(",", ""))


def main() -> None:
    """Print the table, or do the work of one process of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", choices=KERNELS, default="left-alone")
    parser.add_argument("--arch", type=int, default=90)
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        number, flavour, count = options.work
        work(options.kernels, int(number), flavour, int(count), options.arch)
        return
    if shutil.which("valgrind") is None:
        raise SystemExit("error: valgrind is not installed; it counts the instructions")
    chosen, limit = KERNELS[options.kernels]
    jobs = [
        (number, flavour, n) for number in range(len(chosen)) for flavour in ("stock", "dotload") for n in (FEW, MORE)
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = dict(
            zip(jobs, pool.map(lambda job: instructions(options.kernels, *job, options.arch), jobs), strict=True)
        )
    print(f"Triton {triton.__version__}, sm_{options.arch}, millions of instructions of a compilation without ptxas")
    print("| kernel | stock | dotload | ratio | limit |")
    print("|---|---|---|---|---|")
    for number, kernel in enumerate(chosen):
        stock, ours = (
            (counts[number, flavour, MORE] - counts[number, flavour, FEW]) / (MORE - FEW) / 1e6
            for flavour in ("stock", "dotload")
        )
        print(f"| {compiler(kernel)[0]} | {stock:.1f} | {ours:.1f} | {ours / stock:.4f} | {limit:.2f} |")


if __name__ == "__main__":
    main()
