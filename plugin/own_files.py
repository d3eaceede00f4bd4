"""The user's files behind a module: its own and those it imports, directly or not."""

from __future__ import annotations

import ast
import functools
import hashlib
import site
import sys
import sysconfig
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path

# Packages whose sources or versions are already in the key, or in Triton's own key.
_KNOWN_PACKAGES = frozenset({"dotload", "triton", "xdsl", "torch"})


@functools.cache
def digest(module: str, file: str) -> str:
    """A hash of a module's file and of all the user's files that it imports: files outside the installed packages and
    the standard library, or in the same package as `file`."""
    found = {module: file}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        for imported in _imports(name, Path(found[name])):
            path = _file_of(imported)
            if imported not in found and path and is_own(imported, path, module):
                found[imported] = path
                waiting.append(imported)
    content = {(name if name != module else "", _bytes(path)) for name, path in found.items()}
    return hashlib.sha256(repr(sorted(content)).encode()).hexdigest()


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _imports(module: str, path: Path) -> Iterator[str]:
    """The modules named in a file's import statements, wherever they stand, and the packages around them."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parts, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = [part for part in name.split(".") if part]
            yield from (".".join(parts[: count + 1]) for count in range(len(parts)))


def _file_of(module: str) -> str | None:
    """The source of a module, imported or not; None for anything that is not a module or has no Python source."""
    loaded = sys.modules.get(module)
    path = getattr(loaded, "__file__", None) if loaded else _find(module)
    return path if path and path.endswith(".py") else None


def _find(module: str) -> str | None:
    """The file of a module on the path, found without executing the packages around it."""
    spec, places = None, None
    for count in range(1, module.count(".") + 2):
        try:
            spec = PathFinder.find_spec(".".join(module.split(".")[:count]), places)
        except (ImportError, ValueError):
            return None
        if spec is None:
            return None
        places = spec.submodule_search_locations or []
    return spec.origin if spec else None


def is_own(module: str, path: str, of: str = "") -> bool:
    """Whether a file is the user's: outside the installed packages, or in the package `of`."""
    top = module.partition(".")[0]
    if top in _KNOWN_PACKAGES:
        return False
    same_package = top == of.partition(".")[0]
    return same_package or not any(Path(path).resolve().is_relative_to(folder) for folder in _installed())


@functools.cache
def _installed() -> tuple[Path, ...]:
    """The folders of installed packages and of the standard library."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*(sysconfig.get_paths()[name] for name in names), *site.getsitepackages(), site.getusersitepackages()]
    return tuple({Path(folder).resolve() for folder in folders})
