"""GEMMs with non-K-major operands are as accurate as stock Triton's, on random problems.

Half of them load through pointers, half through tensor descriptors (TMA).

    pytest test/gpu/test_stage_dot_operands.py                      # 60 problems
    DOTLOAD_PROBLEMS=300 DOTLOAD_SEED=7 pytest test/gpu/test_stage_dot_operands.py
"""

import os
import random
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import gemm  # noqa: E402
import triton  # noqa: E402
from scaled_products import problem as scaled_problem  # noqa: E402
from several_products import Tile, gated_problem  # noqa: E402

import dotload  # noqa: E402

COUNT = int(os.environ.get("DOTLOAD_PROBLEMS", "60"))
SEED = int(os.environ.get("DOTLOAD_SEED", "0"))


def error_of(case, problem):
    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    a, b, c = gemm.tensors(case.kind, case.orders, *problem, seed=SEED)
    case.launch(case.compile(), a, b, c)
    return gemm.relative_error(a, b, c)


@pytest.mark.gpu
@pytest.mark.parametrize("number", range(COUNT))
def test_the_error_is_that_of_stock(number, monkeypatch):
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    case, problem = gemm.random_problem(random.Random(SEED * 1_000_003 + number))
    try:
        stock = error_of(case, problem)
    except Exception as error:  # a tile that stock Triton itself cannot compile or launch
        pytest.skip(f"stock Triton: {type(error).__name__} for {case}")
    with dotload.enabled():
        ours = error_of(case, problem)
    assert ours <= stock * 1.01 + 1e-7, (case, problem, stock, ours)


@pytest.mark.gpu
@pytest.mark.parametrize("tile", [(128, 128, 8, 3), (256, 128, 8, 3), (128, 128, 4, 4), (64, 128, 4, 2)], ids=str)
@pytest.mark.parametrize("orders", gemm.ORDERS)
@pytest.mark.parametrize("kind", ["fp8", "int8", "tf32"])
def test_long_sums_through_descriptors(kind, orders, tile, monkeypatch):
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    block_m, block_n, warps, stages = tile
    case = gemm.Case(kind, orders, block_m, block_n, 1024 // gemm.KINDS[kind].bits, warps, stages, descriptors=True)
    stock = error_of(case, (1024, 1024, 8192))
    with dotload.enabled():
        ours = error_of(case, (1024, 1024, 8192))
    assert ours <= stock * 1.01 + 1e-7, (stock, ours)


@pytest.mark.gpu
@pytest.mark.parametrize("size", [256, 384, 768, 2048])  # loops of fewer tiles than are in flight, and of more
@pytest.mark.parametrize("sizes", [(128, 128, 128, 8, 3), (128, 128, 64, 8, 4), (64, 128, 64, 4, 3)], ids=str)
@pytest.mark.parametrize("orders", ["rr", "cc", "cr"])
def test_a_gated_mlp_is_as_right_as_stocks(orders, sizes, size, monkeypatch):
    """The loop loads the next tiles while dots in flight still read the previous ones."""
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    problem, tile = gated_problem("fp8", orders, size), Tile(*sizes)

    def run():
        problem.arguments["c_ptr"].fill_(float("nan"))
        problem.launch(tile)
        return problem.error()

    stock = run()
    with dotload.enabled():
        assert max(run() for _ in range(3)) <= stock * 1.01 + 1e-7


@pytest.mark.gpu
@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("size", [256, 384, 768, 2048])
@pytest.mark.parametrize("sizes", [(128, 128, 128, 8, 3), (128, 128, 128, 8, 4), (64, 128, 128, 4, 3)], ids=str)
@pytest.mark.parametrize("orders", gemm.ORDERS)
def test_scales_by_block_are_as_right_as_stocks(orders, sizes, size, wrap):
    """If columns have one scale, scales are first multiplied by each other; so there is a version of the loop for tiles
    whose columns, modulo N, have one."""
    problem, tile = scaled_problem(orders, size, wrap), Tile(*sizes)
    problem.launch(tile)
    result = problem.arguments["c_ptr"]
    stock = problem.error()
    with dotload.enabled():
        for _ in range(3):
            result.fill_(float("nan"))
            problem.launch(tile)
            assert problem.error() <= stock * 1.001


@pytest.mark.gpu
@pytest.mark.parametrize("columns", [320, 352, 448])
@pytest.mark.parametrize("sizes", [(128, 128, 128, 8, 3), (64, 128, 128, 4, 3)], ids=str)
@pytest.mark.parametrize("orders", gemm.ORDERS)
def test_columns_modulo_n_have_several_scales_in_the_last_tile(orders, sizes, columns):
    """Tiles within N take the loop for one scale, and the last one takes the other loop."""
    problem, tile = scaled_problem(orders, 512, True, columns), Tile(*sizes)
    problem.launch(tile)
    result = problem.arguments["c_ptr"]
    stock, before = problem.error(), result.clone()
    with dotload.enabled():
        for _ in range(3):
            result.fill_(float("nan"))
            problem.launch(tile)
            assert problem.error() <= stock * 1.001
            last = columns // tile.block_n * tile.block_n
            assert torch.equal(result[:, last:], before[:, last:])
