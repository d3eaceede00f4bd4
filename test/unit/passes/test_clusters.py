"""Kernels whose tiles are spread over a cluster of two CTAs: no pass fails, nor does Triton on what a pass makes."""

import sys
from pathlib import Path

import pytest

triton = pytest.importorskip("triton", reason="compiles with Triton")
ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "bench"), str(ROOT / "test" / "fuzz")]

import corpus  # noqa: E402
import hazards  # noqa: E402
from ahead_of_time import source  # noqa: E402
from triton import knobs  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from written_kernels import jitted  # noqa: E402

KERNEL = """
def kernel(a, b, c, s, N, K, BM: constexpr, BN: constexpr, BK: constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    b_tiles = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    turned = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = {operand}
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc)
"""
OPERANDS = {
    "converted": "tl.load(b + (i + k)[:, None] * N + n[None, :]).to(tl.bfloat16)",
    "scaled": "(tl.load(b + (i + k)[:, None] * N + n[None, :]).to(tl.float32) * tl.load(s + n)[None, :])"
    ".to(tl.bfloat16)",
    "unpacked": "((tl.load(b + ((i + k) // 2)[:, None] * N + n[None, :]) >> ((k % 2) * 4)[:, None].to(tl.int8)) & 15)"
    ".to(tl.bfloat16)",
    "transposed": "turned.load([0, i]).T.to(tl.bfloat16)",
    "through a descriptor": "b_tiles.load([i, 0]).to(tl.bfloat16)",
}


@pytest.mark.parametrize("rows", [16, 128], ids=["mma.sync", "wgmma"])
@pytest.mark.parametrize("operand", OPERANDS)
def test_no_pass_fails(operand, rows, tmp_path, monkeypatch):
    text = KERNEL.format(operand=OPERANDS[operand])
    types = {"a": "*bf16", "b": "*i8", "c": "*fp32", "s": "*fp32"}
    made = source(jitted(text, operand), types, {"BM": rows, "BN": 128, "BK": 64})
    options = {"num_warps": 4, "num_stages": 3, "num_ctas": 2}
    kernel = corpus.Kernel(operand, lambda: triton.compile(made, GPUTarget("cuda", 90, 32), options))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(knobs.runtime, "add_stages_inspection_hook", hazards.stop_behind_ttgir)
    hazards.module_of(kernel, stock=False)  # raises the first failure
