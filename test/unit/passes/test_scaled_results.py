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


@triton.jit
def scale_blocks(
    a_ptr, b_ptr, c_ptr, a_scales_ptr, b_scales_ptr, M, N, K, stride_am, stride_bn, stride_cm, scales_m, scales_n,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """fp8 with block scales, as serving frameworks write it."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    first_m, first_n = tl.program_id(0) // tiles_n * BLOCK_M, tl.program_id(0) % tiles_n * BLOCK_N
    rows, columns = (first_m + tl.arange(0, BLOCK_M)) % M, (first_n + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a = a_ptr + rows[:, None] * stride_am + k[None, :]
    b = b_ptr + k[:, None] + columns[None, :] * stride_bn
    a_scales, b_scales = a_scales_ptr + rows * scales_m, b_scales_ptr + columns // GROUP * scales_n
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for step in range(tl.cdiv(K, BLOCK_K)):
        inside = k < K - step * BLOCK_K
        x = tl.load(a, mask=inside[None, :], other=0.0)
        w = tl.load(b, mask=inside[:, None], other=0.0)
        group = step * BLOCK_K // GROUP
        acc += tl.dot(x, w) * tl.load(a_scales + group)[:, None] * tl.load(b_scales + group)[None, :]
        a += BLOCK_K
        b += BLOCK_K
    m, n = first_m + tl.arange(0, BLOCK_M), first_n + tl.arange(0, BLOCK_N)
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * stride_cm + n[None, :], acc.to(tl.bfloat16), mask=inside)


@pytest.mark.skipif(triton.__version__ < "3.8", reason="ptxas spills in the loops of Triton 3.6 and 3.7")
def test_columns_modulo_n_that_may_have_one_scale(monkeypatch):
    monkeypatch.delenv("DOTLOAD_STRICT")  # which leaves out passes that load less
    types = dict.fromkeys(("a_ptr", "b_ptr"), "*fp8e4nv") | dict.fromkeys(("a_scales_ptr", "b_scales_ptr"), "*fp32")
    constants = {"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 128, "GROUP": 128}
    made = source(scale_blocks, types | {"c_ptr": "*bf16"}, constants)
    with dotload.enabled():
        kernel = triton.compile(made, GPUTarget("cuda", 90, 32), {"num_warps": 4, "num_stages": 3})
    assert {"version-scale-loads", "sink-wgmma-waits", "reassociate-scales"} <= set(kernel.metadata.dotload_passes)
