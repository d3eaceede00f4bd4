"""Pass pipelines as text, in MLIR's syntax: `builtin.module(cse,tt.func(canonicalize{max-iterations=2}),mine{x=1})`."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dotload.tools.opt.errors import DriverError

# An operation name that anchors a nested pipeline, as opposed to a pass: `tt.func(...)`, `any(...)`.
_ANCHOR = re.compile(r"\s*([\w.$-]+)\s*\((.*)\)\s*", re.DOTALL)
_PASS = re.compile(r"\s*([\w.-]+)\s*(?:\{(.*)\})?\s*", re.DOTALL)
_DEEPEST = 50
_TOP_ANCHORS = ("builtin.module", "any")
_CLOSERS = {"(": ")", "{": "}", "[": "]", "<": ">"}


@dataclass(frozen=True)
class PassElement:
    """One pass of a pipeline: its flag, the text of its options, and the anchors it is nested in, outermost first."""

    name: str
    options: str = ""
    anchors: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.name}{{{self.options}}}" if self.options else self.name
        for anchor in reversed(self.anchors):
            text = f"{anchor}({text})"
        return text

    def option_list(self) -> list[tuple[str, str]]:
        """The options one by one, in the order given; an option without a value reads as `true`."""
        return [
            (name, value if equals else "true")
            for name, equals, value in (word.partition("=") for word in _split_options(self.options))
        ]


def parse(text: str) -> tuple[PassElement, ...]:
    """The passes of a pipeline; the outermost `builtin.module(...)` or `any(...)` is optional."""
    top = _ANCHOR.fullmatch(text)
    if top and top.group(1) in _TOP_ANCHORS:
        text = top.group(2)
    return tuple(_elements(text, ()))


def join(elements: Sequence[PassElement]) -> str:
    """Pipeline text of `elements`, anchored on the module."""
    return f"builtin.module({body(elements)})"


def body(elements: Sequence[PassElement]) -> str:
    """Pipeline text of `elements` without its anchor; neighbours in the same nested pipeline stay in one."""
    parts: list[str] = []
    for anchor, group in itertools.groupby(elements, lambda element: element.anchors[:1]):
        if anchor:
            inner = [dataclasses.replace(element, anchors=element.anchors[1:]) for element in group]
            parts.append(f"{anchor[0]}({body(inner)})")
        else:
            parts += map(str, group)
    return ",".join(parts)


def dump(elements: Sequence[PassElement]) -> str:
    """The output of `--dump-pass-pipeline` without MLIR: the passes with their given options."""
    return f"Pass Manager with {len(elements)} passes:\n{join(elements)}\n"


def _elements(text: str, anchors: tuple[str, ...]) -> Iterator[PassElement]:
    for item in _split(text, ","):
        if not item.strip():
            continue
        if nested := _ANCHOR.fullmatch(item):
            if len(anchors) == _DEEPEST:
                raise DriverError(f"malformed pass pipeline: nested more than {_DEEPEST} deep")
            yield from _elements(nested.group(2), (*anchors, nested.group(1)))
        elif single := _PASS.fullmatch(item):
            yield PassElement(single.group(1), (single.group(2) or "").strip(), anchors)
        else:
            raise DriverError(f"malformed pass pipeline near '{item.strip()}'")


def _split(text: str, separator: str) -> list[str]:
    """`text` cut at each `separator` that stands outside brackets and quotes."""
    parts: list[str] = []
    closers: list[str] = []
    quote, start = "", 0
    for index, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in _CLOSERS:
            closers.append(_CLOSERS[char])
        elif closers and char == closers[-1]:
            closers.pop()
        elif char in ")}]":
            raise DriverError(f"malformed pass pipeline: unexpected '{char}' in '{text}'")
        elif char == separator and not closers:
            parts.append(text[start:index])
            start = index + 1
    if closers:
        raise DriverError(f"malformed pass pipeline: missing '{closers[-1]}' in '{text}'")
    return [*parts, text[start:]]


def _split_options(text: str) -> list[str]:
    return [word.strip() for word in _split(text, " ") if word.strip()]
