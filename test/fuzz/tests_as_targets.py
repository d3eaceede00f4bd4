"""Unit tests that fuzz, as targets: a case runs a test file with its own seed and a few examples."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from mutation import REPOSITORY

HANG_SECONDS = 600


def run(files: Sequence[str], variables: dict[str, int], which: str = "") -> str | None:
    """Run these test files with these environment variables; returns the failure as hypothesis or the assertion
    reports it. `which`: selects tests by name, as pytest's -k."""
    settings = {name: str(value) for name, value in variables.items()}
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        "-k",
        which,
        *files,
    ]
    done = subprocess.run(
        words,
        cwd=REPOSITORY,
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANG_SECONDS,
    )
    if done.returncode == 0:
        return None
    errors = [line[1:].strip() for line in done.stdout.splitlines() if line.startswith("E ")]
    again = " ".join(f"{name}={value}" for name, value in settings.items())
    same = f"{again} python -m pytest -x -p no:randomly {' '.join(files)}"
    return f"{' '.join(errors)[:600] or done.stdout[-300:]}\n  {same}"
