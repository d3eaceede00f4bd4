"""Branches yield the result of a dot in flight: Triton's pipeliner, and what dotload makes of its loops, await it."""

import sys
from itertools import product
from pathlib import Path

import pytest

triton = pytest.importorskip("triton", reason="compiles with Triton")
ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "bench"), str(ROOT / "test" / "fuzz"), str(ROOT / "test" / "unit")]

import corpus  # noqa: E402
import hazards  # noqa: E402
from ahead_of_time import source  # noqa: E402
from sampling import sampled  # noqa: E402
from triton import knobs  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from written_kernels import jitted  # noqa: E402

BRANCHES = {
    "in one of two": "if i % 512 == 0:\n    acc = d\nelse:\n    acc = d * 2",
    "if it is not scaled": "acc = d\nif i % 512 == 0:\n    acc = acc * 2",
    "or the last sum": "if i % 512 == 0:\n    tl.store(f + i, 1.0)\n    acc = d",
    "twice": "acc = d\nif i % 512 == 0:\n    tl.store(f + i, 1.0)\n    last = d",
    "instead of another": "if i % 512 == 0:\n    tl.store(f + i, 1.0)\n    acc = last\n    last = d\n"
    "else:\n    acc = d",
    "in a branch of a branch": "acc = d\nif i % 512 == 0:\n    if i % 1024 == 0:\n        tl.store(f + i, 1.0)\n"
    "    else:\n        acc = d * 2",
    "or does not": "if i % 512 == 0:\n    total += tl.sum(d, 1)",
}
OTHERS = {
    "alone": "",
    "before another": "other = tl.dot(x, z, other)",
    "before one awaited": "other += tl.dot(x, z) * 2",
}
AWAITED = ("before one awaited", "*fp8e4nv")
KERNEL = """
def kernel(a, b, c, f, out, M, N, L, BM: constexpr, BN: constexpr, BK: constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, BN), tl.float32)
    last = tl.zeros((BM, BN), tl.float32)
    other = tl.zeros((BM, BN), tl.float32)
    for i in range(0, L, BK):
        x = tl.load(a + m[:, None] + (i + k)[None, :] * M)
        y = tl.load(b + n[None, :] + (i + k)[:, None] * N)
        z = tl.load(c + n[None, :] + (i + k)[:, None] * N)
        d = tl.dot(x, y, acc)
        {body}
    tl.store(out + m[:, None] * N + n[None, :], acc + last + other + total[:, None])
"""


def kernel_of(branch, other, element):
    body = "\n".join((BRANCHES[branch], OTHERS[other])).replace("\n", "\n        ")
    types = {"a": element, "b": element, "c": element, "f": "*fp32", "out": "*fp32"}
    constants = {"BM": 64, "BN": 128, "BK": 32 if element == "*fp32" else 64}
    made = source(jitted(KERNEL.format(body=body), branch), types, constants)
    options = {"num_warps": 4, "num_stages": 3}
    return corpus.Kernel(branch, lambda: triton.compile(made, GPUTarget("cuda", 90, 32), options))


CASES = list(product(BRANCHES, OTHERS, ("*fp8e4nv", "*fp32")))


@pytest.mark.parametrize(("branch", "other", "element"), sampled(CASES, 4, lambda case: case[1:] == AWAITED))
def test_the_result_is_awaited(branch, other, element, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    monkeypatch.setattr(knobs.runtime, "add_stages_inspection_hook", hazards.stop_behind_ttgir)
    verdict, lines = hazards.check(kernel_of(branch, other, element), stock=False)
    assert verdict == "clean", "\n".join(lines)
