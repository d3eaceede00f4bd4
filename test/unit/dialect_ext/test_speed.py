"""Reading and printing are quick enough for a compiler's inner loop."""

import subprocess
import sys
import time
from collections.abc import Callable

from dotload.dialect_ext import parse_module, print_module


def best_of(count: int, work: Callable[[], object]) -> float:
    """Shortest time of several runs, in seconds."""
    times: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def test_a_gemm_kernel_is_read_and_printed_in_a_tenth_of_a_second(compiled: Callable[[str], str]) -> None:
    text = compiled("gemm_fp16-90-ttgir")
    assert text.count("\n") > 200
    module = parse_module(text)
    assert best_of(7, lambda: parse_module(text, verify=False)) < 0.1
    assert best_of(7, lambda: print_module(module)) < 0.1


def test_importing_the_package_does_not_import_xdsl() -> None:
    check = "import sys, dotload.dialect_ext; print('xdsl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_dialect_is_loaded_when_it_is_met() -> None:
    check = (
        "import sys; from dotload.dialect_ext import parse_module; parse_module('module {}'); "
        "print([name for name in sys.modules if name.startswith('dotload.dialect_ext.tt')])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
