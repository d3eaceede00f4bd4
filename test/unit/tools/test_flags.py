"""Long flags are accepted with one dash or two by every command."""

from __future__ import annotations

import argparse
import contextlib
import importlib

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


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("--num-wraps=4", "unknown flag '--num-wraps'; did you mean --num-warps?"),
        ("-use-hw-veiw", "unknown flag '-use-hw-veiw'; did you mean --use-hw-view?"),
        ("--colour", "unknown flag '--colour'"),
        ("-x", "unknown flag '-x'"),
        ("--num-warps=--", "argument --num-warps: '--' is not a value"),
    ],
)
def test_an_unknown_flag_is_a_mistake(word, message, capsys):
    with pytest.raises(SystemExit):
        parser().parse_args([word, "file"])
    assert capsys.readouterr().err == (f"tool: error: {message} (try tool --help)\n")


@pytest.mark.parametrize("word", ["--num-w=4", "-n4", "-1", "--", "a -b"])
def test_beginnings_of_flags_short_ones_with_their_value_and_numbers_are_none(word):
    parser().parse_args([word])


def test_the_flags_of_a_program_are_its_own():
    made = FlagParser(prog="tool")
    made.add_argument("--passes")
    made.add_argument("program", nargs=argparse.REMAINDER)
    options = made.parse_args(["--passes", "one", "train.py", "--pases", "-passes"])
    assert options.program == ["train.py", "--pases", "-passes"]
    with pytest.raises(SystemExit):
        made.parse_args(["--pases", "one", "train.py"])


def test_the_viewer_takes_the_command_line_of_tritons_tool(capsys):
    words = ["-l", LAYOUT, "-t", "tensor<4x16xf16>"]
    assert dotload_layout.main([*words, "-use-hw-view"]) == 0
    one_dash = capsys.readouterr().out
    assert dotload_layout.main([*words, "--use-hw-view"]) == 0
    assert capsys.readouterr().out == one_dash
    assert dotload_layout.main(words) == 0
    assert len(capsys.readouterr().out) > len(one_dash)


@pytest.mark.parametrize(
    ("module", "words", "near"),
    [
        ("tools.dotload_inspect", ["gemm.py:matmul", "--traget", "sm_90"], "--target"),
        ("tools.dotload_layout", ["atom", "K", "64", "--fromat=svg"], "--format"),
        ("tools.dotload_layout", ["-l", LAYOUT, "--tenser", "tensor<4x16xf16>"], "--tensor"),
        ("tools.dotload_opt", ["kernel.ttir", "--remarkz"], "--remarks"),
        ("tools.dotload_reduce", ["kernel.ttir", "--time-out", "3"], "--timeout"),
        ("tools.dotload_run_xe", ["kernel.ll", "--gird", "1"], "--grid"),
        ("__main__", ["--pases", "one", "train.py"], "--passes"),
    ],
)
def test_every_command_names_the_neighbour(module: str, words: list[str], near: str, capsys):
    main = importlib.import_module(f"dotload.{module}").main
    with contextlib.suppress(SystemExit):
        assert main(words) != 0
    assert f"did you mean {near}?" in capsys.readouterr().err
