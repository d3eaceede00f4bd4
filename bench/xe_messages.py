"""Messages and bytes of every load: Intel's own lowering beside dotload's, counted by the emulator.

    python bench/xe_messages.py [CASE ...] [--random 100 --seed 1] [--guard checked]

Compiles the end-to-end kernels (test/unit/emulator/xpu_cases.py) both ways with triton-xpu (`make xpu-env`), runs them
and prints a Markdown table, then every load that is a block load one way and a gather the other. `--random` does the
same with random products (test/unit/emulator/test_fuzz_kernels.py) instead, of which only those that differ are shown.
Exits with 1 when dotload has more messages, or more bytes read, anywhere, or fails.

    asked    what the messages carry: the whole rectangle of a block message, the lanes inside the mask of a gather
    read     what of that is inside the surface, hence what memory delivers; all of it for a gather
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dotload.emulator import Kind, Report, run
from dotload.plugin.xpu import XeKernel

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "unit" / "emulator"))

BLOCK, GATHER = "block load", "gather"
AT_ONCE = 50  # kernels compiled by one process
HEAD = """\
| kernel | messages: Intel | dotload | bytes asked: Intel | dotload | bytes read: Intel | dotload |
|---|--:|--:|--:|--:|--:|--:|"""


@dataclass(frozen=True)
class Counted:
    """What the loads of one version did. `kinds`: source line -> how it reads."""

    messages: int
    asked: int
    read: int
    kinds: dict[str, str]


@dataclass(frozen=True)
class Row:
    """One kernel both ways."""

    name: str
    theirs: Counted
    ours: Counted

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Intel's number beside dotload's: messages, bytes asked, bytes read."""
        a, b = self.theirs, self.ours
        return ((a.messages, b.messages), (a.asked, b.asked), (a.read, b.read))

    def __str__(self) -> str:
        return f"| {self.name} | " + " | ".join(f"{number:,}" for pair in self.pairs for number in pair) + " |"

    def changed(self, before: str, after: str) -> list[str]:
        """Loads that read in the way `before` with Intel's lowering and `after` with dotload's."""
        lines = self.theirs.kinds.keys() & self.ours.kinds.keys()
        return [
            f"{self.name}: {line}"
            for line in sorted(lines)
            if (self.theirs.kinds[line], self.ours.kinds[line]) == (before, after)
        ]


def count(report: Report) -> Counted:
    kinds: dict[str, str] = {}
    for load in report.loads:
        line = load.site.location or "?"
        kind = GATHER if load.site.kind is Kind.LOAD else BLOCK
        kinds[line] = GATHER if GATHER in (kind, kinds.get(line)) else kind
    return Counted(report.load_messages, report.load_bytes, report.load_bytes_used, kinds)


def launch(case, kernel: XeKernel) -> Counted:
    data = case.make(np.random.default_rng(0))
    report = run(kernel.llir, case.grid, data.args, kernel.num_warps, kernel.threads_per_warp, timeout=120)
    return count(report)


def measure(cases: list, guard: str) -> tuple[list[Row], list[str]]:
    """A row for every case that Intel's backend compiles, and where dotload fails on one of those."""
    from xpu_launch import compile_cases

    rows: list[Row] = []
    failed: list[str] = []
    for first in range(0, len(cases), AT_ONCE):
        part = cases[first : first + AT_ONCE]
        kernels = compile_cases(part, guard=guard)
        for case, theirs, ours in zip(part, kernels[::2], kernels[1::2], strict=True):
            if isinstance(theirs, str):
                continue
            if isinstance(ours, str):
                failed.append(f"{case.name}: {ours}")
            else:
                rows.append(Row(case.name, launch(case, theirs), launch(case, ours)))
    return rows, failed


def total(rows: list[Row]) -> Row:
    def add(all_of: list[Counted]) -> Counted:
        sums = (sum(getattr(each, name) for each in all_of) for name in ("messages", "asked", "read"))
        return Counted(*sums, {})

    return Row(f"all {len(rows)}", add([row.theirs for row in rows]), add([row.ours for row in rows]))


def named(title: str, names: list[str]) -> str:
    return "\n".join([f"\n{title}:", *(f"- {name}" for name in names or ["none"])])


def main() -> int:
    from test_fuzz_kernels import draw
    from xpu_cases import CASES

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="names (default: all)")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N random products instead")
    parser.add_argument("--seed", type=int, default=0, help="of the random products")
    parser.add_argument("--guard", default="gathers", help="that option of lower-to-2d-block-load")
    options = parser.parse_args()
    cases = [case for case in CASES if not options.cases or case.name in options.cases]
    if options.random:
        random = np.random.default_rng(options.seed)
        cases = [draw(random, number)[0] for number in range(options.random)]
    rows, failed = measure(cases, options.guard)
    shown = [row for row in rows if not options.random or any(a != b for a, b in row.pairs)]
    print("\n".join([HEAD, *map(str, [*shown, total(rows)])]))
    changes = {(GATHER, BLOCK): "Gathers of Intel's lowering that are block loads with dotload's"}
    changes[BLOCK, GATHER] = "Block loads of Intel's lowering that are gathers with dotload's"
    for (before, after), title in changes.items():
        print(named(title, [line for row in rows for line in row.changed(before, after)]))
    found = [[row.name for row in rows if row.pairs[at][1] > row.pairs[at][0]] for at in range(3)]
    for what, names in zip(("messages", "bytes asked", "bytes read"), found, strict=True):
        print(named(f"More {what} than Intel's lowering", names))
    print(named("Compiled by Intel's backend alone", failed))
    return 1 if found[0] or found[2] or failed else 0


if __name__ == "__main__":
    sys.exit(main())
