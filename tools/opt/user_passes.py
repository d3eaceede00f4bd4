"""Users' passes: Python files given by `--load-pass`, and the entry points `dotload.passes` of wheels."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from importlib.metadata import entry_points
from pathlib import Path

from dotload.tools.opt.errors import DriverError

ENTRY_POINTS = "dotload.passes"


def load_files(paths: tuple[str, ...]) -> None:
    """Execute each file, which registers its `@dotload.register_pass` classes."""
    for path in paths:
        file = Path(path)
        if not file.is_file():
            raise DriverError(f"--load-pass: no file '{path}'")
        spec = importlib.util.spec_from_file_location(f"dotload_user_pass_{file.stem}", file)
        if spec is None or spec.loader is None:
            raise DriverError(f"--load-pass: '{path}' is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look up their module
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise DriverError(f"{_place(error, file)}: error: cannot load the pass: {error}") from error


def load_entry_points() -> None:
    """Import the entry points of group `dotload.passes` of installed distributions."""
    for point in entry_points(group=ENTRY_POINTS):
        try:
            point.load()
        except Exception as error:
            raise DriverError(f"entry point '{point.name}' of group {ENTRY_POINTS}: {error}") from error


def _place(error: BaseException, file: Path) -> str:
    """`file:line:col` where the user's file failed."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f"{error.filename}:{error.lineno}:{error.offset or 1}"
    own = file.resolve()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).resolve() == own]
    return f"{file}:{frames[-1].lineno if frames else 1}:1"
