"""`--split-input-file`: the parts of a file between `// -----` lines, each still at its own line numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKER = re.compile(r"^[ \t]*// -----[ \t]*$\n?", re.MULTILINE)
OUTPUT_MARKER = "// -----"


@dataclass(frozen=True)
class Chunk:
    """A part of an input file; `first_line` counts from 1."""

    text: str
    file: str
    first_line: int = 1

    @property
    def padded(self) -> str:
        """The text behind as many newlines as lines precede it, so that a parser's line numbers are the file's."""
        return "\n" * (self.first_line - 1) + self.text


def split(text: str, file: str) -> list[Chunk]:
    """The chunks of `text`."""
    chunks, start = [], 0
    for marker in [*_MARKER.finditer(text), None]:
        end = marker.start() if marker else len(text)
        chunks.append(Chunk(text[start:end], file, text.count("\n", 0, start) + 1))
        start = marker.end() if marker else end
    return chunks
