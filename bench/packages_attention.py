"""Cases of packages.py: attention of vLLM and SGLang, through the functions that launch it.

64 heads of 128 over 8 heads of a cache, or latent attention; 4096 tokens a sequence.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from packages_arguments import FP8, empty, lengths, numbers, places, scales, starts

HEADS, KV_HEADS, DIM = 64, 8, 128
LATENT, ROPE = 512, 64
"""Of latent attention: dims of keys and values, and those of keys alone."""
CONTEXT, PAGE = 4096, 16
"""Tokens of a sequence, and of a page of vLLM's cache."""
SPLITS = 8
"""Parts of a sequence that SGLang and vLLM's latent attention work on at a time."""
UNIFIED: Mapping[str, tuple[int, int, Mapping[str, Any]]] = {
    "decode": (8, 1, {}),
    "decode-many": (64, 1, {}),
    "decode-window": (8, 1, {"window_size": (1023, 0)}),
    "decode-softcap": (8, 1, {"softcap": 30.0}),
    "prefill": (4, 512, {}),
    "prefill-window": (4, 512, {"window_size": (1023, 0)}),
}
"""Of vLLM's unified attention: sequences, new tokens of each, and options."""
CACHES = {
    "bf16": ("bfloat16", "NONE"),
    "fp8": (FP8, "FP8_PER_TENSOR"),
    "fp8-queries": (FP8, "FP8_PER_TENSOR"),
    "fp8-tokens": (FP8, "FP8_PER_TOKEN_HEAD"),
    "int8-tokens": ("int8", "INT8_PER_TOKEN_HEAD"),
    "int4-tokens": ("uint8", "INT4_PER_TOKEN_HEAD"),
}
"""Of vLLM's unified attention: type of the cache, and the name of its scales' mode."""
NAMES = {HEADS: "normal", KV_HEADS: "grouped", 1: "latent"}
"""Kinds of attention, by the heads of the cache."""


def cases() -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and function of each case."""
    for kind in UNIFIED:
        for cache in CACHES:
            yield f"vllm:unified_attention:{kind}:{cache}", partial(vllm_unified, kind, cache)
    for cache in ("bf16", "fp8"):
        dtype = CACHES[cache][0]
        yield f"vllm:prefix_prefill:{cache}", partial(vllm_paged, 4, 512, dtype)
        yield f"vllm:prefix_prefill_alibi:{cache}", partial(vllm_alibi, dtype)
        yield f"vllm:paged_decode:{cache}", partial(vllm_paged, 16, 1, dtype)
        yield f"vllm:unified_attention_diffkv:{cache}", partial(vllm_diffkv, dtype)
        for heads, name in NAMES.items():
            if heads < HEADS:
                yield f"vllm:decode_attention:{name}:{cache}", partial(vllm_decode, heads, dtype)
            yield f"sglang:decode_attention:{name}:{cache}", partial(sglang_decode, heads, dtype)
            yield f"sglang:extend_attention:{name}:{cache}", partial(sglang_extend, heads, dtype)
            yield f"sglang:unified_extend_attention:{name}:{cache}", partial(sglang_unified, heads, dtype)
            if heads < HEADS:
                yield f"sglang:verify_attention:{name}:{cache}", partial(sglang_verify, heads, dtype)
        yield f"sglang:sparse_latent_attention:{cache}", partial(sglang_sparse, dtype)
    for package in ("vllm", "sglang"):
        yield f"{package}:prefill_attention", partial(prefill, package)


def vllm_unified(kind: str, cache: str) -> None:
    """Attention over pages, for any mixture of new and old tokens."""
    ops = importlib.import_module("vllm.v1.attention.ops.triton_unified_attention")
    modes = importlib.import_module("vllm.v1.kv_cache_interface").KVQuantMode
    sequences, count, options = UNIFIED[kind]
    dtype, mode = CACHES[cache]
    rows, pages = sequences * count, sequences * CONTEXT // PAGE
    k, v = numbers(pages, 2, PAGE, KV_HEADS, DIM // (2 if "int4" in cache else 1), dtype=dtype).unbind(1)
    q = numbers(rows, HEADS, DIM, dtype=FP8 if "queries" in cache else "bfloat16")
    scale = scales(1).expand(sequences, KV_HEADS)
    per_token = {f"{each}_scale_cache": scales(pages, PAGE, KV_HEADS) for each in "kv"} if "tokens" in cache else {}
    ops.unified_attention(
        q=q, k=k, v=v, out=empty(rows, HEADS, DIM), cu_seqlens_q=starts(sequences, count), max_seqlen_q=count,
        seqused_k=lengths(sequences, CONTEXT), max_seqlen_k=CONTEXT, softmax_scale=DIM**-0.5, causal=True,
        block_table=places(sequences, CONTEXT // PAGE), q_descale=scales(1) if "queries" in cache else None,
        k_descale=scale, v_descale=scale, kv_quant_mode=modes[mode], seq_threshold_3D=128 // KV_HEADS,
        num_par_softmax_segments=16, softmax_segm_output=empty(16, HEADS, 16, DIM, dtype="float32"),
        softmax_segm_max=empty(16, HEADS, 16, dtype="float32"),
        softmax_segm_expsum=empty(16, HEADS, 16, dtype="float32"),
        **per_token, **{"softcap": 0.0, "window_size": (-1, -1)} | options,
    )  # fmt: skip


def vllm_paged(sequences: int, count: int, dtype: str) -> None:
    """New tokens after a prefix, or a new token of each sequence, with keys of a page side by side."""
    ops = importlib.import_module("vllm.v1.attention.ops.chunked_prefill_paged_decode")
    vector = 16 if dtype == FP8 else 8
    rows, pages = sequences * count, sequences * CONTEXT // PAGE
    ops.chunked_prefill_paged_decode(
        query=numbers(rows, HEADS, DIM), key=numbers(rows, KV_HEADS, DIM), value=numbers(rows, KV_HEADS, DIM),
        output=empty(rows, HEADS, DIM), kv_cache_dtype="fp8" if dtype == FP8 else "auto",
        key_cache=numbers(pages, KV_HEADS, DIM // vector, PAGE, vector, dtype=dtype),
        value_cache=numbers(pages, KV_HEADS, DIM, PAGE, dtype=dtype), block_table=places(sequences, CONTEXT // PAGE),
        query_start_loc=starts(sequences, count), seq_lens=lengths(sequences, CONTEXT), max_seq_len=CONTEXT,
        max_query_len=count, k_scale=scales(1), v_scale=scales(1), sm_scale=DIM**-0.5,
    )  # fmt: skip


def vllm_alibi(dtype: str, sequences: int = 4, count: int = 512) -> None:
    """New tokens after a prefix, with a bias by distance."""
    run = importlib.import_module("vllm.v1.attention.ops.prefix_prefill").context_attention_fwd
    vector = 16 if dtype == FP8 else 8
    rows, pages = sequences * count, sequences * CONTEXT // PAGE
    run(
        numbers(rows, HEADS, DIM), numbers(rows, KV_HEADS, DIM), numbers(rows, KV_HEADS, DIM), empty(rows, HEADS, DIM),
        "fp8" if dtype == FP8 else "auto", numbers(pages, KV_HEADS, DIM // vector, PAGE, vector, dtype=dtype),
        numbers(pages, KV_HEADS, DIM, PAGE, dtype=dtype), places(sequences, CONTEXT // PAGE),
        starts(sequences, count), lengths(sequences, CONTEXT), CONTEXT, count, scales(1), scales(1),
        alibi_slopes=scales(HEADS),
    )  # fmt: skip


def vllm_diffkv(dtype: str, sequences: int = 8, of_keys: int = 192) -> None:
    """A new token of each sequence, with keys that have more dims than values."""
    ops = importlib.import_module("vllm.v1.attention.ops.triton_unified_attention_diffkv")
    cache = numbers(sequences * CONTEXT // PAGE, PAGE, KV_HEADS, of_keys + DIM, dtype=dtype)
    scale = scales(1).expand(sequences, KV_HEADS)
    ops.unified_attention_diffkv(
        numbers(sequences, HEADS, of_keys), cache[..., :of_keys], cache[..., of_keys:], empty(sequences, HEADS, DIM),
        starts(sequences, 1), lengths(sequences, CONTEXT), of_keys**-0.5, True, (-1, -1),
        places(sequences, CONTEXT // PAGE), 0.0, k_descale=scale, v_descale=scale,
    )  # fmt: skip


def vllm_decode(kv_heads: int, dtype: str, sequences: int = 16) -> None:
    """A new token of each sequence, over parts of the pages; latent attention if there is one head of the cache."""
    ops = importlib.import_module("vllm.v1.attention.ops.triton_decode_attention")
    latent = kv_heads == 1
    dim, of_values = (LATENT + ROPE, LATENT) if latent else (DIM, DIM)
    shape = (sequences * CONTEXT // PAGE, PAGE, kv_heads)
    k = numbers(*shape, dim, dtype=dtype)
    v = k[..., :LATENT] if latent else numbers(*shape, DIM, dtype=dtype)
    ops.decode_attention_fwd(
        numbers(sequences, HEADS, dim), k, v, empty(sequences, HEADS, of_values), empty(sequences, HEADS),
        places(sequences, CONTEXT // PAGE), lengths(sequences, CONTEXT),
        empty(sequences, HEADS, SPLITS, of_values + 1, dtype="float32"), SPLITS, dim**-0.5, PAGE,
        k_scale=scales(1), v_scale=scales(1), is_mla=latent,
    )  # fmt: skip


def sglang_cache(sequences: int, kv_heads: int, dtype: str) -> tuple[Any, Any]:
    """Keys and values of all tokens."""
    if kv_heads == 1:
        k = numbers(sequences * CONTEXT, 1, LATENT + ROPE, dtype=dtype)
        return k, k[..., :LATENT]
    k, v = (numbers(sequences * CONTEXT, kv_heads, DIM, dtype=dtype) for _ in range(2))
    return k, v


def sglang_decode(kv_heads: int, dtype: str, sequences: int = 16) -> None:
    """A new token of each sequence, over parts of the cache."""
    ops = importlib.import_module("sglang.kernels.ops.attention.decode_attention")
    k, v = sglang_cache(sequences, kv_heads, dtype)
    parts = (sequences, HEADS, SPLITS)
    ops.decode_attention_fwd(
        numbers(sequences, HEADS, k.shape[-1]), k, v, empty(sequences, HEADS, v.shape[-1]), starts(sequences, CONTEXT),
        places(sequences, CONTEXT).flatten().long(), empty(*parts, v.shape[-1], dtype="float32"),
        empty(*parts, dtype="float32"), lengths(sequences, SPLITS), SPLITS, k.shape[-1] ** -0.5, 1.0, 1.0,
        has_mla=kv_heads == 1,
    )  # fmt: skip


def sglang_extend(kv_heads: int, dtype: str, sequences: int = 4, count: int = 512) -> None:
    """New tokens of each sequence, over those before and themselves."""
    ops = importlib.import_module("sglang.kernels.ops.attention.extend_attention")
    k, v = sglang_cache(sequences, kv_heads, dtype)
    rows = sequences * count
    new_k, new_v = numbers(rows, kv_heads, k.shape[-1]), numbers(rows, kv_heads, v.shape[-1])
    ops.extend_attention_fwd(
        numbers(rows, HEADS, k.shape[-1]), new_k, new_v, empty(rows, HEADS, v.shape[-1]), k, v,
        starts(sequences, count), starts(sequences, CONTEXT), places(sequences, CONTEXT).flatten().long(), None, True,
        None, count, 1.0, 1.0,
    )  # fmt: skip


def sglang_unified(kv_heads: int, dtype: str, sequences: int = 4, count: int = 512) -> None:
    """New tokens of each sequence, which are in the cache already."""
    ops = importlib.import_module("sglang.kernels.ops.attention.extend_attention")
    k, v = sglang_cache(sequences, kv_heads, dtype)
    rows = sequences * count
    ops.extend_attention_fwd_unified(
        numbers(rows, HEADS, k.shape[-1]), empty(rows, HEADS, v.shape[-1]), k, v, 1.0, 1.0, starts(sequences, count),
        starts(sequences, CONTEXT), places(sequences, CONTEXT).flatten().long(), lengths(sequences, CONTEXT - count),
        count,
    )  # fmt: skip


def sglang_verify(kv_heads: int, dtype: str, sequences: int = 16, count: int = 4) -> None:
    """A few drafted tokens of each sequence, over parts of the cache."""
    name, run = ("verify_mla", "verify_shared_kv_fwd") if kv_heads == 1 else ("verify_splitkv", "verify_splitkv_fwd")
    ops = importlib.import_module(f"sglang.kernels.ops.attention.{name}")
    k, v = sglang_cache(sequences, kv_heads, dtype)
    rows = sequences * count
    new_k, new_v = numbers(rows, kv_heads, k.shape[-1]), numbers(rows, kv_heads, v.shape[-1])
    getattr(ops, run)(
        numbers(rows, HEADS, k.shape[-1]), new_k, new_v, empty(rows, HEADS, v.shape[-1]), k, v,
        starts(sequences, count), starts(sequences, CONTEXT), places(sequences, CONTEXT).flatten().long(), None, True,
        None, count, 1.0, 1.0,
    )  # fmt: skip


def sglang_sparse(dtype: str, tokens: int = 64, chosen: int = 2048) -> None:
    """Latent attention of each new token over chosen ones."""
    run = importlib.import_module("sglang.kernels.ops.attention.dsa.triton_sparse_mla").triton_sparse_mla_fwd
    run(
        numbers(tokens, HEADS, LATENT, dtype=dtype), numbers(tokens, HEADS, ROPE, dtype=dtype),
        numbers(16 * CONTEXT, 1, LATENT + ROPE, dtype=dtype), places(tokens, 1024).repeat(1, chosen // 1024)[:, None],
        (LATENT + ROPE) ** -0.5,
    )  # fmt: skip


def prefill(package: str, sequences: int = 4, count: int = 2048) -> None:
    """Attention of whole sequences, without a cache."""
    modules = {
        "vllm": "vllm.v1.attention.ops.triton_prefill_attention",
        "sglang": "sglang.kernels.ops.attention.prefill_attention",
    }
    rows = sequences * count
    importlib.import_module(modules[package]).context_attention_fwd(
        numbers(rows, HEADS, DIM), numbers(rows, KV_HEADS, DIM), numbers(rows, KV_HEADS, DIM), empty(rows, HEADS, DIM),
        starts(sequences, count)[:-1], lengths(sequences, count), count,
    )  # fmt: skip
