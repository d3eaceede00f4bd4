"""Modules are printed so that they parse to the same module, in custom and in generic form."""

from pathlib import Path

import pytest

from dotload.dialect_ext import parse_module, print_module

INPUTS = sorted((Path(__file__).parent / "inputs").glob("*.mlir"))


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_custom_form_is_a_fixed_point(path: Path) -> None:
    printed = print_module(parse_module(path.read_text(), path.name))
    assert print_module(parse_module(printed)) == printed


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_generic_form_says_the_same(path: Path) -> None:
    module = parse_module(path.read_text(), path.name)
    assert print_module(parse_module(print_module(module, generic=True))) == print_module(module)
