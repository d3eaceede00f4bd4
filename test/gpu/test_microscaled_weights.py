"""`tl.dot_scaled` with 4- and 8-bit weights is bit-identical to stock Triton, including NaN."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import triton  # noqa: E402
from compile_jobs import compiled  # noqa: E402
from microscaled_weights import FORMATS, GROUP, Kernel, Problem  # noqa: E402

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
    a = problem.a.double()
    if problem.a.dtype != torch.bfloat16:
        a *= torch.exp2(problem.a_scales.double() - 127).repeat_interleave(GROUP, 1)
    return a @ (weights * scales.repeat_interleave(GROUP, 1)).t()


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


@pytest.mark.gpu
@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("order", "cr")
@pytest.mark.parametrize(("m", "n", "k", "warps"), TILES)
def test_results_are_stocks_if_both_operands_have_scales(format_, order, m, n, k, warps):
    kernel, results = Kernel(format_, order, m, n, k, warps, a_format="e4m3"), []
    problem = Problem.random(format_, order, 2 * m, 512, 1024, kernel.a_format)
    problem.scales = torch.where(problem.scales.float().sub(121.5).abs() < 13, problem.scales, 120)  # finite
    wanted = expected(problem)
    for flavour in ("stock", "dotload"):
        problem.run(kernel, compiled(kernel, flavour))
        results.append(problem.c.clone())
    assert error(results[1], wanted) < 0.01
    if error(results[0], wanted) < 0.01:  # as above
        assert torch.equal(*results)
