"""dotload-opt on triton-xpu, whose Intel dialect is called `triton_intel_gpu`: modules of `ttig` stay in Python."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PYTHON = Path(os.environ.get("DOTLOAD_XPU_PYTHON", ROOT / ".venvs" / "triton-xpu" / "bin" / "python"))
KERNEL = ROOT / "test" / "lit" / "materialize_block_pointer" / "block_pointer.mlir"

pytestmark = pytest.mark.skipif(not PYTHON.is_file(), reason="no environment with triton-xpu (make xpu-env)")


def opt(flag: str) -> subprocess.CompletedProcess[str]:
    command = [PYTHON, "-m", "dotload.tools.dotload_opt", KERNEL, "--split-input-file", flag]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "package")}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_pass_that_both_have() -> None:
    done = opt("--tritonintelgpu-materialize-block-pointer")
    assert done.returncode == 0, done.stderr
    assert 'ttig.block_io = "row_major"' in done.stdout


def test_pass_that_only_the_wheel_has() -> None:
    done = opt("--tritonintelgpu-remove-layout-conversions")
    assert done.returncode == 1
    assert "does not know this module's Intel dialects" in done.stderr
    assert done.stderr.rstrip().endswith("in it, ttig is called triton_intel_gpu")
