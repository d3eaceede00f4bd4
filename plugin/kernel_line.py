"""Lines for remarks, found in the text of a module: where a kernel is defined, and where it loads tiles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from dotload.passes.remarks import KERNEL, UNKNOWN, Remark
from dotload.plugin.escapes import from_mlir
from dotload.plugin.triton_types import Module

DOTS = ("tt.dot", "ttng.warp_group_dot", "ttng.tc_gen5_mma", "tt.dot_scaled", "ttng.tc_gen5_mma_scaled")

_FUNCTION = re.compile(r"^  (?:tt\.func public|llvm\.func) .*?^  \} loc\(([^\n]*)\)$", re.MULTILINE | re.DOTALL)
_OP = re.compile(r"^ +(?:%([\w$.-]+)(?::\d+)? = )?([\w.]+) (.*) loc\((.*)\)$", re.MULTILINE)
_VALUE = re.compile(r"(?<!scale )%([\w$.-]+)")  # without the scales of tt.dot_scaled
_POINTERS = re.compile(r": tensor<((?:\d+x)+)!tt\.ptr<")
_LOADS = ("tt.load", "ttg.async_copy_global_to_local")
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
_ALIAS = re.compile(r"#loc\w*")


def line_of(module: Module) -> str:
    """file:line:column of the kernel in a libtriton module; `<unknown>` if it has none."""
    text = str(module)
    function = _FUNCTION.search(text)
    place = _place(function[1], text) if function else None
    # Triton 3.3 gives a function the column 0.
    return f"{from_mlir(place[1])}:{place[2]}:{max(1, int(place[3]))}" if place else UNKNOWN


def lines_of_tiles(module: Module) -> dict[str, set[str]]:
    """file:line of each load by pointers of a tile, which is more than a row or a column, and the operands of dots that
    are computed from it without another dot, "A" or "B". No operand is known of loads for another iteration."""
    text = str(module)
    found: dict[str, set[str]] = {}
    made_from: dict[str, set[str]] = {}
    for result, name, rest, location in _OP.findall(text):
        values = _VALUE.findall(rest)
        if name in DOTS:
            for letter, value in zip("AB", values, strict=False):
                for line in made_from.get(value, ()):
                    found[line].add(letter)
        elif name not in _LOADS:
            values = values[1:] if name == "arith.select" else values  # the condition picks elements
            made_from[result] = {line for value in values for line in made_from.get(value, ())}
        elif (pointers := _POINTERS.search(rest)) and sum(size != "1" for size in pointers[1].split("x")[:-1]) > 1:
            if place := _place(location, text):
                line = f"{from_mlir(place[1])}:{place[2]}"
                found.setdefault(line, set())
                made_from[result] = {line}
    return found


def at_line(remarks: Iterable[Remark], line: str) -> list[Remark]:
    """The remarks, with those about the whole kernel moved to its line."""
    return [replace(remark, location=line) if remark.location == KERNEL else remark for remark in remarks]


def _place(location: str, text: str) -> re.Match[str] | None:
    """File, line and column of a location; of a call, those in the innermost function."""
    while not (place := _PLACE.search(location)) and (alias := _ALIAS.search(location)):
        definition = re.search(rf"^{alias[0]} = loc\((.*)\)$", text, re.MULTILINE)
        location = definition[1] if definition else ""
    return place
