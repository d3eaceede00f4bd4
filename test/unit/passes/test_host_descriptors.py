"""A GEMM whose tiles and result use descriptors made on the host (TMA), compiled without a GPU."""

import re
import sys
from pathlib import Path

import pytest

triton = pytest.importorskip("triton", reason="compiles with Triton")
sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))

import triton.language as tl  # noqa: E402
from ahead_of_time import source  # noqa: E402
from sampling import sampled  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402

import dotload  # noqa: E402


@triton.jit
def matmul(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([row, k]), b.load([k, column]), acc)
    c.store([row, column], acc)


@pytest.mark.parametrize("tile", sampled([((256, 128, 32, 8),), ((128, 128, 32, 4),)], 1), ids=str)
def test_the_result_is_stored_when_all_dots_are_done(tile, tmp_path, monkeypatch):
    """The result's tile takes the memory that the last dot reads: a CTA barrier follows the wait for that dot.

    That is the last wait but one: the last stands behind the condition that the loop runs at all, for nothing.
    """
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    *(block_m, block_n, block_k), warps = tile
    types = {
        "a": f"tensordesc<fp32[{block_m}, {block_k}]>",
        "b": f"tensordesc<fp32[{block_k}, {block_n}]>",
        "c": f"tensordesc<fp32[{block_m}, {block_n}]>",
    }
    kernel = source(matmul, types, {"BM": block_m, "BN": block_n, "BK": block_k}, any_number=types)
    with dotload.enabled():
        dotload.report(clear=True)
        options = {"num_warps": warps, "num_stages": 4}
        text = triton.compile(kernel, target=GPUTarget("cuda", 90, 32), options=options).asm["ptx"]
    assert ("passed", "pipeline-operand-copies") in [(each.kind, each.pass_name) for each in dotload.report()]
    names = r"wgmma\.wait_group|bar\.sync|st\.shared\S*|cp\.async\.bulk\.tensor\S*global\.shared"
    found = re.findall(names, text)
    *_, last, behind = (place for place, name in enumerate(found) if name == "wgmma.wait_group")
    stored = next(place for place in range(behind, len(found)) if found[place].startswith("st.shared"))
    assert "bar.sync" in found[last:stored]
