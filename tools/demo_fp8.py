# pyright: basic, reportMissingTypeStubs=false
"""The fp8 kernel of the demo, as Triton's tutorials write it."""

import triton
import triton.language as tl


@triton.jit
def matmul(
    a, b, c, K, stride_a, stride_b, stride_c, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):  # fmt: skip
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    pa = a + m[:, None] * stride_a + k[None, :]
    pb = b + k[:, None] * stride_b + n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        x = tl.load(pa)
        y = tl.load(pb)
        acc = tl.dot(x, y, acc)
        pa += BLOCK_K
        pb += BLOCK_K * stride_b
    tl.store(c + m[:, None] * stride_c + n[None, :], acc.to(tl.float16))
