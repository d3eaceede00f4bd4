"""The part of a big picture that is drawn: its first and last rows and columns, with an ellipsis between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dotload.tools.viewer.picture import Picture

ELLIPSIS = -1
"""Stands for the rows or columns that are left out."""

MOST_ROWS, MOST_COLUMNS = 64, 64
"""The most rows and columns of a picture in a file; `--whole` draws all."""


@dataclass(frozen=True)
class Crop:
    """Numbers of the rows and columns to draw, ELLIPSIS among them, and a line on the omitted part."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    note: str = ""


def crop(picture: Picture, most_rows: int = MOST_ROWS, most_columns: int = MOST_COLUMNS) -> Crop:
    """The part of the picture with at most this many rows and columns."""
    rows, columns = picture.size
    shown = _shown(picture.rows or range(rows), most_rows), _shown(picture.columns or range(columns), most_columns)
    left_out = [
        f"{name} {lines[lines.index(ELLIPSIS) - 1] + 1} to {lines[lines.index(ELLIPSIS) + 1] - 1}"
        for name, lines in zip((picture.row_name, picture.column_name), shown, strict=True)
        if ELLIPSIS in lines
    ]
    return Crop(*shown, note=f"left out: {', '.join(left_out)}" if left_out else "")


def _shown(lines: Sequence[int], most: int) -> tuple[int, ...]:
    """All lines, or as many from both ends as leave room for the ellipsis."""
    if len(lines) <= max(most, 3):
        return tuple(lines)
    tail = (max(most, 3) - 1) // 2
    head = max(most, 3) - 1 - tail
    return (*lines[:head], ELLIPSIS, *lines[-tail:])


def warp_borders(picture: Picture, part: Crop) -> Iterator[tuple[int, int, bool]]:
    """The borders between cells of different warps: place in the part, and whether the border is the cell's left side
    (else its top)."""
    warps = picture.fields.get("warp")
    if warps is None or int(warps.max()) <= 0:
        return
    for down, row in enumerate(part.rows):
        for across, column in enumerate(part.columns):
            if ELLIPSIS in (row, column):
                continue
            left, above = (
                (part.columns[across - 1] if across else ELLIPSIS),
                (part.rows[down - 1] if down else ELLIPSIS),
            )
            if left != ELLIPSIS and warps[row, left] != warps[row, column]:
                yield down, across, True
            if above != ELLIPSIS and warps[above, column] != warps[row, column]:
                yield down, across, False
