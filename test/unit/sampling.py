"""Products of test parameters, of which `make check` runs a sample and `make check-all` every case."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], keep: int, always: Callable[[Any], bool] = lambda _: False) -> list[Any]:
    """The cases as parameters; all but `keep` of them, and those that `always` holds for, are marked `full`.

    The sample is the same in every run: a test that fails here fails everywhere.
    """
    listed = list(cases)
    rest = [place for place, case in enumerate(listed) if not always(case)]
    left_out = set(random.Random(0).sample(rest, max(0, len(rest) - keep)))
    return [_parameter(case, [pytest.mark.full] if place in left_out else []) for place, case in enumerate(listed)]


def _parameter(case: Any, marks: list[pytest.MarkDecorator]) -> Any:
    values = case if type(case) is tuple else (case,)
    return pytest.param(*values, marks=marks)
