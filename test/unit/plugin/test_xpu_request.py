"""What `compile_xe` refuses before, or after, it compiles: numbers of warps, lanes and stages."""

import re
from types import SimpleNamespace

import pytest

import dotload
from dotload.plugin import xpu_environment, xpu_request

WRONG = [
    ({"threads_per_warp": 8}, "threads_per_warp=8: a subgroup of xe2 has 16 or 32 lanes, not 8"),
    ({"threads_per_warp": 64}, "threads_per_warp=64: a subgroup of xe2 has 16 or 32 lanes, not 64"),
    ({"threads_per_warp": 0}, "threads_per_warp is a whole number of at least 1, got 0"),
    ({"num_warps": 3}, "num_warps is a power of two, got 3"),
    ({"num_warps": "4"}, "num_warps is a whole number of at least 1, got '4'"),
    ({"num_stages": -1}, "num_stages is a whole number of at least 0, got -1"),
    ({"target": "sm_90"}, "unknown target 'sm_90'; known: pvc, bmg, lnl"),
]


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_numbers_are_refused_before_anything_is_compiled(
    given: dict, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(xpu_environment.PYTHON_VARIABLE, "/no/python")
    kernel = SimpleNamespace(__name__="kernel", arg_names=[])
    with pytest.raises(dotload.XeCompileError, match=f"^{re.escape(message)}$"):
        dotload.compile_xe(kernel, [], **{"target": "bmg", **given})


def test_the_largest_group_is_one_of_1024_lanes() -> None:
    xpu_request.check_group("bmg", 64, 16)
    xpu_request.check_group("bmg", 32, 32)
    with pytest.raises(dotload.XeCompileError, match="at most 1024 lanes, which is 32 subgroups of 32, not 64"):
        xpu_request.check_group("bmg", 64, 32)


@pytest.mark.skipif(xpu_environment.find_python() is None, reason="needs triton-xpu: make xpu-env")
@pytest.mark.parametrize(
    ("warps", "lanes", "message"),
    [
        (128, 16, "num_warps=128, threads_per_warp=16: a work-group of xe2 has at most 1024 lanes"),
        (4, 64, "num_warps=4, threads_per_warp=64: a subgroup of xe2 has 16 or 32 lanes, not 64"),
    ],
)
def test_a_module_s_own_numbers_are_checked(warps: int, lanes: int, message: str) -> None:
    attributes = f'"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32, "ttg.threads-per-warp" = {lanes} : i32'
    text = f"module attributes {{{attributes}}} {{ tt.func public @f() {{ tt.return }} }}"
    (answer,) = xpu_environment.compile_there([{"ttgir": text, "target": "bmg"}])
    assert isinstance(answer, str)
    assert answer.startswith(message)
