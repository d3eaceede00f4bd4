"""Each GPU example runs and checks its own results against float64."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.gpu
@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.py")), ids=lambda file: file.stem)
def test_the_example_runs(file: Path, hopper: None) -> None:
    pytest.importorskip("torch")
    if "import torch" not in file.read_text():
        pytest.skip("for the CPU")
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "remark: stage-dot-" in done.stdout
