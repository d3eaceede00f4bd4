"""Attention over a KV cache in fp8 or bf16, stock Triton against dotload, the best of one tile list for each.

    python bench/kv_cache.py                        # the tables: decoding, MLA, prefill
    python bench/kv_cache.py --tables decode --rounds 1
    python bench/kv_cache.py --compile-only         # fill Triton's cache in several processes, and measure nothing

Decoding is limited by memory: GB/s of cache read. `q` is the type of the queries, and the product Q K is in that type;
P V is in the type of the cache, or in bf16 if the kernel casts V (`V cast`). The kernels of a row are launched in turn.
Errors are relative to float64.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import triton
import triton.language as tl
from ahead_of_time import source
from best_tile import fastest_of_each
from compile_jobs import compile_all, compiled
from triton.backends.compiler import GPUTarget

import dotload

FLAVOURS = ("stock", "dotload")
FP8, BF16 = "*fp8e4nv", "*bf16"
TYPES = (("bf16 cache", BF16, BF16), ("fp8, q bf16", BF16, FP8), ("fp8, q fp8", FP8, FP8))
"""Name of a row, type of the queries, type of the cache."""
CACHE_SCALE = 0.7
"""The scale of a cache that has one."""
PAGE, PAGE_OF_TILES = 16, 128
"""Tokens per page, for a cache indexed by token and for a cache indexed by tile."""


@triton.jit
def attend(
    q_ptr, k_ptr, v_ptr, slots_ptr, o_ptr, lse_ptr, scale, cache_scale, length, stride_k, stride_v,
    ROWS: tl.constexpr, D: tl.constexpr, ROPE: tl.constexpr, DV: tl.constexpr, BLOCK_N: tl.constexpr,
    SPLITS: tl.constexpr, GATHERED: tl.constexpr, CAST_V: tl.constexpr, CAP: tl.constexpr, WINDOW: tl.constexpr,
    LATENT: tl.constexpr, SCALED: tl.constexpr, PAGED: tl.constexpr,
):  # fmt: skip
    """ROWS queries that share a cache of `length` tokens; program ids: cache, split of the sequence, block of rows.

    `GATHERED`: tokens are found through an index, as in a paged cache, with masks. `PAGED`: each tile is a page or a
    part of one, found through one number. `LATENT`: the values are the first dims of the keys, and not loaded again.
    `SCALED`: cached values are multiplied by `cache_scale`. Scores are in powers of two.
    """
    cache, split, block = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    rows = (cache * tl.num_programs(2) + block) * ROWS + tl.arange(0, ROWS)
    dims, value_dims = tl.arange(0, D), tl.arange(0, DV)
    q = tl.load(q_ptr + rows[:, None] * (D + ROPE) + dims[None, :])
    if ROPE:
        rope_dims = D + tl.arange(0, ROPE)
        q_rope = tl.load(q_ptr + rows[:, None] * (D + ROPE) + rope_dims[None, :])
    part = tl.cdiv(tl.cdiv(length, SPLITS), BLOCK_N) * BLOCK_N
    start = split * part
    end = tl.minimum(start + part, length)
    if WINDOW:
        start = tl.maximum(start, (length - WINDOW) // BLOCK_N * BLOCK_N)
    k_tile = k_ptr + cache.to(tl.int64) * length * stride_k + tl.arange(0, BLOCK_N)[None, :] * stride_k
    v_tile = v_ptr + cache.to(tl.int64) * length * stride_v + tl.arange(0, BLOCK_N)[:, None] * stride_v
    best = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    acc = tl.zeros((ROWS, DV), tl.float32)
    for first in range(start, end, BLOCK_N):
        if GATHERED:
            tokens = first + tl.arange(0, BLOCK_N)
            inside = tokens < end
            if WINDOW:
                inside = inside & (tokens >= length - WINDOW)
            slots = tl.load(slots_ptr + cache * length + tokens, mask=inside, other=0)
            keys = k_ptr + slots[None, :] * stride_k
            k = tl.load(keys + dims[:, None], mask=inside[None, :], other=0.0)
        else:
            if PAGED:
                page = tl.load(slots_ptr + cache * length + first)
                k_tile = k_ptr + (page + tl.arange(0, BLOCK_N))[None, :] * stride_k
                v_tile = v_ptr + (page + tl.arange(0, BLOCK_N))[:, None] * stride_v
                keys = k_tile
            else:
                keys = k_tile + first * stride_k
            k = tl.load(keys + dims[:, None])
        if SCALED:
            k = (k.to(tl.float32) * cache_scale).to(q.dtype)
        if LATENT:
            k = k.to(q.dtype)
        scores = tl.dot(q, k.to(q.dtype))
        if ROPE:
            if GATHERED:
                k_rope = tl.load(keys + rope_dims[:, None], mask=inside[None, :], other=0.0)
            else:
                k_rope = tl.load(keys + rope_dims[:, None])
            if SCALED:
                k_rope = (k_rope.to(tl.float32) * cache_scale).to(q.dtype)
            scores = tl.dot(q_rope, k_rope.to(q.dtype), scores)
        scores *= scale
        if CAP > 0:
            scores = CAP * (2 / (1 + tl.exp2(-2 * scores / CAP)) - 1)
        if GATHERED:
            scores = tl.where(inside[None, :], scores, float("-inf"))
        if LATENT:
            v = tl.trans(k)
        elif GATHERED:
            values = v_ptr + slots[:, None] * stride_v
            v = tl.load(values + value_dims[None, :], mask=inside[:, None], other=0.0)
        elif PAGED:
            v = tl.load(v_tile + value_dims[None, :])
        else:
            v = tl.load(v_tile + first * stride_v + value_dims[None, :])
        if SCALED and not LATENT:
            v = (v.to(tl.float32) * cache_scale).to(q.dtype)
        if CAST_V:
            v = v.to(tl.bfloat16)
        new_best = tl.maximum(best, tl.max(scores, 1))
        correction = tl.exp2(best - new_best)
        p = tl.exp2(scores - new_best[:, None])
        acc *= correction[:, None]
        acc += tl.dot(p.to(v.dtype), v)
        total = total * correction + tl.sum(p, 1)
        best = new_best
    out = rows * SPLITS + split
    tl.store(o_ptr + out[:, None] * DV + value_dims[None, :], acc / total[:, None])
    tl.store(lse_ptr + out, best + tl.log2(total))


@triton.jit
def combine(o_ptr, lse_ptr, out_ptr, SPLITS: tl.constexpr, DV: tl.constexpr):
    """Combine a row's results of all splits of the sequence, weighted by their sums of powers of two."""
    row = tl.program_id(0)
    parts, dims = tl.arange(0, SPLITS), tl.arange(0, DV)
    lse = tl.load(lse_ptr + row * SPLITS + parts)
    weights = tl.exp2(lse - tl.max(lse, 0))
    values = tl.load(o_ptr + (row * SPLITS + parts[:, None]) * DV + dims[None, :])
    result = tl.sum(values * weights[:, None], 0) / tl.sum(weights, 0)
    tl.store(out_ptr + row * DV + dims, result.to(out_ptr.dtype.element_ty))


@dataclass(frozen=True)
class Kernel:
    """One kernel: types, sizes, tile and launch parameters."""

    queries: str
    cache: str
    rows: int
    block_n: int = 64
    num_warps: int = 4
    num_stages: int = 3
    head: int = 128
    rope: int = 0
    head_v: int = 128
    splits: int = 1
    gathered: bool = False
    cast_v: bool = False
    cap: float = 0.0
    window: int = 0
    latent: bool = False
    scaled: bool = False
    paged: bool = False

    @property
    def tile(self) -> str:
        """The tile as printed in tables."""
        return f"{self.rows}x{self.block_n} w{self.num_warps} s{self.num_stages}"

    @property
    def constants(self) -> dict[str, Any]:
        """The compile-time arguments, in order."""
        values = (self.rows, self.head, self.rope, self.head_v, self.block_n, self.splits)
        flags = (self.gathered, self.cast_v, self.cap, self.window, self.latent, self.scaled, self.paged)
        return dict(zip(attend.arg_names[-13:], (*values, *flags), strict=True))

    def source(self) -> Any:
        """The source for triton.compile."""
        types = {"q_ptr": self.queries, "k_ptr": self.cache, "v_ptr": self.cache, "slots_ptr": "*i64"}
        types |= {"o_ptr": "*fp32", "lse_ptr": "*fp32", "scale": "fp32", "cache_scale": "fp32"}
        return source(attend, types, self.constants, any_number=("scale", "cache_scale", "length"))

    def compile(self, capability: int = 90) -> Any:
        """The compiled kernel, from Triton's cache if it is there."""
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages}
        return triton.compile(self.source(), target=GPUTarget("cuda", capability, 32), options=options)

    def tiles(self) -> Iterator[Kernel]:
        """The tile list: 18 tiles, 9 if the accumulator does not fit 4 warps.

        With 256 registers of accumulator per thread, which is all registers, stock Triton 3.6's kernels of 64 rows of
        512 columns access memory out of bounds or give NaN.
        """
        for block_n in (32, 64, 128):
            for warps in (4, 8):
                if self.rows * self.head_v // (32 * warps) > 128:
                    continue
                for stages in (2, 3, 4):
                    yield replace(self, block_n=block_n, num_warps=warps, num_stages=stages)


@dataclass(frozen=True)
class Problem:
    """Tensors of a problem: `caches` caches of `length` tokens, each with `blocks` blocks of the kernel's rows."""

    kernel: Kernel
    caches: int
    length: int
    blocks: int
    q: Any
    k: Any
    v: Any
    slots: Any
    out: Any
    lse: Any

    @staticmethod
    def random(kernel: Kernel, caches: int, length: int, blocks: int = 1) -> Problem:
        """Random queries and caches; in MLA the values are the first dims of the keys."""
        import torch

        types = {FP8: torch.float8_e4m3fn, BF16: torch.bfloat16}
        generator = torch.Generator(device="cuda").manual_seed(0)

        def random(rows: int, dims: int, pointer: str) -> Any:
            made = torch.empty(rows, dims, device="cuda", dtype=types[pointer])
            for first in range(0, rows, 1 << 18):
                piece = made[first : first + (1 << 18)]
                piece.copy_(torch.randn(piece.shape, device="cuda", generator=generator))
            return made

        depth, rows = kernel.head + kernel.rope, caches * blocks * kernel.rows
        q, k = random(rows, depth, kernel.queries), random(caches * length, depth, kernel.cache)
        v = k if kernel.rope else random(caches * length, kernel.head_v, kernel.cache)
        page = PAGE_OF_TILES if kernel.paged else PAGE
        pages = torch.randperm(caches * length // page, device="cuda", generator=generator) * page
        slots = (pages[:, None] + torch.arange(page, device="cuda")).flatten()
        out = torch.full((rows * kernel.splits, kernel.head_v), 123.0, device="cuda")
        lse = torch.zeros(rows * kernel.splits, device="cuda")
        return Problem(kernel, caches, length, blocks, q, k, v, slots, out, lse)

    def launch(self, kernel: Kernel, handle: Any) -> None:
        """Run a compiled kernel."""
        tensors = (self.q, self.k, self.v, self.slots, self.out, self.lse)
        scales = (kernel.head**-0.5 * math.log2(math.e), CACHE_SCALE)
        sizes = (*scales, self.length, self.k.stride(0), self.v.stride(0))
        handle[(self.caches, kernel.splits, self.blocks)](*tensors, *sizes, *kernel.constants.values())

    @property
    def bytes(self) -> int:
        """Bytes of the caches that are read; values that are part of the keys count once."""
        read = (self.k,) if self.kernel.rope else (self.k, self.v)
        return sum(each.numel() * each.element_size() for each in read)

    @property
    def flops(self) -> int:
        """Operations of both products."""
        depth = self.kernel.head + self.kernel.rope + self.kernel.head_v
        return 2 * self.q.shape[0] * self.length * depth

    def error(self) -> float:
        """Relative error of the first cache's first block of rows against float64."""
        import torch

        kernel = self.kernel
        which = self.slots[: self.length] if kernel.gathered or kernel.paged else slice(0, self.length)

        def tokens(cached: Any) -> Any:
            return cached.view(torch.uint8)[which].view(cached.dtype).double()  # torch does not index fp8

        q, k, v = self.q[: kernel.rows].double(), tokens(self.k), tokens(self.v)[:, : kernel.head_v]
        if kernel.scaled:
            k, v = k * CACHE_SCALE, v * CACHE_SCALE
        reference = torch.softmax(q @ k.T * kernel.head**-0.5, -1) @ v
        out = self.out[: kernel.rows].double()
        return ((out - reference).norm() / reference.norm()).item()


@dataclass(frozen=True)
class Row:
    """A row of a table: its name, the kernel, and the sizes of the problem."""

    name: str
    kernel: Kernel
    caches: int
    length: int
    blocks: int = 1


def decode_rows(heads: int, **more: Any) -> Iterator[Row]:
    """A bf16 cache, and fp8 with either type of queries; as in SGLang's kernel, with V cast, and scaled."""

    def row(name: str, queries: str, kind: str, **flags: Any) -> Row:
        return Row(f"{name}, {heads} heads", Kernel(queries, kind, heads, **more, **flags), 528, 8192)

    yield row("bf16 cache", BF16, BF16)
    yield row("fp8 cache, q bf16", BF16, FP8)
    yield row("fp8 cache, q fp8", FP8, FP8)
    yield row("fp8 cache, V cast, q bf16", BF16, FP8, cast_v=True)
    yield row("fp8 cache, V cast, q fp8", FP8, FP8, cast_v=True)
    yield row("fp8 cache, scaled, q bf16", BF16, FP8, scaled=True)


def gathered_rows() -> Iterator[Row]:
    """Tokens found through an index."""
    for heads in (16, 64):
        for name, queries, kind in TYPES:
            yield Row(f"{name}, {heads} heads", Kernel(queries, kind, heads, gathered=True), 528, 8192)


def mla_rows() -> Iterator[Row]:
    """Multi-head latent attention: keys of 512 + 64 dims, of which the 512 are the values.

    SGLang's kernel loads the values again, vLLM's takes them from the converted keys.
    """
    for heads in (16, 64):
        for name, queries, kind in TYPES:
            kernel = Kernel(queries, kind, heads, head=512, rope=64, head_v=512)
            yield Row(f"{name}, {heads} heads", kernel, 264, 4096)
            yield Row(f"{name}, {heads} heads, V = K^T", replace(kernel, latent=True), 264, 4096)
        for name, queries, kind in TYPES[:2]:
            gathered = Kernel(queries, kind, heads, head=512, rope=64, head_v=512, gathered=True)
            yield Row(f"{name}, {heads} heads, through an index", gathered, 264, 4096)
        scaled = replace(kernel, queries=BF16, latent=True, scaled=True)
        yield Row(f"fp8, q bf16, {heads} heads, V = K^T, scaled", scaled, 264, 4096)


def prefill_rows() -> Iterator[Row]:
    """128 rows of queries a block."""
    for name, queries, kind in TYPES:
        yield Row(f"{name}, 128 rows", Kernel(queries, kind, 128), 32, 4096, 32)


@dataclass(frozen=True)
class Table:
    """A table: its rows, the counted quantity, and its unit."""

    title: str
    rows: Callable[[], Iterator[Row]]
    unit: str

    def amount(self, problem: Problem) -> float:
        """Bytes, or operations, of one launch."""
        return problem.bytes if self.unit == "GB/s" else problem.flops / 1000


TABLES = {
    "decode": Table("decoding, 528 caches of 8192 x 128", lambda: (*decode_rows(16), *decode_rows(64)), "GB/s"),
    "gathered": Table("decoding through an index, 528 caches of 8192 x 128", gathered_rows, "GB/s"),
    "mla": Table("MLA decoding, 264 caches of 4096 x (512 + 64)", mla_rows, "GB/s"),
    "prefill": Table("prefill, 32 caches of 4096 x 128, 4096 queries each", prefill_rows, "TFLOP/s"),
}


@cache
def handle_of(kernel: Kernel, flavour: str) -> Any:
    """The compiled kernel of a flavour, cached in the process."""
    return compiled(kernel, flavour)


@dataclass(frozen=True)
class Flavoured:
    """A problem, computed by kernels of one flavour."""

    problem: Problem
    flavour: str

    def launch(self, kernel: Kernel) -> None:
        """Once."""
        self.problem.launch(kernel, handle_of(kernel, self.flavour))


@dataclass(frozen=True)
class Torch:
    """torch's own attention on the tensors of a problem."""

    problem: Problem

    def launch(self, _: Any) -> None:
        """Once. There is no choice of tile."""
        import torch

        caches, head = self.problem.caches, self.problem.kernel.head
        q = self.problem.q.view(caches, 1, -1, head)
        k, v = (each.view(caches, 1, self.problem.length, -1) for each in (self.problem.k, self.problem.v))
        torch.nn.functional.scaled_dot_product_attention(q, k, v)


def measure(row: Row, table: Table, good: set[Any], rounds: int) -> None:
    """Print a row: both flavours, their best tiles and errors, and the share of results that differ bitwise.

    If torch has attention for such a cache, a row of its speed as well.
    """
    problem = Problem.random(row.kernel, row.caches, row.length, row.blocks)
    problems: dict[str, tuple[Any, list[Any]]] = {
        flavour: (Flavoured(problem, flavour), [tile for tile in row.kernel.tiles() if (tile, flavour) in good])
        for flavour in FLAVOURS
    }
    if row.kernel.cache == BF16 and not row.kernel.rope and not row.kernel.gathered:
        problems["torch"] = Torch(problem), [None]
    fastest = fastest_of_each(problems, rounds)
    rates = {name: f"{table.amount(problem) / time_ms / 1e6:6.0f}" for name, (time_ms, _) in fastest.items()}
    if "torch" in rates:
        print(f"  {f'torch, {row.name}':36s} {rates['torch']}")
    cells: list[str] = []
    for flavour in FLAVOURS:
        if flavour not in fastest:
            cells.append("no kernel ran")
            continue
        kernel = fastest[flavour][1]
        problem.out.fill_(123.0)
        problems[flavour][0].launch(kernel)
        cells.append(f"{rates[flavour]}  {kernel.tile:15s} {problem.error():.3e}")
    if all(flavour in fastest for flavour in FLAVOURS):
        cells.append(differing(problem, fastest["dotload"][1], good))
    print(f"  {row.name:36s} " + "   ".join(cells), flush=True)


def differing(problem: Problem, kernel: Kernel, good: set[Any]) -> str:
    """The share of dotload's results that differ bitwise from stock's, if stock runs this tile."""
    import torch

    if (kernel, "stock") not in good:
        return "stock does not compile the tile"
    try:
        problem.launch(kernel, handle_of(kernel, "stock"))
    except triton.runtime.errors.OutOfResources:
        return "stock does not fit the tile"
    stock = problem.out.clone()
    problem.launch(kernel, handle_of(kernel, "dotload"))
    return f"{(stock.view(torch.int32) != problem.out.view(torch.int32)).float().mean().item():.2%}"


def main() -> None:
    """Compile everything, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", default="decode,gathered,mla,prefill", help=", ".join(TABLES))
    parser.add_argument("--rounds", type=int, default=3, help="ten launches of each of the fastest tiles a round")
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    parser.add_argument("--compile-only", action="store_true", help="fill Triton's cache and stop")
    arguments = parser.parse_args()
    tables = [TABLES[name] for name in arguments.tables.split(",")]
    rows = {table.title: [row for row in table.rows() if arguments.only in row.name] for table in tables}
    jobs = [
        (kernel, flavour)
        for table in tables for row in rows[table.title] for kernel in row.kernel.tiles()
        for flavour in FLAVOURS
    ]  # fmt: skip
    good = compile_all(jobs)
    if arguments.compile_only:
        return
    import torch

    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    for table in tables:
        print(f"\n{table.title}: {table.unit}, best tile, error; stock, then dotload; results that differ")
        for row in rows[table.title]:
            measure(row, table, good, arguments.rounds)


if __name__ == "__main__":
    main()
