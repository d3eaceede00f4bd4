"""A picture as SVG: cells with their labels, numbered axes, hover text as titles. Deterministic and self-contained.

Big tiles are shortened (crop.py). Pictures with a `place` form a grid. One MMA is drawn so: A to the left of C, B above
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from dotload.tools.viewer.composite import arrange
from dotload.tools.viewer.crop import ELLIPSIS, Crop, crop, warp_borders
from dotload.tools.viewer.picture import Picture

CELL_HEIGHT = 22
CHARACTER = 6.6
MARGIN = 46
LINE = 18
GAP = 14
TOP = 8


@dataclass(frozen=True)
class Drawn:
    """A picture as SVG elements from (0, 0) on, and its size."""

    parts: list[str]
    width: float
    height: float


def render(pictures: Sequence[Picture], command: str = "", *, whole: bool = False) -> str:
    """All pictures in one file, one below the other or at their places; `command` is kept as a comment."""
    drawn = [_draw(picture, crop(picture, *picture.size) if whole else crop(picture)) for picture in pictures]
    page = arrange(pictures, [(one.width, one.height) for one in drawn], GAP)
    body: list[str] = []
    for one, (x, y) in zip(drawn, page.corners, strict=True):
        body += [f'<g transform="translate({x:.0f} {y + TOP:.0f})">', *one.parts, "</g>"]
    height = TOP + page.height + GAP
    size = f'width="{page.width:.0f}" height="{height:.0f}"'
    box = f'viewBox="0 0 {page.width:.0f} {height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} font-family="monospace">'
    comment = [f"<!-- {escape(command).replace('--', '- -')} -->"] if command else []
    return "\n".join([head, *comment, f'<rect {size} fill="#ffffff"/>', *body, "</svg>", ""])


def cell_width(labels: Sequence[Sequence[str]]) -> float:
    """The width of a cell in pixels: that of the longest label, at least square."""
    longest = max((len(label) for row in labels for label in row), default=1)
    return max(CELL_HEIGHT, longest * CHARACTER + 6)


def _draw(picture: Picture, part: Crop) -> Drawn:
    labels, colours = picture.labels(), picture.colours()
    width = cell_width(labels)
    y = float(LINE)
    parts = [f'<text x="8" y="{y - 4:.0f}" font-size="13" font-weight="bold">{escape(picture.title)}</text>']
    notes = [*picture.notes, *([part.note] if part.note else [])]
    for note in notes:
        y += LINE
        parts.append(f'<text x="8" y="{y - 4:.0f}" font-size="12" fill="#555555">{escape(note)}</text>')
    y += LINE
    axis = f"{picture.row_name} ↓   {picture.column_name} →"
    parts.append(f'<text x="8" y="{y - 5:.0f}" font-size="11" fill="#555555">{escape(axis)}</text>')
    y += LINE
    for across, column in enumerate(part.columns):
        x = MARGIN + (across + 0.5) * width
        parts.append(f'<text x="{x:.1f}" y="{y - 4:.0f}" font-size="10" text-anchor="middle">{_number(column)}</text>')
    cells: list[str] = []
    texts: list[str] = []
    for down, row in enumerate(part.rows):
        top = y + down * CELL_HEIGHT
        middle = top + CELL_HEIGHT / 2 + 4
        parts.append(f'<text x="{MARGIN - 6}" y="{middle:.0f}" font-size="10" text-anchor="end">{_number(row)}</text>')
        for across, column in enumerate(part.columns):
            x = MARGIN + across * width
            if ELLIPSIS in (row, column):
                texts.append(f'<text x="{x + width / 2:.1f}" y="{middle:.0f}">…</text>')
                continue
            cells.append(
                f'<rect x="{x:.1f}" y="{top:.0f}" width="{width:.1f}" height="{CELL_HEIGHT}" '
                f'fill="{colours[row][column]}"><title>{escape(picture.hover(row, column))}</title></rect>'
            )
            texts.append(f'<text x="{x + width / 2:.1f}" y="{middle:.0f}">{escape(labels[row][column])}</text>')
    parts += ['<g stroke="#888888" stroke-width="0.5">', *cells, "</g>", *_borders(picture, part, y, width)]
    parts += ['<g font-size="11" text-anchor="middle" pointer-events="none">', *texts, "</g>"]
    text_width = 8 + 7.8 * max(len(text) for text in (picture.title, *notes))
    return Drawn(parts, max(MARGIN + len(part.columns) * width + 8, text_width), y + len(part.rows) * CELL_HEIGHT)


def _number(line: int) -> str:
    return "…" if line == ELLIPSIS else str(line)


def _borders(picture: Picture, part: Crop, y: float, width: float) -> list[str]:
    """One path along all borders between cells of different warps."""
    strokes: list[str] = []
    for down, across, is_left in warp_borders(picture, part):
        start = f"M{MARGIN + across * width:.1f} {y + down * CELL_HEIGHT:.0f}"
        strokes.append(f"{start}v{CELL_HEIGHT}" if is_left else f"{start}h{width:.1f}")
    return [f'<path d="{"".join(strokes)}" stroke="#222222" stroke-width="2"/>'] if strokes else []
