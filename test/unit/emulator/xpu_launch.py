"""Compile cases, run a case's kernel, and compare the result with numpy."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from limits import HANG_SECONDS
from xpu_cases import Case

from dotload.emulator import Report, run
from dotload.plugin.xpu import XeKernel
from dotload.plugin.xpu_environment import compile_there

NEEDS = "no environment with triton-xpu; `make xpu-env` makes one"


def compile_cases(
    cases: Iterable[Case], lowerings: Iterable[bool] = (False, True), **pass_options: str
) -> list[XeKernel | str]:
    """Every case with each lowering: Intel's alone, or with dotload. A pass that fails is an error here, instead of a
    kernel left as it was, which would compare well with Intel's."""
    more = {"pass_options": pass_options} if pass_options else {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOTLOAD_STRICT", "1")
        return compile_there([case.request(dotload=how) | more for case in cases for how in lowerings])


def launch(case: Case, kernel: XeKernel | str, seed: int = 0) -> tuple[Report, np.ndarray]:
    """Run a case and compare its result with numpy's."""
    assert isinstance(kernel, XeKernel), kernel
    data = case.make(np.random.default_rng(seed))
    report = run(
        kernel.llir,
        case.grid,
        data.args,
        kernel.num_warps,
        kernel.threads_per_warp,
        signature=kernel.arguments,
        timeout=HANG_SECONDS,
    )
    result = [argument for argument in data.args if isinstance(argument, np.ndarray)][-1]
    got = (result.astype(np.uint32) << 16).view(np.float32) if result.dtype == np.uint16 else result
    error = np.abs(got.astype(np.float64) - data.wanted).max()
    assert error <= data.tolerance * max(1, np.abs(data.wanted).max())
    return report, result
