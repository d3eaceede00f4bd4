"""Weights that are loaded once instead of once per value give stock's results, except for the order of sums."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import quantised_weights  # noqa: E402
import triton  # noqa: E402
from compile_jobs import compiled  # noqa: E402


@pytest.mark.gpu
@pytest.mark.parametrize("form", quantised_weights.FORMS)
@pytest.mark.parametrize("depth", [1024, 1152])
@pytest.mark.parametrize(
    ("m", "n", "k"), [(16, 32, 64), (16, 64, 128), (16, 128, 64), (64, 128, 64), (64, 64, 256), (64, 32, 64)]
)
def test_results_are_stocks(form, depth, m, n, k):
    """A tile of 256 rows spans two groups, and ends beyond 1152 rows of weights. The last expert is not used."""
    kernel = quantised_weights.Kernel(form, m, n, k)
    if kernel.has_one_row and k > quantised_weights.GROUP:
        pytest.skip("the kernel has one scale a tile")
    problem = quantised_weights.random_problem(form, m, 512, depth, count=4)
    if form.startswith("experts"):
        problem = replace(problem, rows=3 * m)
    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    results = []
    for flavour in ("stock", "dotload"):
        problem.result.fill_(7)
        problem.run(kernel, compiled(kernel, flavour))
        results.append(problem.result.double())
    assert ((results[1] - results[0]).norm() / results[0].norm()).item() < 0.002
    assert (results[1] != results[0]).double().mean().item() < 0.05
