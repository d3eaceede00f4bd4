"""Files of kernels in dotload-inspect: their folders, names, encodings and errors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("triton")

sys.path.insert(0, str(Path(__file__).parent))

from test_inspect import FILE, LOAD_OF_B, SOURCE, TILE, TYPES

import dotload
from dotload.tools import dotload_inspect
from dotload.tools.inspect import request
from dotload.tools.inspect.lines import LINES
from dotload.tools.inspect.page import as_html
from dotload.tools.inspect.report import shown


def test_a_folder_whose_name_is_not_ascii(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MLIR and LLVM escape such a name; remarks and the page still have the right lines."""
    (folder := tmp_path / "josé \\ 你").mkdir()
    monkeypatch.chdir(folder)
    file = shutil.copy(FILE, folder / "at_home.py")
    kernel = request.load_kernel(f"{file}:matmul")
    inspection = dotload.inspect(kernel, TYPES, constants=TILE, target="sm_90", num_warps=4)
    locations = {remark.location for remark in inspection.dotload.remarks}
    assert f"{file}:{LOAD_OF_B}:13" in locations
    assert all(location.startswith(f"{file}:") for location in locations)
    assert f"{LOAD_OF_B:6} | {SOURCE[LOAD_OF_B - 1]}" in str(inspection)
    assert shown(str(file)) == "at_home.py"
    for stage, lines_of in LINES.items():
        assert LOAD_OF_B in {line.source for line in lines_of(inspection.dotload.text(stage), str(file))}, stage


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig", "cp1251"])
def test_a_file_in_another_encoding(encoding: str, tmp_path: Path) -> None:
    lines = ["" if encoding == "utf-8-sig" else f"# coding: {encoding}", *SOURCE]
    lines[LOAD_OF_B] += "  # §"
    (file := tmp_path / "kernel.py").write_text("\n".join(lines), encoding=encoding)
    kernel = request.load_kernel(f"{file}:matmul")
    inspection = dotload.inspect(kernel, TYPES, constants=TILE, target="sm_90", num_warps=4)
    (line,) = {line for line in str(inspection).splitlines() if line.endswith("  # §")}
    assert escape(line.partition(" | ")[2].strip()) in as_html(inspection)


def test_a_file_in_an_unknown_encoding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text, message in (
        (b"# coding: klingon\n", ":1:1: error: SyntaxError: unknown encoding: klingon\n"),
        (b"# \xa7\n", "it is not a text file\n"),
    ):
        (file := tmp_path / "kernel.py").write_bytes(text)
        assert dotload_inspect.main([f"{file}:k"]) == 1
        assert capsys.readouterr().err.endswith(message)


KERNEL = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x):\n    tl.store(x, 1.0)\n"
END = "; end the process where `__name__` is `__main__` only"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import triton\n\n\ndef k(x:\n    pass\n", "4:6: error: SyntaxError: '(' was never closed"),
        ("import sys\n\nsys.exit(3)\n", f"3:1: error: SystemExit: 3{END}"),
        ("import sys\n\nsys.exit()\n", f"3:1: error: SystemExit{END}"),
        ("raise ValueError('a\\nb')\n", "1:1: error: ValueError: a"),
    ],
)
def test_a_file_that_cannot_be_imported(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (file := tmp_path / "broken.py").write_text(text)
    assert dotload_inspect.main([f"{file}:k"]) == 1
    assert capsys.readouterr().err == f"{file}:{message}\n"


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("x = (\n", 1, "1:5: error: SyntaxError: '(' was never closed"),
        ("import sys\nsys.exit(3)\n", 1, "2:1: error: SystemExit: 3"),
        ("import sys\nsys.exit('no data')\n", 1, "2:1: error: SystemExit: no data"),
        ("import sys\nsys.exit(0)\n", 0, ""),
    ],
)
def test_a_script_that_fails_by_its_status(
    text: str, status: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (script := tmp_path / "script.py").write_text(text)
    assert dotload_inspect.main(["--dry-run", str(script)]) == status
    assert (f"The script ended early: {script}:{message}\n" in capsys.readouterr().out) == bool(status)


def test_a_file_with_the_name_of_a_library(tmp_path: Path) -> None:
    """The library that is imported already is not replaced."""
    import copy

    (file := tmp_path / "copy.py").write_text(KERNEL)
    kernel = request.load_kernel(str(file))
    assert sys.modules["copy"] is copy
    assert request.Request.of(kernel, ["*fp32"], {}, "sm_90", {}).file == str(file)


def test_a_mistake_in_a_function_that_the_kernel_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Triton's error for the call has no message; its cause has."""
    text = KERNEL.replace("1.0", "helper(3)") + "\n\n@triton.jit\ndef helper(n):\n    return tl.arange(0, 3)\n"
    (file := tmp_path / "calls.py").write_text(text)
    assert dotload_inspect.main([f"{file}:k", "--arg", "x=*fp32"]) == 1
    assert capsys.readouterr().err == f"{file}:7:17: error: arange's range must be a power of 2\n"


def test_a_type_that_triton_cannot_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file := tmp_path / "kernel.py").write_text(KERNEL)
    assert dotload_inspect.main([str(file), "--arg", "x=*(fp32)"]) == 1
    assert "--arg x: unknown type '*(fp32)'; did you mean" in capsys.readouterr().err


def test_kernels_that_are_interpreted(tmp_path: Path) -> None:
    (file := tmp_path / "kernel.py").write_text(KERNEL)
    for arguments in ([f"{file}:k", "--arg", "x=*fp32"], ["--dry-run", str(file)]):
        done = subprocess.run(
            [sys.executable, "-m", "dotload.tools.dotload_inspect", *arguments],
            env=os.environ | {"TRITON_INTERPRET": "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert done.stderr.startswith("dotload-inspect: error: TRITON_INTERPRET is set")


@pytest.mark.parametrize("indent", ["", "    "])
def test_the_line_of_a_kernel_in_a_function_or_not(indent: str) -> None:
    raw = [f"{indent}@triton.jit\n", f"{indent}def kernel(x):\n", f"{indent}    tl.store(x, 1)\n"]
    assert request.line_of(SimpleNamespace(raw_src=raw, starting_line_number=7)) == 8


def test_a_script_that_launches_a_compiled_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch = "k.warmup(MockTensor(tl.float32), grid=(1,))[(4, 1, 1)](None)"
    text = f"{KERNEL}\nfrom triton.runtime.jit import MockTensor\n{launch}\n"
    (script := tmp_path / "script.py").write_text(text)
    assert dotload_inspect.main(["--dry-run", str(script)]) == 0
    assert "ended early" not in (output := capsys.readouterr().out)
    assert " script.py:6 " in output
