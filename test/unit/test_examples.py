"""The examples compile without a GPU, by the commands that they show; those for the CPU run."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

pytest.importorskip("triton")

from dotload.plugin.xpu_environment import find_python
from dotload.tools import dotload_inspect

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def commands() -> list[tuple[str, str]]:
    """Every dotload-inspect command in the examples' docstrings, with the number of operands that it stages."""
    return [
        (file.name, command.replace("\\\n", " "))
        for file in sorted(EXAMPLES.glob("*.py"))
        for command in re.findall(r"^ +dotload-inspect ((?:.*\\\n)*.*)$", file.read_text(), re.MULTILINE)
    ]


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for what the examples import from torch, if torch is not installed."""
    if importlib.util.find_spec("torch") is None:
        stand_in = ModuleType("torch")
        stand_in.autograd = SimpleNamespace(Function=object)
        monkeypatch.setitem(sys.modules, "torch", stand_in)


@pytest.mark.parametrize(("file", "command"), commands())
def test_the_kernel_compiles_and_dotload_stages_an_operand(
    file: str, command: str, torch: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert dotload_inspect.main(shlex.split(command)) == 0
    shown = capsys.readouterr().out
    assert f"examples/{file}:" in shown
    assert re.search(rf"{file}:\d+:\d+: passed: .*\[stage-dot-", shown)


def test_every_example_for_a_gpu_shows_a_command() -> None:
    of_a_gpu = {file.name for file in EXAMPLES.glob("*.py") if "import torch" in file.read_text()}
    assert {file for file, _ in commands()} == of_a_gpu


@pytest.mark.parametrize("name", ["intel_gemm", "own_pass"])
def test_examples_for_the_cpu_run(name: str, tmp_path: Path) -> None:
    if name == "intel_gemm" and find_python() is None:
        pytest.skip("no environment with triton-xpu")
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
