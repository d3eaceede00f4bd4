"""`--example`: modules that come with dotload-opt, for the documentation and for a first try."""

from __future__ import annotations

import difflib
from pathlib import Path

from dotload.tools.opt.errors import DriverError

FOLDER = Path(__file__).parent / "examples"
FOR_INTEL = "gemm_xe.ttgir"


def names() -> list[str]:
    """The names of the examples."""
    return sorted([*(path.name for path in FOLDER.iterdir()), FOR_INTEL])


def example(name: str) -> str:
    """The text of an example; for an unknown name, DriverError that lists all names."""
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise DriverError(f"unknown example '{name}'; {hint}there are {', '.join(names())}")
    if name == FOR_INTEL:
        from dotload.tools.demo_kernel import gemm

        return gemm(transposed_b=False)
    return (FOLDER / name).read_text()
