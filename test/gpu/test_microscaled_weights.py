"""Products of `tl.dot_scaled` with weights of 4 and 8 bits: stock's, bit for bit, NaN included."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from compile_jobs import compiled  # noqa: E402
from microscaled_weights import FORMATS, Kernel, Problem  # noqa: E402

TILES = ((16, 64, 128, 4), (16, 128, 64, 8), (64, 64, 256, 4), (64, 128, 64, 4), (128, 128, 128, 8))


@pytest.mark.gpu
@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("order", "cr")
@pytest.mark.parametrize(("m", "n", "k", "warps"), TILES)
def test_results_are_stocks(format_, order, m, n, k, warps):
    """All bytes occur, and scales of every size."""
    kernel, results = Kernel(format_, order, m, n, k, warps), []
    problem = Problem.random(format_, order, 2 * m, 512, 1024)
    for flavour in ("stock", "dotload"):
        problem.c.fill_(7)
        problem.run(kernel, compiled(kernel, flavour))
        results.append(problem.c.clone())
    stock, dotload = results
    assert 0 < stock.isnan().float().mean().item() < 0.9
    assert torch.equal(stock.isnan(), dotload.isnan())
    assert torch.equal(stock.nan_to_num(0.0), dotload.nan_to_num(0.0))
