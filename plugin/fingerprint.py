"""The key of a set of passes: it changes with dotload's version, the sources and options of its passes, the contents of
a user's passes, and strict mode, since strict mode must check kernels that were compiled without it."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path

import dotload
from dotload.plugin import own_files
from dotload.plugin.described import describe, source_file
from dotload.plugin.report import switched_on
from dotload.plugin.rewrite import Spliced

ROOMS = ("layout", "dialect_ext", "passes", "plugin")
"""The folders whose sources affect the compiled kernel."""


def fingerprint(passes: Sequence[Spliced]) -> str:
    """The text to add to the keys of Triton's caches while `passes` are spliced into its pipeline."""
    return _key(tuple(passes), tuple(map(_user_source, passes)), switched_on("DOTLOAD_STRICT"))


@functools.lru_cache(maxsize=64)
def _key(passes: tuple[Spliced, ...], user_sources: tuple[str, ...], is_strict: bool) -> str:
    parts = [dotload.__version__, _own_sources(), *map(_describe, passes), *user_sources, is_strict]
    return f"-dotload-{hashlib.sha256(repr(parts).encode()).hexdigest()}"


@functools.cache
def _own_sources() -> str:
    digest = hashlib.sha256()
    for room in ROOMS:
        folder = Path(__import__(f"dotload.{room}", fromlist=["__path__"]).__path__[0])
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{room}/{path.relative_to(folder)}".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _describe(spliced: Spliced) -> tuple[str, ...]:
    entry = spliced.entry
    target = entry.target if isinstance(entry.target, str) else entry.target.__qualname__
    return (entry.name, spliced.options, repr(entry.places), repr(entry.backends), target)


def is_fixed(spliced: Spliced) -> bool:
    """Whether nothing that the pass does can change in this process: its code and its precondition are in files."""
    entry = spliced.entry
    return isinstance(entry.target, str) or None not in map(source_file, (entry.target, entry.precondition))


def _user_source(spliced: Spliced) -> str:
    """The contents of a pass that a user registered: its files, or its present description if it was typed into an
    interpreter. Empty for dotload's own passes."""
    cls = spliced.entry.target
    if isinstance(cls, str):
        return ""
    found = source_file(cls)
    return f"{own_files.digest(*found) if found else describe(cls)} {describe(spliced.entry.precondition)}"
