"""Random products on the emulator, in Intel's lowering and in dotload's: the same bits, by no more messages."""

from __future__ import annotations

import tests_as_targets

KERNELS = 4


def prepare() -> None:
    """Each case is a process of its own."""


def check(seed: int) -> str | None:
    variables = {"DOTLOAD_FUZZ_KERNELS": KERNELS, "DOTLOAD_FUZZ_SEED": seed}
    return tests_as_targets.run(["test/unit/emulator/test_fuzz_kernels.py"], variables)
