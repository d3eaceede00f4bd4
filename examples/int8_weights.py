r"""fp16 activations times int8 weights, converted in the loop, with a scale for each column.

    python examples/int8_weights.py        # on a GPU: checks against float64

    dotload-inspect examples/int8_weights.py:matmul --arg a='*fp16:16' --arg b='*i8:16' --arg scales='*fp32:16' \
        --arg c='*fp16:16' --arg N=i32:16 --arg K=i32:16 --const BM=128 --const BN=128 --const BK=64 --num-warps 8
"""

import torch
import triton
import triton.language as tl

import dotload


@triton.jit
def matmul(a, b, scales, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        x = tl.load(pa)
        acc = tl.dot(x, tl.load(pb).to(x.dtype), acc)
        pa += BK
        pb += BK * N
    tl.store(c + m[:, None] * N + n[None, :], (acc * tl.load(scales + n)[None, :]).to(tl.float16))


def main() -> None:
    torch.manual_seed(0)
    dotload.enable()
    M, N, K = 512, 1024, 2048
    a = torch.randn(M, K, device="cuda").half()
    weights = torch.randn(K, N, device="cuda") / K**0.5
    scales = weights.abs().amax(0) / 127
    b = (weights / scales).round().to(torch.int8)
    c = torch.empty(M, N, device="cuda", dtype=torch.float16)
    matmul[(M // 128, N // 128)](a, b, scales, c, N, K, BM=128, BN=128, BK=64, num_warps=8)
    exact = (a.double() @ b.double()) * scales.double()
    worst = ((c.double() - exact).abs().max() / exact.abs().max()).item()
    print(f"largest error {worst:.1e}, fp16 rounds by {2**-11:.1e}")
    assert worst < 2**-9
    print(*dotload.report(), sep="\n")


if __name__ == "__main__":
    main()
