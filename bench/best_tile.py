"""The fastest launch parameters of a kernel for a problem."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Protocol, TypeVar

import triton

Tile = TypeVar("Tile", contravariant=True)
Found = TypeVar("Found")


class Launches(Protocol[Tile]):
    """A problem that can be launched with any tile."""

    @property
    def flops(self) -> int:
        """Operations of one launch."""
        ...

    def launch(self, tile: Tile, /) -> None:
        """Launch once."""
        ...


def measure(problem: Launches[Found], tile: Found, milliseconds: int) -> float:
    """TFLOP/s."""
    time_ms = triton.testing.do_bench(lambda: problem.launch(tile), warmup=5, rep=milliseconds, return_mode="median")
    return problem.flops / time_ms / 1e9


def best(problem: Launches[Found], tiles: Iterable[Found], rounds: int) -> tuple[float, Found]:
    """TFLOP/s of the fastest tile, and the tile; all tiles are timed once, the three fastest again."""
    timed: list[tuple[float, Found]] = []
    for tile in tiles:
        try:
            timed.append((measure(problem, tile, 10), tile))
        except triton.runtime.errors.OutOfResources:
            continue
    finalists = sorted(timed, key=lambda item: item[0], reverse=True)[:3]
    again = [(statistics.median(measure(problem, tile, 60) for _ in range(rounds)), tile) for _, tile in finalists]
    return max(again, key=lambda item: item[0])
