"""triton-xpu, Intel's fork, accepts its own TTGIR as printed here and reads the same module.

Its package is also named `triton`, so it has an environment of its own (`make xpu-env`).
"""

import os
import subprocess
from pathlib import Path

import pytest

from dotload.dialect_ext import parse_module, print_module

ROOT = Path(__file__).parents[3]
PYTHON = Path(os.environ.get("DOTLOAD_XPU_PYTHON", ROOT / ".venvs" / "triton-xpu" / "bin" / "python"))
INPUTS = sorted((Path(__file__).parent / "inputs").glob("xpu_*.mlir"))
READ_AND_PRINT = """
import sys
from triton._C.libtriton import intel, ir
context = ir.context()
ir.load_dialects(context)
intel.load_dialects(context)
for path in sys.argv[1:]:
    print(ir.parse_mlir_module(path, context), end="\\0")
"""


@pytest.mark.skipif(not PYTHON.is_file(), reason="no environment with triton-xpu (make xpu-env)")
@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_same_module(path: Path, tmp_path: Path) -> None:
    module = parse_module(path.read_text(), path.name)
    custom, generic = tmp_path / "custom.mlir", tmp_path / "generic.mlir"
    custom.write_text(print_module(module, print_locations=True))
    generic.write_text(print_module(module, generic=True, print_locations=True))
    done = subprocess.run(
        [PYTHON, "-c", READ_AND_PRINT, path, custom, generic], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    original, from_custom, from_generic, _ = done.stdout.split("\0")
    assert from_custom == original
    assert from_generic == original
