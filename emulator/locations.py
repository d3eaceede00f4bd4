"""Debug locations of LLVM IR text: the source line of an instruction."""

from __future__ import annotations

import re

_NODE = re.compile(r"^!(\d+) = (?:distinct )?!(DI\w+)\((.*)\)$", re.MULTILINE)
_DEEPEST = 100  # of scopes and inlined calls: cyclic metadata must not hang the emulator
_REFERENCE = re.compile(r"!dbg !(\d+)")


def _field(node: str, name: str) -> str | None:
    match = re.search(rf"\b{name}: (?:!(\d+)|(\d+)|\"([^\"]*)\")", node)
    return next((group for group in match.groups() if group is not None), None) if match else None


class Locations:
    """The `!N = !DI...` nodes of a module."""

    def __init__(self, text: str) -> None:
        self._nodes = {match[1]: (match[2], match[3]) for match in _NODE.finditer(text)}

    def of_block(self, lines: list[str]) -> list[str]:
        """Location of each instruction of a basic block. An instruction without one (Intel's backend gives none to the
        messages that it emits) takes that of the nearest instruction before it, or else after it."""
        found = [self.of_line(line) for line in lines]
        near = next((location for location in found if location), "")
        for index, location in enumerate(found):
            near = found[index] = location or near
        return found

    def of_line(self, line: str) -> str:
        """`file:line:col` of an instruction, in the outermost function that it was inlined into; "" if unknown."""
        match = _REFERENCE.search(line)
        number = match[1] if match else None
        for _ in range(_DEEPEST):
            if number not in self._nodes or not (outer := _field(self._nodes[number][1], "inlinedAt")):
                break
            number = outer
        if number not in self._nodes or self._nodes[number][0] != "DILocation":
            return ""
        node = self._nodes[number][1]
        return f"{self._file(_field(node, 'scope'))}:{_field(node, 'line')}:{_field(node, 'column') or 0}"

    def _file(self, scope: str | None) -> str:
        """Name of a scope's file."""
        for _ in range(_DEEPEST):
            if scope not in self._nodes:
                break
            kind, node = self._nodes[scope]
            if kind == "DIFile":
                return _field(node, "filename") or "?"
            scope = _field(node, "file") or _field(node, "scope")
        return "?"
