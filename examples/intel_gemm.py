"""An Intel GEMM on this CPU: from @triton.jit to numpy, without a GPU, a driver or torch.

make xpu-env                          # an environment with triton-xpu, once
python examples/intel_gemm.py
"""

import numpy as np
import triton
import triton.language as tl

import dotload
from dotload.emulator import run


@triton.jit
def gemm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    pa = tl.make_block_ptr(a, (M, K), (K, 1), (m, 0), (BM, BK), (1, 0))
    pb = tl.make_block_ptr(b, (K, N), (N, 1), (0, n), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(pa, boundary_check=(0, 1)), tl.load(pb, boundary_check=(0, 1)), acc)
        pa = tl.advance(pa, (0, BK))
        pb = tl.advance(pb, (BK, 0))
    pc = tl.make_block_ptr(c, (M, N), (N, 1), (m, n), (BM, BN), (1, 0))
    tl.store(pc, acc, boundary_check=(0, 1))


def main() -> None:
    types = ["*fp16:16", "*fp16:16", "*fp32:16", "i32:16", "i32:16", "i32:16"]
    tile = {"BM": 64, "BN": 64, "BK": 32}
    kernel = dotload.compile_xe(gemm, types, constants=tile, target="bmg", num_warps=4)
    print(*kernel.remarks, sep="\n")

    M, N, K = 128, 128, 64
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((M, K), (K, N)))
    c = np.zeros((M, N), np.float32)
    report = run(kernel.llir, (M // 64, N // 64), [a, b, c, M, N, K], kernel.num_warps, kernel.threads_per_warp)
    print(report)
    worst = np.abs(c - a.astype(np.float64) @ b.astype(np.float64)).max()
    print(f"largest error {worst:.1e}")
    assert worst < 1e-4


if __name__ == "__main__":
    main()
