"""Random 2D block loads and prefetches on the emulator. Every register of every lane is compared with an element-wise
gather, for regions and pointers, with masks, for several planes, and for memory that only a run-time check can judge.
"""

from __future__ import annotations

import tests_as_targets

LOADS = 12
FOLDER = "test/unit/emulator"
FILES = ("test_fuzz_loads.py", "test_planes.py", "test_versions.py", "test_prefetches.py")


def prepare() -> None:
    """Nothing to prepare: each case runs in a process of its own."""


def check(seed: int) -> str | None:
    variables = {"DOTLOAD_FUZZ_LOADS": LOADS, "DOTLOAD_FUZZ_SEED": seed}
    return tests_as_targets.run([f"{FOLDER}/{file}" for file in FILES], variables, "every or any")
