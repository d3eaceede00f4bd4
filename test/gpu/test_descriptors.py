"""Kernels that load through tensor descriptors (TMA) agree with float64, or are bit-identical to stock's.

Descriptors made on the host, persistent kernels, and attention; V and B are row-major throughout.
"""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU", allow_module_level=True)

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

import dotload  # noqa: E402

sys.path[:0] = [str(Path(__file__).parents[2] / "bench"), str(Path(__file__).parents[1])]
from attention_fp8 import Problem, Tile  # noqa: E402
from kernels_at_large import from_two_sources  # noqa: E402

M, N, K = 1024, 1536, 4096
REPEATS = 5


@pytest.fixture(autouse=True)
def strict(monkeypatch, tmp_path):
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))


def fp8(*shape):
    torch.manual_seed(0)
    return torch.randn(shape, device="cuda").to(torch.float8_e4m3fn)


def relative_error(c, a, b):
    exact = a.double() @ b.double()
    return ((c.double() - exact).norm() / exact.norm()).item()


def with_dotload(run):
    """The result of `run` with dotload on; at least one kernel has to be rewritten."""
    with dotload.enabled():
        dotload.report(clear=True)
        result = run()
    assert any(remark.kind == "passed" for remark in dotload.report())
    return result


@triton.jit
def matmul(a, b, c_ptr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, a.shape[1], BLOCK_K):
        acc = tl.dot(a.load([row, k]), b.load([k, column]), acc)
    rows, columns = row + tl.arange(0, BLOCK_M), column + tl.arange(0, BLOCK_N)
    tl.store(c_ptr + rows[:, None] * b.shape[1] + columns[None, :], acc)


@pytest.mark.gpu
@pytest.mark.parametrize("tile", [(128, 256, 128, 8, 3), (128, 128, 128, 4, 3), (64, 128, 64, 4, 4)], ids=str)
def test_descriptors_of_the_host(tile):
    block_m, block_n, block_k, warps, stages = tile
    a, b = fp8(M, K), fp8(K, N)

    def run():
        c = torch.full((M, N), float("nan"), device="cuda")
        arguments = [
            TensorDescriptor.from_tensor(a, [block_m, block_k]),
            TensorDescriptor.from_tensor(b, [block_k, block_n]),
            c,
        ]
        grid = (M // block_m, N // block_n)
        matmul[grid](*arguments, block_m, block_n, block_k, num_warps=warps, num_stages=stages)
        return relative_error(c, a, b)

    assert with_dotload(run) <= run() * 1.01


@triton.jit
def persistent(
    a_ptr, b_ptr, c_ptr, M, N, K, PROGRAMS: tl.constexpr, FLATTEN: tl.constexpr, A_BY_COLUMNS: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    if A_BY_COLUMNS:
        a = tl.make_tensor_descriptor(a_ptr, [K, M], [M, 1], [BLOCK_K, BLOCK_M])
    else:
        a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    ACC: tl.constexpr = tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32
    across = N // BLOCK_N
    for tile in tl.range(tl.program_id(0), M // BLOCK_M * across, PROGRAMS, flatten=FLATTEN):
        row, column = tile // across * BLOCK_M, tile % across * BLOCK_N
        acc = tl.zeros((BLOCK_M, BLOCK_N), ACC)
        for k in range(0, K, BLOCK_K):
            x = a.load([k, row]).T if A_BY_COLUMNS else a.load([row, k])
            acc = tl.dot(x, b.load([k, column]), acc, out_dtype=ACC)
        c.store([row, column], acc.to(c_ptr.dtype.element_ty))


@pytest.mark.gpu
@pytest.mark.parametrize("a_by_columns", [False, True])
@pytest.mark.parametrize("flatten", [False, True])
@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.int8])
@pytest.mark.parametrize("tile", [(128, 128, 128, 8, 3), (128, 128, 64, 4, 4)], ids=str)
def test_persistent_kernels(tile, dtype, flatten, a_by_columns):
    block_m, block_n, block_k, warps, stages = tile
    a, b = ((fp8(*shape).float() * 9).to(dtype) for shape in ((M, K), (K, N)))
    stored = a.t().contiguous() if a_by_columns else a

    def run():
        c = torch.full((M, N), 12345, device="cuda", dtype=torch.int32 if dtype == torch.int8 else torch.float32)
        arguments = (stored, b, c, M, N, K, 20, flatten, a_by_columns, block_m, block_n, block_k)
        persistent[(20,)](*arguments, num_warps=warps, num_stages=stages)
        return relative_error(c, a, b)

    assert with_dotload(run) <= run() * 1.01


@triton.jit
def scaled(
    a_ptr, b_ptr, c_ptr, M, N, K, A_BY_COLUMNS: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    if A_BY_COLUMNS:
        a = tl.make_tensor_descriptor(a_ptr, [K, M], [M, 1], [BLOCK_K, BLOCK_M])
    else:
        a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    rows, columns = row + tl.arange(0, BLOCK_M), column + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        x = a.load([k, row]).T if A_BY_COLUMNS else a.load([row, k])
        acc += tl.dot(x, b.load([k, column])) * (1.0 + rows % 3)[:, None] * (1.0 + columns % 5 + k // BLOCK_K)[None, :]
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc)


@pytest.mark.gpu
@pytest.mark.parametrize("a_by_columns", [False, True])
@pytest.mark.parametrize("tile", [(128, 128, 128, 8, 3), (128, 128, 64, 8, 4), (64, 128, 64, 4, 3)], ids=str)
def test_scaled_products_are_stocks_to_the_bit(tile, a_by_columns):
    block_m, block_n, block_k, warps, stages = tile
    a, b = fp8(M, K), fp8(K, N)
    stored = a.float().t().contiguous().to(a.dtype) if a_by_columns else a

    def run():
        c = torch.full((M, N), float("nan"), device="cuda")
        grid, blocks = (M // block_m, N // block_n), (block_m, block_n, block_k)
        scaled[grid](stored, b, c, M, N, K, a_by_columns, *blocks, num_warps=warps, num_stages=stages)
        return c

    stock = run()
    assert all(torch.equal(result, stock) for result in with_dotload(lambda: [run() for _ in range(REPEATS)]))


@pytest.mark.gpu
@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize(("block_m", "block_n", "warps"), [(64, 64, 4), (128, 64, 4), (128, 128, 4), (128, 128, 8)])
def test_attention_is_stocks_to_the_bit(block_m, block_n, warps, stages):
    problem = Problem.random(16, 2048, transposed=False, descriptors=True)

    def run():
        problem.out.fill_(float("nan"))
        problem.launch(Tile(block_m, block_n, warps, stages))
        return problem.out.clone()

    stock = run()
    assert all(torch.equal(result, stock) for result in with_dotload(lambda: [run() for _ in range(REPEATS)]))


@pytest.mark.gpu
@pytest.mark.parametrize("warps", [4, 8])
def test_operands_of_two_sources(warps):
    """The tiles by pointers are overwritten while the dot that reads them may be in flight, without a CTA barrier."""
    a, b, d = fp8(M, K), fp8(K, N), fp8(M, K).flip(0)

    def run():
        c = torch.zeros((M, N), device="cuda")
        from_two_sources[(M // 128, N // 128)](a, b, d, c, M, N, K, 128, 128, 32, num_warps=warps)
        return c

    stock = run()
    assert all(torch.equal(result, stock) for result in with_dotload(lambda: [run() for _ in range(REPEATS)]))
