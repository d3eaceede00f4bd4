"""The table of Triton's C++ passes (`cpp_passes.txt`): the function that makes the pass of each flag."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_BINDING = re.compile(r"([\w.]+)(?:\((.*)\))?")


@dataclass(frozen=True)
class Binding:
    """A function of libtriton's Python module: its path, and name and default of each option it takes, in order."""

    path: str
    options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Binding:
        match = _BINDING.fullmatch(text)
        assert match, f"malformed binding in the table of C++ passes: {text}"
        words = (match.group(2) or "").split(", ") if match.group(2) else []
        return cls(match.group(1), tuple((name, default) for name, _, default in (w.partition("=") for w in words)))


@dataclass(frozen=True)
class CppPass:
    """A row of the table."""

    flag: str
    anchors: tuple[str, ...]
    """The operation that the pass is restricted to; empty for a pass that runs on modules."""
    creators: tuple[str, ...]
    bindings: tuple[Binding, ...]

    @property
    def dump_name(self) -> str:
        """The pass's name in MLIR's IR dumps: the name of its class, taken from its creator."""
        if not self.creators:
            return "".join(word.capitalize() for word in self.flag.split("-"))
        return self.creators[0].rpartition("::")[2].removeprefix("create")


@cache
def table() -> dict[str, CppPass]:
    """flag -> row, sorted by flag."""
    rows: dict[str, CppPass] = {}
    for line in (Path(__file__).parent / "cpp_passes.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, creators, bindings = (cell.strip() for cell in line.split("|"))
        *anchors, flag = name.rstrip(")").split("(")
        rows[flag] = CppPass(
            flag,
            tuple(anchors),
            () if creators == "-" else tuple(creators.split()),
            () if bindings == "-" else tuple(map(Binding.parse, bindings.split("; "))),
        )
    return rows
