"""Kernels whose constants are more than numbers, and kernels that triton-xpu cannot compile."""

import triton
import triton.language as tl


@triton.jit
def twice(x):
    return x + x


@triton.jit
def cast(x, y, TYPE: tl.constexpr, SIZES: tl.constexpr, THEN: tl.constexpr):
    sums = tl.sum(tl.full(SIZES, 0, TYPE), 0)
    offsets = tl.arange(0, 128)
    tl.store(y + offsets, THEN(tl.load(x + offsets).to(TYPE)) + sums)


@triton.jit
def pointer_of_a_while_loop(x, y, n, BLOCK: tl.constexpr):
    source = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (BLOCK, BLOCK), (1, 0))
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    k = 0
    while k < n:
        total += tl.load(source)
        source = tl.advance(source, (0, BLOCK))
        k += BLOCK
    tl.store(tl.make_block_ptr(y, (n, n), (n, 1), (0, 0), (BLOCK, BLOCK), (1, 0)), total)
