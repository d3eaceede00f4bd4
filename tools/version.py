"""`--version` of every command: dotload's version and that of the triton wheel beside it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any


def version_text() -> str:
    """Versions of dotload and of the triton wheel."""
    import dotload  # here: reading a version takes longer than most help texts
    from dotload.tools.opt import libtriton

    found = libtriton.wheel() if libtriton.library_path() else "no triton wheel"
    return f"dotload {dotload.__version__}, {found}"


class ShowVersion(argparse.Action):
    """`parser.add_argument("--version", action=ShowVersion)`: looks up the versions only when they are requested."""

    def __init__(self, option_strings: Sequence[str], dest: str, **_: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the versions of dotload and of the triton wheel")

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(version_text())
        parser.exit()
