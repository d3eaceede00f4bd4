"""Cases of packages.py: layers of vLLM and SGLang but attention, through the functions that launch their kernels.

Mixtures of experts: 2 of 8, with 4096 and 3584 features. Linear layers: 4096 features, but as tuned for blocks of
scales.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from packages_arguments import FP8, empty, lengths, numbers, scales

EXPERTS, CHOSEN, HIDDEN, INNER = 8, 2, 4096, 3584
GROUP = 128
"""Weights that have a scale, along K; and blocks of weights, along N too."""
ROWS = (1, 16, 64, 1024)
"""Tokens in a batch, for linear layers and experts."""
WEIGHTS = {
    "bf16": ("bfloat16", "", ""),
    "fp8": (FP8, "fp8_w8a8", "tensor"),
    "fp8-channels": (FP8, "fp8_w8a8", "channel"),
    "fp8-blocks": (FP8, "fp8_w8a8", "block"),
    "int8-channels": ("int8", "int8_w8a8", "channel"),
    "int8-weights": ("uint8", "int8_w8a16", "group"),
    "int8-weights-zeros": ("uint8", "int8_w8a16", "group"),
    "int4-weights": ("uint8", "int4_w4a16", "group"),
    "int4-weights-zeros": ("uint8", "int4_w4a16", "group"),
}
"""Of experts: type of the weights as stored, what the packages call them, and what has a scale."""
SCALED = {
    "vllm": "vllm.model_executor.layers.quantization.compressed_tensors.triton_scaled_mm",
    "sglang": "sglang.kernels.ops.gemm.fp8_kernel",
}
"""Modules of `triton_scaled_mm`."""
BLOCKS = {
    ("vllm", FP8): ("vllm.model_executor.layers.quantization.utils.fp8_utils", "w8a8_triton_block_scaled_mm"),
    ("sglang", FP8): ("sglang.kernels.ops.gemm.fp8_kernel", "w8a8_block_fp8_matmul_triton"),
    ("sglang", "int8"): ("sglang.kernels.ops.gemm.int8_kernel", "w8a8_block_int8_matmul"),
}
"""Modules and names of functions for blocks of scales."""


def cases() -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and function of each case."""
    for kind in WEIGHTS:
        yield f"vllm:fused_moe:{kind}", partial(vllm_experts, kind)
        yield f"sglang:fused_moe:{kind}", partial(sglang_experts, kind)
    for kind in ("bf16", "fp8-channels", "fp8-blocks"):
        yield f"vllm:batched_moe:{kind}", partial(vllm_batched_experts, kind)
    for package in ("vllm", "sglang"):
        for dtype in (FP8, "int8"):
            yield f"{package}:scaled_mm:{dtype}", partial(scaled_mm, package, dtype)
    for package, dtype in BLOCKS:
        yield f"{package}:block_scaled_mm:{dtype}", partial(block_scaled_mm, package, dtype)
    yield "vllm:awq", awq
    yield "vllm:w4a16", w4a16


def weights(kind: str, n: int, k: int) -> tuple[Any, Any, Any]:
    """Weights of all experts, their scales and zero points."""
    dtype, name, scaled = WEIGHTS[kind]
    packed = 2 if "int4" in name else 1
    shapes = {
        "tensor": (EXPERTS,),
        "channel": (EXPERTS, n, 1),
        "block": (EXPERTS, n // GROUP, k // GROUP),
        "group": (EXPERTS, n, k // GROUP),
    }
    scale = scales(*shapes[scaled], dtype="bfloat16" if scaled == "group" else "float32") if scaled else None
    zeros = numbers(EXPERTS, n // packed, k // GROUP, dtype=dtype) if "zeros" in kind else None
    return numbers(EXPERTS, n, k // packed, dtype=dtype), scale, zeros


def blocks(kind: str) -> dict[str, Any]:
    """Blocks of weights that have a scale."""
    return {"block": {"block_shape": [GROUP, GROUP]}, "group": {"block_shape": [0, GROUP]}}.get(WEIGHTS[kind][2], {})


def routed(rows: int) -> tuple[Any, Any]:
    """Weights and numbers of the experts of each row."""
    import torch

    shares = torch.rand(rows, EXPERTS, device="cuda").softmax(-1).topk(CHOSEN)
    return shares.values, shares.indices.to(torch.int32)


def vllm_experts(kind: str) -> None:
    """Both products of a layer, and what is between them."""
    layers = "vllm.model_executor.layers.fused_moe"
    w1, s1, z1 = weights(kind, 2 * INNER, HIDDEN)
    w2, s2, z2 = weights(kind, HIDDEN, INNER)
    config = None
    if name := WEIGHTS[kind][1]:
        options = blocks(kind) | ({"w1_zp": z1, "w2_zp": z2} if z1 is not None else {})
        if WEIGHTS[kind][2] == "channel":
            options |= {"per_act_token_quant": True, "a1_scale": None, "a2_scale": None}
        if kind == "fp8-channels":
            options |= {"per_out_ch_quant": True}
        config = getattr(importlib.import_module(f"{layers}.config"), f"{name}_moe_quant_config")(
            w1_scale=s1, w2_scale=s2, **options
        )
    run = importlib.import_module(f"{layers}.fused_moe").fused_experts
    for rows in ROWS:
        if "int4" not in kind or rows * CHOSEN > 6 * EXPERTS:  # fewer rows are for a compiled kernel
            run(numbers(rows, HIDDEN), w1, w2, *routed(rows), quant_config=config)


def vllm_batched_experts(kind: str) -> None:
    """The first product of a layer whose tokens come sorted by experts."""
    from triton import language as tl

    experts = "vllm.model_executor.layers.fused_moe"
    launch = importlib.import_module(f"{experts}.experts.fused_batched_moe").invoke_moe_batched_triton_kernel
    configure = importlib.import_module(f"{experts}.fused_moe").get_default_config
    dtype, name, scaled = WEIGHTS[kind]
    weight, scale, _ = weights(kind, 2 * INNER, HIDDEN)
    for rows in ROWS:
        config = configure(rows, EXPERTS, INNER, HIDDEN, CHOSEN, name or None, blocks(kind).get("block_shape"))
        parts = {"channel": 1, "block": HIDDEN // GROUP}
        launch(
            numbers(EXPERTS, rows, HIDDEN, dtype=dtype), weight, empty(EXPERTS, rows, 2 * INNER),
            lengths(EXPERTS, rows), tl.bfloat16, scales(EXPERTS, rows, parts[scaled]) if scaled else None, scale, None,
            name == "fp8_w8a8", False, False, config, scaled == "channel", **blocks(kind),
        )  # fmt: skip


def sglang_tile(kind: str, rows: int) -> dict[str, int]:
    """The tile that SGLang chooses if it has none that was tuned."""
    names = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M")
    if WEIGHTS[kind][2] == "block":
        return dict(zip(names, (64, GROUP, GROUP, 32), strict=True)) | {"num_warps": 4, "num_stages": 3}
    return dict(zip(names, (16, 32, 64, 1) if rows <= EXPERTS else (64, 64, 32, 8), strict=True))


def sglang_experts(kind: str) -> None:
    """Both products of a layer."""
    import torch
    from triton import language as tl

    launch = importlib.import_module("sglang.kernels.ops.moe.fused_moe_triton_kernels").invoke_fused_moe_kernel
    align = importlib.import_module("sglang.test.kernels.moe_align").moe_align_block_size_triton
    dtype, name, scaled = WEIGHTS[kind]
    layers = weights(kind, 2 * INNER, HIDDEN), weights(kind, HIDDEN, INNER)
    flags = {f"use_{each}": each == name for each in ("fp8_w8a8", "int8_w8a8", "int8_w8a16", "int4_w4a16")}
    for rows in ROWS:
        shares, chosen = routed(rows)
        config = sglang_tile(kind, rows)
        block = config["BLOCK_SIZE_M"]
        most = rows * CHOSEN + EXPERTS * (block - 1)
        order = torch.full((most,), rows * CHOSEN, device="cuda", dtype=torch.int32)
        experts, count = lengths(-(-most // block), 0), lengths(1, 0)
        align(chosen, EXPERTS, block, order, experts, count)
        for down, (weight, scale, zeros) in enumerate(layers):
            k, n = (INNER, HIDDEN) if down else (HIDDEN, 2 * INNER)
            a = numbers(rows * (CHOSEN if down else 1), k, dtype=dtype if scaled == "block" else "bfloat16")
            launch(
                a, weight, None, empty(rows, CHOSEN, n), scales(len(a), k // GROUP) if scaled == "block" else None,
                scale, zeros, shares, chosen, order, experts, count, bool(down), 1 if down else CHOSEN, config,
                tl.bfloat16, **flags, per_channel_quant=scaled == "channel", **blocks(kind),
            )  # fmt: skip


def scaled_mm(package: str, dtype: str, n: int = 4096, k: int = 4096) -> None:
    """A linear layer of bytes with a scale for each row and column."""
    import torch

    run, weight = importlib.import_module(SCALED[package]).triton_scaled_mm, numbers(n, k, dtype=dtype)
    for rows in ROWS:
        run(numbers(rows, k, dtype=dtype), weight.t(), scales(rows, 1), scales(n, 1), torch.bfloat16)


def block_scaled_mm(package: str, dtype: str, n: int = 1536, k: int = 7168) -> None:
    """A linear layer of bytes with a scale for each block."""
    import torch

    module, name = BLOCKS[package, dtype]
    run, weight = getattr(importlib.import_module(module), name), numbers(n, k, dtype=dtype)
    for rows in ROWS:
        a, scale = numbers(rows, k, dtype=dtype), scales(rows, k // GROUP)
        run(a, weight, scale, scales(n // GROUP, k // GROUP), [GROUP, GROUP], torch.bfloat16)


def awq(n: int = 4096, k: int = 4096) -> None:
    """A linear layer of weights packed as by AWQ."""
    ops = importlib.import_module("vllm.model_executor.layers.quantization.awq_triton")
    weight, zeros = numbers(k, n // 8, dtype="int32"), numbers(k // GROUP, n // 8, dtype="int32")
    scale = scales(k // GROUP, n, dtype="float16")
    for rows in ROWS:
        ops.awq_gemm_triton(numbers(rows, k, dtype="float16"), weight, scale, zeros, 8)
    ops.awq_dequantize_triton(weight, scale, zeros)


def w4a16(n: int = 4096, k: int = 4096) -> None:
    """A linear layer of weights packed as by GPTQ."""
    run = importlib.import_module("vllm.model_executor.kernels.linear.mixed_precision.triton_w4a16").triton_w4a16_gemm
    weight, scale = numbers(k, n // 8, dtype="int32"), scales(k // GROUP, n, dtype="bfloat16")
    for rows in ROWS:
        for zeros in (None, numbers(k // GROUP, n // 8, dtype="int32")):
            run(numbers(rows, k), weight, scale, zeros, GROUP)
