r"""A picture as a LaTeX document whose page is the picture: TikZ nodes, to be included or cut from.

It needs the class `standalone` (texlive-latex-extra in Debian). Pictures that have a `place` are one page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dotload.tools.viewer.composite import arrange
from dotload.tools.viewer.crop import ELLIPSIS, Crop, crop, warp_borders
from dotload.tools.viewer.picture import Picture
from dotload.tools.viewer.svg import CELL_HEIGHT, cell_width

_HEAD = r"""\documentclass[tikz,border=4pt]{standalone}
\frenchspacing
\begin{document}
"""
_TAIL = "\\end{document}\n"
# The typewriter font has these at their ASCII codes; commands such as \textbackslash leave the font.
_BY_NUMBER = frozenset("\\{}^~_")

# Centimetres.
CELL, CHARACTER, LINE = 0.5, 0.094, 0.24
LEFT, RIGHT, GAP = 1.0, 1.4, 0.5


@dataclass(frozen=True)
class Drawn:
    """A picture, the part of it that is drawn, and the lines above."""

    picture: Picture
    part: Crop
    labels: list[list[str]]

    @classmethod
    def of(cls, picture: Picture, *, whole: bool) -> Drawn:
        return cls(picture, crop(picture, *picture.size) if whole else crop(picture), picture.labels())

    @property
    def title(self) -> list[str]:
        return [self.picture.title, *self.picture.notes, *([self.part.note] if self.part.note else [])]

    @property
    def cell_width(self) -> float:
        return CELL * cell_width(self.labels) / CELL_HEIGHT

    @property
    def top(self) -> float:
        """The top of the cells, below the title and the column numbers."""
        return LINE * len(self.title) + 2 * CELL

    @property
    def size(self) -> tuple[float, float]:
        columns = LEFT + self.cell_width * len(self.part.columns) + RIGHT
        return max(columns, LEFT + CHARACTER * max(map(len, self.title))), self.top + CELL * len(self.part.rows)


def render(pictures: Sequence[Picture], *, whole: bool = False) -> str:
    """A page for each picture, or one for a composite."""
    drawn = [Drawn.of(picture, whole=whole) for picture in pictures]
    pages = [drawn] if any(picture.place for picture in pictures) else [[one] for one in drawn]
    return _HEAD + "\n".join(line for page in pages for line in _page(page)) + "\n" + _TAIL


def escaped(text: str) -> str:
    """Text as LaTeX prints it in a typewriter font."""
    return re.sub(r"[\\{}#$%&_^~]", lambda found: _escape(found[0]), text)


def _escape(character: str) -> str:
    return rf"{{\char{ord(character)}}}" if character in _BY_NUMBER else rf"\{character}"


def _page(page: Sequence[Drawn]) -> Iterator[str]:
    corners = arrange([one.picture for one in page], [one.size for one in page], GAP).corners
    used = sorted({tone for one in page for row in one.picture.colours() for tone in row})
    for number, colour in enumerate(used):
        yield rf"\definecolor{{tone{number}}}{{HTML}}{{{colour[1:].upper()}}}"
    yield r"\begin{tikzpicture}[font=\ttfamily\tiny]"
    for one, (x, y) in zip(page, corners, strict=True):
        shift = f"{{({x + LEFT:.3f},{-y - one.top:.3f})}}"
        yield rf"\begin{{scope}}[shift={shift},x={one.cell_width:.3f}cm,y=-{CELL}cm]"
        yield from _cells(one, used)
        yield r"\end{scope}"
    yield r"\end{tikzpicture}"


def _cells(one: Drawn, used: Sequence[str]) -> Iterator[str]:
    picture, part, colours = one.picture, one.part, one.picture.colours()
    lines = r" \\ ".join(map(escaped, one.title))
    yield rf"\node[anchor=south west,align=left,inner xsep=0] at (0,-1) {{{lines}}};"
    yield rf"\node[anchor=east] at (-0.2,-0.5) {{{escaped(picture.row_name)} $\downarrow$}};"
    yield rf"\node[anchor=west] at ({len(part.columns)},-0.5) {{{escaped(picture.column_name)} $\rightarrow$}};"
    for across, column in enumerate(part.columns):
        yield rf"\node at ({across + 0.5},-0.5) {{{_number(column)}}};"
    for down, row in enumerate(part.rows):
        yield rf"\node[anchor=east] at (-0.2,{down + 0.5}) {{{_number(row)}}};"
        for across, column in enumerate(part.columns):
            if ELLIPSIS in (row, column):
                yield rf"\node at ({across + 0.5},{down + 0.5}) {{\dots}};"
                continue
            tone = used.index(colours[row][column])
            box = rf"\draw[fill=tone{tone},draw=gray] ({across},{down}) rectangle ++(1,1)"
            yield rf"{box} node[midway] {{{escaped(one.labels[row][column])}}};"
    for down, across, is_left in warp_borders(picture, part):
        yield rf"\draw[thick] ({across},{down}) -- ++({'0,1' if is_left else '1,0'});"


def _number(line: int) -> str:
    return r"\dots" if line == ELLIPSIS else str(line)
