"""A progress bar for long launches, on a terminal only."""

from __future__ import annotations

import sys
import time

_SHOW_AFTER_SECONDS = 1.0
_WIDTH = 40


class Progress:
    """Draws on stderr how many work-groups are done; silent for short launches, for pipes and if not wanted."""

    def __init__(self, total: int, wanted: bool) -> None:
        self._total = total
        self._wanted = wanted and sys.stderr.isatty()
        self._begin = time.monotonic()
        self._drawn = False

    def show(self, done: int) -> None:
        seconds = time.monotonic() - self._begin
        if not self._wanted or seconds < _SHOW_AFTER_SECONDS:
            return
        print(f"\r{line(done, self._total, seconds)}", end="", file=sys.stderr, flush=True)
        self._drawn = True

    def close(self) -> None:
        if self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def line(done: int, total: int, seconds: float) -> str:
    """The bar as text."""
    filled = _WIDTH * done // max(1, total)
    left = f", {seconds * (total - done) / done:.0f} s left" if done else ""
    return f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total} work-groups, {seconds:.0f} s{left}"
