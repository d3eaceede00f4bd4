"""Kernels as people write them around `tl.dot`: gated, persistent, unrolled, split along K, gathered, converted, ...

All take A [M, K] and B [K, N] with any strides, D, which is another B or an index of rows, and write C [M, N] in fp32,
row-major. Some add to C.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import triton
import triton.language as tl
from triton.language import constexpr


@triton.jit
def at(base, rows, columns, row_stride, column_stride):
    return base + rows[:, None] * row_stride + columns[None, :] * column_stride


@triton.jit
def add(acc, x, y):
    return tl.dot(x, y, acc, out_dtype=acc.dtype)


@triton.jit
def store(c, acc, m, n, N):
    tl.store(at(c, m, n, N, 1), acc.to(tl.float32))


@triton.jit
def gated(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Two dots of one A in a loop, as in a gated MLP."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc, gate = tl.zeros((BM, BN), ACC), tl.zeros((BM, BN), ACC)
    for _ in range(0, K, BK):
        x = tl.load(at(a, m, k, am, ak))
        acc = add(acc, x, tl.load(at(b, k, n, bk, bn)))
        gate = add(gate, x, tl.load(at(d, k, n, bk, bn)))
        k += BK
    store(c, acc.to(tl.float32) * tl.sigmoid(gate.to(tl.float32) * 0.01), m, n, N)


@triton.jit
def sometimes_gated(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Two dots of one A, of which the first is taken in every other step."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc, gate = tl.zeros((BM, BN), ACC), tl.zeros((BM, BN), ACC)
    for done in range(0, K, BK):
        x, y = tl.load(at(a, m, k, am, ak)), tl.load(at(b, k, n, bk, bn))
        if done // BK % 2 == 1:
            acc = add(acc, x, y)
        gate = add(gate, x, y)
        k += BK
    store(c, acc.to(tl.float32) - 2 * gate.to(tl.float32), m, n, N)


@triton.jit
def summed_too(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """The loaded tile has another use beside the dot."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc, total = tl.zeros((BM, BN), ACC), tl.zeros((BN,), tl.float32)
    for _ in range(0, K, BK):
        y = tl.load(at(b, k, n, bk, bn))
        acc = add(acc, tl.load(at(a, m, k, am, ak)), y)
        total += tl.sum(y.to(tl.float32), 0)
        k += BK
    store(c, acc.to(tl.float32) + total[None, :], m, n, N)


@triton.jit
def one_tile_of_b(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """B stays while the rows of A stream by; the loop carries nothing."""
    n, k = tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    y = tl.load(at(b, k, n, bk, bn))
    for first in range(0, M, BM):
        m = first + tl.arange(0, BM)
        store(c, tl.dot(tl.load(at(a, m, k, am, ak)), y, out_dtype=ACC), m, n, N)


@triton.jit
def same_tile_of_b(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """The tiles of A in a row, each with the first tile of B, which is loaded before the loop."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc, y = tl.zeros((BM, BN), ACC), tl.load(at(b, k, n, bk, bn))
    for _ in range(0, K, BK):
        acc = add(acc, tl.load(at(a, m, k, am, ak)), y)
        k += BK
    store(c, acc, m, n, N)


@triton.jit
def loaded_ahead(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """The loop carries the tiles of its next iteration."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    x, y = tl.load(at(a, m, k, am, ak)), tl.load(at(b, k, n, bk, bn))
    for _ in range(BK, K, BK):
        k += BK
        x_next, y_next = tl.load(at(a, m, k, am, ak)), tl.load(at(b, k, n, bk, bn))
        acc = add(acc, x, y)
        x, y = x_next, y_next
    store(c, add(acc, x, y), m, n, N)


@triton.jit
def conditional(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Some iterations have no dot."""
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), ACC)
    for step in range(0, tl.cdiv(K, BK)):
        k = step * BK + tl.arange(0, BK)
        if (step + tl.program_id(0)) % 3 != 1:
            acc = add(acc, tl.load(at(a, m, k, am, ak)), tl.load(at(b, k, n, bk, bn)))
    store(c, acc, m, n, N)


@triton.jit
def while_loop(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc, done = tl.zeros((BM, BN), ACC), 0
    while done < K:
        acc = add(acc, tl.load(at(a, m, done + k, am, ak)), tl.load(at(b, done + k, n, bk, bn)))
        done += BK
    store(c, acc, m, n, N)


@triton.jit
def two_loops(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """One accumulator through two loops in a row."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc, half = tl.zeros((BM, BN), ACC), K // BK // 2 * BK
    for done in range(0, half, BK):
        acc = add(acc, tl.load(at(a, m, done + k, am, ak)), tl.load(at(b, done + k, n, bk, bn)))
    acc = acc * 2
    for done in range(half, K, BK):
        acc = add(acc, tl.load(at(a, m, done + k, am, ak)), tl.load(at(b, done + k, n, bk, bn)))
    store(c, acc, m, n, N)


@triton.jit
def nested_loops(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    for _ in range(0, 3):
        for done in range(0, K, BK):
            acc = add(acc, tl.load(at(a, m, done + k, am, ak)), tl.load(at(b, done + k, n, bk, bn)))
        acc = acc + 1
    store(c, acc, m, n, N)


@triton.jit
def scaled_by_step(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Each dot is scaled before it is added, by row, column and step, as with scales by block."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for done in range(0, K, BK):
        part = tl.dot(tl.load(at(a, m, done + k, am, ak)), tl.load(at(b, done + k, n, bk, bn)), out_dtype=ACC)
        acc += part.to(tl.float32) * (1.0 + m % 3)[:, None] * (1.0 + n % 5 + done // BK)[None, :]
    store(c, acc, m, n, N)


@triton.jit
def scaled_by_row(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """The same by row alone, in tiles of too few rows for wgmma."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for done in range(0, K, BK):
        part = tl.dot(tl.load(at(a, m, done + k, am, ak)), tl.load(at(b, done + k, n, bk, bn)), out_dtype=ACC)
        acc += part.to(tl.float32) * (1.0 + m % 3)[:, None]
    store(c, acc, m, n, N)


@triton.jit
def clamped(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """The accumulator is changed, and read, in each iteration."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc, total = tl.zeros((BM, BN), ACC), tl.zeros((BM,), tl.float32)
    for done in range(0, K, BK):
        acc = add(acc, tl.load(at(a, m, done + k, am, ak)), tl.load(at(b, done + k, n, bk, bn)))
        acc = tl.where(acc > 100, 100, acc)
        total += tl.sum(acc.to(tl.float32), 1)
    store(c, acc.to(tl.float32) + total[:, None], m, n, N)


@triton.jit
def restarted(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Every few iterations the accumulator starts over."""
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    acc, total = tl.zeros((BM, BN), ACC), tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        k = step * BK + tl.arange(0, BK)
        acc = add(acc, tl.load(at(a, m, k, am, ak)), tl.load(at(b, k, n, bk, bn)))
        if step % 4 == 3:
            total += acc.to(tl.float32)
            acc = tl.zeros((BM, BN), ACC)
    store(c, total + acc.to(tl.float32), m, n, N)


@triton.jit
def batched(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Products of three-dimensional tiles."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((2, BM, BN), ACC)
    for done in range(0, K, 2 * BK):
        first = (done + tl.arange(0, 2) * BK)[:, None, None]
        x = tl.load(a + m[None, :, None] * am + (first + k[None, None, :]) * ak)
        y = tl.load(b + (first + k[None, :, None]) * bk + n[None, None, :] * bn)
        acc = add(acc, x, y)
    store(c, tl.sum(acc, 0), m, n, N)


@triton.jit
def split_along_k(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Programs share a tile of C; cache hints on the loads."""
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), ACC)
    for step in range(tl.program_id(2), tl.cdiv(K, BK), tl.num_programs(2)):
        k = step * BK + tl.arange(0, BK)
        x = tl.load(at(a, m, k, am, ak), eviction_policy="evict_last")
        acc = add(acc, x, tl.load(at(b, k, n, bk, bn), cache_modifier=".cg"))
    tl.atomic_add(at(c, m, n, N, 1), acc.to(tl.float32))


@triton.jit
def stream_k(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Programs share the iterations of all tiles evenly: the loop's bounds come from data."""
    k, steps, across = tl.arange(0, BK), tl.cdiv(K, BK), tl.cdiv(N, BN)
    total = tl.cdiv(M, BM) * across * steps
    share = tl.cdiv(total, tl.num_programs(0))
    now, end = tl.program_id(0) * share, tl.minimum((tl.program_id(0) + 1) * share, total)
    while now < end:
        tile, first = now // steps, now % steps
        last = tl.minimum(steps, first + end - now)
        m, n = tile // across * BM + tl.arange(0, BM), tile % across * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), ACC)
        for step in range(first, last):
            x, y = tl.load(at(a, m, step * BK + k, am, ak)), tl.load(at(b, step * BK + k, n, bk, bn))
            acc = add(acc, x, y)
        tl.atomic_add(at(c, m, n, N, 1), acc.to(tl.float32))
        now += last - first


@triton.jit
def persistent(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """One program takes several tiles of C, in a loop that is made one with that along K; masked."""
    across = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * across, tl.num_programs(0), flatten=True):
        m, n = tile // across * BM + tl.arange(0, BM), tile % across * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), ACC)
        for done in range(0, K, BK):
            k = done + tl.arange(0, BK)
            x = tl.load(at(a, m, k, am, ak), mask=k[None, :] < K, other=0.0)
            acc = add(acc, x, tl.load(at(b, k, n, bk, bn), mask=k[:, None] < K, other=0.0))
        tl.store(at(c, m, n, N, 1), acc.to(tl.float32), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def tile_after_tile(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """One program takes several tiles of C, in a loop around that along K."""
    across = N // BN
    for tile in range(tl.program_id(0), M // BM * across, tl.num_programs(0)):
        m, n = tile // across * BM + tl.arange(0, BM), tile % across * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), ACC)
        for done in range(0, K, BK):
            k = done + tl.arange(0, BK)
            acc = add(acc, tl.load(at(a, m, k, am, ak)), tl.load(at(b, k, n, bk, bn)))
        store(c, acc, m, n, N)


@triton.jit
def tiles_in_one_loop(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """The same in one loop along all of K: a branch scales the columns of a tile that is complete, and stores it."""
    across, steps = N // BN, K // BK
    m, n = tl.arange(0, BM), tl.arange(0, BN)
    acc = tl.zeros((BM, BN), ACC)
    tile, step = tl.program_id(0) - tl.num_programs(0), -1
    for _ in range(0, steps * tl.cdiv(M // BM * across - tl.program_id(0), tl.num_programs(0))):
        step = tl.where(step == steps - 1, 0, step + 1)
        if step == 0:
            tile += tl.num_programs(0)
            m, n = tile // across * BM + tl.arange(0, BM), tile % across * BN + tl.arange(0, BN)
        k = step * BK + tl.arange(0, BK)
        acc = add(acc, tl.load(at(a, m, k, am, ak)), tl.load(at(b, k, n, bk, bn)))
        if step == steps - 1:
            store(c, acc * (1 + n % 3)[None, :].to(ACC), m, n, N)
            acc = tl.zeros((BM, BN), ACC)


@triton.jit
def gathered(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Rows of A and B through an index, as in a mixture of experts."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    rows, acc = tl.load(d + m), tl.zeros((BM, BN), ACC)
    for done in range(0, K, BK):
        x, y = tl.load(at(a, rows, done + k, am, ak)), tl.load(at(b, tl.load(d + done + k), n, bk, bn))
        acc = add(acc, x, y)
    store(c, acc, m, n, N)


@triton.jit
def masked_by_column(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Masks along M and N, another number than 0 outside, and an accumulator that does not start at 0."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.full((BM, BN), 3, ACC) + m[:, None].to(ACC)
    for done in range(0, K, BK):
        x = tl.load(at(a, m, done + k, am, ak), mask=m[:, None] < M - 3, other=1.0)
        acc = add(acc, x, tl.load(at(b, done + k, n, bk, bn), mask=n[None, :] < N - 5, other=0.0))
    store(c, acc, m, n, N)


@triton.jit
def block_pointers(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    x = tl.make_block_ptr(a, (M, K), (am, ak), (i, 0), (BM, BK), (1, 0))
    y = tl.make_block_ptr(b, (K, N), (bk, bn), (0, j), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), ACC)
    for _ in range(0, K, BK):
        left = tl.load(x, boundary_check=(0, 1), padding_option="zero")
        acc = add(acc, left, tl.load(y, boundary_check=(0, 1), padding_option="zero"))
        x, y = tl.advance(x, (0, BK)), tl.advance(y, (BK, 0))
    store(c, acc, i + tl.arange(0, BM), j + tl.arange(0, BN), N)


@triton.jit(noinline=True)
def one_tile(a, b, c, i, j, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    m, n, k = i * BM + tl.arange(0, BM), j * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    for done in range(0, K, BK):
        acc = add(acc, tl.load(at(a, m, done + k, am, ak)), tl.load(at(b, done + k, n, bk, bn)))
    store(c, acc, m, n, N)


@triton.jit
def called(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """The dot is in a function of its own."""
    one_tile(a, b, c, tl.program_id(0), tl.program_id(1), N, K, am, ak, bk, bn, BM, BN, BK, ACC)


@triton.jit
def transposed(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Both tiles are loaded the other way around."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    for done in range(0, K, BK):
        x, y = tl.load(at(a, done + k, m, ak, am)), tl.load(at(b, n, done + k, bn, bk))
        acc = add(acc, x.T, y.T)
    store(c, acc, m, n, N)


@triton.jit
def both_ways(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """A tile of B in one dot, and transposed in a second one, whose A is what the first has made."""
    m, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BK)
    x, acc = tl.load(at(a, m, k, am, ak)), tl.zeros((BM, BK), ACC)
    for first in range(0, N, BN):
        y = tl.load(at(b, k, first + tl.arange(0, BN), bk, bn))
        p = (tl.dot(x, y, out_dtype=ACC).to(tl.float32) * 0.01).to(b.dtype.element_ty)
        acc = add(acc, p, y.T)
    store(c, acc, m, k, N)


@triton.jit
def gram(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """One tile is both operands."""
    m, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BK)
    acc = tl.zeros((BM, BM), ACC)
    for done in range(0, K, BK):
        x = tl.load(at(a, m, done + k, am, ak))
        acc = add(acc, x, x.T)
    store(c, acc, m, tl.arange(0, BM), N)


@triton.jit
def unrolled(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Triton unrolls the loop: two dots in a row on one accumulator."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    for done in tl.range(0, K, BK, loop_unroll_factor=2):
        acc = add(acc, tl.load(at(a, m, done + k, am, ak)), tl.load(at(b, done + k, n, bk, bn)))
    store(c, acc, m, n, N)


@triton.jit
def unrolled_by_hand(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Two dots on one accumulator in an iteration."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    for done in range(0, K, 2 * BK):
        for half in tl.static_range(2):
            at_k = done + half * BK + k
            acc = add(acc, tl.load(at(a, m, at_k, am, ak)), tl.load(at(b, at_k, n, bk, bn)))
    store(c, acc, m, n, N)


@triton.jit
def without_a_loop(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), ACC)
    for step in tl.static_range(4):
        k = step * BK + tl.arange(0, BK)
        acc += tl.dot(tl.load(at(a, m, k, am, ak)), tl.load(at(b, k, n, bk, bn)), out_dtype=ACC)
    store(c, acc, m, n, N)


@triton.jit
def from_the_end(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """The loop counts down, in 64 bits."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    for done in range(K.to(tl.int64) - BK, -1, -BK):
        acc = add(acc, tl.load(at(a, m, done + k, am, ak)), tl.load(at(b, done + k, n, bk, bn)))
    store(c, acc, m, n, N)


@triton.jit
def converted(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Both operands are converted, and B is scaled by the step."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for done in range(0, K, BK):
        x, y = tl.load(at(a, m, done + k, am, ak)).to(tl.float16), tl.load(at(b, done + k, n, bk, bn)).to(tl.float32)
        acc = add(acc, x, (y * (1.0 + done // BK % 2)).to(tl.float16))
    store(c, acc, m, n, N)


@triton.jit
def scaled_columns(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Both operands are converted, and the columns of B are scaled before the product."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for done in range(0, K, BK):
        x, y = tl.load(at(a, m, done + k, am, ak)).to(tl.float16), tl.load(at(b, done + k, n, bk, bn)).to(tl.float16)
        acc = add(acc, x, (y - 1) * tl.load(d + n).to(tl.float16)[None, :])
    store(c, acc, m, n, N)


@triton.jit
def halves_of_bytes(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Two 4-bit weights in a byte of B, each with a product of its own."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for done in range(0, K, BK):
        x, y = tl.load(at(a, m, done + k, am, ak)).to(tl.float16), tl.load(at(b, done + k, n, bk, bn))
        if y.dtype != tl.int8:
            y = y.to(tl.float32).to(tl.int8)
        acc = add(acc, x, (y & 15).to(tl.float16))
        acc = add(acc, x, ((y >> 4) & 15).to(tl.float16) - 8)
    store(c, acc, m, n, N)


@triton.jit
def looked_up(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Two 4-bit weights in a byte of B, one after the other along K, each looked up by selects, as nf4 is."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for done in range(0, K, BK):
        x, y = tl.load(at(a, m, done + k, am, ak)).to(tl.float16), tl.load(at(b, (done + k) // 2, n, bk, bn))
        if y.dtype != tl.int8:
            y = y.to(tl.float32).to(tl.int8)
        y = (y.to(tl.int32) >> (k % 2 * 4)[:, None]) & 15
        steps = tl.where(y < 4, y * 3 - 16, tl.where(y < 12, y - 8, y * 3 - 32)).to(tl.float32) / 16
        acc = add(acc, x, (steps * (1 + n % 3)[None, :]).to(tl.float16))
    store(c, acc, m, n, N)


@triton.jit
def in_three_steps(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """fp32 as three dots in tf32."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for done in range(0, K, BK):
        x, y = tl.load(at(a, m, done + k, am, ak)).to(tl.float32), tl.load(at(b, done + k, n, bk, bn)).to(tl.float32)
        acc = tl.dot(x, y, acc, input_precision="tf32x3")
    store(c, acc, m, n, N)


@triton.jit
def cast(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """Numbers that are loaded as integers of their size."""
    BITS: constexpr = tl.uint32 if a.dtype.element_ty.primitive_bitwidth == 32 else tl.uint8
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    a_bits, b_bits = a.to(tl.pointer_type(BITS)), b.to(tl.pointer_type(BITS))
    acc = tl.zeros((BM, BN), ACC)
    for _ in range(0, K, BK):
        x, y = tl.load(at(a_bits, m, k, am, ak)), tl.load(at(b_bits, k, n, bk, bn))
        acc = add(acc, x.to(a.dtype.element_ty, bitcast=True), y.to(b.dtype.element_ty, bitcast=True))
        k += BK
    store(c, acc, m, n, N)


@triton.jit
def adapted(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    """A product, and one of the same A with the few columns of a low-rank adapter."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    rank = tl.arange(0, 16)
    acc, low = tl.zeros((BM, BN), ACC), tl.zeros((BM, 16), ACC)
    for _ in range(0, K, BK):
        x = tl.load(at(a, m, k, am, ak))
        acc = add(acc, x, tl.load(at(b, k, n, bk, bn)))
        low = add(low, x, tl.load(at(d, k, rank, bk, bn)))
        k += BK
    store(c, acc + tl.sum(low, 1)[:, None], m, n, N)


@triton.jit
def from_two_sources(a, b, d, c, M, N, K, BM: constexpr, BN: constexpr, BK: constexpr):
    """Two products with a row-major B by TMA: of an A by TMA, and of one by pointers. All tensors are row-major."""
    first, second = tl.program_id(0) * BM, tl.program_id(1) * BN
    m, n, k = first + tl.arange(0, BM), second + tl.arange(0, BN), tl.arange(0, BK)
    a_tiles = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    b_tiles = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    acc, other = tl.zeros((BM, BN), tl.float32), tl.zeros((BM, BN), tl.float32)
    for done in tl.range(0, K, BK, num_stages=5):
        y = b_tiles.load([done, second])
        acc = tl.dot(a_tiles.load([first, done]), y, acc)
        other = tl.dot(tl.load(at(d, m, done + k, K, 1)), y, other)
    store(c, acc - 2 * other, m, n, N)


TILE = {"BM": 128, "BN": 128}
DEPTHS = {"fp8": 64, "int8": 64, "tf32": 32}
M, N, K = 256, 384, 512


@dataclass(frozen=True)
class Use:
    """A kernel, and the sizes that it is for; `times_as_deep` as usual are its tiles, and `steps` of them make up K."""

    kernel: Any
    tile: Mapping[str, int] = field(default_factory=lambda: TILE)
    grid: tuple[int, ...] = (2, 3)
    steps: int | None = None
    times_as_deep: int = 1

    def __str__(self) -> str:
        return self.kernel.__name__

    def depth(self, kind: str) -> int:
        """K for operands of this kind."""
        return K if self.steps is None else self.steps * self.block_depth(kind)

    def block_depth(self, kind: str) -> int:
        """K of a tile."""
        return self.times_as_deep * DEPTHS[kind]

    def constants(self, kind: str) -> dict[str, Any]:
        """The kernel's constants for operands of this kind."""
        return {**self.tile, "BK": self.block_depth(kind), "ACC": tl.int32 if kind == "int8" else tl.float32}


USES = (
    Use(gated),
    Use(gated, {"BM": 64, "BN": 128}, (4, 3)),
    Use(sometimes_gated, {"BM": 128, "BN": 64}, (2, 6)),
    Use(summed_too),
    Use(one_tile_of_b, grid=(1, 3), steps=1),
    Use(same_tile_of_b, times_as_deep=2),
    Use(loaded_ahead),
    Use(conditional),
    Use(while_loop),
    Use(two_loops),
    Use(nested_loops),
    Use(scaled_by_step),
    Use(scaled_by_row, {"BM": 32, "BN": 64}, (8, 6)),
    Use(clamped),
    Use(restarted),
    Use(batched, {"BM": 64, "BN": 64}, (4, 6)),
    Use(split_along_k, grid=(2, 3, 3)),
    Use(stream_k, grid=(5,)),
    Use(persistent, grid=(4,)),
    Use(tile_after_tile, {"BM": 16, "BN": 64}, (20,)),
    Use(tiles_in_one_loop, {"BM": 16, "BN": 64}, (20,)),
    Use(gathered),
    Use(masked_by_column),
    Use(block_pointers),
    Use(called),
    Use(transposed),
    Use(both_ways, {"BM": 128, "BN": 64}, (2,), steps=1),
    Use(gram, grid=(2,)),
    Use(unrolled),
    Use(unrolled_by_hand, {"BM": 16, "BN": 64}, (16, 6)),
    Use(without_a_loop, steps=4),
    Use(from_the_end),
    Use(converted),
    Use(converted, {"BM": 16, "BN": 64}, (16, 6)),
    Use(scaled_columns, {"BM": 16, "BN": 64}, (16, 6)),
    Use(halves_of_bytes, {"BM": 16, "BN": 64}, (16, 6)),
    Use(looked_up, {"BM": 16, "BN": 64}, (16, 6)),
    Use(in_three_steps),
    Use(cast),
    Use(adapted),
    Use(adapted, {"BM": 64, "BN": 64}, (4, 6)),
)
