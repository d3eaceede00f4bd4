"""Cases of packages.py: low-rank adapters of vLLM and SGLang.

4 adapters of rank 16 for a layer with 4096 features; tokens come sorted by adapter.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from packages_arguments import FP8, empty, lengths, numbers, scales, starts
from packages_formats import sorted_tokens
from packages_layers import CHOSEN, EXPERTS, HIDDEN, INNER

ADAPTERS, RANK = 4, 16
ROWS = (4, 64, 512)
"""Tokens in a batch."""
HEADS, LATENT, PER_HEAD = 16, 512, 128
"""Of latent attention: heads, dims that its adapter expands, and dims of a head's keys and of its values."""
VLLM, SGLANG = "vllm.lora.ops.triton_ops", "sglang.kernels.ops.lora.dense"


def cases() -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and function of each case."""
    for cache, dtype in (("bf16", "bfloat16"), ("fp8", FP8)):
        yield f"vllm:lora:{cache}", partial(vllm, dtype)
    yield "vllm:moe_lora", experts
    for name in ("dense", "chunked", "latent"):
        yield f"sglang:lora:{name}", partial(sglang, name)


def vllm(dtype: str) -> None:
    """Both products of an adapter for queries, keys and values; in fp8, with a scale for each tensor."""
    import torch

    meta = importlib.import_module(f"{VLLM}.lora_kernel_metadata").LoRAKernelMeta
    quantised = dtype == FP8
    ending = "_fp8" if quantised else ""
    shrink = getattr(importlib.import_module(f"{VLLM}.lora_shrink{ending}_op"), f"_lora_shrink{ending}")
    expand = getattr(importlib.import_module(f"{VLLM}.lora_expand{ending}_op"), f"_lora_expand{ending}")
    down = [numbers(ADAPTERS, RANK, HIDDEN, dtype=dtype) for _ in range(3)]
    up = [numbers(ADAPTERS, HIDDEN, RANK, dtype=dtype) for _ in range(3)]
    for rows in ROWS:
        sorted_by = meta.make(ADAPTERS, rows, "cuda")
        adapters = torch.arange(ADAPTERS, device="cuda").repeat_interleave(rows // ADAPTERS).int()
        sorted_by.prepare_tensors(adapters)
        places = list(sorted_by.meta_args(rows, False))
        options: dict[str, Any] = {}
        if quantised:  # launches with a number of adapters where others take a tensor
            places[-1] = ADAPTERS + 1
            options = {"a_scale": scales(1), "b_scale": [scales(ADAPTERS) for _ in range(3)], "use_fp8_w8a8": True}
        between = empty(3, rows, RANK, dtype="float32")
        shrink(numbers(rows, HIDDEN, dtype=dtype), down, between, *places, 0.5, **options)
        inner = numbers(3, rows, RANK, dtype=dtype) if quantised else between
        expand(inner, up, empty(rows, 3 * HIDDEN), *places, add_inputs=True, **options)


def experts(block: int = 16) -> None:
    """Both products of one adapter of a mixture of experts, for gates and what they gate."""
    import torch

    run = importlib.import_module(f"{VLLM}.fused_moe_lora_op")._fused_moe_lora
    down = [numbers(1, EXPERTS, RANK, HIDDEN) for _ in range(2)]
    up = [numbers(1, EXPERTS, INNER, RANK) for _ in range(2)]
    tile = {"block_size_m": block, "group_size_m": 1, "num_warps": 4, "num_stages": 3, "split_k": 1}
    tiles = {f"shrink_{name}": each for name, each in (tile | {"block_size_n": 16, "block_size_k": 128}).items()}
    tiles |= {f"expand_{name}": each for name, each in (tile | {"block_size_n": 128, "block_size_k": 32}).items()}
    for rows in ROWS:
        shares, order = sorted_tokens(rows, block)
        adapter, is_enabled = lengths(1, 0), lengths(2, 1)  # its number, and whether each is in use
        run(
            empty(rows, CHOSEN, 2 * INNER), numbers(rows, HIDDEN), down, up, shares,
            *(each.view(1, -1) for each in order[:2]), order[2], lengths(rows, 0), RANK, CHOSEN, adapter,
            torch.ones(1, dtype=torch.int32), is_enabled, **tiles,
        )  # fmt: skip


def batch(rows: int) -> Any:
    """SGLang's description of a batch: as many tokens of each adapter."""
    import torch

    info = importlib.import_module("sglang.srt.lora.utils").LoRABatchInfo
    count = rows // ADAPTERS
    return info(
        use_cuda_graph=False, bs=ADAPTERS, num_segments=ADAPTERS, seg_indptr=starts(ADAPTERS, count),
        weight_indices=torch.arange(ADAPTERS, device="cuda", dtype=torch.int32), lora_ranks=lengths(ADAPTERS, RANK),
        scalings=scales(ADAPTERS), max_len=max(count, 16), seg_lens=lengths(ADAPTERS, count),
        permutation=torch.arange(rows, device="cuda", dtype=torch.int32),
    )  # fmt: skip


def sglang(name: str) -> None:
    """All products of one of SGLang's ways to apply adapters."""
    for rows in ROWS:
        {"dense": dense, "chunked": chunked, "latent": latent}[name](rows, batch(rows))


def dense(rows: int, info: Any) -> None:
    """Adapters of one layer, of queries, keys and values, and of a gate and what it gates."""
    a, b, qkv, gate = (
        importlib.import_module(f"{SGLANG}.{name}")
        for name in ("sgemm_lora_a", "sgemm_lora_b", "qkv_lora_b", "gate_up_lora_b")
    )
    x = numbers(rows, HIDDEN)
    b.sgemm_lora_b_fwd(
        a.sgemm_lora_a_fwd(x, numbers(ADAPTERS, RANK, HIDDEN), info), numbers(ADAPTERS, HIDDEN, RANK), info
    )
    inner = a.sgemm_lora_a_fwd(x, numbers(ADAPTERS, 3 * RANK, HIDDEN), info, 3)
    qkv.qkv_lora_b_fwd(inner, numbers(ADAPTERS, 3 * HIDDEN, RANK), info, starts(3, HIDDEN), HIDDEN)
    inner = a.sgemm_lora_a_fwd(x, numbers(ADAPTERS, 2 * RANK, HIDDEN), info, 2)
    gate.gate_up_lora_b_fwd(inner, numbers(ADAPTERS, 2 * HIDDEN, RANK), info, HIDDEN)


def chunked(rows: int, info: Any) -> None:
    """Adapters of queries, keys and values, by chunks of tokens."""
    shrink, expand = (importlib.import_module(f"{SGLANG}.chunked_sgmv_{name}") for name in ("shrink", "expand"))
    inner = shrink.chunked_sgmv_lora_shrink_forward(numbers(rows, HIDDEN), numbers(ADAPTERS, 3 * RANK, HIDDEN), info, 3)
    expand.chunked_sgmv_lora_expand_forward(
        inner, numbers(ADAPTERS, 3 * HIDDEN, RANK), info, starts(3, HIDDEN), HIDDEN, None
    )


def latent(rows: int, info: Any) -> None:
    """The adapter of what expands latent keys and values, applied to queries and results instead."""
    ops = importlib.import_module(f"{SGLANG}.kv_b_lora_absorbed")
    a, b = numbers(ADAPTERS, RANK, LATENT), numbers(ADAPTERS, HEADS * 2 * PER_HEAD, RANK)
    q = ops.step_a_q_fwd(numbers(rows, HEADS, PER_HEAD), b, info, 2 * PER_HEAD)
    ops.step_b_q_fwd(q, a, info, empty(rows, HEADS, LATENT))
    v = ops.step_a_v_fwd(numbers(rows, HEADS, LATENT), a, info)
    ops.step_b_v_fwd(v, b, info, empty(rows, HEADS, PER_HEAD), PER_HEAD, PER_HEAD)
