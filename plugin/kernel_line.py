"""The line where a kernel is defined, for remarks about the whole kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from dotload.passes.remarks import KERNEL, UNKNOWN, Remark
from dotload.plugin.triton_types import Module

_FUNCTION = re.compile(r"^  (?:tt\.func public|llvm\.func) .*?^  \} loc\(([^\n]*)\)$", re.MULTILINE | re.DOTALL)
_PLACE = re.compile(r'"([^"\\]*)":(\d+):(\d+)')
_ALIAS = re.compile(r"#loc\w*")


def line_of(module: Module) -> str:
    """file:line:column of the kernel in a libtriton module; `<unknown>` if it has none."""
    text = str(module)
    function = _FUNCTION.search(text)
    location = function[1] if function else ""
    while not (place := _PLACE.search(location)) and (alias := _ALIAS.search(location)):
        definition = re.search(rf"^{alias[0]} = loc\((.*)\)$", text, re.MULTILINE)
        location = definition[1] if definition else ""
    # Triton 3.3 gives a function the column 0.
    return f"{place[1]}:{place[2]}:{max(1, int(place[3]))}" if place else UNKNOWN


def at_line(remarks: Iterable[Remark], line: str) -> list[Remark]:
    """The remarks, with those about the whole kernel moved to its line."""
    return [replace(remark, location=line) if remark.location == KERNEL else remark for remark in remarks]
