"""`--split-input-file`: the parts of a file between `// -----` markers, each still at its own line numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

MARKER = "// -----"


@dataclass(frozen=True)
class Chunk:
    """A part of an input file; `first_line` counts from 1."""

    text: str
    file: str
    first_line: int = 1

    @property
    def padded(self) -> str:
        """The text after one newline per preceding line, so that a parser's line numbers are the file's."""
        return "\n" * (self.first_line - 1) + self.text


def split(text: str, file: str, marker: str = MARKER) -> list[Chunk]:
    """The chunks of `text`.

    As in MLIR, code may stand before a marker, and text after it on its line begins the next chunk. Unlike in MLIR, a
    marker inside a comment is part of the comment, and a longer line of dashes is not a marker.
    """
    pattern = re.compile(rf"^(?:(?!//)[^\n])*?(/*{re.escape(marker)}(?!-)(?:[ \t]*\n)?)", re.MULTILINE)
    chunks: list[Chunk] = []
    start = 0
    while match := pattern.search(text, start):
        chunks.append(_chunk(text, start, match.start(1), file))
        start = match.end()
    return [*chunks, _chunk(text, start, len(text), file)]


def _chunk(text: str, start: int, end: int, file: str) -> Chunk:
    return Chunk(text[start:end], file, text.count("\n", 0, start) + 1)
