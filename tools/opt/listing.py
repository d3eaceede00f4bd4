"""`--list-passes`: the available passes, each with its engine and wheel."""

from __future__ import annotations

import dotload
from dotload.passes import registry
from dotload.tools.opt import cpp_passes, libtriton
from dotload.tools.opt.cpp_passes import CppPass
from dotload.tools.opt.errors import DriverError
from dotload.tools.opt.exported import Exported, mangled
from dotload.tools.opt.libtriton import Libtriton
from dotload.tools.opt.user_passes import load_entry_points


def list_passes() -> str:
    """A line for each pass of the installed wheels: flag, engine, wheel, options."""
    load_entry_points()
    rows = [("flag", "engine", "from", "options"), *_python_rows(), *_cpp_rows()]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = (
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]) for row in rows
    )
    return "\n".join(line.rstrip() for line in lines) + "\n"


def installed_flags() -> set[str]:
    """The flags of the passes that the installed wheel has."""
    return {row[0] for row in _cpp_rows()}


def _python_rows() -> list[tuple[str, str, str, str]]:
    rows: list[tuple[str, str, str, str]] = []
    for entry in registry.entries():
        source = f"dotload {dotload.__version__}" if isinstance(entry.target, str) else entry.target.__module__
        try:
            options = " ".join(entry.options())
        except ImportError as error:
            options = f"(cannot be loaded: {error})"
        rows += [(name, "Python", source, options) for name in (entry.name, *entry.aliases)]
    return rows


def _cpp_rows() -> list[tuple[str, str, str, str]]:
    try:
        library = libtriton.load()
    except DriverError:
        return []
    exported = Exported.load(library.path)
    wheel = libtriton.wheel()
    return [
        (row.flag, "C++", wheel, options)
        for row in cpp_passes.table().values()
        if (options := _cpp_options(row, library, exported)) is not None
    ]


def _cpp_options(row: CppPass, library: Libtriton, exported: Exported | None) -> str | None:
    """The bound options, with a note on the others; None for a pass that this wheel lacks."""
    binding = library.fitting(row)
    has_creator = exported is not None and any(exported.has(mangled(f"mlir::{name}")) for name in row.creators)
    if binding is None and not has_creator:
        return None
    bound = " ".join(name for name, _ in binding.options if name != "-") if binding else ""
    return bound if binding else "(no Python binding)"
