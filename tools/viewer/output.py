"""Output of drawings: text and colour to the terminal, SVG, PNG and HTML to files, by suffix or by --format."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from dotload.tools.viewer.picture import Picture
from dotload.tools.viewer.source import UserError

FORMATS = ("text", "terminal", "svg", "png", "html", "tikz")
SUFFIXES = {".svg": "svg", ".png": "png", ".html": "html", ".tex": "tikz", ".txt": "text"}


def write(
    text: Callable[[], str], pictures: Callable[[], Sequence[Picture]], title: str, options: argparse.Namespace
) -> None:
    """Draw in the form of `--format` or of the suffix of `-o`; nothing else is computed."""
    path: str | None = options.output
    whole: bool = options.whole
    form = form_of(options)
    if form == "png":
        _write_png(pictures(), path, whole=whole)
        return
    if form == "text":
        drawn = text()
    elif form == "terminal":
        from dotload.tools.viewer import terminal

        drawn = terminal.render(pictures(), whole=whole)
    elif form == "svg":
        from dotload.tools.viewer import svg

        drawn = svg.render(pictures(), title, whole=whole)
    elif form == "tikz":
        from dotload.tools.viewer import tikz

        drawn = tikz.render(pictures(), whole=whole)
    else:
        from dotload.tools.viewer import html

        drawn = html.render(pictures(), title)
    save(drawn, path)


def form_of(options: argparse.Namespace, there: Sequence[str] = FORMATS) -> str:
    """The form that the options ask for; UserError for a form that is not available."""
    path: str | None = options.output
    form: str | None = options.format or (SUFFIXES.get(Path(path).suffix.lower()) if path else "text")
    if form is None:
        raise UserError(f"error: {path}: cannot tell the format from the suffix; use --format {'|'.join(there)}")
    if form not in there:
        raise UserError(f"error: this is text: no {form} can be made of it, but {' and '.join(there)}")
    return form


def save(drawn: str | bytes, path: str | None) -> None:
    """Write to a file or to standard output."""
    data = drawn.encode(errors="replace") if isinstance(drawn, str) else drawn
    if path is None or path == "-":
        sys.stdout.write(data.decode())
        return
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise UserError(f"error: cannot write {path}: {error.strerror}") from None
    except ValueError:  # a null character in the file name
        raise UserError(f"error: cannot write {path!r}: no such file") from None


def _write_png(pictures: Sequence[Picture], path: str | None, *, whole: bool) -> None:
    if path is None or path == "-":
        raise UserError("error: a PNG needs a file: -o FILE.png")
    from dotload.tools.viewer import png

    try:
        drawn = png.render(pictures, whole=whole)
    except ImportError:
        raise UserError("error: PNG needs resvg-py: pip install 'dotload[viewer]'") from None
    save(drawn, path)
