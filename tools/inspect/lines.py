"""The source line of each line of TTGIR, PTX or SASS."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dotload.plugin.escapes import from_mlir, from_ptx

_DEFINITION = re.compile(r"^#(loc\w*) = loc\((.*)\)$")
_USE = re.compile(r"loc\(#(loc\w*)\)\s*$")
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+')
_REFERENCE = re.compile(r"#(loc\w*)")
_PTX_FILE = re.compile(r'^\s*\.file\s+(\d+) "(.*)"')
_PTX_LOC = re.compile(r"^\s*\.loc\s+(\d+) (\d+)")
_PTX_INLINED = re.compile(r"inlined_at (\d+) (\d+)")
_SASS_LINE = re.compile(r'^\s*//## File "(.*?)", line (\d+)')


@dataclass(frozen=True)
class Line:
    """A line of a stage's text, and its line in the user's file; 0 if it has none."""

    text: str
    source: int


def ttgir_lines(text: str, file: str) -> Iterator[Line]:
    """The operations without their trailing locations."""
    definitions = {found[1]: found[2] for found in map(_DEFINITION.match, text.splitlines()) if found}
    for line in text.splitlines():
        if _DEFINITION.match(line) or line.startswith("#loc"):
            continue
        use = _USE.search(line)
        at = _line_of(use[1], definitions, file) if use else 0
        yield Line(re.sub(r' loc\((?:#loc\w*|"\w+"\(#loc\w*\))\)', "", line), at)


def _line_of(name: str, definitions: Mapping[str, str], file: str) -> int:
    """The innermost place in `file` that a location names."""
    body = definitions.get(name, "")
    for path, line in _PLACE.findall(body):
        if from_mlir(path) == file:
            return int(line)
    return next(filter(None, (_line_of(inner, definitions, file) for inner in _REFERENCE.findall(body))), 0)


def ptx_lines(text: str, file: str) -> Iterator[Line]:
    """The kernel up to its debug information; a `.loc` directive gives the source line of the lines after it.

    Directives within inline assembly are ignored: LLVM adds one to the line for each line of the assembly.
    """
    numbers = {found[1] for found in map(_PTX_FILE.match, text.splitlines()) if found and _same(found[2], file)}
    at, in_assembly = 0, False
    for line in text.splitlines():
        if line.lstrip().startswith((".file", ".section")):
            return
        if "inline asm" in line:
            in_assembly = "begin" in line
        elif found := _PTX_LOC.match(line):
            if in_assembly:
                continue
            places = [(found[1], found[2]), *_PTX_INLINED.findall(line)]
            at = next((int(number) for index, number in places if index in numbers), at)
        elif line.strip() and not re.match(r"^\s*(//|\$L__tmp)", line):
            yield Line(line, at)


def sass_lines(text: str, file: str) -> Iterator[Line]:
    """The instructions of the kernel."""
    at, started = 0, False
    for line in text.splitlines():
        if found := _SASS_LINE.match(line):
            at = int(found[2]) if _same(found[1], file) else at
        elif re.match(r"^\s*/\*[0-9a-f]{4,}\*/|^\.L_", line):
            started = True
            yield Line(re.sub(r"\s+", " ", line).strip(), at)
        elif started and line.lstrip().startswith("//----"):
            return


def _same(path: str, file: str) -> bool:
    """Whether a path of debug information, in one string or two, is the file."""
    return from_ptx(path.replace('" "', "/")) == file


LINES: Mapping[str, Callable[[str, str], Iterator[Line]]] = {
    "ttgir": ttgir_lines,
    "ptx": ptx_lines,
    "sass": sass_lines,
}
"""Stage -> the function that gives its lines, from its text and the kernel's file."""
