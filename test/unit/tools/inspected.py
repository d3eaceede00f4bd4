"""Kernels that the tests of dotload-inspect compile."""

import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, K, stride_a, stride_b, stride_c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + m[:, None] * stride_a + k[None, :]
    pb = b + k[:, None] * stride_b + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        x = tl.load(pa)
        y = tl.load(pb)
        acc = tl.dot(x, y, acc)
        pa += BK
        pb += BK * stride_b
    tl.store(c + m[:, None] * stride_c + n[None, :], acc.to(tl.float16))


@triton.jit
def not_a_power_of_two(x):
    tl.store(x + tl.arange(0, 3), 1.0)


@triton.jit
def product_of_rows(a, b, c):
    """Rows of A times rows of B."""
    m, n, k = tl.arange(0, 16), tl.arange(0, 32), tl.arange(0, 64)
    x = tl.load(a + m[:, None] * 64 + k[None, :])
    y = tl.load(b + n[None, :] * 64 + k[:, None])
    tl.store(c + m[:, None] * 32 + n[None, :], tl.dot(x, y))
