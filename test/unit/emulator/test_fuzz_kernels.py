"""Random whole kernels agree with numpy, with Intel's lowering and with dotload's.

DOTLOAD_FUZZ_KERNELS is the number of GEMMs (default 2), DOTLOAD_FUZZ_SEED their seed (default 0). All are compiled at
once; a failure names its case, which `gemm(...)` of xpu_cases reproduces.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from xpu_cases import FORMATS, Case, gemm
from xpu_launch import NEEDS, compile_cases, launch

from dotload.plugin.xpu import XeKernel
from dotload.plugin.xpu_environment import find_python

KERNELS = int(os.environ.get("DOTLOAD_FUZZ_KERNELS", "2"))
SEED = int(os.environ.get("DOTLOAD_FUZZ_SEED", "0"))
PROCESSES_OF = 50  # kernels compiled by one process

pytestmark = pytest.mark.skipif(find_python() is None, reason=NEEDS)


def draw(random: np.random.Generator, number: int) -> tuple[Case, str]:
    """A case, and the call that reproduces it."""
    kind = str(random.choice(sorted(FORMATS)))
    size = {"f16": 2, "bf16": 2, "tf32": 4}.get(kind, 1)
    form = str(random.choice(["AxB", "AxBT", "ATxB", "ATxBT"]))
    # Rows of at least 64 bytes, the minimum for a surface of block messages.
    least = max(1, 64 // size // 16)
    sizes = tuple(int(random.integers(least, 13)) * 16 for _ in range(3))
    if random.random() < 0.25:  # sizes whose divisibility the compiler does not know
        sizes = tuple(value + int(random.integers(1, 16)) // (4 // size or 1) * (4 // size or 1) for value in sizes)
    tile = tuple(int(random.choice([32, 64, 128])) for _ in range(2)) + (max(32, 64 // size),)
    masked = [None, None, None, True][int(random.integers(0, 4))]
    batch = int(random.choice([1, 1, 2]))
    warps = int(random.choice([4, 8]))
    call = f"gemm('case', {kind!r}, {form!r}, {sizes}, {tile}, batch={batch}, masked={masked}, num_warps={warps})"
    batch = 1 if masked is not None else batch
    # If a tile crosses an edge, a message may cross it too, whereas only lanes inside take part in a gather.
    whole = all(value % block == 0 for value, block in zip(sizes, tile, strict=True))
    return gemm(f"case {number} {'whole' if whole else 'tails'}", kind, form, sizes, tile, batch, masked, warps), call


def test_random_products() -> None:
    random = np.random.default_rng(SEED)
    drawn = [draw(random, number) for number in range(KERNELS)]
    compiled = 0
    for first in range(0, KERNELS, PROCESSES_OF):
        part = drawn[first : first + PROCESSES_OF]
        answers = compile_cases([case for case, _ in part])
        for (case, call), theirs, ours in zip(part, answers[::2], answers[1::2], strict=True):
            # dotload may only fail if Intel's own backend fails.
            assert isinstance(ours, XeKernel) or isinstance(theirs, str), f"{call}: {ours}"
            if isinstance(theirs, str):
                continue
            compiled += 1
            try:
                stock, wanted = launch(case, theirs)
                report, got = launch(case, ours)
            except Exception as error:
                raise AssertionError(f"{call}: {error}") from error
            assert got.tobytes() == wanted.tobytes(), call
            assert report.load_messages <= stock.load_messages, call
            assert report.load_bytes_used <= stock.load_bytes_used, call
            if case.name.endswith("whole"):
                assert report.load_bytes <= stock.load_bytes, call
    assert compiled >= KERNELS * 3 // 4  # otherwise this test would cover too little
