"""`--example`: kernel files that come with dotload-inspect, for the documentation and for a first try."""

from __future__ import annotations

import difflib
from pathlib import Path

from dotload.tools.inspect.request import InspectError

FILES = {"gemm.py": "demo_fp8.py"}
"""The name of an example -> the file in dotload/tools."""


def example(name: str) -> str:
    """The text of an example; for an unknown name, InspectError that lists all names."""
    if name not in FILES:
        near = difflib.get_close_matches(name, FILES, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise InspectError(f"unknown example '{name}'; {hint}there are {', '.join(FILES)}")
    lines = (Path(__file__).parents[1] / FILES[name]).read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("# pyright:"))
