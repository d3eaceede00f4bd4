"""Persistent GEMMs, in which a program computes one tile of C after the other: stock Triton against dotload.

    python bench/persistent_gemms.py [--kinds fp8,int8] [--size 8192] [--rounds 2]

The kernels are written as in Triton's tutorial, with `tl.range(..., flatten=True)`, by pointers and by descriptors.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import triton
import triton.language as tl
from ahead_of_time import source
from gemm import KINDS, Case, tile_at
from orders_table import print_tables
from triton.compiler.compiler import ASTSource

PROGRAMS = 132
"""One for each multiprocessor of an H200."""
TILES = ((128, 256, 8, 3), (256, 128, 8, 3), (128, 128, 8, 4), (128, 128, 8, 3), (128, 128, 4, 3))
"""BLOCK_M, BLOCK_N, warps, stages."""


@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
    ACC: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    stored = tl.program_id(0) - PROGRAMS
    for number in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N), PROGRAMS, flatten=True):
        i, j = tile_at(number, M, N, BLOCK_M, BLOCK_N, GROUP_M)
        rows, columns = i * BLOCK_M + tl.arange(0, BLOCK_M), j * BLOCK_N + tl.arange(0, BLOCK_N)
        rows = tl.max_contiguous(tl.multiple_of(tl.where(rows < M, rows, 0), BLOCK_M), BLOCK_M)
        columns = tl.max_contiguous(tl.multiple_of(tl.where(columns < N, columns, 0), BLOCK_N), BLOCK_N)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC)
        for step in range(tl.cdiv(K, BLOCK_K)):
            k = step * BLOCK_K + tl.arange(0, BLOCK_K)
            a = tl.load(a_ptr + rows[:, None] * stride_am + k[None, :] * stride_ak, mask=k[None, :] < K, other=0.0)
            b = tl.load(b_ptr + k[:, None] * stride_bk + columns[None, :] * stride_bn, mask=k[:, None] < K, other=0.0)
            if a.dtype != b.dtype:
                b = b.to(a.dtype)
            acc = tl.dot(a, b, acc, out_dtype=ACC)
        stored += PROGRAMS
        i, j = tile_at(stored, M, N, BLOCK_M, BLOCK_N, GROUP_M)
        rows, columns = i * BLOCK_M + tl.arange(0, BLOCK_M), j * BLOCK_N + tl.arange(0, BLOCK_N)
        c = c_ptr + rows[:, None] * stride_cm + columns[None, :]
        tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def matmul_by_descriptors(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
    ACC: tl.constexpr, PROGRAMS: tl.constexpr, A_BY_ROWS: tl.constexpr, B_BY_ROWS: tl.constexpr,
):  # fmt: skip
    if A_BY_ROWS:
        a = tl.make_tensor_descriptor(a_ptr, [M, K], [stride_am, 1], [BLOCK_M, BLOCK_K])
    else:
        a = tl.make_tensor_descriptor(a_ptr, [K, M], [stride_ak, 1], [BLOCK_K, BLOCK_M])
    if B_BY_ROWS:
        b = tl.make_tensor_descriptor(b_ptr, [K, N], [stride_bk, 1], [BLOCK_K, BLOCK_N])
    else:
        b = tl.make_tensor_descriptor(b_ptr, [N, K], [stride_bn, 1], [BLOCK_N, BLOCK_K])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [stride_cm, 1], [BLOCK_M, BLOCK_N])
    stored = tl.program_id(0) - PROGRAMS
    for number in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N), PROGRAMS, flatten=True):
        i, j = tile_at(number, M, N, BLOCK_M, BLOCK_N, GROUP_M)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC)
        for step in range(tl.cdiv(K, BLOCK_K)):
            k = step * BLOCK_K
            x = a.load([i * BLOCK_M, k]) if A_BY_ROWS else a.load([k, i * BLOCK_M]).T
            y = b.load([k, j * BLOCK_N]) if B_BY_ROWS else b.load([j * BLOCK_N, k]).T
            if x.dtype != y.dtype:
                y = y.to(x.dtype)
            acc = tl.dot(x, y, acc, out_dtype=ACC)
        stored += PROGRAMS
        i, j = tile_at(stored, M, N, BLOCK_M, BLOCK_N, GROUP_M)
        c.store([i * BLOCK_M, j * BLOCK_N], acc.to(c_ptr.dtype.element_ty))


@dataclass(frozen=True)
class Persistent(Case):
    """A persistent kernel."""

    @property
    def constants_of_loads(self) -> dict[str, Any]:
        """The number of programs, and how descriptors read."""
        rows = {"A_BY_ROWS": self.orders[0] == "r", "B_BY_ROWS": self.orders[1] == "r"}
        return {"PROGRAMS": PROGRAMS, **(rows if self.descriptors else {})}

    def source(self) -> ASTSource:
        """The source for triton.compile."""
        kind = KINDS[self.kind]
        types = {"a_ptr": kind.inputs, "b_ptr": kind.weights or kind.inputs, "c_ptr": kind.output}
        return source(matmul_by_descriptors if self.descriptors else matmul, types, self.constants)

    def launch(self, kernel: Any, a: Any, b: Any, c: Any) -> None:
        """Run it on torch tensors, as `Case.launch`."""
        (m, k), n = a.shape, b.shape[1]
        constants = list(self.constants.values())[:-2]
        kernel[PROGRAMS, 1, 1](a, b, c, m, n, k, *a.stride(), *b.stride(), c.stride(0), *constants)


def tiles(kind: str, orders: str, *, descriptors: bool) -> Iterator[Persistent]:
    """The tiles to choose from."""
    block_k = 128 * 8 // KINDS[kind].bits
    for block_m, block_n, warps, stages in TILES:
        yield Persistent(kind, orders, block_m, block_n, block_k, warps, stages, descriptors=descriptors)


if __name__ == "__main__":
    tables = {
        "Persistent, by pointers": partial(tiles, descriptors=False),
        "Persistent, by descriptors": partial(tiles, descriptors=True),
    }
    print_tables(tables, __doc__)
