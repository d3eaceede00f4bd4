"""Which Python compiles for Xe, and that it imports nothing from the user's current folder."""

import os
import sys
from pathlib import Path

import pytest

from dotload.plugin import xpu_environment

STDLIB = Path(os.__file__).parent


@pytest.fixture
def hostile_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with an environment and a module that must not be used."""
    python = tmp_path / ".venvs" / "triton-xpu" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\ntouch {tmp_path}/hijacked\n")
    python.chmod(0o755)
    (tmp_path / "base64.py").write_text(f"open({str(tmp_path / 'hijacked')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_environment_of_the_current_folder_is_not_taken(
    hostile_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(xpu_environment.PYTHON_VARIABLE, raising=False)
    found = xpu_environment.find_python()
    assert found is None or hostile_folder not in found.parents


def test_an_environment_that_the_user_names_is_taken(hostile_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = hostile_folder / ".venvs" / "triton-xpu" / "bin" / "python"
    monkeypatch.setenv(xpu_environment.PYTHON_VARIABLE, str(named))
    assert xpu_environment.find_python() == named


@pytest.mark.parametrize("way", ["current folder", "PYTHONPATH"])
def test_the_child_imports_nothing_from_around(way: str, hostile_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(xpu_environment.PYTHON_VARIABLE, sys.executable)
    if way == "PYTHONPATH":
        monkeypatch.setenv("PYTHONPATH", str(hostile_folder))
    print_files = (
        "import base64, pathlib, dotload.plugin as plugin; "
        "print(base64.__file__, pathlib.Path(plugin.__file__).resolve(), sep='\\n')"
    )
    base64_file, plugin_file = map(Path, xpu_environment.run_there(print_files).splitlines())
    assert base64_file.parent == STDLIB
    assert plugin_file == Path(xpu_environment.__file__).resolve().with_name("__init__.py")
    assert not (hostile_folder / "hijacked").exists()


def test_a_time_limit_holds_for_the_compiler_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(xpu_environment.PYTHON_VARIABLE, sys.executable)
    with pytest.raises(xpu_environment.XeCompileError, match=r"did not end within 0\.1 s"):
        xpu_environment.run_there("import time; time.sleep(600)", timeout_s=0.1)


def test_a_compiler_that_crashes_is_named_with_its_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(xpu_environment.PYTHON_VARIABLE, sys.executable)
    with pytest.raises(xpu_environment.XeCompileError, match=r"triton-xpu failed \(SIGKILL\): no message"):
        xpu_environment.run_there("import os; os.kill(os.getpid(), 9)")


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("/no/such/python", "DOTLOAD_XPU_PYTHON=/no/such/python: no such file"),
        ("/bin/true", "/bin/true does not answer"),
    ],
)
def test_a_variable_that_names_another_file(named: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(xpu_environment.PYTHON_VARIABLE, named)
    with pytest.raises(xpu_environment.XeCompileError, match=message):
        xpu_environment.compile_there([])


def test_a_python_that_cannot_run_is_an_error_of_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = tmp_path / "python"
    named.write_text("no program")
    monkeypatch.setenv(xpu_environment.PYTHON_VARIABLE, str(named))
    with pytest.raises(xpu_environment.XeCompileError, match=r"cannot run .*: Permission denied"):
        xpu_environment.run_there("")
