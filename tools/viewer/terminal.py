"""A picture as a coloured table on the terminal (24-bit colour escapes), shortened to the size of the window."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Sequence

from dotload.tools.viewer.crop import ELLIPSIS, crop
from dotload.tools.viewer.picture import Picture

RESET = "\033[0m"
HEADINGS = 4
"""Lines of the window for axes, numbers of columns, an empty line and the prompt."""


def render(pictures: Sequence[Picture], *, whole: bool = False) -> str:
    """All pictures, one below the other."""
    return "\n".join(line for picture in pictures for line in _lines(picture, whole=whole)) + "\n"


def _lines(picture: Picture, *, whole: bool) -> Iterator[str]:
    labels, colours = picture.labels(), picture.colours()
    width = max(len(label) for row in labels for label in row)
    margin = max(len(str(picture.size[0] - 1)), 1)
    window = shutil.get_terminal_size()
    title = _wrapped(picture.title, window.columns)
    notes = [line for note in picture.notes for line in _wrapped(note, window.columns)]
    room = (window.lines - HEADINGS - len(title) - len(notes), (window.columns - margin - 1) // (width + 2))
    if not whole:  # the line on the omitted part takes space
        room = (room[0] - len(_wrapped(crop(picture, *room).note, window.columns)), room[1])
    part = crop(picture, *(picture.size if whole else room))
    yield from (f"\033[1m{line}{RESET}" for line in title)
    yield from notes
    yield from _wrapped(part.note, window.columns)
    yield from _wrapped(f"{picture.row_name} down, {picture.column_name} across", window.columns)
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


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="  ")


def _number(line: int) -> str:
    return "…" if line == ELLIPSIS else str(line)


def _paint(colour: str) -> str:
    """Black on the colour."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"\033[38;2;0;0;0;48;2;{red};{green};{blue}m"
