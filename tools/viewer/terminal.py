"""A picture as a coloured table on the terminal (24-bit colour escapes)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dotload.tools.viewer.picture import Picture

RESET = "\033[0m"


def render(pictures: Sequence[Picture]) -> str:
    """All pictures, one below the other."""
    return "\n".join(line for picture in pictures for line in _lines(picture)) + "\n"


def _lines(picture: Picture) -> Iterator[str]:
    labels, colours = picture.labels(), picture.colours()
    width = max(len(label) for row in labels for label in row)
    yield f"\033[1m{picture.title}{RESET}"
    yield from picture.notes
    margin = len(str(picture.size[0] - 1))
    yield f"{picture.row_name} down, {picture.column_name} across"
    yield " " * margin + " " + "".join(f" {column:^{width}} " for column in range(picture.size[1]))
    for row, (cells, tones) in enumerate(zip(labels, colours, strict=True)):
        painted = (f"{_paint(tone)} {cell:^{width}} " for cell, tone in zip(cells, tones, strict=True))
        yield f"{row:>{margin}} {''.join(painted)}{RESET}"
    yield ""


def _paint(colour: str) -> str:
    """Black on the colour."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"\033[38;2;0;0;0;48;2;{red};{green};{blue}m"
