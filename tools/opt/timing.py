"""`--mlir-timing`: the time of a command by step, with the driver's share apart from MLIR's and the passes'."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from enum import Enum


class Share(Enum):
    """Who spent the time."""

    DRIVER = "dotload's own"
    MLIR = "MLIR"
    PASS = "passes"


@dataclass
class Timing:
    """Seconds by step, in the order of their first appearance."""

    start: float = field(default_factory=time.perf_counter)
    rows: dict[tuple[Share, str], float] = field(default_factory=dict[tuple[Share, str], float])

    @contextlib.contextmanager
    def step(self, share: Share, name: str) -> Generator[None, None, None]:
        """Add the time inside the block to step `name`."""
        before = time.perf_counter()
        try:
            yield
        finally:
            self.add(share, name, time.perf_counter() - before)

    def add(self, share: Share, name: str, seconds: float) -> None:
        """Add `seconds` to step `name`."""
        self.rows[share, name] = self.rows.get((share, name), 0.0) + seconds

    def report(self, startup_s: float) -> str:
        """The table; `startup_s`: seconds from the start of the process to the driver's first line."""
        total = time.perf_counter() - self.start + startup_s
        rows = {(Share.DRIVER, "Python start-up and imports"): startup_s, **self.rows}
        accounted = sum(rows.values())
        rows[Share.DRIVER, "Rest"] = max(total - accounted, 0.0)
        own = sum(seconds for (share, _), seconds in rows.items() if share is Share.DRIVER)
        title = "... Execution time report ..."
        lines = [f"===-{'-' * 73}===", f"{title:^80}".rstrip(), f"===-{'-' * 73}===", ""]
        lines.append(f"  Total Execution Time: {total:.4f} seconds, dotload's own share {own:.4f} seconds")
        lines += ["", "  ----Wall Time----  ----Share----  ----Name----"]
        for (share, name), seconds in rows.items():
            lines.append(f"  {seconds:8.4f} ({100 * seconds / total:5.1f}%)  {share.value:13}  {name}")
        lines.append(f"  {total:8.4f} (100.0%)  {'':13}  Total")
        return "\n".join(lines) + "\n"


def process_age_s() -> float:
    """Seconds since this process started, from /proc; 0 where there is none."""
    try:
        with open("/proc/self/stat") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        with open("/proc/uptime") as file:
            uptime_s = float(file.read().split()[0])
    except OSError:
        return 0.0
    import os

    return max(uptime_s - ticks / os.sysconf("SC_CLK_TCK"), 0.0)
