r"""torch.compile with a Triton kernel of one's own in the graph: switch on, then compile.

    python examples/torch_compile.py        # on a GPU: checks against float64

    dotload-inspect examples/torch_compile.py:matmul --arg a='*fp8e4nv:16' --arg b='*fp8e4nv:16' --arg c='*fp16:16' \
        --arg N=i32:16 --arg K=i32:16 --const BM=128 --const BN=128 --const BK=64 --num-warps 8
"""

import torch
import triton
import triton.language as tl

import dotload


@triton.jit
def matmul(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK * N
    tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))


def layer(x, w):
    """gelu(x @ w) from fp8; both row-major."""
    (M, K), N = x.shape, w.shape[1]
    c = torch.empty((M, N), device=x.device, dtype=torch.float16)
    matmul[(M // 128, N // 128)](x, w, c, N, K, BM=128, BN=128, BK=64, num_warps=8)
    return torch.nn.functional.gelu(c)


def main() -> None:
    torch.manual_seed(0)
    dotload.enable()  # before the graph is compiled: what is compiled stays as it is
    x, w = (torch.randn(1024, 1024, device="cuda").div(8).to(torch.float8_e4m3fn) for _ in range(2))
    found = torch.compile(layer)(x, w)
    exact = torch.nn.functional.gelu(x.double() @ w.double())
    worst = ((found.double() - exact).abs().max() / exact.abs().max()).item()
    print(f"largest error {worst:.1e}, fp16 rounds by {2**-11:.1e}")
    assert worst < 2**-8
    print(*dotload.report(), sep="\n")


if __name__ == "__main__":
    main()
