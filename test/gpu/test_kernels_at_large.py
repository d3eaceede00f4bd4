"""Kernels as people write them give the same results with dotload: bit-identical in int8, else within rounding."""

import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU", allow_module_level=True)

import triton  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1]))
from kernels_at_large import USES, M, N, block_pointers  # noqa: E402

import dotload  # noqa: E402

TYPES = {"fp8": torch.float8_e4m3fn, "int8": torch.int8, "tf32": torch.float32}
TOLERANCE = {"fp8": 2e-3, "int8": 0, "tf32": 2e-3}
"""Relative to the largest result. fp8 sums up with 14 bits in wgmma, the small ones first or last."""

WRONG_IN_STOCK = {("3.6", "summed_too", "tf32", "cc"), ("3.9", "summed_too", "tf32", "cc")}
"""Triton's version, kernel, operands, orders whose results are off from float64 by a third, another way each time.

dotload's are compared with those of stock from row-major copies of the operands, which are right.
"""

OPTIONS = [{"num_warps": warps, "num_stages": stages} for warps in (4, 8) for stages in (2, 3)]


def random(rows, columns, kind, is_transposed):
    shape = (columns, rows) if is_transposed else (rows, columns)
    if kind == "int8":
        tile = torch.randint(-8, 8, shape, device="cuda", dtype=torch.int8)
    else:
        tile = torch.randn(shape, device="cuda").to(TYPES[kind])
    return tile.t() if is_transposed else tile


@pytest.fixture
def launch(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    torch.manual_seed(0)

    def run(use, kind, orders, options):
        """The results without and with dotload."""
        depth = use.depth(kind)
        a = random(M, depth, kind, orders[0] == "c")
        b, d = (random(depth, N, kind, orders[1] == "c") for _ in range(2))
        if str(use) == "gathered":
            d = torch.cat([torch.randperm(M, device="cuda", dtype=torch.int32) for _ in range(depth // M)])
        stock = ours = (a, b, d)
        if (triton.__version__[:3], str(use), kind, orders) in WRONG_IN_STOCK:
            stock = tuple(each.contiguous() for each in (a, b, d))
        results = []
        for switched, (a, b, d) in ((nullcontext, stock), (dotload.enabled, ours)):
            c = torch.zeros((M, N), device="cuda")
            with switched():
                use.kernel[use.grid](
                    *(a, b, d, c, M, N, depth, *a.stride(), *b.stride()), **use.constants(kind), **options
                )
            results.append(c)
        return results

    return run


@pytest.mark.gpu
@pytest.mark.parametrize("use", USES, ids=str)
@pytest.mark.parametrize("orders", ["rr", "cr", "cc"])
@pytest.mark.parametrize("kind", TYPES)
def test_same_as_stock(use, kind, orders, launch):
    if use.kernel is block_pointers and triton.__version__ >= "3.9":
        pytest.skip("Triton 3.9 has no block pointers")
    for options in OPTIONS:
        stock, ours = launch(use, kind, orders, options)
        assert stock.any()
        assert (ours - stock).abs().max() <= TOLERANCE[kind] * stock.abs().max(), options
