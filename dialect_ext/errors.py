"""Errors in the user's text: one line, `file:line:col: error: what`."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager

from xdsl.parser import AttrParser
from xdsl.utils.exceptions import ParseError, VerifyException


class SourceError(ValueError):
    """An error in the input text. `str()` is the whole diagnostic; `notes` are further located lines."""

    def __init__(self, file: str, line: int, column: int, message: str):
        super().__init__(f"{file}:{line}:{column}: error: {message}")
        self.file = file
        self.line = line
        self.column = column
        self.message = message


def source_error(error: ParseError) -> SourceError:
    """xDSL's parse error (a message and a span) as a located one-line diagnostic."""
    location = error.span.get_location()
    message = " ".join(str(error.msg).split()).replace("{first_char}", "its mark")  # xDSL does not fill it in
    if not message[:2].isupper():  # a word, not an abbreviation
        message = message[:1].lower() + message[1:]
    return SourceError(location.file, location.line, location.col, message)


# What xDSL's constraints say of an attribute or a type -> what a user of MLIR reads.
_WORDINGS = (
    (re.compile(r"attribute (.*) expected from variable '.*', but got (.*)"), r"expected \1, but got \2"),
    (re.compile(r"Expected attribute (.*) but got (.*)"), r"expected attribute \1 but got \2"),
    (re.compile(r"Unexpected attribute (.*)"), r"\1 is not allowed here"),
    (re.compile(r"(.*) should be of base attribute (.*)"), r"expected an attribute of kind '\2', but got \1"),
)


def worded(message: str) -> str:
    """What xDSL's verifiers say, in the words of MLIR's users."""
    for pattern, words in _WORDINGS:
        if found := pattern.fullmatch(message):
            return found.expand(words)
    return message


@contextmanager
def verified(parser: AttrParser, start: int) -> Generator[None, None, None]:
    """Report a VerifyException or ValueError raised inside at the text from `start` to the parser's position."""
    try:
        yield
    except (VerifyException, ValueError) as error:
        parser.raise_error(str(error), start, parser.pos)
