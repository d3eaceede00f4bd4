"""Decoding kernels as serving frameworks write them are bit-identical to stock's, except with a scaled cache."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import serving  # noqa: E402
from compile_jobs import compiled  # noqa: E402


def results(kernel, problem, flavour):
    """The output of a flavour's kernel; elements that it does not write are NaN."""
    for each in problem.results:
        each.fill_(float("nan"))
    problem.run(kernel, compiled(kernel, flavour))
    return [each.nan_to_num(123.0) for each in problem.results]


@pytest.mark.gpu
@pytest.mark.parametrize("tile", [16, 32, 64])
@pytest.mark.parametrize(("group", "head"), [(8, 128), (16, 128), (8, 96), (8, 64), (64, 128)])
def test_tokens_by_pages_differ_in_no_bit(tile, group, head):
    kernel = serving.pages_kernel(tile, scaled=False, group=group, groups=2, head=head)
    problem = serving.pages_problem(kernel, 4, 2048)
    stock, ours = (results(kernel, problem, flavour) for flavour in ("stock", "dotload"))
    assert all(map(torch.equal, stock, ours))
    assert problem.error() < 0.005


@pytest.mark.gpu
@pytest.mark.parametrize("tile", [32, 64])
@pytest.mark.parametrize("group", [8, 64])
def test_a_scaled_cache_by_pages_is_not_rounded(tile, group):
    """The scale of the values is loaded in the loop; a sequence without tokens loads none."""
    kernel = serving.pages_kernel(tile, scaled=True, group=group, groups=2)
    problem = serving.pages_problem(kernel, 4, 2048)
    errors = []
    for flavour in ("stock", "dotload"):
        results(kernel, problem, flavour)
        errors.append(problem.error())
    assert errors[1] < 0.8 * errors[0]


@pytest.mark.gpu
@pytest.mark.parametrize("tile", [16, 32, 64])
@pytest.mark.parametrize("group", [8, 64])
def test_a_cache_with_scaled_tokens_differs_in_no_bit(tile, group):
    kernel = serving.pages_kernel(tile, scaled=False, tokens_scaled=True, group=group, groups=2)
    problem = serving.pages_problem(kernel, 4, 2048)
    stock, ours = (results(kernel, problem, flavour) for flavour in ("stock", "dotload"))
    assert all(map(torch.equal, stock, ours))
    assert problem.error() < 0.005


@pytest.mark.gpu
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("tile", [16, 32, 64])
@pytest.mark.parametrize("group", [8, 64])
def test_values_outside_of_a_window_do_no_harm(tile, group, scaled):
    """Values outside of a window may be NaN. Results are stock's except where the window begins: see
    multiply-in-f16."""
    kernel = serving.pages_kernel(tile, scaled=scaled, window=700, group=group, groups=2)
    problem = serving.pages_problem(kernel, 4, 2048)
    values, table = problem.arguments[2], problem.arguments[3]
    begin, parts = 2048 - 5 - 700, problem.programs[2]
    outside = table[:, : begin // serving.PAGE].flatten().long()
    values.view(torch.uint8)[outside] = 0x7F
    whole = [part for part in range(parts) if part != begin * parts // 2048]
    stock, ours = (
        [each[:, :, whole] for each in results(kernel, problem, flavour)] for flavour in ("stock", "dotload")
    )
    assert scaled or all(map(torch.equal, stock, ours))
    assert problem.error() < 0.005


@pytest.mark.gpu
@pytest.mark.parametrize("tile", [16, 32, 64])
def test_scores_far_below_zero_behind_masked_tiles(tile):
    """Stock takes 0 for the maximum of masked tiles, and continues from there."""
    kernel = serving.pages_kernel(tile, scaled=False, window=690, group=8, groups=2)
    problem = serving.pages_problem(kernel, 4, 2048)
    queries, keys = problem.arguments[:2]
    queries.abs_().mul_(-8)
    keys.view(torch.uint8).bitwise_and_(0x7F)
    errors = []
    for flavour in ("stock", "dotload"):
        results(kernel, problem, flavour)
        errors.append(problem.error())
    assert errors[1] < min(0.005, 1.1 * errors[0])


@pytest.mark.gpu
@pytest.mark.parametrize("tile", [16, 32, 64, 128])
@pytest.mark.parametrize("group", [1, 8])
def test_tokens_by_blocks_differ_in_no_bit(tile, group):
    """Caches of unsigned bytes, with a scale and a zero point for each token."""
    kernel = serving.blocks_kernel(tile, group=group, groups=2)
    problem = serving.blocks_problem(kernel, 4, 2048)
    stock, ours = (results(kernel, problem, flavour) for flavour in ("stock", "dotload"))
    assert all(map(torch.equal, stock, ours))
    assert problem.error() < 0.01


@pytest.mark.gpu
@pytest.mark.parametrize("cap", [0.0, 30.0])
@pytest.mark.parametrize(
    ("tile", "latent", "group"), [(32, False, 8), (64, False, 4), (128, False, 32), (32, True, 16)]
)
def test_tokens_by_slots_differ_in_no_bit(tile, latent, group, cap):
    kernel = serving.slots_kernel(tile, latent=latent, group=group, cap=cap)
    problem = serving.slots_problem(kernel, 4, 2000)
    stock, ours = (results(kernel, problem, flavour) for flavour in ("stock", "dotload"))
    assert all(map(torch.equal, stock, ours))
    assert problem.error() < 0.05
