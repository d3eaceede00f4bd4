"""dotload-inspect and the kernels' files: their folders, names, encodings and errors."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")

sys.path.insert(0, str(Path(__file__).parent))

from test_inspect import FILE, LOAD_OF_B, SOURCE, TILE, TYPES

import dotload
from dotload.tools.inspect import request
from dotload.tools.inspect.lines import LINES
from dotload.tools.inspect.report import shown


def test_a_folder_whose_name_is_not_ascii(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MLIR and LLVM escape such a name; remarks and the page still have the right lines."""
    (folder := tmp_path / "josé \\ 你").mkdir()
    monkeypatch.chdir(folder)
    file = shutil.copy(FILE, folder / "at_home.py")
    kernel = request.load_kernel(f"{file}:matmul")
    inspection = dotload.inspect(kernel, TYPES, constants=TILE, target="sm_90", num_warps=4)
    assert {remark.location for remark in inspection.dotload.remarks} == {f"{file}:{LOAD_OF_B}:13"}
    assert f"{LOAD_OF_B:6} | {SOURCE[LOAD_OF_B - 1]}" in str(inspection)
    assert shown(str(file)) == "at_home.py"
    for stage, lines_of in LINES.items():
        assert LOAD_OF_B in {line.source for line in lines_of(inspection.dotload.text(stage), str(file))}, stage
