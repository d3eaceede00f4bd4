"""The fastest launch parameters of kernels for a problem, and their speed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import partial
from typing import Protocol, TypeVar

import triton
from in_turn import medians_in_turn

Tile = TypeVar("Tile", contravariant=True)
Found = TypeVar("Found", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)

FINALISTS = 3


class Launches(Protocol[Tile]):
    """A problem that can be launched with any tile."""

    def launch(self, tile: Tile, /) -> None:
        """Launch once."""
        ...


class Product(Launches[Tile], Protocol[Tile]):
    """A problem whose speed is that of its operations."""

    @property
    def flops(self) -> int:
        """Operations of one launch."""
        ...


def finalists(problem: Launches[Found], tiles: Iterable[Found]) -> list[Found]:
    """The tiles that are fastest in a quick measurement, of those that fit."""
    timed: list[tuple[float, Found]] = []
    for tile in tiles:
        try:
            run = partial(problem.launch, tile)
            timed.append((triton.testing.do_bench(run, warmup=5, rep=10, return_mode="median"), tile))
        except triton.runtime.errors.OutOfResources:
            continue
    return [tile for _, tile in sorted(timed, key=lambda item: item[0])[:FINALISTS]]


def fastest_of_each(
    problems: Mapping[Key, tuple[Launches[Found], Iterable[Found]]], rounds: int
) -> dict[Key, tuple[float, Found]]:
    """Milliseconds of each problem's fastest tile, and the tile. Problems of which no tile fits are left out.

    The fastest few tiles of all problems are timed in turn, so their times can be compared.
    """
    chosen = {key: finalists(problem, tiles) for key, (problem, tiles) in problems.items()}
    launches = {(key, tile): partial(problems[key][0].launch, tile) for key, tiles in chosen.items() for tile in tiles}
    times = medians_in_turn(launches, rounds)
    return {
        key: min(((times[key, tile], tile) for tile in tiles), key=lambda timed: timed[0])
        for key, tiles in chosen.items()
        if tiles
    }


def best_of_each(
    problems: Mapping[Key, tuple[Product[Found], Iterable[Found]]], rounds: int
) -> dict[Key, tuple[float, Found]]:
    """TFLOP/s of each problem's fastest tile, and the tile, as of `fastest_of_each`."""
    fastest = fastest_of_each(problems, rounds)
    return {key: (problems[key][0].flops / time_ms / 1e9, tile) for key, (time_ms, tile) in fastest.items()}
