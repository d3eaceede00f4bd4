"""A picture as PNG, by matplotlib: colours always, labels where they can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from dotload.tools.viewer.picture import Picture

CELL_INCHES = 0.3
CHARACTER_INCHES = 0.075
MAX_INCHES = 60.0
MAX_LABELLED = 4096


def render(pictures: Sequence[Picture], file: BinaryIO) -> None:
    """Write all pictures, one below the other, to a file."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot
    from matplotlib.colors import to_rgb

    sizes = [_inches(picture) for picture in pictures]
    height = sum(size[1] for size in sizes)
    figure, axes = pyplot.subplots(
        len(pictures), 1, figsize=(max(size[0] for size in sizes), height), height_ratios=[size[1] for size in sizes]
    )
    for axis, picture in zip([axes] if len(pictures) == 1 else axes, pictures, strict=True):
        rows, columns = picture.size
        axis.imshow([[to_rgb(colour) for colour in row] for row in picture.colours()], aspect="auto")
        axis.set_title("\n".join([picture.title, *picture.notes]), fontsize=8, loc="left", wrap=True)
        axis.set_xlabel(picture.column_name, fontsize=8)
        axis.set_ylabel(picture.row_name, fontsize=8)
        axis.tick_params(labelsize=6)
        if rows * columns <= MAX_LABELLED:
            for row, labels in enumerate(picture.labels()):
                for column, label in enumerate(labels):
                    axis.text(column, row, label, ha="center", va="center", fontsize=6, family="monospace")
    figure.tight_layout()
    figure.savefig(file, dpi=110, metadata={"Software": None})  # pyright: ignore[reportUnknownMemberType]  # a bare PathLike
    pyplot.close(figure)


def _inches(picture: Picture) -> tuple[float, float]:
    rows, columns = picture.size
    longest = max(len(label) for row in picture.labels() for label in row)
    width = columns * max(CELL_INCHES, longest * CHARACTER_INCHES) + 1.2
    return min(MAX_INCHES, max(5.0, width)), min(MAX_INCHES, rows * CELL_INCHES + 1.2)
