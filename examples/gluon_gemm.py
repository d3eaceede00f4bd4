r"""Gluon: operands loaded straight in mma.sync's layout, which dotload turns into wide copies and ldmatrix.

    python examples/gluon_gemm.py        # on a GPU: checks against float64

    dotload-inspect examples/gluon_gemm.py:matmul --arg a='*fp16:16' --arg b='*fp16:16' --arg c='*fp16:16' \
        --arg N=i32:16 --arg K=i32:16 --const BM=128 --const BN=128 --const BK=32 --num-warps 4
"""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import mma_v2

import dotload


@gluon.jit
def matmul(a, b, c, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr):
    mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    of_a: gl.constexpr = gl.DotOperandLayout(0, mma, 2)
    of_b: gl.constexpr = gl.DotOperandLayout(1, mma, 2)
    m = gl.program_id(0) * BM + gl.arange(0, BM, gl.SliceLayout(1, of_a))
    n = gl.program_id(1) * BN + gl.arange(0, BN, gl.SliceLayout(0, of_b))
    pa = a + m[:, None] * K + gl.arange(0, BK, gl.SliceLayout(0, of_a))[None, :]
    pb = b + gl.arange(0, BK, gl.SliceLayout(1, of_b))[:, None] * N + n[None, :]
    acc = gl.zeros([BM, BN], gl.float32, mma)
    for _ in range(0, K, BK):
        acc = mma_v2(gl.load(pa), gl.load(pb), acc)
        pa += BK
        pb += BK * N
    rows = gl.program_id(0) * BM + gl.arange(0, BM, gl.SliceLayout(1, mma))
    columns = gl.program_id(1) * BN + gl.arange(0, BN, gl.SliceLayout(0, mma))
    gl.store(c + rows[:, None] * N + columns[None, :], acc.to(gl.float16))


def main() -> None:
    torch.manual_seed(0)
    dotload.enable()
    size = 1024
    a, b = (torch.randn(size, size, device="cuda").half() for _ in range(2))
    c = torch.empty_like(a)
    matmul[(size // 128, size // 128)](a, b, c, size, size, BM=128, BN=128, BK=32, num_warps=4)
    exact = a.double() @ b.double()
    worst = ((c.double() - exact).abs().max() / exact.abs().max()).item()
    print(f"largest error {worst:.1e}, fp16 rounds by {2**-11:.1e}")
    assert worst < 2**-9
    print(*dotload.report(), sep="\n")


if __name__ == "__main__":
    main()
