"""Where a drawing goes: text and colour to the terminal, SVG, PNG and HTML to files, by suffix or by --format."""

from __future__ import annotations

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


def save(text: str, path: str | None) -> None:
    """To a file, or to standard output."""
    if path is None or path == "-":
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"error: cannot write {path}: {error.strerror}") from None


def _write_png(pictures: Sequence[Picture], path: str | None) -> None:
    if path is None:
        raise UserError("error: a PNG needs a file: -o FILE.png")
    from dotload.tools.viewer import png

    try:
        png.render(pictures, path)
    except ImportError:
        raise UserError("error: PNG needs matplotlib: pip install 'dotload[viewer]'") from None
    except OSError as error:
        raise UserError(f"error: cannot write {path}: {error.strerror}") from None
