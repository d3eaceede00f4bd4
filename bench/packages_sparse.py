"""Cases of packages.py: attention of vLLM and SGLang over chosen blocks or tokens, and the scores that choose them.

MiniMax M3: blocks of 128 tokens. Step 5: regions of 8 tokens. Qwen: tokens of sequences in pages. DeepSeek: tokens of a
latent cache. 4096 tokens a sequence.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from packages_arguments import FP8, chosen, empty, exponents, lengths, numbers, places, scales, starts

HEADS, KV_HEADS, DIM = 64, 4, 128
CONTEXT, BLOCK, TOP = 4096, 128, 16
"""Tokens of a sequence, tokens of a block of MiniMax M3, and blocks that are chosen."""
BLOCKS = CONTEXT // BLOCK
CACHES = {"bf16": "bfloat16", "fp8": FP8}
ROWS: Mapping[str, tuple[int, int]] = {"decode": (16, 1), "prefill": (2, 256)}
"""Sequences and new tokens of each."""
MINIMAX = "sglang.kernels.ops.attention.minimax_sparse"


def cases() -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and function of each case."""
    for cache, dtype in CACHES.items():
        for kind in ROWS:
            yield f"vllm:minimax_attention:{kind}:{cache}", partial(vllm_minimax, kind, dtype)
            yield f"sglang:minimax_attention:{kind}:{cache}", partial(sglang_minimax, kind, dtype)
            yield f"sglang:minimax_index:{kind}:{cache}", partial(sglang_minimax_index, kind, dtype)
            yield f"vllm:qsa_attention:{kind}:{cache}", partial(vllm_qsa, kind, dtype)
        yield f"vllm:step5_attention:{cache}", partial(vllm_step5, dtype)
        yield f"sglang:qsa_attention:{cache}", partial(sglang_qsa, dtype)
    for kind in ROWS:
        yield f"vllm:minimax_index:{kind}", partial(vllm_minimax_index, kind)
    yield "vllm:step5_index", vllm_step5_index
    yield "sglang:deepseek_v4_index", deepseek_v4_index
    yield "vllm:bf16_sparse_latent_attention", partial(latent, "vllm.v1.attention.ops.xpu_mla_sparse")
    yield "sglang:sparse_latent_prefill", partial(latent, "sglang.kernels.ops.attention.dsa.triton_sparse_mla_prefill")


def vllm_minimax(kind: str, dtype: str) -> None:
    """Each new token over blocks of its sequence."""
    ops = importlib.import_module("vllm.models.minimax_m3.common.ops.sparse_attn")
    sequences, count = ROWS[kind]
    rows = sequences * count
    scale = {"k_scale": scales(1), "v_scale": scales(1)} if dtype == FP8 else {}
    q, out = numbers(rows, HEADS, DIM), empty(rows, HEADS, DIM)
    cache = numbers(sequences * BLOCKS, KV_HEADS, BLOCK, 2 * DIM, dtype=dtype)
    below = BLOCKS if kind == "decode" else BLOCKS - count // BLOCK
    top, table, length = (
        chosen(KV_HEADS, rows, TOP, below=below),
        places(sequences, BLOCKS),
        lengths(sequences, CONTEXT),
    )
    if kind == "decode":
        ops.minimax_m3_sparse_attn_decode(q, cache, top, table, length, KV_HEADS, DIM**-0.5, out, 1, **scale)
        return
    ops.minimax_m3_sparse_attn(
        q, cache, top, table, starts(sequences, count), length, length - count, count, KV_HEADS, DIM**-0.5, out, **scale
    )


def vllm_minimax_index(kind: str) -> None:
    """Scores of the blocks of each new token's sequence."""
    ops = importlib.import_module("vllm.models.minimax_m3.common.ops.index_topk")
    sequences, count = ROWS[kind]
    q, cache = numbers(sequences * count, KV_HEADS, DIM), numbers(sequences * BLOCKS, BLOCK, DIM)
    table, length = places(sequences, BLOCKS), lengths(sequences, CONTEXT)
    if kind == "decode":
        ops.minimax_m3_index_decode_score(q, cache, table, length, CONTEXT, 1, 2, KV_HEADS, 1, 1)
        return
    ops.minimax_m3_index_score(
        q, cache, table, starts(sequences, count), length, length - count, count, CONTEXT, KV_HEADS
    )


def sglang_minimax(kind: str, dtype: str) -> None:
    """Each new token over blocks of its sequence, with keys and values in pages of a block."""
    sequences, count = ROWS[kind]
    rows = sequences * count
    q = numbers(rows, HEADS, DIM, dtype=dtype)
    k, v = (numbers(sequences * CONTEXT, KV_HEADS, DIM, dtype=dtype) for _ in range(2))
    below = BLOCKS if kind == "decode" else BLOCKS - count // BLOCK
    top, slots = chosen(KV_HEADS, rows, TOP, below=below), lengths(sequences, 1).cumsum(0) - 1
    length, table = lengths(sequences, CONTEXT), tokens_in_pages(sequences)
    module = importlib.import_module(f"{MINIMAX}.{kind}.topk_sparse")
    if kind == "decode":
        module.flash_decode_with_gqa_share_sparse(q, None, k, v, table, length, slots, BLOCK, top, page_size=BLOCK)
        return
    module.flash_prefill_with_gqa_share_sparse(
        q, k, v, None, table, slots, top, 1, BLOCK, starts(sequences, count), length, length - count, count
    )


def sglang_minimax_index(kind: str, dtype: str) -> None:
    """Blocks with the highest scores, for each new token."""
    sequences, count = ROWS[kind]
    q = numbers(sequences * count, KV_HEADS, DIM, dtype=dtype)
    k = numbers(sequences * CONTEXT, 1, DIM, dtype=dtype)
    slots, length = lengths(sequences, 1).cumsum(0) - 1, lengths(sequences, CONTEXT)
    table = tokens_in_pages(sequences)
    module = importlib.import_module(f"{MINIMAX}.{kind}.flash_with_topk_idx")
    if kind == "decode":
        module.flash_decode_with_topk_idx(
            q, None, k, None, table, length, CONTEXT, slots, BLOCK, TOP, 1, 2, disable_index_value=True, page_size=BLOCK
        )
        return
    module.flash_prefill_with_topk_index(
        q, k, None, None, table, slots, starts(sequences, count), length, length - count, count, CONTEXT, 1, BLOCK, TOP,
        disable_index_value=True, page_size=BLOCK,
    )  # fmt: skip


def tokens_in_pages(sequences: int) -> Any:
    """Where the cache has each token, if it keeps a block's side by side."""
    pages = places(sequences, BLOCKS)[:, :, None] * BLOCK
    return (pages + (lengths(BLOCK, 1).cumsum(0) - 1)).flatten(1).int()


def vllm_qsa(kind: str, dtype: str, top: int = 2048, page: int = 64) -> None:
    """Each new token over tokens of its sequence in pages."""
    import torch

    run = importlib.import_module("vllm.models.qwen4_exp.nvidia.ops.qsa").qsa_sparse_paged_attention
    sequences, count = ROWS[kind]
    rows = sequences * count
    k, v = (numbers(sequences * CONTEXT // page, page, KV_HEADS, DIM, dtype=dtype) for _ in range(2))
    picked = torch.cat([chosen(rows, top, below=CONTEXT - count + 1), lengths(rows, top)[:, None]], 1)
    scale = {"k_scale": 0.01, "v_scale": 0.01} if dtype == FP8 else {}
    run(
        numbers(rows, HEADS, DIM), k, v, picked, places(sequences, CONTEXT // page), owners(sequences, count),
        kind == "prefill", output_gate=numbers(rows, HEADS, DIM), **scale,
    )  # fmt: skip


def owners(sequences: int, count: int) -> Any:
    """The sequence of each new token."""
    return (lengths(sequences, 1).cumsum(0) - 1).repeat_interleave(count).int()


def vllm_step5(dtype: str, sequences: int = 16, groups: int = 8, heads: int = 8, top: int = 256) -> None:
    """A new token of each sequence over regions of 8 tokens, with heads of 192."""
    ops = importlib.import_module("vllm.models.step5.nvidia.ops.sparse_decode_attention")
    rows, page = sequences * groups, 64
    cache = numbers(sequences * CONTEXT // page, groups, page, 384, dtype=dtype)
    scale = {"k_scale": scales(1), "v_scale": scales(1)} if dtype == FP8 else {}
    ops.sparse_decode_attention(
        numbers(rows, heads, 192), cache, chosen(rows, top, below=CONTEXT // 8), places(sequences, CONTEXT // page),
        lengths(rows, CONTEXT - 1), lengths(rows, 1), empty(rows, heads, 192), scale=192**-0.5,
        splits=ops.sparse_decode_splits(rows), **scale,
    )  # fmt: skip


def vllm_step5_index(sequences: int = 16, heads: int = 8, page: int = 64) -> None:
    """Scores of the regions of each sequence, of packed bytes: a page's keys, then their scales."""
    ops = importlib.import_module("vllm.models.step5.nvidia.ops.sparse_indexer_scores")
    import torch

    keys = numbers(sequences * CONTEXT // page, page * 256, dtype=FP8).view(torch.uint8)
    packed = torch.cat([keys, scales(len(keys), page).view(torch.uint8)], 1).view(-1, page, 1, 260)
    ops.paged_mqa_logits_sm90(
        numbers(sequences, 1, heads, 256, dtype=FP8), packed, scales(sequences, heads),
        places(sequences, CONTEXT // page), lengths(sequences, CONTEXT), CONTEXT,
    )  # fmt: skip


def sglang_qsa(dtype: str, top: int = 2048) -> None:
    """New tokens over chosen tokens of their sequences."""
    ops = importlib.import_module("sglang.srt.layers.attention.qsa.sparse_attn")
    sequences, count = ROWS["prefill"]
    rows = sequences * count
    k, v = (numbers(sequences * CONTEXT, KV_HEADS, DIM, dtype=dtype) for _ in range(2))
    ops.sparse_gqa_paged_prefill_triton(
        numbers(rows, HEADS, DIM), k, v, places(sequences, CONTEXT), chosen(rows, top, below=CONTEXT - count),
        starts(sequences, count), lengths(sequences, CONTEXT), DIM**-0.5, max_q=count,
    )  # fmt: skip


def latent(module: str, rows: int = 64, top: int = 2048) -> None:
    """Latent attention of each new token over chosen ones."""
    ops = importlib.import_module(module)
    run = getattr(ops, "sparse_mla_prefill", None) or ops.triton_bf16_mla_sparse_interface
    picked = chosen(rows, top, below=16 * CONTEXT)[:, None]
    run(numbers(rows, HEADS, 576), numbers(16 * CONTEXT, 1, 576), picked, 576**-0.5)


def deepseek_v4_index(sequences: int = 16, page: int = 64) -> None:
    """Scores of each sequence's tokens, of keys of 4 bits: a page's keys, then their scales, powers of two."""
    import torch

    run = importlib.import_module("sglang.kernels.ops.attention.dsv4.fp4_indexer").fp4_index_logits_decode
    pages = sequences * CONTEXT // page
    table = torch.cat([numbers(pages, page * 64, dtype="uint8"), exponents(pages, page * 4)], 1)
    run(
        numbers(sequences, HEADS, 128), scales(sequences, HEADS), places(sequences, CONTEXT).long(),
        lengths(sequences, CONTEXT), table, page,
    )  # fmt: skip
