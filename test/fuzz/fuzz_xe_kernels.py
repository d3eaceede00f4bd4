"""Random GEMMs on the emulator, lowered by Intel and by dotload: results must be equal bit for bit, and dotload must
not issue more messages."""

from __future__ import annotations

import tests_as_targets

KERNELS = 4


def prepare() -> None:
    """Nothing to prepare: each case runs in a process of its own."""


def check(seed: int) -> str | None:
    variables = {"DOTLOAD_FUZZ_KERNELS": KERNELS, "DOTLOAD_FUZZ_SEED": seed}
    return tests_as_targets.run(["test/unit/emulator/test_fuzz_kernels.py"], variables)
