"""Cases of packages.py: layers of vLLM and SGLang that keep a state instead of a cache, over one sequence.

2048 tokens; 16 heads of 128, or as in Mamba 2.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial

from packages_arguments import empty, lengths, numbers, scales, starts

RECURRENT = {
    "vllm:lightning_attention": "vllm.model_executor.layers.lightning_attn:lightning_attention",
    "vllm:chunk_gated_delta_rule": "vllm.third_party.flash_linear_attention.ops:chunk_gated_delta_rule",
    "vllm:chunk_kda": "vllm.third_party.flash_linear_attention.ops.kda:chunk_kda",
    "vllm:kimi_kda": "vllm.models.kimi_k3.nvidia.ops.third_party.kda.chunk:chunk_kda",
    "sglang:lightning_attention": "sglang.kernels.ops.attention.linear.lightning_attn:lightning_attention",
    "sglang:chunk_gated_delta_rule": "sglang.kernels.ops.attention.fla.chunk:chunk_gated_delta_rule",
    "sglang:chunk_kda": "sglang.kernels.ops.attention.fla.kda:chunk_kda",
}
"""Cases of attention with a state, and their modules and functions. chunk_kda has a gate for each channel."""
MAMBA = (64, 64, 8, 128)
"""Heads, dims, groups and states of Mamba 2."""


def cases() -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and function of each case."""
    for name in RECURRENT:
        yield name, partial(recurrent, name)
    yield "vllm:mamba", vllm_mamba
    yield "sglang:mamba", sglang_mamba
    for dtype in ("bfloat16", "float32"):
        yield f"sglang:segmented_linear_attention:{dtype}", partial(segmented, dtype)


def recurrent(case: str, rows: int = 2048, heads: int = 16, dim: int = 128) -> None:
    """Attention with a state of 128 by 128 in place of a cache, over one sequence."""
    import torch
    from torch.nn import functional

    module, name = RECURRENT[case].split(":")
    run = getattr(importlib.import_module(module), name)
    if name == "lightning_attention":
        run(*(numbers(1, heads, rows, dim, dtype="float32") for _ in range(3)), scales(heads))
        return
    q, k = (functional.normalize(numbers(1, rows, heads, dim), dim=-1) for _ in range(2))
    gate = functional.logsigmoid(numbers(1, rows, heads, *([dim] if name == "chunk_kda" else []), dtype="float32"))
    states = {"initial_state": torch.zeros(1, heads, dim, dim, device="cuda")}
    if case.startswith("sglang"):
        states["initial_state_indices"] = lengths(1, 0)
    beta = numbers(1, rows, heads, dtype="float32").sigmoid()
    run(q, k, numbers(1, rows, heads, dim), gate, beta, cu_seqlens=starts(1, rows).long(), **states)


def vllm_mamba(rows: int = 2048, chunk: int = 256) -> None:
    """The state space model of Mamba 2, over one sequence."""
    import torch

    run = importlib.import_module("vllm.model_executor.layers.mamba.ops.ssd_combined").mamba_chunk_scan_combined_varlen
    heads, dim, groups, states = MAMBA
    run(
        numbers(rows, heads, dim), numbers(rows, heads), -scales(heads), numbers(rows, groups, states),
        numbers(rows, groups, states), chunk, starts(1, rows), starts(rows // chunk, chunk),
        lengths(1, rows // chunk - 1), lengths(rows // chunk, 0), empty(rows, heads, dim), D=scales(heads),
        dt_bias=scales(heads), dt_softplus=True, state_dtype=torch.float32,
    )  # fmt: skip


def sglang_mamba(rows: int = 2048, chunk: int = 256) -> None:
    """The state space model of Mamba 2."""
    run = importlib.import_module("sglang.kernels.ops.mamba.triton_ops.ssd_combined").mamba_chunk_scan_combined
    heads, dim, groups, states = MAMBA
    run(
        numbers(1, rows, heads, dim), numbers(1, rows, heads), -scales(heads), numbers(1, rows, groups, states),
        numbers(1, rows, groups, states), chunk, D=scales(heads), dt_bias=scales(heads), dt_softplus=True,
        out=empty(1, rows, heads, dim), return_final_states=True,
    )  # fmt: skip


def segmented(dtype: str, rows: int = 2048, heads: int = 16, dim: int = 128) -> None:
    """Linear attention whose state decays, over parts of the dims of keys and values."""
    ops = importlib.import_module("sglang.kernels.ops.attention.linear.seg_la")
    meta = ops.SegLaMeta(
        batch_size=1, max_q_length=rows, q_offsets=starts(1, rows), s_offsets=lengths(1, 0), q_lengths=lengths(1, rows),
        s_scales=lengths(1, 0),
    )  # fmt: skip
    q, k, v = (numbers(rows, heads, dim, dtype=dtype) for _ in range(3))
    ops.seg_la_fwd(q, k, v, empty(1, heads, dim, dim, dtype="float32"), scales(heads), meta)
