"""Decoding over a paged fp8 cache with kernels modelled on serving kernels: stock Triton against dotload.

    python bench/serving.py                    # needs an NVIDIA GPU and PyTorch
    python bench/serving.py --only latent

`by_pages` finds tokens like vLLM's unified attention, through a table of pages of 16; it masks dims and rows, loads the
cache's scales in its loop, one for all or one per token, and converts tiles to the type of the queries. `by_slots`
follows SGLang's grouped decoding: one index per token, values in the type of the cache, keys of latent attention in two
parts. `by_blocks` follows LMDeploy's kernel: a tile is a block of the cache, of unsigned bytes with a scale and a zero
point per token. All split the sequence. GB/s of cache read, with the original launch options, launched in turn; each
tile is a row.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import triton
import triton.language as tl
from ahead_of_time import source
from compile_jobs import compile_all, compiled
from in_turn import medians_in_turn
from triton.backends.compiler import GPUTarget

import dotload

FLAVOURS = ("stock", "dotload")
FP8, BF16 = "*fp8e4nv", "*bf16"
PAGE = 16
"""Tokens per page."""
SCALES = (0.7, 0.6)
"""Scales of keys and of values, if the cache has scales."""


@triton.jit
def by_pages(
    q_ptr, k_ptr, v_ptr, table_ptr, length_ptr, k_scale_ptr, v_scale_ptr, o_ptr, most_ptr, total_ptr,
    scale, pages_of_sequence, q_sequence, q_head, k_page, k_token, k_group, v_page, v_token, v_group,
    scale_page, scale_token,
    HEADS: tl.constexpr, GROUP: tl.constexpr, D: tl.constexpr, PADDED_D: tl.constexpr, PAGE_TOKENS: tl.constexpr,
    ROWS: tl.constexpr, TILE: tl.constexpr, PARTS: tl.constexpr, SCALED: tl.constexpr, TOKENS_SCALED: tl.constexpr,
    WINDOW: tl.constexpr,
):  # fmt: skip
    """One query a sequence; program ids: sequence, group of heads, part of the sequence."""
    sequence, group, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(length_ptr + sequence)
    tiles_of_part = tl.cdiv(length, PARTS * TILE)
    if part * tiles_of_part * TILE >= length:
        return
    rows, dims, of_tile = tl.arange(0, ROWS), tl.arange(0, PADDED_D), tl.arange(0, TILE)
    heads, query = group * GROUP + rows % GROUP, rows // GROUP
    is_dim = tl.where(dims < D, 1, 0).to(tl.int1)
    is_row = tl.where(query < 1, 1, 0).to(tl.int1) & tl.where(heads < HEADS, 1, 0).to(tl.int1)
    at = sequence * q_sequence + heads[:, None] * q_head + dims[None, :]
    q = tl.load(q_ptr + at, mask=is_dim[None, :] & is_row[:, None], other=0.0)
    most = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.full((ROWS,), 1.0, tl.float32)
    acc = tl.zeros((ROWS, PADDED_D), tl.float32)
    for tile in range(part * tiles_of_part, tl.minimum((part + 1) * tiles_of_part, tl.cdiv(length, TILE))):
        tokens = tile * TILE + of_tile
        inside = tokens < length
        page = tl.load(table_ptr + sequence * pages_of_sequence + tokens // PAGE_TOKENS).to(tl.int64)
        place = tokens % PAGE_TOKENS
        k_at = page[None, :] * k_page + group * k_group + dims[:, None] + place[None, :] * k_token
        v_at = page[:, None] * v_page + group * v_group + dims[None, :] + place[:, None] * v_token
        k = tl.load(k_ptr + k_at, mask=is_dim[:, None] & inside[None, :], other=0.0)
        v = tl.load(v_ptr + v_at, mask=is_dim[None, :] & inside[:, None], other=0.0)
        if SCALED:
            k = (k.to(tl.float32) * tl.load(k_scale_ptr)).to(q.dtype)
            v = (v.to(tl.float32) * tl.load(v_scale_ptr)).to(q.dtype)
        s = scale * tl.dot(q, k.to(q.dtype))
        if TOKENS_SCALED:
            scale_at = page * scale_page + place * scale_token + group
            s *= tl.load(k_scale_ptr + scale_at, mask=inside, other=1.0)[None, :]
        seen = tokens[None, :] < length + query[:, None]
        if WINDOW:
            seen &= length - 1 + query[:, None] - tokens[None, :] < WINDOW
            v = tl.where((length - 1 - tokens < WINDOW)[:, None], v, 0.0)
        s = tl.where(is_row[:, None] & seen, s, float("-inf"))
        now = tl.maximum(most, tl.max(s, 1))
        now = tl.where(now > float("-inf"), now, 0.0)
        p = tl.exp(s - now[:, None])
        correction = tl.exp(most - now)
        acc = acc * correction[:, None]
        total = total * correction + tl.sum(p, 1)
        most = now
        if TOKENS_SCALED:
            p *= tl.load(v_scale_ptr + scale_at, mask=inside, other=1.0)[None, :]
        acc += tl.dot(p.to(q.dtype), v.to(q.dtype))
    out = (sequence * HEADS + heads) * PARTS + part
    tl.store(o_ptr + out[:, None] * PADDED_D + dims[None, :], acc, mask=is_dim[None, :] & is_row[:, None])
    tl.store(most_ptr + out, most, mask=is_row)
    tl.store(total_ptr + out, total, mask=is_row)


@triton.jit
def by_slots(
    q_ptr, k_ptr, v_ptr, first_ptr, slots_ptr, parts_ptr, o_ptr, lse_ptr,
    scale, q_sequence, q_head, k_token, k_group, v_token, v_group, o_sequence, o_head, o_part,
    HEADS: tl.constexpr, GROUP: tl.constexpr, D: tl.constexpr, ROPE: tl.constexpr, DV: tl.constexpr,
    PADDED_D: tl.constexpr, PADDED_DV: tl.constexpr, ROWS: tl.constexpr, TILE: tl.constexpr,
    PART_UNIT: tl.constexpr, CAP: tl.constexpr,
):  # fmt: skip
    """One query a sequence; program ids: sequence, block of heads, part of the sequence."""
    sequence, block, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    group = block // tl.cdiv(GROUP, ROWS)
    HELD: tl.constexpr = ROWS if GROUP > ROWS else GROUP
    heads = block * HELD + tl.arange(0, ROWS)
    is_row = (heads < (block + 1) * HELD) & (heads < HEADS)
    dims, value_dims = tl.arange(0, PADDED_D), tl.arange(0, PADDED_DV)
    is_dim, is_value_dim = dims < D, value_dims < DV
    first = tl.load(first_ptr + sequence)
    length = tl.load(first_ptr + sequence + 1) - first
    of_part = tl.cdiv(tl.cdiv(length, tl.load(parts_ptr + sequence)), PART_UNIT) * PART_UNIT
    start = of_part * part
    end = tl.minimum(start + of_part, length)
    most = tl.zeros((ROWS,), tl.float32) - float("inf")
    total = tl.zeros((ROWS,), tl.float32)
    acc = tl.zeros((ROWS, PADDED_DV), tl.float32)
    if end > start:
        at = q_ptr + sequence * q_sequence + heads[:, None] * q_head
        q = tl.load(at + dims[None, :], mask=is_row[:, None] & is_dim[None, :], other=0.0)
        if ROPE:
            rope_dims = PADDED_D + tl.arange(0, ROPE)
            is_rope_dim = rope_dims < D + ROPE
            q_rope = tl.load(at + rope_dims[None, :], mask=is_row[:, None] & is_rope_dim[None, :], other=0.0)
        for begin in range(start, end, TILE):
            tokens = begin + tl.arange(0, TILE)
            slots = tl.load(slots_ptr + first + tokens, mask=tokens < end, other=0)
            keys = k_ptr + slots[None, :] * k_token + group * k_group
            k = tl.load(keys + dims[:, None], mask=(tokens[None, :] < end) & is_dim[:, None], other=0.0)
            s = tl.dot(q, k.to(q.dtype))
            if ROPE:
                k_rope = tl.load(
                    keys + rope_dims[:, None], mask=(tokens[None, :] < end) & is_rope_dim[:, None], other=0.0
                )
                s += tl.dot(q_rope, k_rope.to(q.dtype))
            s *= scale
            if CAP > 0:
                s = CAP * (2 * tl.sigmoid(2 * s / CAP) - 1)
            s = tl.where(is_row[:, None] & (tokens[None, :] < end), s, float("-inf"))
            values = v_ptr + slots[:, None] * v_token + group * v_group + value_dims[None, :]
            v = tl.load(values, mask=(tokens[:, None] < end) & is_value_dim[None, :], other=0.0)
            now = tl.maximum(tl.max(s, 1), most)
            correction = tl.exp(most - now)
            p = tl.exp(s - now[:, None])
            acc *= correction[:, None]
            acc += tl.dot(p.to(v.dtype), v)
            total = total * correction + tl.sum(p, 1)
            most = now
        out = sequence * o_sequence + heads * o_head + part * o_part
        is_out = is_row[:, None] & is_value_dim[None, :]
        tl.store(o_ptr + out[:, None] + value_dims[None, :], acc / total[:, None], mask=is_out)
        tl.store(lse_ptr + out // DV, most + tl.log(total), mask=is_row)


@triton.jit
def by_blocks(
    q_ptr, k_ptr, v_ptr, k_scale_ptr, v_scale_ptr, table_ptr, length_ptr, o_ptr, most_ptr, total_ptr,
    scale, blocks_of_sequence, q_sequence, q_head, c_block, c_token, c_group, scale_block, scale_token, scale_group,
    HEADS: tl.constexpr, GROUP: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr, TILE: tl.constexpr,
    PARTS: tl.constexpr,
):  # fmt: skip
    """One query a sequence; program ids: sequence, group of heads, part of the sequence."""
    sequence, group, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(length_ptr + sequence)
    rows, dims, tokens = tl.arange(0, ROWS), tl.arange(0, D), tl.arange(0, TILE)
    heads, is_row = group * GROUP + rows, rows < GROUP
    at = sequence * q_sequence + heads[:, None] * q_head + dims[None, :]
    q = tl.load(q_ptr + at, mask=is_row[:, None], other=0.0)
    k_at = k_ptr + group * c_group + tokens[None, :] * c_token + dims[:, None]
    v_at = v_ptr + group * c_group + tokens[:, None] * c_token + dims[None, :]
    k_scale_at = k_scale_ptr + group * scale_group + tokens[None, :] * scale_token
    v_scale_at = v_scale_ptr + group * scale_group + tokens[:, None] * scale_token
    most, total = tl.full((ROWS,), float("-inf"), tl.float32), tl.zeros((ROWS,), tl.float32)
    acc = tl.zeros((ROWS, D), tl.float32)
    of_part = tl.cdiv(tl.cdiv(length, TILE), PARTS) * TILE
    for first in range(part * of_part, tl.minimum(part * of_part + of_part, length), TILE):
        block = tl.load(table_ptr + sequence * blocks_of_sequence + first // TILE).to(tl.int64)
        k = tl.load(k_at + block * c_block)
        v = tl.load(v_at + block * c_block)
        k_scale = tl.load(k_scale_at + block * scale_block)
        k_zero = tl.load(k_scale_at + block * scale_block + 1)
        v_scale = tl.load(v_scale_at + block * scale_block)
        v_zero = tl.load(v_scale_at + block * scale_block + 1)
        s = scale * tl.dot(q, ((k - k_zero) * k_scale).to(q.dtype))
        if first + TILE > length:
            s = tl.where((first + tokens < length)[None, :], s, float("-inf"))
        now = tl.maximum(most, tl.max(s, 1))
        p, correction = tl.exp(s - now[:, None]), tl.exp(most - now)
        acc *= correction[:, None]
        total, most = total * correction + tl.sum(p, 1), now
        acc += tl.dot(p.to(q.dtype), ((v - v_zero) * v_scale).to(q.dtype))
    out = (sequence * HEADS + heads) * PARTS + part
    tl.store(o_ptr + out[:, None] * D + dims[None, :], acc, mask=is_row[:, None])
    tl.store(most_ptr + out, most, mask=is_row)
    tl.store(total_ptr + out, total, mask=is_row)


PAGES_TYPES = {
    "q_ptr": BF16,
    "k_ptr": FP8,
    "v_ptr": FP8,
    "table_ptr": "*i32",
    "length_ptr": "*i32",
    "scale": "fp32",
} | {f"{name}_ptr": "*fp32" for name in ("k_scale", "v_scale", "o", "most", "total")}
SLOTS_TYPES = {"q_ptr": BF16, "k_ptr": FP8, "v_ptr": FP8, "first_ptr": "*i32", "slots_ptr": "*i64"} | {
    "parts_ptr": "*i32", "o_ptr": "*fp32", "lse_ptr": "*fp32", "scale": "fp32"
}  # fmt: skip
BLOCKS_TYPES = PAGES_TYPES | {"k_ptr": "*u8", "v_ptr": "*u8", "k_scale_ptr": BF16, "v_scale_ptr": BF16}
FORMS: dict[str, tuple[Any, dict[str, str]]] = {
    "pages": (by_pages, PAGES_TYPES),
    "slots": (by_slots, SLOTS_TYPES),
    "blocks": (by_blocks, BLOCKS_TYPES),
}
"""Functions, and the types of their arguments; integers if none is given."""


@dataclass(frozen=True)
class Kernel:
    """One kernel: its form, its constants, by name, and launch parameters."""

    name: str
    form: str
    constants: tuple[tuple[str, Any], ...]
    num_warps: int
    num_stages: int

    @property
    def tile(self) -> int:
        """The tile in tokens."""
        return dict(self.constants)["TILE"]

    def compile(self, capability: int = 90) -> Any:
        """The compiled kernel, from Triton's cache if it is there."""
        function, types = FORMS[self.form]
        made = source(function, types, dict(self.constants), any_number=("scale",))
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages}
        return triton.compile(made, target=GPUTarget("cuda", capability, 32), options=options)


def pages_kernel(
    tile: int,
    *,
    scaled: bool,
    tokens_scaled: bool = False,
    window: int = 0,
    group: int = 8,
    groups: int = 8,
    head: int = 128,
) -> Kernel:
    """As vLLM launches it for decoding: 4 warps, 3 stages. `window`: the number of visible tokens, 0 for all."""
    constants = {"HEADS": group * groups, "GROUP": group, "D": head, "PADDED_D": triton.next_power_of_2(head)}
    constants |= {"PAGE_TOKENS": PAGE, "ROWS": max(16, group), "TILE": tile, "PARTS": 16, "SCALED": scaled}
    constants |= {"TOKENS_SCALED": tokens_scaled, "WINDOW": window}
    more = ", scaled" * scaled + ", scaled tokens" * tokens_scaled + ", window" * bool(window)
    name = f"by pages, {group} heads a group{more}"
    return Kernel(name, "pages", tuple(constants.items()), 4, 3)


def slots_kernel(tile: int, *, latent: bool, group: int = 8, cap: float = 0.0) -> Kernel:
    """As SGLang launches it: 16 heads a block, 4 warps, 2 stages. `latent`: keys of 512 + 64 dims, values of 512."""
    d, rope, dv, groups = (512, 64, 512, 1) if latent else (128, 0, 128, 8)
    constants = {"HEADS": group * groups, "GROUP": group, "D": d, "ROPE": rope, "DV": dv, "PADDED_D": d}
    constants |= {"PADDED_DV": dv, "ROWS": 16, "TILE": tile, "PART_UNIT": 32, "CAP": cap}
    name = f"by slots, latent, {group} heads" if latent else f"by slots, {group} heads a group"
    return Kernel(name, "slots", tuple(constants.items()), 4, 2)


def blocks_kernel(tile: int, *, group: int = 8, groups: int = 8) -> Kernel:
    """As LMDeploy launches it: 4 warps, 3 stages."""
    constants = {"HEADS": group * groups, "GROUP": group, "D": 128, "ROWS": 16, "TILE": tile, "PARTS": 8}
    return Kernel(f"by blocks, {group} heads a group", "blocks", tuple(constants.items()), 4, 3)


@dataclass(frozen=True)
class Problem:
    """Arguments of a kernel without its constants, programs, results, and the bytes of cache that it reads."""

    arguments: tuple[Any, ...]
    programs: tuple[int, int, int]
    results: tuple[Any, ...]
    cache_bytes: int
    error: Callable[[], float] = field(repr=False)
    """The error of the first sequence relative to float64."""

    def run(self, kernel: Kernel, handle: Any) -> None:
        """Launch a compiled kernel."""
        handle[self.programs](*self.arguments, *dict(kernel.constants).values())


def random_cache(*shape: int) -> Any:
    """Normally distributed fp8."""
    import torch

    made = torch.empty(math.prod(shape), device="cuda", dtype=torch.float8_e4m3fn)
    for first in range(0, made.numel(), 1 << 26):
        piece = made[first : first + (1 << 26)]
        piece.copy_(torch.randn(piece.shape, device="cuda"))
    return made.view(shape)


def pages_problem(kernel: Kernel, sequences: int, length: int) -> Problem:
    """A cache of pages in any order. The last page of each sequence is not full."""
    import torch

    torch.manual_seed(0)
    constants = dict(kernel.constants)
    heads, group, d, parts = (constants[name] for name in ("HEADS", "GROUP", "D", "PARTS"))
    pages = sequences * length // PAGE
    k, v = (random_cache(pages, PAGE, heads // group, d) for _ in range(2))
    table = torch.randperm(pages, device="cuda").to(torch.int32).view(sequences, -1)
    lengths = torch.full((sequences,), length - 5, device="cuda", dtype=torch.int32)
    q = torch.randn(sequences, heads, d, device="cuda", dtype=torch.bfloat16)
    scales = [torch.tensor([number], device="cuda") for number in SCALES]
    of_tokens = [0.5 + torch.rand(pages, PAGE, heads // group, device="cuda") for _ in range(2)]
    if constants["TOKENS_SCALED"]:
        scales = of_tokens
    o = torch.zeros(sequences, heads, parts, constants["PADDED_D"], device="cuda")
    most, total = (torch.zeros(sequences, heads, parts, device="cuda") for _ in range(2))
    strides = (table.stride(0), q.stride(0), q.stride(1), *k.stride()[:3], *v.stride()[:3], *of_tokens[0].stride()[:2])
    tensors = (q, k, v, table, lengths, *scales, o, most, total)

    def error() -> float:
        """What the parts of the first sequence have is put together."""
        tokens = table[0].long()
        keys, values = (each.view(torch.uint8)[tokens].view(each.dtype).double().flatten(0, 1) for each in (k, v))
        by = SCALES if constants["SCALED"] else (1, 1)
        if constants["TOKENS_SCALED"]:
            by = [each[tokens].double().flatten(0, 1)[..., None] for each in of_tokens]
        keys, values = (
            (each * one)[: length - 5].repeat_interleave(group, 1) for each, one in zip((keys, values), by, strict=True)
        )
        first = max(0, length - 5 - constants["WINDOW"]) if constants["WINDOW"] else 0
        keys, values = keys[first:], values[first:]
        p = torch.softmax(torch.einsum("hd,thd->ht", q[0].double(), keys) * d**-0.5, 1)
        expected = torch.einsum("ht,thd->hd", p, values)
        weight = torch.exp(most[0].double() - most[0].double().amax(1, keepdim=True))
        ours = (o[0, :, :, :d].double() * weight[..., None]).sum(1)
        return relative_error(ours / (total[0] * weight).sum(1, keepdim=True), expected)

    return Problem(
        (*tensors, d**-0.5, *strides), (sequences, heads // group, parts), (o, most, total), 2 * k.numel(), error
    )


def slots_problem(kernel: Kernel, sequences: int, length: int) -> Problem:
    """A cache in any order, 16 tokens in a row."""
    import torch

    torch.manual_seed(0)
    constants = dict(kernel.constants)
    heads, group, dv = (constants[name] for name in ("HEADS", "GROUP", "DV"))
    d, parts = constants["D"] + constants["ROPE"], 8
    k = random_cache(sequences * length, heads // group, d)
    v = k if constants["ROPE"] else random_cache(sequences * length, heads // group, dv)
    slots = torch.randperm(sequences * length // PAGE, device="cuda")[:, None] * PAGE + torch.arange(
        PAGE, device="cuda"
    )
    slots = slots.flatten()
    first = (torch.arange(sequences + 1, device="cuda") * length).to(torch.int32)
    q = torch.randn(sequences, heads, d, device="cuda", dtype=torch.bfloat16)
    o, lse = (torch.zeros(sequences, heads, parts, *more, device="cuda") for more in ((dv,), ()))
    counts = torch.full((sequences,), parts, device="cuda", dtype=torch.int32)
    strides = (q.stride(0), q.stride(1), k.stride(0), k.stride(1), v.stride(0), v.stride(1), *o.stride()[:3])
    read = k.numel() * (1 if v is k else 2)

    def error() -> float:
        """What the parts of the first sequence have is put together."""
        tokens = slots[:length]
        keys, values = (each.view(torch.uint8)[tokens].view(each.dtype).double() for each in (k, v))
        keys, values = (each.repeat_interleave(group, 1) for each in (keys, values[..., :dv]))
        s = torch.einsum("hd,thd->ht", q[0].double(), keys) * d**-0.5
        if constants["CAP"]:
            s = constants["CAP"] * torch.tanh(s / constants["CAP"])
        expected = torch.einsum("ht,thd->hd", torch.softmax(s, 1), values)
        weight = torch.softmax(lse[0].double(), 1)
        return relative_error((o[0].double() * weight[..., None]).sum(1), expected)

    return Problem(
        (q, k, v, first, slots, counts, o, lse, d**-0.5, *strides),
        (sequences, heads // group * math.ceil(group / constants["ROWS"]), parts), (o, lse), read, error,
    )  # fmt: skip


def blocks_problem(kernel: Kernel, sequences: int, length: int) -> Problem:
    """Blocks of a cache in any order. The last one of each sequence is not full."""
    import torch

    torch.manual_seed(0)
    constants = dict(kernel.constants)
    heads, group, d, parts, tile = (constants[name] for name in ("HEADS", "GROUP", "D", "PARTS", "TILE"))
    blocks, groups = sequences * length // tile, heads // group
    k, v = (torch.randint(0, 256, (blocks, tile, groups, d), device="cuda", dtype=torch.uint8) for _ in range(2))
    scales, zeros = (
        [first + by * torch.rand(blocks, tile, groups, device="cuda") for _ in range(2)]
        for first, by in ((0.01, 0.01), (120, 16))
    )
    both = [torch.stack(pair, -1).to(torch.bfloat16) for pair in zip(scales, zeros, strict=True)]
    table = torch.randperm(blocks, device="cuda").to(torch.int32).view(sequences, -1)
    lengths = torch.full((sequences,), length - 5, device="cuda", dtype=torch.int32)
    q = torch.randn(sequences, heads, d, device="cuda", dtype=torch.bfloat16)
    o = torch.zeros(sequences, heads, parts, d, device="cuda")
    most, total = (torch.zeros(sequences, heads, parts, device="cuda") for _ in range(2))
    strides = (table.stride(0), q.stride(0), q.stride(1), *k.stride()[:3], *both[0].stride()[:3])

    def error() -> float:
        """What the parts of the first sequence have is put together."""
        tokens = table[0].long()
        keys, values = (
            ((cached[tokens].double() - of[tokens][..., 1:].double()) * of[tokens][..., :1].double())
            .flatten(0, 1)[: length - 5]
            .repeat_interleave(group, 1)
            for cached, of in zip((k, v), both, strict=True)
        )
        p = torch.softmax(torch.einsum("hd,thd->ht", q[0].double(), keys) * d**-0.5, 1)
        weight = torch.exp(most[0].double() - most[0].double().amax(1, keepdim=True))
        ours = (o[0].double() * weight[..., None]).sum(1) / (total[0] * weight).sum(1, keepdim=True)
        return relative_error(ours, torch.einsum("ht,thd->hd", p, values))

    return Problem(
        (q, k, v, *both, table, lengths, o, most, total, d**-0.5, *strides),
        (sequences, groups, parts), (o, most, total), 2 * k.numel(), error,
    )  # fmt: skip


def relative_error(ours: Any, expected: Any) -> float:
    """Relative error of the whole, in the 2-norm."""
    return ((ours - expected).norm() / expected.norm()).item()


def rows() -> Iterator[tuple[list[Kernel], Callable[[Kernel], Problem]]]:
    """Lists of kernels that differ only in their tiles, each with its problem."""
    for scaled in (False, True):
        yield (
            [pages_kernel(tile, scaled=scaled) for tile in (16, 32, 64)],
            lambda kernel: pages_problem(kernel, 64, 8192),
        )
    yield (
        [pages_kernel(tile, scaled=False, tokens_scaled=True) for tile in (16, 32, 64)],
        lambda kernel: pages_problem(kernel, 64, 8192),
    )
    yield (
        [pages_kernel(tile, scaled=True, window=8192) for tile in (16, 32, 64)],
        lambda kernel: pages_problem(kernel, 64, 8192),
    )
    for tile in (32, 64):
        yield [blocks_kernel(tile)], lambda kernel: blocks_problem(kernel, 64, 8192)
    yield [slots_kernel(tile, latent=False) for tile in (32, 64, 128)], lambda kernel: slots_problem(kernel, 64, 8192)
    latent = [slots_kernel(tile, latent=True, group=16) for tile in (32, 64)]
    yield latent, lambda kernel: slots_problem(kernel, 128, 8192)


@cache
def handle_of(kernel: Kernel, flavour: str) -> Any:
    """The compiled kernel of a flavour, cached in the process."""
    return compiled(kernel, flavour)


def measure(kernel: Kernel, problem: Problem, rounds: int) -> None:
    """Print a row: both flavours, dotload's error, and how many of its results differ bitwise from stock's."""
    import torch

    launches = {flavour: partial(problem.run, kernel, handle_of(kernel, flavour)) for flavour in FLAVOURS}
    times = medians_in_turn(launches, rounds)
    cells = [f"{problem.cache_bytes / times[flavour] / 1e6:6.0f}" for flavour in FLAVOURS]
    found: list[list[Any]] = []
    for launch in launches.values():
        launch()
        found.append([each.clone() for each in problem.results])
    pairs = zip(*found, strict=True)
    differ = sum((one.view(torch.int32) != other.view(torch.int32)).sum().item() for one, other in pairs)
    share = differ / sum(each.numel() for each in problem.results)
    print(
        f"  {kernel.name:32s} {kernel.tile:4d} " + " ".join(cells) + f"   {problem.error():.3e} {share:7.2%}",
        flush=True,
    )


def main() -> None:
    """Compile everything, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="kernels whose name has this in it")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    wanted = [(kernels, problem) for kernels, problem in rows() if options.only in kernels[0].name]
    compile_all([(kernel, flavour) for kernels, _ in wanted for kernel in kernels for flavour in FLAVOURS])
    import torch

    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    print("GB/s of cache: tokens a tile, stock, dotload, its error, results that differ from stock's")
    for kernels, make in wanted:
        problem = make(kernels[0])
        for kernel in kernels:
            measure(kernel, problem, options.rounds)


if __name__ == "__main__":
    main()
