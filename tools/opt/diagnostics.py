"""MLIR's diagnostics as data: read from what was written to standard error, compared with `expected-*` comments."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import sys
import tempfile
from collections.abc import Generator
from dataclasses import dataclass, field

from dotload.tools.opt.errors import DriverError, displayed

_HEADER = re.compile(
    r"(?:loc\()?\"?(?P<file>[^\n\"]+?)\"?:(?P<line>\d+)(?::(?P<column>\d+))?\)?: "
    r"(?P<severity>error|warning|remark|note): (?P<message>.*)"
)
_UNKNOWN = re.compile(r"(?:loc\(unknown\)|<unknown>:0): (?P<severity>error|warning|remark|note): (?P<message>.*)")
_CARET = re.compile(r"\s*[~^][\s~^]*")
_EXPECTED = re.compile(
    r"expected-(?P<severity>error|note|remark|warning)(?P<regex>-re)?\s*"
    r"(?:@(?P<where>[+-]\d+|above|below|unknown))?\s*\{\{(?P<text>.*)\}\}"
)
# The reproducer that the bound pass manager prints after the diagnostics of a failing pass: the module with its
# pipeline, an error and a note.
_REPRODUCER = re.compile(
    r"(?:^#\w+ = .*\n)*^(?:module|\"builtin\.module\")[\s\S]*?^#-\}\n"
    r"(?:^.*: error: (?P<what>Failures have been detected|A signal was caught).*\n(?:(?!.*: note: ).*\n)*)?"
    r"(?:^.*: note: Pipeline failed while executing .*\n?)?",
    re.MULTILINE,
)
_UNKNOWN_LINE = 0
# Severity and message of a call-stack line, printed under a diagnostic at a `callsite` location.
_CALL_STACK = ("note", "called from")


@dataclass(frozen=True)
class Diagnostic:
    """One diagnostic; `line` and `column` count from 1, `line` is 0 for an unknown location."""

    file: str
    line: int
    column: int
    severity: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else "<unknown>:0"
        return f"{place}: {self.severity}: {self.message}"


@dataclass
class Expectation:
    """An `expected-*` comment: a diagnostic of this severity, on this line (0: an unknown location)."""

    comment_line: int
    line: int
    severity: str
    text: str
    is_regex: bool
    met: bool = field(default=False, compare=False)

    def matches(self, diagnostic: Diagnostic) -> bool:
        """True for a diagnostic of that severity on that line whose message contains the text."""
        if (self.severity, self.line) != (diagnostic.severity, diagnostic.line):
            return False
        if self.is_regex:
            return re.search(_to_regex(self.text), diagnostic.message) is not None
        return self.text in diagnostic.message


class Capture:
    """Collects output to file descriptor 2, by Python and C++ alike.

    Made before the driver forks: its file keeps the output of a child that died.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()

    @contextlib.contextmanager
    def collect(self) -> Generator[list[str], None, None]:
        """Collect the output inside the block into the list's only element."""
        result: list[str] = []
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(self._file.fileno(), 2)
        try:
            yield result
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
            result.append(self.take())

    def take(self) -> str:
        """The collected output that was not taken yet."""
        self._file.seek(0)
        text = self._file.read().decode(errors="replace")
        self._file.seek(0)
        self._file.truncate()
        return text


def without_reproducer(text: str) -> tuple[str, bool]:
    """`text` without the reproducer that the bound pass manager prints, and whether a signal was the reason."""
    crashed = any(match["what"] == "A signal was caught" for match in _REPRODUCER.finditer(text))
    return _REPRODUCER.sub("", text), crashed


def parse(text: str) -> tuple[list[Diagnostic], str]:
    """The diagnostics in `text`, without the source lines and carets that follow them; and the rest of it.

    Notes of call stacks are dropped too: MLIR prints them for a location, they are not diagnostics of a pass.
    """
    found: list[tuple[Diagnostic, list[str]]] = []
    rest: list[str] = []
    body = rest  # receives the lines that do not begin a diagnostic
    for line in _lines(text):
        if header := _header(line):
            body = [header.message]
            found.append((header, body))
            continue
        body.append(line)
        if body is not rest and len(body) > 2 and _CARET.fullmatch(line):
            del body[-2:]
            body = rest
    whole = [dataclasses.replace(header, message="\n".join(body)) for header, body in found]
    diagnostics = [diagnostic for diagnostic in whole if (diagnostic.severity, diagnostic.message) != _CALL_STACK]
    return diagnostics, "".join(f"{line}\n" for line in rest)


def expectations(text: str, first_line: int = 1, file: str = "-") -> list[Expectation]:
    """The `expected-*` comments of `text`, whose first line is line `first_line` of its file.

    A located DriverError for a malformed regular expression.
    """
    found: list[Expectation] = []
    last_plain = first_line - 1  # the last line without an expectation of its own, for `@above`
    pending: list[Expectation] = []  # `@below` waits for the next such line
    for number, line in enumerate(_lines(text), first_line):
        match = _EXPECTED.search(line)
        if match is None:
            for expectation in pending:
                expectation.line = number
            pending = []
            last_plain = number
            continue
        where = match["where"]
        expectation = Expectation(number, number, match["severity"], match["text"], bool(match["regex"]))
        if where == "unknown":
            expectation.line = _UNKNOWN_LINE
        elif where == "above":
            expectation.line = last_plain
        elif where == "below":
            pending.append(expectation)
        elif where:
            expectation.line = number + int(where)
        if expectation.is_regex and (problem := _no_regex(expectation.text)):
            raise DriverError(f"{displayed(file)}:{number}:{match.start('text') + 1}: error: {problem}")
        found.append(expectation)
    return found


def verify(
    diagnostics: list[Diagnostic], expected: list[Expectation], file: str, *, only_expected: bool = False
) -> list[Diagnostic]:
    """The errors: unexpected diagnostics, and expected ones that were not produced.

    As in MLIR, one comment may stand for several diagnostics of the same text.
    """
    wrong: list[Diagnostic] = []
    for diagnostic in diagnostics:
        matching = [expectation for expectation in expected if expectation.matches(diagnostic)]
        if matching:
            next((e for e in matching if not e.met), matching[0]).met = True
        elif not only_expected:
            message = f"unexpected {diagnostic.severity}: {diagnostic.message}"
            wrong.append(Diagnostic(diagnostic.file, diagnostic.line, diagnostic.column, "error", message))
    for expectation in expected:
        if not expectation.met:
            message = f'expected {expectation.severity} "{expectation.text}" was not produced'
            wrong.append(Diagnostic(file, expectation.comment_line, 1, "error", message))
    return wrong


def _lines(text: str) -> list[str]:
    """The lines as MLIR counts them: `str.splitlines` would also split at a form feed or U+2028."""
    return text.removesuffix("\n").split("\n") if text else []


def _header(line: str) -> Diagnostic | None:
    """The diagnostic that begins on this line, with the first line of its message."""
    if match := _UNKNOWN.fullmatch(line):
        return Diagnostic("<unknown>", _UNKNOWN_LINE, 0, match["severity"], match["message"])
    if match := _HEADER.fullmatch(line):
        return Diagnostic(
            match["file"], int(match["line"]), int(match["column"] or 0), match["severity"], match["message"]
        )
    return None


def _no_regex(text: str) -> str:
    """The error in the regular expression of `expected-*-re`; empty if it is valid."""
    try:
        re.compile(_to_regex(text))
    except re.error as error:
        return f"malformed regular expression in '{text}': {error.msg}"
    return ""


def _to_regex(text: str) -> str:
    """MLIR's `-re` syntax: literal text with regular expressions in `{{...}}`."""
    parts = re.split(r"\{\{(.*?)\}\}", text)
    return "".join(f"(?:{part})" if index % 2 else re.escape(part) for index, part in enumerate(parts))
