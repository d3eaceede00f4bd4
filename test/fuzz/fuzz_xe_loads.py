"""Random 2D block loads on the emulator, every register of every lane, against an element-wise gather."""

from __future__ import annotations

import tests_as_targets

LOADS = 24


def prepare() -> None:
    """Each case is a process of its own."""


def check(seed: int) -> str | None:
    variables = {"DOTLOAD_FUZZ_LOADS": LOADS, "DOTLOAD_FUZZ_SEED": seed}
    return tests_as_targets.run("test/unit/emulator/test_fuzz_loads.py", variables)
