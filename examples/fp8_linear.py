r"""A linear layer in fp8: forward, dgrad and wgrad from the tensors as stored, without a transpose.

    python examples/fp8_linear.py        # on a GPU: checks all three against float64

The same kernel does all three; only strides differ. Hopper's tensor cores want K contiguous in both operands, and
that holds in the forward product only:

    y  = x @ w.T     x [M, K] row-major,      w.T column-major    K-major
    dx = dy @ w      dy [M, N] row-major,     w row-major         dotload stages w
    dw = dy.T @ x    dy.T column-major,       x row-major         dotload stages both

See what it does to each, without a GPU:

    dotload-inspect examples/fp8_linear.py:matmul --arg a='*fp8e4nv:16' --arg b='*fp8e4nv:16' --arg c='*bf16:16' \
        --arg scale=fp32 --arg M=i32:16 --arg N=i32:16 --arg K=i32:16 --arg am=i32:16 --arg ak=i32:1 \
        --arg bk=i32:16 --arg bn=i32:1 --const BM=128 --const BN=128 --const BK=128 --num-warps 8
    dotload-inspect examples/fp8_linear.py:matmul --arg a='*fp8e4nv:16' --arg b='*fp8e4nv:16' --arg c='*bf16:16' \
        --arg scale=fp32 --arg M=i32:16 --arg N=i32:16 --arg K=i32:16 --arg am=i32:1 --arg ak=i32:16 \
        --arg bk=i32:16 --arg bn=i32:1 --const BM=128 --const BN=128 --const BK=128 --num-warps 8
"""

import torch
import triton
import triton.language as tl

import dotload

LARGEST = 448.0  # of e4m3


@triton.jit
def matmul(
    a, b, c, scale, M, N, K, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + m[:, None] * am + k[None, :] * ak
    pb = b + k[:, None] * bk + n[None, :] * bn
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK * ak
        pb += BK * bk
    tl.store(c + m[:, None] * N + n[None, :], (acc * scale).to(c.dtype.element_ty))


def product(a, b, scale: float):
    """scale * a @ b in bf16; sizes are multiples of 128."""
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=torch.bfloat16)
    matmul[(M // 128, N // 128)](a, b, c, scale, M, N, K, *a.stride(), *b.stride(), BM=128, BN=128, BK=128, num_warps=8)
    return c


def quantize(x):
    """x as fp8 and the factor that brings it back."""
    factor = x.abs().max().item() / LARGEST
    return (x / factor).to(torch.float8_e4m3fn), factor


class Fp8Linear(torch.autograd.Function):
    """y = x @ w.T, every product in fp8."""

    @staticmethod
    def forward(ctx, x, w):
        (qx, sx), (qw, sw) = quantize(x), quantize(w)
        ctx.save_for_backward(qx, qw)
        ctx.scales = sx, sw
        return product(qx, qw.T, sx * sw)

    @staticmethod
    def backward(ctx, dy):
        (qx, qw), (sx, sw) = ctx.saved_tensors, ctx.scales
        qdy, sdy = quantize(dy)
        return product(qdy, qw, sdy * sw), product(qdy.T, qx, sdy * sx)


def error(found, a, b, scale: float) -> float:
    """How far `found` is from the product of the same fp8 numbers in float64, of its largest element."""
    exact = scale * (a.double() @ b.double())
    return ((found.double() - exact).abs().max() / exact.abs().max()).item()


def main() -> None:
    torch.manual_seed(0)
    dotload.enable()
    x = torch.randn(512, 1024, device="cuda", requires_grad=True)
    w = torch.randn(768, 1024, device="cuda", requires_grad=True)
    dy = torch.randn(512, 768, device="cuda").bfloat16()
    y = Fp8Linear.apply(x, w)
    y.backward(dy)
    (qx, sx), (qw, sw), (qdy, sdy) = quantize(x.detach()), quantize(w.detach()), quantize(dy)
    products = {
        "forward": (y, qx, qw.T, sx * sw),
        "dgrad": (x.grad, qdy, qw, sdy * sw),
        "wgrad": (w.grad, qdy.T, qx, sdy * sx),
    }
    for name, (found, a, b, scale) in products.items():
        worst = error(found, a, b, scale)
        print(f"{name}: largest error {worst:.1e}, bf16 rounds by {2**-8:.1e}")
        assert worst < 2**-7
    print(*dotload.report(), sep="\n")


if __name__ == "__main__":
    main()
