r"""Attention of one new token over a paged fp8 KV cache, as an inference server keeps it.

    python examples/paged_attention.py        # on a GPU: checks against float64

A page holds 64 tokens of one head, K and V as they were appended: [64, D] row-major. Q @ K.T finds K K-major; P @ V
finds V row-major, which dotload stages. Query heads that share a KV head fill the rows of the tile.

    dotload-inspect examples/paged_attention.py:attend --arg q='*fp8e4nv:16' --arg k='*fp8e4nv:16' \
        --arg v='*fp8e4nv:16' --arg table='*i32:16' --arg lengths='*i32:16' --arg out='*fp16:16' --arg scale=fp32 \
        --arg pages=i32 --const D=128 --const PAGE=64 --const ROWS=64 --num-warps 4
"""

import math

import torch
import triton
import triton.language as tl

import dotload


@triton.jit
def attend(q, k, v, table, lengths, out, scale, pages, D: tl.constexpr, PAGE: tl.constexpr, ROWS: tl.constexpr):
    """`q`, `out`: [sequences, ROWS, D]; `k`, `v`: [page, PAGE, D]; `table`: [sequences, pages]."""
    sequence = tl.program_id(0)
    rows, at, d = tl.arange(0, ROWS), tl.arange(0, PAGE), tl.arange(0, D)
    length = tl.load(lengths + sequence)
    x = tl.load(q + (sequence * ROWS + rows[:, None]) * D + d[None, :])
    top = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    acc = tl.zeros((ROWS, D), tl.float32)
    for page in range(0, tl.cdiv(length, PAGE)):
        start = tl.load(table + sequence * pages + page) * PAGE
        y = tl.load(k + (start + at[None, :]) * D + d[:, None])
        scores = tl.where(page * PAGE + at[None, :] < length, tl.dot(x, y) * scale, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        p = tl.exp2(scores - new_top[:, None] + 8)  # up to 256: e4m3 holds 448, and has few bits for small numbers
        shrunk = tl.exp2(top - new_top)
        total = total * shrunk + tl.sum(p, 1)
        z = tl.load(v + (start + at[:, None]) * D + d[None, :])
        acc = tl.dot(p.to(z.dtype), z, acc * shrunk[:, None])
        top = new_top
    tl.store(out + (sequence * ROWS + rows[:, None]) * D + d[None, :], (acc / total[:, None]).to(tl.float16))


def main() -> None:
    torch.manual_seed(0)
    dotload.enable()
    sequences, rows, depth, page, pages = 8, 64, 128, 64, 16
    fp8 = torch.float8_e4m3fn
    q = torch.randn(sequences, rows, depth, device="cuda").to(fp8)
    k, v = (torch.randn(sequences * pages, page, depth, device="cuda").to(fp8) for _ in range(2))
    table = torch.randperm(sequences * pages, device="cuda").int().view(sequences, pages)
    lengths = torch.randint(1, pages * page, (sequences,), device="cuda").int()
    out = torch.empty(sequences, rows, depth, device="cuda", dtype=torch.float16)
    scale = math.log2(math.e) / math.sqrt(depth)
    attend[(sequences,)](q, k, v, table, lengths, out, scale, pages, D=depth, PAGE=page, ROWS=rows, num_warps=4)
    worst = 0.0
    for i, length in enumerate(lengths.tolist()):
        keys, values = (x[table[i].long()].view(-1, depth)[:length].double() for x in (k, v))
        weights = torch.softmax(q[i].double() @ keys.T / math.sqrt(depth), -1)
        error = (out[i].double() - weights @ values).abs() / (weights @ values.abs())
        worst = max(worst, error.max().item())
    print(f"largest error {worst:.1e} of the weighted sum of |V|, rounding the weights to fp8 costs {2**-4:.1e}")
    assert worst < 2**-3
    print(*dotload.report(), sep="\n")


if __name__ == "__main__":
    main()
