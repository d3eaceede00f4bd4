"""compute-sanitizer reports no error in rewritten kernels: no access out of bounds, no race, no misused barrier.

pytest test/gpu/test_compute_sanitizer.py                      # 36 kernels
DOTLOAD_PROBLEMS=300 DOTLOAD_SEED=7 pytest test/gpu/test_compute_sanitizer.py
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SANITIZER = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
COUNT = os.environ.get("DOTLOAD_PROBLEMS", "36")
SEED = os.environ.get("DOTLOAD_SEED", "0")
SCRIPT = Path(__file__).with_name("launch_random_kernels.py")
LIMIT = 1800
"""Seconds, ten times what a tool takes: so that a kernel that hangs ends the test."""


@pytest.fixture(scope="module")
def compiled_kernels():
    command = [sys.executable, str(SCRIPT), COUNT, SEED, "compile"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.gpu
@pytest.mark.skipif(not Path(SANITIZER).exists(), reason="compute-sanitizer is not installed")
@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "synccheck"])
def test_random_kernels_are_clean(tool, hopper, compiled_kernels):
    options = ["--tool", tool, "--error-exitcode", "9"]
    if tool == "memcheck":  # Triton 3.9 tries an attribute first that older drivers do not know
        options += ["--report-api-errors", "no"]
    command = [SANITIZER, *options, sys.executable, str(SCRIPT), COUNT, SEED, "launch"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    launched = int(done.stdout.rsplit("launched ", 1)[1].split()[0])
    assert launched >= int(COUNT) * 3 // 4, done.stdout[-2000:]
