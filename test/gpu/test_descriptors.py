"""Products whose operands come through tensor descriptors (TMA), in all memory orders, against float64."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU", allow_module_level=True)

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

import dotload  # noqa: E402

M, N, K = 512, 512, 2048


@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, A_BY_COLUMNS: tl.constexpr, B_BY_COLUMNS: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    if A_BY_COLUMNS:
        a = tl.make_tensor_descriptor(a_ptr, [K, M], [M, 1], [BLOCK_K, BLOCK_M])
    else:
        a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    if B_BY_COLUMNS:
        b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    else:
        b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        if A_BY_COLUMNS:
            x = a.load([k, row]).T
        else:
            x = a.load([row, k])
        if B_BY_COLUMNS:
            y = b.load([column, k]).T
        else:
            y = b.load([k, column])
        acc = tl.dot(x, y, acc)
    rows, columns = row + tl.arange(0, BLOCK_M), column + tl.arange(0, BLOCK_N)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc)


def relative_error(a, b, by_columns, tile):
    block_m, block_n, block_k, warps, stages = tile
    c = torch.full((M, N), float("nan"), device="cuda")
    stored = [x.t().contiguous() if turned else x for x, turned in zip((a, b), by_columns, strict=True)]
    grid = (M // block_m, N // block_n)
    matmul[grid](*stored, c, M, N, K, *by_columns, block_m, block_n, block_k, num_warps=warps, num_stages=stages)
    exact = a.double() @ b.double()
    return ((c.double() - exact).norm() / exact.norm()).item()


@pytest.mark.gpu
@pytest.mark.parametrize("tile", [(128, 128, 128, 8, 3), (128, 128, 64, 4, 4), (64, 128, 128, 4, 2)], ids=str)
@pytest.mark.parametrize("by_columns", [(False, True), (False, False), (True, True), (True, False)], ids=str)
def test_the_error_is_that_of_stock(by_columns, tile, monkeypatch):
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    torch.manual_seed(0)
    a, b = (torch.randn(shape, device="cuda").to(torch.float8_e4m3fn) for shape in ((M, K), (K, N)))
    stock = relative_error(a, b, by_columns, tile)
    with dotload.enabled():
        ours = relative_error(a, b, by_columns, tile)
    assert ours <= stock * 1.02 + 1e-7, (stock, ours)
