"""Random mutations of valid texts, which give inputs that are almost valid."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from random import Random

REPOSITORY = Path(__file__).resolve().parents[2]
NUMBERS = ("0", "1", "-1", "2", "3", "7", "16", "64", "65536", "2147483647", "-2147483648", "4294967296",
           "9223372036854775807", "-9223372036854775808", "18446744073709551616", "9" * 40)  # fmt: skip
PIECES = ("", " ", "\0", "\ufeff", "\udcff", "é", "(", ")", "{", "}", "<", ">", "[", "]", '"', "'", "#", "!", "%", "@",
          "->", "//", "/*", "loc(", "dense<", "tensor<", "x", "?", "*", "i1", "f16", "...", "\n", "\r\n",
          "\\")  # fmt: skip
_IS_FLAG = re.compile(r"--?[a-z][^%]*$")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_NUMBER = re.compile(r"-?\b\d+\b")


def corpus(*patterns: str) -> list[str]:
    """The texts of the repository's files that match, each split at its markers, without the longest ones."""
    return [text for _, text in tests("", *patterns)]


def tests(program: str, *patterns: str) -> list[tuple[tuple[str, ...], str]]:
    """The same texts, each with the flags that the first `RUN` lines of its file give to `program`."""
    found: list[tuple[tuple[str, ...], str]] = []
    for pattern in patterns:
        for path in sorted(REPOSITORY.glob(pattern)):
            whole = path.read_text()
            run = re.search(rf"RUN: (?:not )?{program} ([^|\n]*)", whole) if program else None
            flags = tuple(word for word in shlex.split(run[1]) if _IS_FLAG.match(word)) if run else ()
            found += [(flags, text) for text in whole.split("// -----") if text.strip() and len(text) < 20_000]
    return found


def mutate(text: str, random: Random, others: Sequence[str]) -> str:
    """`text` with one to four changes, some of which insert pieces of other texts."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        text = random.choice(_CHANGES)(text, random, others)
    return text


def renumbered(text: str, random: Random) -> str:
    """`text` with one to four numbers changed, which parsers mostly accept."""
    for _ in range(random.randint(1, 4)):
        text = _number(text, random, ())
    return text


def _number(text: str, random: Random, _others: Sequence[str]) -> str:
    found = list(_NUMBER.finditer(text))
    return _replace(text, random.choice(found).span(), random.choice(NUMBERS)) if found else text


def _token(text: str, random: Random, others: Sequence[str]) -> str:
    """Replace a token by another, from this text or another."""
    found = list(_TOKEN.finditer(text))
    source = _TOKEN.findall(random.choice((text, random.choice(others))))
    return _replace(text, random.choice(found).span(), random.choice(source)) if found and source else text


def _dropped(text: str, random: Random, _others: Sequence[str]) -> str:
    found = list(_TOKEN.finditer(text))
    return _replace(text, random.choice(found).span(), "") if found else text


def _piece(text: str, random: Random, _others: Sequence[str]) -> str:
    at = random.randint(0, len(text))
    return _replace(text, (at, at), random.choice(PIECES) * random.choice((1, 1, 1, 3, 5000)))


def _lines(text: str, random: Random, others: Sequence[str]) -> str:
    """Delete, repeat or move a line, or insert one of another text."""
    lines = text.splitlines(keepends=True) or [""]
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    change = random.choice(("drop", "double", "swap", "foreign"))
    if change == "drop":
        del lines[at]
    elif change == "double":
        lines.insert(at, lines[at])
    elif change == "swap":
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines.insert(at, random.choice(random.choice(others).splitlines(keepends=True) or [""]))
    return "".join(lines)


def _cut(text: str, random: Random, _others: Sequence[str]) -> str:
    return text[: random.randint(0, len(text))]


def _replace(text: str, span: tuple[int, int], by: str) -> str:
    return text[: span[0]] + by + text[span[1] :]


_CHANGES = (_number, _number, _token, _token, _token, _dropped, _piece, _lines, _lines, _cut)
