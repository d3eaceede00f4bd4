"""A picture as SVG: cells with their labels, numbered axes, hover text as titles. Deterministic and self-contained."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dotload.tools.viewer.picture import Picture

CELL_HEIGHT = 22
CHARACTER = 6.6
MARGIN = 46
LINE = 18


def render(pictures: Sequence[Picture], command: str = "") -> str:
    """All pictures, one below the other, in one file; `command` is kept as a comment."""
    parts: list[str] = []
    top, width = 8.0, 0.0
    for picture in pictures:
        body, size = _picture(picture, top)
        parts += body
        top += size[1] + 14
        width = max(width, size[0])
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{top:.0f}" font-family="monospace">'
    comment = [f"<!-- {escape(command).replace('--', '- -')} -->"] if command else []
    background = f'<rect width="{width:.0f}" height="{top:.0f}" fill="#ffffff"/>'
    return "\n".join([head, *comment, background, *parts, "</svg>", ""])


def cell_width(picture: Picture, labels: Sequence[Sequence[str]]) -> float:
    """Pixels: as wide as the longest label asks for, at least square."""
    longest = max((len(label) for row in labels for label in row), default=1)
    return max(CELL_HEIGHT, longest * CHARACTER + 6)


def _picture(picture: Picture, top: float) -> tuple[list[str], tuple[float, float]]:
    labels, colours = picture.labels(), picture.colours()
    rows, columns = picture.size
    width = cell_width(picture, labels)
    y = top + LINE
    parts = [f'<text x="8" y="{y - 4:.0f}" font-size="13" font-weight="bold">{escape(picture.title)}</text>']
    for note in picture.notes:
        y += LINE
        parts.append(f'<text x="8" y="{y - 4:.0f}" font-size="12" fill="#555555">{escape(note)}</text>')
    y += LINE
    axis = f"{picture.row_name} ↓   {picture.column_name} →"
    parts.append(f'<text x="8" y="{y - 5:.0f}" font-size="11" fill="#555555">{escape(axis)}</text>')
    y += LINE
    for column in range(columns):
        x = MARGIN + (column + 0.5) * width
        parts.append(f'<text x="{x:.1f}" y="{y - 4:.0f}" font-size="10" text-anchor="middle">{column}</text>')
    cells: list[str] = []
    texts: list[str] = []
    for row in range(rows):
        cell_y = y + row * CELL_HEIGHT
        middle = cell_y + CELL_HEIGHT / 2 + 4
        parts.append(f'<text x="{MARGIN - 6}" y="{middle:.0f}" font-size="10" text-anchor="end">{row}</text>')
        for column in range(columns):
            x = MARGIN + column * width
            cells.append(
                f'<rect x="{x:.1f}" y="{cell_y:.0f}" width="{width:.1f}" height="{CELL_HEIGHT}" '
                f'fill="{colours[row][column]}"><title>{escape(picture.hover(row, column))}</title></rect>'
            )
            texts.append(f'<text x="{x + width / 2:.1f}" y="{middle:.0f}">{escape(labels[row][column])}</text>')
    parts += ['<g stroke="#888888" stroke-width="0.5">', *cells, "</g>"]
    parts += ['<g font-size="11" text-anchor="middle" pointer-events="none">', *texts, "</g>"]
    height = y + rows * CELL_HEIGHT - top
    text_width = 8 + 7.8 * max(len(picture.title), *(len(note) for note in picture.notes or ("",)))
    return parts, (max(MARGIN + columns * width + 8, text_width), height)
