"""`tl.dot_scaled` with 4- and 8-bit weights is bit-identical to stock Triton, including NaN."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from compile_jobs import compiled  # noqa: E402
from microscaled_weights import FORMATS, GROUP, Kernel, Problem  # noqa: E402

import dotload  # noqa: E402

TILES = ((16, 64, 128, 4), (16, 128, 64, 8), (64, 64, 256, 4), (64, 128, 64, 4), (128, 128, 128, 8))


E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""OCP Microscaling Formats 1.0, table 3; the fourth bit is the sign."""


def expected(problem):
    """The result in float64, by the definition of the formats."""
    if problem.b.dtype == torch.uint8:
        numbers = torch.stack((problem.b & 15, problem.b >> 4), 2).reshape(problem.b.shape[0], -1).long()
        table = torch.tensor([*E2M1, *(-each for each in E2M1)], device="cuda", dtype=torch.float64)
        weights = table[numbers]
    else:
        weights = problem.b.double()
    scales = torch.exp2(problem.scales.double() - 127)
    scales[problem.scales == 255] = torch.nan
    return problem.a.double() @ (weights * scales.repeat_interleave(GROUP, 1)).t()


def error(found, wanted):
    """The largest error in columns that bf16 can hold, relative to the largest element of the column."""
    is_held = (wanted.abs() < 1e30).all(0)
    distance = (found[:, is_held].double() - wanted[:, is_held]).abs().amax(0)
    return (distance / wanted[:, is_held].abs().amax(0)).max().item()


@pytest.mark.gpu
@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("order", "cr")
@pytest.mark.parametrize(("m", "n", "k", "warps"), TILES)
def test_results_are_stocks(format_, order, m, n, k, warps):
    """All bytes occur, and scales of every size. If stock Triton mixes up elements, dotload must not."""
    kernel, results = Kernel(format_, order, m, n, k, warps), []
    problem = Problem.random(format_, order, 2 * m, 512, 1024)
    wanted = expected(problem)
    for flavour in ("stock", "dotload"):
        problem.c.fill_(7)
        problem.run(kernel, compiled(kernel, flavour))
        results.append(problem.c.clone())
    stock, dotload = results
    assert 0 < stock.isnan().float().mean().item() < 0.9
    assert error(dotload, wanted) < 0.01
    if error(stock, wanted) < 0.01:
        assert torch.equal(stock.isnan(), dotload.isnan())
        assert torch.equal(stock.nan_to_num(0.0), dotload.nan_to_num(0.0))
    else:  # its lowering of `ttg.fp4_to_fp` needs both numbers of a byte in consecutive registers
        assert triton.__version__ < "3.9"
        assert (format_, order) == ("MXFP4", "r")


@triton.jit
def both_scaled(
    a_ptr, b_ptr, a_scales_ptr, b_scales_ptr, c_ptr, depth, b_row, b_column,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, VALUES: tl.constexpr, FORMAT: tl.constexpr,
):  # fmt: skip
    """C = (A a_scales) (B b_scales), A in e4m3."""
    m, n, groups = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // 32)
    a_at = a_ptr + m[:, None] * depth + tl.arange(0, K)[None, :]
    b_at = b_ptr + tl.arange(0, K // VALUES)[:, None] * b_row + n[None, :] * b_column
    a_scales_at = a_scales_ptr + m[:, None] * (depth // 32) + groups[None, :]
    b_scales_at = b_scales_ptr + n[:, None] * (depth // 32) + groups[None, :]
    acc = tl.zeros((M, N), tl.float32)
    for _ in range(0, depth, K):
        scales = tl.load(a_scales_at), tl.load(b_scales_at)
        acc = tl.dot_scaled(tl.load(a_at), scales[0], "e4m3", tl.load(b_at), scales[1], FORMAT, acc)
        a_at += K
        b_at += K // VALUES * b_row
        a_scales_at += K // 32
        b_scales_at += K // 32
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@pytest.mark.gpu
@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("order", "cr")
@pytest.mark.parametrize(("m", "n", "k", "warps"), TILES)
def test_results_are_stocks_if_both_operands_have_scales(format_, order, m, n, k, warps):
    problem = Problem.random(format_, order, m, n, 1024)
    name, _, values = FORMATS[format_]
    problem.scales = torch.where(problem.scales.float().sub(121.5).abs() < 13, problem.scales, 120)  # finite
    a, a_scales = problem.a.to(torch.float8_e4m3fn), torch.randint(118, 128, (m, 1024 // GROUP), device="cuda")
    c = [torch.empty((m, n), device="cuda") for _ in "12"]
    for result, switch in zip(c, (dotload.disabled, dotload.enabled), strict=True):
        with switch():
            both_scaled[(1,)](
                a, problem.b, a_scales.to(torch.uint8), problem.scales, result, 1024,
                problem.b.stride(1), problem.b.stride(0), m, n, k, values, name, num_warps=warps,
            )  # fmt: skip
    problem.a = a.double() * torch.exp2(a_scales.double() - 127).repeat_interleave(GROUP, 1)
    wanted = expected(problem)
    assert error(c[1], wanted) < 0.01
    if error(c[0], wanted) < 0.01:  # as above
        assert torch.equal(*c)
