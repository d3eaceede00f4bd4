"""fp8 attention with row-major V is bit-identical to stock Triton's, for every block shape and pipeline depth.

Only the K-major copy of V differs, which changes no sum. A copy that is overwritten too early would change some.
"""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU", allow_module_level=True)

import dotload  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import kv_cache  # noqa: E402
from attention_fp8 import Problem, Tile  # noqa: E402
from compile_jobs import compiled  # noqa: E402

REPEATS = 5


def run(problem, tile):
    problem.out.fill_(float("nan"))
    problem.launch(tile)
    return problem.out.clone()


@pytest.mark.gpu
@pytest.mark.parametrize(
    "tile",
    [
        Tile(m, n, warps, stages)
        for m, warps in ((64, 4), (128, 4), (128, 8))
        for n in (64, 128)
        for stages in (1, 2, 3, 4)
    ],
    ids=str,
)
def test_v_row_major(tile, monkeypatch, tmp_path):
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    problem = Problem.random(16, 4096, transposed=False)
    stock = run(problem, tile)
    with dotload.enabled():
        dotload.report(clear=True)
        for _ in range(REPEATS):
            assert torch.equal(run(problem, tile), stock)
    assert any(remark.kind == "passed" for remark in dotload.report())


@pytest.mark.gpu
@pytest.mark.parametrize("queries", [kv_cache.BF16, kv_cache.FP8])
def test_a_kernel_that_spills_beside_wgmma_is_right(queries, monkeypatch, tmp_path):
    """Stock's kernel with 128 tokens does not fit in shared memory. ptxas 12.8 miscompiles dotload's kernel for fp8
    queries."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    small = kv_cache.Kernel(queries, kv_cache.FP8, 64, 64, 8, 2, head=512, rope=64, head_v=512)
    large = replace(small, block_n=128)
    problem = kv_cache.Problem.random(small, 32, 1024)
    results = []
    for kernel, flavour in ((small, "stock"), (large, "dotload")):
        problem.out.fill_(float("nan"))
        problem.launch(kernel, compiled(kernel, flavour))
        results.append(problem.out.clone())
    # Other tiles round p to fp8 relative to other maxima, which differs by 0.004 at most; a wrong kernel is off by
    # 0.15.
    assert (results[1] - results[0]).abs().max() < 0.02


def differs(kernel, problem):
    """Whether a result of dotload's kernel differs from stock's, or is NaN."""
    results = []
    for flavour in ("stock", "dotload"):
        problem.out.fill_(float("nan"))
        problem.launch(kernel, compiled(kernel, flavour))
        results.append(problem.out.clone())
    return not (results[0] == results[1]).all()


MLA = {"head": 512, "rope": 64, "head_v": 512}


@pytest.mark.gpu
@pytest.mark.parametrize("heads", [16, 64])
@pytest.mark.parametrize("gathered", [False, True])
@pytest.mark.parametrize(
    ("queries", "flags"),
    [
        (kv_cache.BF16, MLA | {"latent": True}),
        (kv_cache.FP8, MLA | {"latent": True}),
        (kv_cache.BF16, MLA | {"latent": True, "scaled": True}),
        (kv_cache.BF16, {"scaled": True}),
    ],
)
def test_values_that_are_keys_and_scaled_caches_differ_in_no_bit(heads, queries, gathered, flags, monkeypatch):
    """16 heads by mma.sync: one buffer serves a tile in both orders. The scale is a power of two, which is exact.

    fp8 queries are tested without scaled keys, which would have to be rounded to fp8 twice.
    """
    monkeypatch.setattr(kv_cache, "CACHE_SCALE", 0.5)
    warps = 8 if heads == 64 and "head" in flags else 4
    kernel = kv_cache.Kernel(queries, kv_cache.FP8, heads, 32, warps, 2, gathered=gathered, **flags)
    assert not differs(kernel, kv_cache.Problem.random(kernel, 8, 1024))


@pytest.mark.gpu
@pytest.mark.parametrize("queries", [kv_cache.BF16, kv_cache.FP8])
@pytest.mark.parametrize("gathered", [False, True])
@pytest.mark.parametrize("own", ["keys", "values", "stride"])
def test_values_that_may_be_keys_differ_in_no_bit(queries, gathered, own):
    """The loop has two versions. Values at another address or with another stride are loaded."""
    kernel = kv_cache.Kernel(queries, kv_cache.FP8, 16, 32, 4, 3, gathered=gathered, **MLA)
    problem = kv_cache.Problem.random(kernel, 8, 1024)
    if own == "values":
        problem = replace(problem, v=problem.k.view(torch.uint8).flip(0).contiguous().view(problem.k.dtype))
    if own == "stride":
        tokens, depth = problem.k.shape
        doubled = torch.cat([problem.k.view(torch.uint8)] * 2).view(problem.k.dtype)
        problem = replace(problem, k=doubled[:tokens], v=doubled[: 2 * tokens : 2])
        assert problem.v.stride(0) == 2 * depth
        assert problem.v.data_ptr() == problem.k.data_ptr()
    assert not differs(kernel, problem)


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("tile", "flags"), [((32, 2), {}), ((32, 3), {}), ((64, 2), {}), ((32, 2), {"cast_v": True})], ids=str
)
@pytest.mark.parametrize("own", [False, True])
def test_values_from_converted_keys(tile, flags, own, monkeypatch, tmp_path):
    """64 heads: dotload's product with the values is in bf16, and is summed by other instructions than stock's fp8
    product."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    kernel = kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, 64, tile[0], 8, tile[1], **MLA, **flags)
    problem = kv_cache.Problem.random(kernel, 8, 1024)
    if own:
        problem = replace(problem, v=problem.k.view(torch.uint8).flip(0).contiguous().view(problem.k.dtype))
    dotload.report(clear=True)
    errors, results = [], []
    for flavour in ("stock", "dotload"):
        problem.out.fill_(float("nan"))
        problem.launch(kernel, compiled(kernel, flavour))
        errors.append(problem.error())
        results.append(problem.out.clone())
    assert any(remark.pass_name == "eliminate-transposed-loads" for remark in dotload.report())
    torch.testing.assert_close(errors[1], errors[0], rtol=0.01, atol=0)
    torch.testing.assert_close(results[1], results[0], rtol=0, atol=0.01)


@pytest.mark.gpu
@pytest.mark.parametrize("heads", [16, 64])
@pytest.mark.parametrize("scale", [0.013, 0.7, 300.0])
def test_scaled_caches_are_not_rounded(heads, scale, monkeypatch):
    """Stock rounds the scaled values to bf16, and then the probabilities; dotload rounds only the probabilities."""
    monkeypatch.setattr(kv_cache, "CACHE_SCALE", scale)
    kernel = kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, heads, 64, 4, 3, scaled=True)
    problem = kv_cache.Problem.random(kernel, 8, 1024)
    errors = []
    for flavour in ("stock", "dotload"):
        problem.out.fill_(float("nan"))
        problem.launch(kernel, compiled(kernel, flavour))
        errors.append(problem.error())
    assert errors[1] < 0.8 * errors[0]


@pytest.mark.gpu
@pytest.mark.parametrize("flags", [{}, {"cast_v": True}, {"gathered": True}, MLA | {"latent": True}], ids=str)
def test_products_in_f16(flags):
    """Bit-identical to stock for queries of any magnitude, zeros, infinities and NaN.

    The exception are rows whose scores are so far apart that many probabilities are below 2^-32.
    """
    kernel = kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, 16, 64, 4, 3, **flags)
    problem = kv_cache.Problem.random(kernel, 8, 1024)
    spread, huge = 5, 0
    problem.q[spread] *= 2.0**7
    problem.q[huge] *= 2.0**100
    for row, power in enumerate((-100, 20, -20, -126), start=1):
        problem.q[row] *= 2.0**power
    problem.q[6] = 0
    problem.q[7, :64] *= 2.0**20
    problem.q[8, 5] = float("inf")
    problem.q[9, 7] = float("nan")
    dotload.report(clear=True)
    results = []
    for flavour in ("stock", "dotload"):
        problem.out.fill_(123.0)
        problem.launch(kernel, compiled(kernel, flavour))
        results.append(problem.out.clone())
    assert any(remark.pass_name == "multiply-in-f16" for remark in dotload.report())
    stock, ours = results
    same = (stock == ours) | (stock.isnan() & ours.isnan())
    assert same[:spread].all()
    assert same[spread + 1 :].all()
    torch.testing.assert_close(ours[spread], stock[spread], rtol=2**-20, atol=2**-20)
    assert stock[huge + 1 : 8].isfinite().all()


@pytest.mark.gpu
@pytest.mark.parametrize("heads", [16, 32])
def test_small_probabilities_differ_in_no_bit(heads):
    """All probabilities but one are from 2^-30 to 2^-15, which f16 does not hold exactly; that one has a value of
    0."""
    kernel = kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, heads, 64, 4, 3, cast_v=True)
    problem = kv_cache.Problem.random(kernel, 8, 1024)
    first, length = torch.arange(0, 8 * 1024, 1024, device="cuda"), 8 * 1024
    along = 1 + torch.arange(length, device="cuda") % 8 / 8
    along[first] = 8
    problem.k.view(torch.uint8)[:, 0] = along.to(problem.k.dtype).view(torch.uint8)
    problem.v.view(torch.uint8)[first] = 0
    problem.q.zero_()
    problem.q[:, 0] = torch.linspace(20, 33, len(problem.q), device="cuda")
    assert not differs(kernel, problem)
    assert 2**-31 < problem.out.abs().max() < 2**-7


@pytest.mark.gpu
@pytest.mark.parametrize("heads", [16, 64])
@pytest.mark.parametrize("how", ["gathered", "paged"])
@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize("queries", [kv_cache.BF16, kv_cache.FP8])
def test_tiles_that_are_found_through_an_index_differ_in_no_bit(heads, how, stages, queries, monkeypatch, tmp_path):
    """Tiles found through an index are loaded further ahead than by stock. Sequences have fewer and more tiles than
    that."""
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    kernel = kv_cache.Kernel(queries, kv_cache.FP8, heads, 64, 4, stages, **{how: True})
    assert not any(differs(kernel, kv_cache.Problem.random(kernel, 8, length)) for length in (128, 256, 1024))
