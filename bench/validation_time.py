"""The share of translation validation and of the hazard check in the CPU time of a compilation.

    python bench/validation_time.py [--rounds 5] [--arch 90]

NVIDIA's kernels are compiled in strict mode, where both run, Intel's by triton-xpu with `validate=true`. A share is
relative to the compilation without both; the least of all rounds. The second table needs triton-xpu (`make xpu-env`).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parents[1] / "test" / "unit" / "emulator"))

from plugin_compile_time import REWRITTEN, compiler
from xpu_cases import CASES, Case

import dotload
from dotload.plugin import strict
from dotload.plugin.xpu_environment import find_python, run_there

LIMIT = 0.03
"""The largest share of a compilation for checks that are on by default."""
INTEL = ("AxB_f16", "AxBT_f16", "ATxB_i8", "AxB_e4m3", "attention_f16")

TIMED = """
import json, sys, time
from dotload.passes import convert_2d_block_load_to_llvm as lowering
from dotload.plugin import xpu_environment as there

spent = [0.0]
validate = lowering.wrong_registers

def timed(*arguments, **named):
    start = time.process_time()
    try:
        return validate(*arguments, **named)
    finally:
        spent[0] += time.process_time() - start

lowering.wrong_registers = timed
requests, modules, shares = json.load(sys.stdin), {}, []
for request in requests:
    start, spent[0] = time.process_time(), 0.0
    answer = there._answer(request, modules)
    assert "error" not in answer, answer["error"]
    shares.append((time.process_time() - start - spent[0], spent[0]))
print(json.dumps(shares))
"""
"""Prints for each compilation the CPU seconds without validation, and those of validation."""


def cpu_s() -> float:
    """CPU seconds of this process and of the children that it has waited for, such as ptxas."""
    spent = os.times()
    return sum(spent[:4])


class Clock:
    """CPU seconds in functions, by name."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)

    def timed(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with its time added to the total of `name`."""

        def run(*arguments: Any, **named: Any) -> Any:
            start = cpu_s()
            try:
                return work(*arguments, **named)
            finally:
                self.spent[name] += cpu_s() - start

        return run


def nvidia(rounds: int, capability: int) -> None:
    """Print the shares of both checks for the kernels of bench/plugin_compile_time.py."""
    clock = Clock()
    for name in ("problems_of", "hazards_in"):
        setattr(strict, name, clock.timed(name, getattr(strict, name)))
    os.environ["DOTLOAD_STRICT"] = "1"
    print(f"{'strict mode, sm_' + str(capability):46}{'compile s':>10}{'validation':>12}{'hazards':>9}")
    for kernel in REWRITTEN:
        label, compile_once = compiler(kernel)
        best: dict[str, float] = {}
        for number in range(rounds + 1):
            clock.spent.clear()
            with tempfile.TemporaryDirectory() as cache, dotload.enabled():
                os.environ["TRITON_CACHE_DIR"] = cache
                start = cpu_s()
                compile_once(capability)
                spent = {"all": cpu_s() - start, **clock.spent}
            if number:  # the first round loads shared modules
                best = {name: min(best.get(name, s), s) for name, s in spent.items()}
        plain = best["all"] - best["problems_of"]
        hazards = best["hazards_in"] / plain
        print(f"{label:46}{plain:10.2f}{best['problems_of'] / plain - hazards:12.1%}{hazards:9.1%}")


def intel(rounds: int) -> None:
    """Print the share of validation in what triton-xpu's compilations take without it."""
    by_name = {case.name: case for case in CASES}
    best = dict.fromkeys(INTEL, (math.inf, math.inf))
    requests = [request(by_name[name]) for name in (INTEL[0], *INTEL)]  # the first loads shared modules
    for _ in range(rounds):
        _, *found = json.loads(run_there(TIMED, json.dumps(requests)).splitlines()[-1])
        for name, seconds in zip(INTEL, found, strict=True):
            plain, validation = map(min, best[name], seconds)
            best[name] = plain, validation
    print(f"\n{'triton-xpu':46}{'compile s':>10}{'validation':>12}")
    for name, (plain, validation) in best.items():
        print(f"{name:46}{plain:10.2f}{validation / plain:12.1%}")


def request(case: Case) -> dict[str, Any]:
    """What to compile; its loads are validated."""
    return case.request(dotload=True) | {"pass_options": {"validate": "true"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--arch", type=int, default=90)
    options = parser.parse_args()
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    nvidia(options.rounds, options.arch)
    if find_python() is not None:
        intel(options.rounds)
    print(f"\nOn by default is what takes less than {LIMIT:.0%}: neither.")


if __name__ == "__main__":
    main()
