"""Messages and bytes of every load: Intel's own lowering beside dotload's, counted by the emulator.

    python bench/xe_messages.py [CASE ...]

Compiles the end-to-end kernels (test/unit/emulator/xpu_cases.py) both ways with triton-xpu (`make xpu-env`), runs them
and prints a Markdown table, then every load that is a block load one way and a gather the other.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dotload.emulator import Kind, Report, run
from dotload.plugin.xpu import XeKernel
from dotload.plugin.xpu_environment import compile_there

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "unit" / "emulator"))

BLOCK, GATHER = "block", "gather"


@dataclass(frozen=True)
class Counted:
    """What the loads of one version did. `kinds`: source line -> how it reads."""

    messages: int
    asked: int
    used: int
    kinds: dict[str, str]


def count(report: Report) -> Counted:
    kinds: dict[str, str] = {}
    for load in report.loads:
        line = load.site.location or "?"
        kind = GATHER if load.site.kind is Kind.LOAD else BLOCK
        kinds[line] = GATHER if GATHER in (kind, kinds.get(line)) else kind
    used = sum(load.bytes_used for load in report.loads)
    return Counted(report.load_messages, report.load_bytes, used, kinds)


def launch(case, kernel: XeKernel) -> Counted:
    data = case.make(np.random.default_rng(0))
    report = run(kernel.llir, case.grid, data.args, kernel.num_warps, kernel.threads_per_warp, timeout=120)
    return count(report)


def differences(name: str, theirs: Counted, ours: Counted) -> list[str]:
    """Loads that read in different ways."""
    return [
        f"{name}: {line}: Intel {theirs.kinds.get(line, '-')}, dotload {kind}"
        for line, kind in ours.kinds.items()
        if theirs.kinds.get(line) != kind
    ]


def main() -> int:
    from xpu_cases import CASES

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="names (default: all)")
    wanted = parser.parse_args().cases
    cases = [case for case in CASES if not wanted or case.name in wanted]
    kernels = compile_there([case.request(dotload=how) for case in cases for how in (False, True)])
    print("| kernel | messages: Intel | dotload | bytes asked: Intel | dotload | bytes read: Intel | dotload |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    changed: list[str] = []
    worse: list[str] = []
    for case, theirs, ours in zip(cases, kernels[::2], kernels[1::2], strict=True):
        if isinstance(theirs, str) or isinstance(ours, str):
            print(f"| {case.name} | does not compile |||||| ")
            continue
        a, b = launch(case, theirs), launch(case, ours)
        cells = (a.messages, b.messages, a.asked, b.asked, a.used, b.used)
        print(f"| {case.name} | " + " | ".join(f"{cell:,}" for cell in cells) + " |")
        changed += differences(case.name, a, b)
        if b.messages > a.messages or b.used > a.used:
            worse.append(case.name)
    print("\nLoads that read in another way:\n")
    print("\n".join(f"- {line}" for line in changed) or "- none")
    print(f"\nMore messages, or more bytes read, than Intel's lowering: {', '.join(worse) or 'none'}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
