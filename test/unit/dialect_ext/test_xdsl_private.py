"""Only one module uses xDSL's private interface, and the interface is as that module expects."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRLexer

from dotload.dialect_ext import xdsl_private

MODULE = Path(xdsl_private.__file__).resolve()
FOLDERS = ("dialect_ext", "passes", "plugin", "tools")
OF_XDSL = {
    name
    for owner in (Parser, Printer, MLIRLexer)
    for cls in owner.__mro__[:-1]
    for name in (*vars(cls), *getattr(cls, "__annotations__", {}))
    if name.startswith("_") and not name.startswith("__")
}


def private_names(path: Path) -> set[str]:
    """The private names of xDSL's classes that a file reads, sets or overrides."""
    used: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute):
            used.add(node.attr)
        elif isinstance(node, ast.ClassDef) and node.bases:
            used |= {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)}
            used |= {target.id for inner in node.body if isinstance(inner, ast.Assign) for target in inner.targets}
    return used & OF_XDSL


OWN = {"_blocks"}  # GenericWriter uses this name for something else


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_other_module_uses_it(folder):
    files = [path for path in (MODULE.parents[1] / folder).rglob("*.py") if path != MODULE]
    assert files
    assert {path.name: found for path in files if (found := private_names(path) - OWN)} == {}


def test_what_the_module_overrides_and_calls_is_there():
    used = {
        node.attr
        for node in ast.walk(ast.parse(MODULE.read_text()))
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
    }
    overridden = {
        name
        for cls in vars(xdsl_private).values()
        if isinstance(cls, type) and cls.__module__ == xdsl_private.__name__
        for name in vars(cls)
        if name.startswith("_") and not name.startswith("__")
    }
    assert used
    assert overridden
    assert used | overridden <= OF_XDSL
