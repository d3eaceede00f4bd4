"""Fixtures of the emulator's tests."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from limits import HANG_SECONDS

from dotload.emulator import Report, run

sys.path.insert(0, str(Path(__file__).parent))  # for xe_kernels, which the tests here import


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.fixture
def launch() -> Callable[..., Report]:
    """Launch one work-group of one subgroup, unless told otherwise."""

    def launch(source, *args, grid=(1,), num_warps=1, timeout=HANG_SECONDS, **options) -> Report:
        return run(source, grid, args, num_warps=num_warps, timeout=timeout, **options)

    return launch
