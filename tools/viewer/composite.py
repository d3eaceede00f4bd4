"""The arrangement of pictures on a page: one below the other, or in a grid, like the operands of one MMA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dotload.tools.viewer.picture import Picture


@dataclass(frozen=True)
class Arrangement:
    """The upper left corner of each picture, and the total size."""

    corners: tuple[tuple[float, float], ...]
    width: float
    height: float


def arrange(pictures: Sequence[Picture], sizes: Sequence[tuple[float, float]], gap: float) -> Arrangement:
    """Arrange pictures of these widths and heights, with gaps between them."""
    places = [picture.place or (number, 0) for number, picture in enumerate(pictures)]
    widths = _most(
        {place[1] for place in places}, [(place[1], size[0]) for place, size in zip(places, sizes, strict=True)]
    )
    heights = _most(
        {place[0] for place in places}, [(place[0], size[1]) for place, size in zip(places, sizes, strict=True)]
    )
    corners = [
        (
            sum(width + gap for at, width in widths.items() if at < column),
            sum(height + gap for at, height in heights.items() if at < row),
        )
        for row, column in places
    ]
    return Arrangement(
        tuple(corners),
        sum(widths.values()) + gap * (len(widths) - 1),
        sum(heights.values()) + gap * (len(heights) - 1),
    )


def _most(lines: set[int], sizes: Sequence[tuple[int, float]]) -> dict[int, float]:
    return {line: max(size for at, size in sizes if at == line) for line in sorted(lines)}
