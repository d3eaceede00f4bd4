"""Where a drawing goes: text and colour to the terminal, SVG, PNG and HTML to files, by suffix or by --format."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from dotload.tools.viewer.picture import Picture
from dotload.tools.viewer.source import UserError

FORMATS = ("text", "terminal", "svg", "png", "html")
SUFFIXES = {".svg": "svg", ".png": "png", ".html": "html", ".txt": "text"}


def write(
    text: Callable[[], str],
    pictures: Callable[[], Sequence[Picture]],
    title: str,
    path: str | None,
    form: str | None,
) -> None:
    """Draw in the wanted form; what is not asked for is not computed."""
    form = form or (SUFFIXES.get(Path(path).suffix.lower()) if path else "text")
    if form is None:
        raise UserError(f"error: {path}: cannot tell the format from the suffix; use --format {'|'.join(FORMATS)}")
    if form == "png":
        _write_png(pictures(), path)
        return
    if form == "text":
        drawn = text()
    elif form == "terminal":
        from dotload.tools.viewer import terminal

        drawn = terminal.render(pictures())
    elif form == "svg":
        from dotload.tools.viewer import svg

        drawn = svg.render(pictures(), title)
    else:
        from dotload.tools.viewer import html

        drawn = html.render(pictures(), title)
    save(drawn, path)


def save(drawn: str | bytes, path: str | None) -> None:
    """To a file, or to standard output."""
    data = drawn.encode(errors="replace") if isinstance(drawn, str) else drawn
    if path is None or path == "-":
        sys.stdout.write(data.decode())
        return
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise UserError(f"error: cannot write {path}: {error.strerror}") from None
    except ValueError:  # a null character, which no name of a file has
        raise UserError(f"error: cannot write {path!r}: no such file") from None


def _write_png(pictures: Sequence[Picture], path: str | None) -> None:
    if path is None or path == "-":
        raise UserError("error: a PNG needs a file: -o FILE.png")
    from dotload.tools.viewer import png

    drawn = io.BytesIO()  # so that a disk that is full is seen here, not in matplotlib
    try:
        png.render(pictures, drawn)
    except ImportError:
        raise UserError("error: PNG needs matplotlib: pip install 'dotload[viewer]'") from None
    save(drawn.getvalue(), path)
