"""Lines for remarks, found in the text of a module: where a kernel is defined, and where it loads tiles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from dotload.passes.remarks import KERNEL, UNKNOWN, Remark
from dotload.plugin.escapes import from_mlir
from dotload.plugin.triton_types import Module

_FUNCTION = re.compile(r"^  (?:tt\.func public|llvm\.func) .*?^  \} loc\(([^\n]*)\)$", re.MULTILINE | re.DOTALL)
_LOAD = re.compile(
    r"(?:tt\.load|ttg\.async_copy_global_to_local) .*?: tensor<((?:\d+x)+)!tt\.ptr<.* loc\((.*)\)$", re.MULTILINE
)
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
_ALIAS = re.compile(r"#loc\w*")


def line_of(module: Module) -> str:
    """file:line:column of the kernel in a libtriton module; `<unknown>` if it has none."""
    text = str(module)
    function = _FUNCTION.search(text)
    place = _place(function[1], text) if function else None
    # Triton 3.3 gives a function the column 0.
    return f"{from_mlir(place[1])}:{place[2]}:{max(1, int(place[3]))}" if place else UNKNOWN


def lines_of_tiles(module: Module) -> frozenset[str]:
    """file:line of each load by pointers of a tile, which is more than a row or a column."""
    text = str(module)
    loads = ((shape.rstrip("x").split("x"), location) for shape, location in _LOAD.findall(text))
    places = (_place(location, text) for shape, location in loads if sum(size != "1" for size in shape) > 1)
    return frozenset(f"{from_mlir(place[1])}:{place[2]}" for place in places if place)


def at_line(remarks: Iterable[Remark], line: str) -> list[Remark]:
    """The remarks, with those about the whole kernel moved to its line."""
    return [replace(remark, location=line) if remark.location == KERNEL else remark for remark in remarks]


def _place(location: str, text: str) -> re.Match[str] | None:
    """File, line and column of a location; of a call, those in the innermost function."""
    while not (place := _PLACE.search(location)) and (alias := _ALIAS.search(location)):
        definition = re.search(rf"^{alias[0]} = loc\((.*)\)$", text, re.MULTILINE)
        location = definition[1] if definition else ""
    return place
