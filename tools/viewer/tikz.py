r"""A picture as a LaTeX document whose page is the picture: TikZ nodes, to be included or cut from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dotload.tools.viewer.crop import ELLIPSIS, crop, warp_borders
from dotload.tools.viewer.picture import Picture
from dotload.tools.viewer.svg import CELL_HEIGHT, cell_width

_HEAD = r"""\documentclass[tikz,border=4pt]{standalone}
\begin{document}
"""
_TAIL = "\\end{document}\n"
_SPECIAL = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", "<": r"\textless{}", ">": r"\textgreater{}"}


def render(pictures: Sequence[Picture], *, whole: bool = False) -> str:
    """A page for each picture."""
    pages = ("\n".join(_page(picture, whole=whole)) for picture in pictures)
    return _HEAD + "\n".join(pages) + "\n" + _TAIL


def escaped(text: str) -> str:
    """Text as LaTeX prints it."""
    return re.sub(r"[\\{}#$%&_^~<>]", lambda found: _SPECIAL.get(found[0], "\\" + found[0]), text)


def _page(picture: Picture, *, whole: bool) -> Iterator[str]:
    part = crop(picture, *picture.size) if whole else crop(picture)
    labels, colours = picture.labels(), picture.colours()
    width = cell_width(labels) / CELL_HEIGHT
    for number, colour in enumerate(used := sorted({tone for row in colours for tone in row})):
        yield rf"\definecolor{{tone{number}}}{{HTML}}{{{colour[1:].upper()}}}"
    yield rf"\begin{{tikzpicture}}[x={width * 0.5:.3f}cm,y=-0.5cm,font=\ttfamily\tiny]"
    title = [picture.title, *picture.notes, *([part.note] if part.note else [])]
    lines = r" \\ ".join(map(escaped, title))
    yield rf"\node[anchor=south west,align=left] at (0,-1) {{{lines}}};"
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
            yield rf"{box} node[midway] {{{escaped(labels[row][column])}}};"
    for down, across, is_left in warp_borders(picture, part):
        yield rf"\draw[thick] ({across},{down}) -- ++({'0,1' if is_left else '1,0'});"
    yield r"\end{tikzpicture}"


def _number(line: int) -> str:
    return r"\dots" if line == ELLIPSIS else str(line)
