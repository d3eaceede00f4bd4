"""Warnings stand at the user's line, not at a line of dotload or Triton."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getsourcelines

import pytest
import triton

import dotload
from dotload.plugin.report import DotloadWarning


@pytest.mark.parametrize("switch", [dotload.enable, lambda: dotload.enabled().__enter__()], ids=["process", "block"])
def test_a_warning_of_a_switch(switch: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triton, "__version__", "4.0.0")
    with pytest.warns(DotloadWarning, match="is not tested") as warned:
        switch()
    assert warned[0].filename == __file__


def test_a_warning_of_a_compilation(kernels, register) -> None:
    register(kernels.Raise)
    with dotload.enabled(), pytest.warns(DotloadWarning, match="toy trouble") as warned:
        kernels.compile_copy()
    lines, first = getsourcelines(kernels.compile_copy)
    assert warned[0].filename == kernels.__file__
    assert first <= warned[0].lineno < first + len(lines)
