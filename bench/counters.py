"""Hardware counters of every launch of a command, by ncu."""

from __future__ import annotations

import csv
import io
import subprocess
from collections import defaultdict
from collections.abc import Sequence


def count(command: Sequence[str], metrics: Sequence[str], kernels: str) -> list[dict[str, float]]:
    """The `metrics` of each launch of a kernel whose name matches `kernels`, in order; the clocks are left alone.

    SystemExit with ncu's output if it counts nothing.
    """
    profiler = ["ncu", "--csv", "--clock-control", "none", "--kernel-name", f"regex:{kernels}"]
    profiler += ["--metrics", ",".join(metrics)]
    done = subprocess.run([*profiler, *command], capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        found[row["ID"]][row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    if not found:
        raise SystemExit(f"error: ncu counted nothing:\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return list(found.values())
