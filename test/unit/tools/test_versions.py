"""Every command prints its versions of dotload and triton."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import dotload
from dotload.tools import dotload_layout
from dotload.tools.opt import libtriton

EXPECTED = f"dotload {dotload.__version__}, {libtriton.wheel()}\n"


@pytest.mark.parametrize(
    "module",
    [
        "tools.dotload_inspect",
        "tools.dotload_layout",
        "tools.dotload_opt",
        "tools.dotload_reduce",
        "tools.dotload_run_xe",
        "__main__",
    ],
)
def test_version(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(importlib.import_module(f"dotload.{module}").main, ["--version"]) == 0
    assert capsys.readouterr().out == EXPECTED


@pytest.mark.parametrize(
    ("name", "answer"),
    [("explian", "did you mean explain?"), ("xyz", "there are atom, fragment, descriptor, block-load, explain")],
)
def test_an_unknown_command_names_its_neighbours(name: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dotload_layout.main([name]) == 1
    assert f"unknown command '{name}'" in (shown := capsys.readouterr().err)
    assert answer in shown


def test_the_hardware_view_takes_one_dash_as_llvms_tools_do(capsys: pytest.CaptureFixture[str]) -> None:
    layout = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>"
    shown: list[str] = []
    for flag in ("-use-hw-view", "--use-hw-view"):
        assert dotload_layout.main(["-l", layout, "-t", "tensor<4x16xf16>", flag]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert shown[0].startswith("Warp0:")


def status(main: Callable[[list[str]], Any], arguments: list[str]) -> Any:
    """The exit status, also of a parser that ends the program."""
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code
