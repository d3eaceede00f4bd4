"""Long flags with one dash or two, in every command."""

from __future__ import annotations

import argparse

import pytest

from dotload.tools import dotload_layout
from dotload.tools.flags import FlagParser

LAYOUT = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 8], warpsPerCTA = [2, 1], order = [1, 0]}>"


def parser() -> FlagParser:
    made = FlagParser(prog="tool")
    made.add_argument("words", nargs="*")
    made.add_argument("-n", "--num-warps", type=int)
    made.add_argument("--use-hw-view", action="store_true")
    return made


@pytest.mark.parametrize("dashes", ["-", "--"])
def test_both_are_taken(dashes):
    options = parser().parse_args([f"{dashes}num-warps=4", f"{dashes}use-hw-view", "file"])
    assert (options.num_warps, options.use_hw_view, options.words) == (4, True, ["file"])


def test_a_short_flag_stays_one():
    assert parser().parse_args(["-n", "8"]).num_warps == 8


def test_behind_two_dashes_nothing_is_a_flag():
    assert parser().parse_args(["--", "-use-hw-view"]).words == ["-use-hw-view"]


def test_an_unknown_flag_is_a_mistake(capsys):
    with pytest.raises(SystemExit):
        parser().parse_args(["-use-hw"])
    assert "-use-hw" in capsys.readouterr().err


def test_the_viewer_takes_the_command_line_of_tritons_tool(capsys):
    words = ["-l", LAYOUT, "-t", "tensor<4x16xf16>"]
    assert dotload_layout.main([*words, "-use-hw-view"]) == 0
    one_dash = capsys.readouterr().out
    assert dotload_layout.main([*words, "--use-hw-view"]) == 0
    assert capsys.readouterr().out == one_dash
    assert dotload_layout.main(words) == 0
    assert len(capsys.readouterr().out) > len(one_dash)


def test_the_commands_use_it():
    assert issubclass(FlagParser, argparse.ArgumentParser)
    for name in ("dotload_layout", "dotload_reduce", "dotload_run_xe"):
        module = __import__(f"dotload.tools.{name}", fromlist=["FlagParser"])
        assert module.FlagParser is FlagParser
