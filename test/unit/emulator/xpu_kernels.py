"""Triton kernels of the end-to-end tests. Imported only where `triton` is triton-xpu."""

import triton
import triton.language as tl


@triton.jit
def gemm_block_pointers(
    a, b, c, M, N, K, a_row, a_col, b_row, b_col, c_row,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, A_T: tl.constexpr, B_T: tl.constexpr, WHOLE: tl.constexpr,
):  # fmt: skip
    """C = A x B; A_T, B_T: the operand lies transposed in memory; WHOLE: integers."""
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    batch = tl.program_id(2)
    a += batch.to(tl.int64) * (K * a_col if A_T else M * a_row)
    b += batch.to(tl.int64) * (N * b_col if B_T else K * b_row)
    c += batch.to(tl.int64) * M * c_row
    if A_T:
        left = tl.make_block_ptr(a, (M, K), (1, a_col), (row, 0), (BM, BK), (0, 1))
    else:
        left = tl.make_block_ptr(a, (M, K), (a_row, 1), (row, 0), (BM, BK), (1, 0))
    if B_T:
        right = tl.make_block_ptr(b, (K, N), (1, b_col), (0, column), (BK, BN), (0, 1))
    else:
        right = tl.make_block_ptr(b, (K, N), (b_row, 1), (0, column), (BK, BN), (1, 0))
    kind: tl.constexpr = tl.int32 if WHOLE else tl.float32
    total = tl.zeros((BM, BN), dtype=kind)
    for _ in range(0, K, BK):
        x = tl.load(left, boundary_check=(0, 1))
        y = tl.load(right, boundary_check=(0, 1))
        total = tl.dot(x, y, total, out_dtype=kind)
        left = tl.advance(left, (0, BK))
        right = tl.advance(right, (BK, 0))
    out = tl.make_block_ptr(c, (M, N), (c_row, 1), (row, column), (BM, BN), (1, 0))
    tl.store(out, total, boundary_check=(0, 1))


@triton.jit
def gemm_pointers(
    a, b, c, M, N, K, a_row, a_col, b_row, b_col, c_row,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, A_T: tl.constexpr, B_T: tl.constexpr, WHOLE: tl.constexpr,
    MASKED: tl.constexpr,
):  # fmt: skip
    """The same through tensors of pointers, with masks at the edges."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    left = a + (rows[:, None] + depth[None, :] * a_col if A_T else rows[:, None] * a_row + depth[None, :])
    right = b + (depth[:, None] + columns[None, :] * b_col if B_T else depth[:, None] * b_row + columns[None, :])
    kind: tl.constexpr = tl.int32 if WHOLE else tl.float32
    total = tl.zeros((BM, BN), dtype=kind)
    for k in range(0, K, BK):
        if MASKED:
            x = tl.load(left, mask=(rows[:, None] < M) & (k + depth[None, :] < K), other=0.0)
            y = tl.load(right, mask=(k + depth[:, None] < K) & (columns[None, :] < N), other=0.0)
        else:
            x = tl.load(left)
            y = tl.load(right)
        total = tl.dot(x, y, total, out_dtype=kind)
        left += BK * a_col if A_T else BK
        right += BK if B_T else BK * b_row
    where = c + rows[:, None] * c_row + columns[None, :]
    tl.store(where, total, mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def attention(q, k, v, o, scale, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Flash attention forward of one head and BM queries. `scale` includes log2(e)."""
    first = tl.program_id(0) * BM
    head = tl.program_id(1).to(tl.int64) * N * D
    queries = tl.make_block_ptr(q + head, (N, D), (D, 1), (first, 0), (BM, D), (1, 0))
    keys = tl.make_block_ptr(k + head, (D, N), (1, D), (0, 0), (D, BN), (0, 1))
    values = tl.make_block_ptr(v + head, (N, D), (D, 1), (0, 0), (BN, D), (1, 0))
    highest = tl.full((BM,), float("-inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    x = tl.load(queries)
    end = first + BM if CAUSAL else N
    for start in range(0, end, BN):
        scores = tl.dot(x, tl.load(keys)) * scale
        if CAUSAL:
            rows = first + tl.arange(0, BM)
            scores = tl.where(rows[:, None] >= start + tl.arange(0, BN)[None, :], scores, float("-inf"))
        new = tl.maximum(highest, tl.max(scores, 1))
        shares = tl.math.exp2(scores - new[:, None])
        shrink = tl.math.exp2(highest - new)
        weight = weight * shrink + tl.sum(shares, 1)
        total = tl.dot(shares.to(v.dtype.element_ty), tl.load(values), total * shrink[:, None])
        highest = new
        keys = tl.advance(keys, (0, BN))
        values = tl.advance(values, (BN, 0))
    out = tl.make_block_ptr(o + head, (N, D), (D, 1), (first, 0), (BM, D), (1, 0))
    tl.store(out, (total / weight[:, None]).to(o.dtype.element_ty))


@triton.jit
def softmax(x, y, n, BLOCK: tl.constexpr):
    """Rows of n numbers; reductions across subgroups."""
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + offsets, mask=offsets < n, other=float("-inf"))
    shares = tl.exp(values - tl.max(values, 0))
    tl.store(y + row * n + offsets, shares / tl.sum(shares, 0), mask=offsets < n)


@triton.jit
def prefix_sums(x, y, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.cumsum(tl.load(x + offsets), 0))


@triton.jit
def seed_gemm(
    a, b, c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):  # fmt: skip
    """The block-load document's product, all sizes known: [1024, 5120] x [5120, 4096] in tiles of 256 x 256 x 32."""
    row = tl.program_id(0) // (N // BN) * BM
    column = tl.program_id(0) % (N // BN) * BN
    left = tl.make_block_ptr(a, (M, K), (K, 1), (row, 0), (BM, BK), (1, 0))
    right = tl.make_block_ptr(b, (K, N), (N, 1), (0, column), (BK, BN), (1, 0))
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left = tl.advance(left, (0, BK))
        right = tl.advance(right, (BK, 0))
    out = tl.make_block_ptr(c, (M, N), (N, 1), (row, column), (BM, BN), (1, 0))
    tl.store(out, total)
