"""`llvm.experimental.constrained.fptrunc` rounds as it says, in scalars and vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xe_kernels import module

from dotload.emulator import EmulatorError

NAME = "llvm.experimental.constrained.fptrunc.{}f16.{}f32"
VALUES = [
    0.1,
    -0.1,
    1 / 3,
    70000.0,
    -70000.0,
    65520.0,
    1e-9,
    -6.1e-5,
    0.0,
    -0.0,
    1.0,
    2049.0,
    np.inf,
    -np.inf,
    5.0,
    7.7,
]


def kernel(mode: str, count: int) -> str:
    """Lane i truncates element i, or the vector of `count` elements from element i * count on."""
    wide, narrow, prefix = "float", "half", ""
    if count > 1:
        wide, narrow, prefix = f"<{count} x float>", f"<{count} x half>", f"v{count}"
    symbol = NAME.format(prefix, prefix)
    body = f"""  %in.at = getelementptr {wide}, ptr addrspace(1) %in, i32 %item
  %out.at = getelementptr {narrow}, ptr addrspace(1) %out, i32 %item
  %x = load {wide}, ptr addrspace(1) %in.at, align 4
  %y = call {narrow} @{symbol}({wide} %x, metadata !"round.{mode}", metadata !"fpexcept.ignore")
  store {narrow} %y, ptr addrspace(1) %out.at, align 2
"""
    declaration = f"declare {narrow} @{symbol}({wide}, metadata, metadata)"
    return module(body, "ptr addrspace(1) %in, ptr addrspace(1) %out", declaration)


def towards_zero(values: np.ndarray) -> np.ndarray:
    nearest = values.astype(np.float16)
    too_large = np.abs(nearest.astype(np.float32)) > np.abs(values)
    return np.where(too_large, np.nextafter(nearest, np.float16(0)), nearest)


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("mode", ["tonearest", "towardzero"])
def test_truncation(launch: Callable[..., object], mode: str, count: int) -> None:
    values = np.tile(np.array(VALUES, np.float32), count)
    with np.errstate(over="ignore"):
        wanted = values.astype(np.float16) if mode == "tonearest" else towards_zero(values)
    result = np.zeros(values.size, np.float16)
    launch(kernel(mode, count), values, result)
    assert result.tobytes() == wanted.tobytes()


def test_another_mode_is_refused(launch: Callable[..., object]) -> None:
    with pytest.raises(EmulatorError, match="not emulated: fptrunc with the rounding mode"):
        launch(kernel("upward", 1), np.zeros(16, np.float32), np.zeros(16, np.float16))
