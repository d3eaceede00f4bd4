"""A picture as a coloured table on the terminal (24-bit colour escapes), shortened to what the window shows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence

from dotload.tools.viewer.crop import ELLIPSIS, crop
from dotload.tools.viewer.picture import Picture

RESET = "\033[0m"
HEADINGS = 6
"""Lines of the window for title, notes, axes and the prompt."""


def render(pictures: Sequence[Picture], *, whole: bool = False) -> str:
    """All pictures, one below the other."""
    return "\n".join(line for picture in pictures for line in _lines(picture, whole=whole)) + "\n"


def _lines(picture: Picture, *, whole: bool) -> Iterator[str]:
    labels, colours = picture.labels(), picture.colours()
    width = max(len(label) for row in labels for label in row)
    margin = max(len(str(picture.size[0] - 1)), 1)
    window = shutil.get_terminal_size()
    room = (window.lines - HEADINGS, (window.columns - margin - 1) // (width + 2))
    part = crop(picture, *(picture.size if whole else room))
    yield f"\033[1m{picture.title}{RESET}"
    yield from picture.notes
    if part.note:
        yield part.note
    yield f"{picture.row_name} down, {picture.column_name} across"
    yield " " * margin + " " + "".join(f" {_number(column):^{width}} " for column in part.columns)
    for row in part.rows:
        cells = (
            f" {'…':^{width}} "
            if ELLIPSIS in (row, column)
            else f"{_paint(colours[row][column])} {labels[row][column]:^{width}} {RESET}"
            for column in part.columns
        )
        yield f"{_number(row):>{margin}} {''.join(cells)}"
    yield ""


def _number(line: int) -> str:
    return "…" if line == ELLIPSIS else str(line)


def _paint(colour: str) -> str:
    """Black on the colour."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"\033[38;2;0;0;0;48;2;{red};{green};{blue}m"
