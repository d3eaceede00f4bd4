"""Results of K-major bytes: dotload changes a loop that scales them, and no kernel that scales the sum after it."""

import sys
from pathlib import Path

import pytest

triton = pytest.importorskip("triton", reason="compiles with Triton")
sys.path.append(str(Path(__file__).parents[3] / "bench"))

from ahead_of_time import source  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402

import dotload  # noqa: E402
from dotload.plugin.op_index import OpIndex  # noqa: E402
from dotload.plugin.triton_types import libtriton  # noqa: E402

tl = triton.language


@triton.jit
def scale(
    a_ptr, b_ptr, c_ptr, scales_ptr, K, stride_am, stride_bn, stride_cm,
    M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr, IN_LOOP: tl.constexpr,
):  # fmt: skip
    rows, columns, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    a = a_ptr + rows[:, None] * stride_am + k[None, :]
    b = b_ptr + k[:, None] + columns[None, :] * stride_bn
    acc = tl.zeros((M, N), tl.float32)
    for done in range(0, K, BLOCK_K):
        part = tl.dot(tl.load(a), tl.load(b))
        if IN_LOOP:
            part *= tl.load(scales_ptr + rows + done)[:, None]
        acc += part
        a += BLOCK_K
        b += BLOCK_K
    if not IN_LOOP:
        acc *= tl.load(scales_ptr + rows)[:, None]
    tl.store(c_ptr + rows[:, None] * stride_cm + columns[None, :], acc)


def compiled(kind: str, *, in_loop: bool, num_ctas: int = 1):
    types = {"a_ptr": kind, "b_ptr": kind, "c_ptr": "*fp32", "scales_ptr": "*fp32"}
    constants = {"M": 128, "N": 128, "BLOCK_K": 64, "IN_LOOP": in_loop}
    options = {"num_warps": 8, "num_stages": 3, "num_ctas": num_ctas}
    with dotload.enabled():
        return triton.compile(source(scale, types, constants), GPUTarget("cuda", 90, 32), options)


@pytest.fixture(autouse=True)
def strictly(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")


@pytest.mark.parametrize("kind", ["*fp8e4nv", "*i8"])
def test_a_loop_that_scales_its_results_loads_ahead(kind):
    assert {"sink-wgmma-waits", "hoist-scale-loads"} <= set(compiled(kind, in_loop=True).metadata.dotload_passes)


@pytest.mark.parametrize(("kind", "in_loop"), [("*fp16", True), ("*fp8e4nv", False)])
def test_other_kernels_stay(kind, in_loop):
    assert not getattr(compiled(kind, in_loop=in_loop).metadata, "dotload_passes", ())


def test_dots_that_are_spread_over_a_cluster_stay():
    """Nothing is changed, or undone after a check that failed."""
    assert not getattr(compiled("*fp8e4nv", in_loop=True, num_ctas=2).metadata, "dotload", ())


@pytest.mark.parametrize("in_loop", [False, True])
def test_the_index_of_ops_tells_the_two_apart(in_loop, tmp_path):
    """Without a parse: the dot and a product are in one block."""
    library = libtriton().ir
    context, path = library.context(), tmp_path / "kernel.ttgir"
    library.load_dialects(context)
    libtriton().nvidia.load_dialects(context)
    path.write_text(compiled("*fp8e4nv", in_loop=in_loop).asm["ttgir"])
    kernel = OpIndex(library.parse_mlir_module(str(path), context))
    assert kernel.holds(("ttng.warp_group_dot",))
    assert kernel.holds(("arith.mulf",))
    assert kernel.holds_together("ttng.warp_group_dot", "arith.mulf") is in_loop
