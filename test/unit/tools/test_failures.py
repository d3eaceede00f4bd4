"""Every tool reports unreadable files and malformed command lines in the same way."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from dotload.tools import dotload_inspect, dotload_layout, dotload_opt, dotload_reduce, dotload_run_xe
from dotload.tools.failures import Unreadable, read_text

COMMANDS: dict[str, tuple[Callable[[list[str]], int], list[str]]] = {
    "opt": (dotload_opt.main, ["FILE", "-cse"]),
    "opt, a stage": (dotload_opt.main, ["FILE", "--stage=ptx", "--target=sm_90"]),
    "layouts": (dotload_layout.main, ["-i", "FILE", "-t", "tensor<64x64xf16>"]),
    "explain": (dotload_layout.main, ["explain", "FILE"]),
    "inspect": (dotload_inspect.main, ["FILE"]),
    "reduce": (dotload_reduce.main, ["FILE", "--", "false"]),
    "run-xe": (dotload_run_xe.run_command, ["FILE", "--grid", "1"]),
}
FILES = {
    "binary": "it is not a text file",
    "empty": "it is empty",
    "folder": "Is a directory",
    "missing": "No such file or directory",
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(("name", "why"), FILES.items())
@pytest.mark.parametrize("command", COMMANDS)
def test_every_tool_says_the_same_of_a_file_without_text(
    command: str, name: str, why: str, files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    main, words = COMMANDS[command]
    file = str(files / name)
    assert main([word.replace("FILE", file) for word in words]) in (1, 2)
    (line,) = capfd.readouterr().err.splitlines()
    assert line.endswith(f"error: cannot read '{file}': {why}")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "reduce"])
def test_every_tool_reads_standard_input(
    command: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    main, words = COMMANDS[command]
    monkeypatch.setattr("sys.stdin", io.StringIO("this is nonsense\n"))
    assert main([word.replace("FILE", "-") for word in words]) in (1, 2)
    assert "cannot read" not in capfd.readouterr().err


def test_a_text_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text\n")
    assert read_text(str(tmp_path / "file")) == "text\n"
    with pytest.raises(Unreadable, match="No such file"):
        read_text("a\0b")


@pytest.mark.parametrize(
    ("main", "program"),
    [
        (dotload_inspect.main, "dotload-inspect"),
        (dotload_layout.main, "dotload-layout"),
        (dotload_reduce.main, "dotload-reduce"),
        (dotload_run_xe.run_command, "dotload-run-xe"),
    ],
)
def test_a_mistyped_flag_is_one_line(
    main: Callable[[list[str]], int], program: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["--nope"]) in (1, 2)
    (line,) = capfd.readouterr().err.splitlines()
    assert "error: unknown flag '--nope'" in line
    assert line.endswith(f"(try {program} --help)")
