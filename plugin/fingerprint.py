"""The key of a set of passes: it changes with dotload's version, the sources of its passes and their options."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Sequence
from pathlib import Path

import dotload
from dotload.passes.analysis.prefilter import Holding
from dotload.plugin.rewrite import Spliced

ROOMS = ("layout", "dialect_ext", "passes", "plugin")
"""The folders whose sources decide what a kernel becomes."""


@functools.lru_cache(maxsize=64)
def fingerprint(passes: Sequence[Spliced]) -> str:
    """A text to add to the keys of Triton's caches while `passes` are spliced into its pipeline."""
    parts = [dotload.__version__, _own_sources(), *(_describe(spliced) for spliced in passes)]
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
    condition = entry.precondition
    shown = repr(condition) if isinstance(condition, Holding) else getattr(condition, "__qualname__", "")
    described = (entry.name, spliced.options, repr(entry.place), repr(entry.backends), shown)
    if isinstance(entry.target, str):
        return (*described, entry.target)
    return (*described, _user_source(entry.target))


def _user_source(cls: type) -> str:
    """The source of a pass that a user registered, as the whole file that it stands in."""
    try:
        return inspect.getsource(inspect.getmodule(cls) or cls)
    except (OSError, TypeError):  # typed into an interpreter: there is the bytecode of its methods at least
        codes = [method.__code__ for method in vars(cls).values() if inspect.isfunction(method)]
        return repr([(cls.__qualname__, code.co_code, code.co_consts, code.co_names) for code in codes])
