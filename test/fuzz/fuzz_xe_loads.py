"""Random 2D block loads and prefetches on the emulator, every register of every lane, against an element-wise gather:
from regions and through pointers, with masks, of several planes, and of memory that only the kernel can judge.
"""

from __future__ import annotations

import tests_as_targets

LOADS = 12
FOLDER = "test/unit/emulator"
FILES = ("test_fuzz_loads.py", "test_planes.py", "test_versions.py", "test_prefetches.py")


def prepare() -> None:
    """Each case is a process of its own."""


def check(seed: int) -> str | None:
    variables = {"DOTLOAD_FUZZ_LOADS": LOADS, "DOTLOAD_FUZZ_SEED": seed}
    return tests_as_targets.run([f"{FOLDER}/{file}" for file in FILES], variables, "every or any")
