"""Generated Triton kernels that scale each product of K-major bytes, as for fp8 with block scales: scales by rows, by
columns, by tile, through an index, masked; results that are added up, compared, stored or used in a branch."""

from __future__ import annotations

from random import Random
from typing import Any

HEAD = """\
def kernel(a, b, c, s, t, f, index, M, N, K, am, bn, BM: constexpr, BN: constexpr, BK: constexpr):
    first, second = tl.program_id(0), tl.program_id(1)
    m, n, k = first * BM + tl.arange(0, BM), {columns}, tl.arange(0, BK)
    a_tiles = tl.make_tensor_descriptor(a, [M, K], [am, 1], [BM, BK])
    b_tiles = tl.make_tensor_descriptor(b, [N, K], [bn, 1], [BN, BK])
    acc, total = tl.zeros((BM, BN), tl.float32), tl.zeros((BM,), tl.float32)
"""
COLUMNS = ("second * BN + tl.arange(0, BN)", "(second * BN + tl.arange(0, BN)) % N")
MASKS = (*[""] * 3, ", mask={inner} < K - i, other=0.0", ", mask={side} < {limit}, other=0.0", ", volatile=True")
ROW_SCALES = (
    *["tl.load(s + m * 64 + i // 128)[:, None]"] * 3,
    "tl.load(s + i // BK * M + m, mask=m < M, other=0.0)[:, None]",
    "tl.load(s + tl.load(index + m) * 64 + i // BK)[:, None]",
    "tl.load(s + i // BK)",
)
COLUMN_SCALES = (
    *["tl.load(t + n // 128 * 64 + i // 128)[None, :]"] * 3,
    *["tl.load(t + i // BK * N + n)[None, :]"] * 2,
    "tl.load(t + i // BK * N + n, mask=n < N, other=0.0)[None, :]",
    "tl.load(t + tl.load(index + n) * 64 + i // BK)[None, :]",
    "tl.load(t + second * BN // 128 * 64 + i // 128)",
)
USES = (
    *["acc += p"] * 12,
    "acc = tl.maximum(acc, p)",
    "acc = acc * 0.5 + p",
    "acc += p\ntotal += tl.sum(p, 1)",
    "acc += p * total[:, None]\ntotal += 1.0",
    "if i // BK % 2 == 0:\n    acc += p",
    "acc += p\ntl.store(s + m * 64 + i // BK, 1.0)",
    "acc += p\ntl.debug_barrier()",
    "acc += p\nwhile tl.load(f + i // BK, volatile=True) < 1.0:\n    pass",
)
LOOPS = (
    *["for i in range(0, K, BK):"] * 6,
    "for i in tl.range(0, K, BK, num_stages=4):",
    "for i in tl.range(0, K, BK, loop_unroll_factor=2):",
    "for i in tl.range(0, K, BK, warp_specialize=True):",
    "for i in range(K - BK, -1, -BK):",
    "for j in tl.range(0, 2, flatten=True):\n    for i in range(0, K, BK):",
)
STORES = ("tl.store(c + m[:, None] * N + n[None, :], acc)", "tl.store(c + m, tl.sum(acc, 1))")


def write(random: Random) -> tuple[str, dict[str, str], dict[str, int]]:
    """A kernel's source, the types of its pointers, and its constants."""
    kind = random.choice(("*fp8e4nv", "*fp8e4nv", "*fp8e5", "*i8"))
    factors = random.sample((random.choice(ROW_SCALES), random.choice(COLUMN_SCALES)), random.choice((1, 2, 2)))
    body = [f"r{number} = {factor}" for number, factor in enumerate(factors)]
    loads = [f"x = {_load(random, 'a', 'm[:, None]')}", f"y = {_load(random, 'b', 'n[None, :]')}"]
    body = [*loads, *body] if random.random() < 0.5 else [*body, *loads]
    dot = random.choice((*["tl.dot(x, y)"] * 8, "tl.dot(x, y, acc)"))
    dot = "tl.dot(x, y, out_dtype=tl.int32).to(tl.float32)" if kind == "*i8" else dot
    body += [f"p = {' * '.join([dot, *(f'r{number}' for number in range(len(factors)))])}", random.choice(USES)]
    loop = [line for _ in range(random.choice((1,) * 8 + (2,))) for line in _loop(random.choice(LOOPS), body)]
    lines = [*loop, random.choice(STORES), "tl.store(f + m, total)"]
    text = HEAD.format(columns=random.choice(COLUMNS)) + "".join(f"    {line}\n" for line in lines)
    pointers: dict[str, Any] = {"a": kind, "b": kind, "index": "*i32", **dict.fromkeys("cstf", "*fp32")}
    sizes = {"BM": (64, 128, 128), "BN": (32, 64, 128, 128, 256), "BK": (64, 128)}
    return text, pointers, {name: random.choice(choices) for name, choices in sizes.items()}


def _load(random: Random, name: str, side: str) -> str:
    limit, inner = ("M", "k[None, :]") if name == "a" else ("N", "k[:, None]")
    if random.random() < 0.15:
        return f"{name}_tiles.load([{'first * BM' if name == 'a' else 'second * BN'}, i]){'.T' if name == 'b' else ''}"
    mask = random.choice(MASKS).format(side=side, inner=inner, limit=limit)
    return f"tl.load({name} + {side} * {'am' if name == 'a' else 'bn'} + (i + {inner}){mask})"


def _loop(head: str, body: list[str]) -> list[str]:
    heads = head.splitlines()
    return [*heads, *("    " * len(heads) + line for text in body for line in text.splitlines())]
