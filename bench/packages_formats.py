"""Cases of packages.py: products of vLLM and SGLang with microscaled and 4-bit weights, and products in a fixed order.

Mixtures of experts as in packages_layers.py.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from packages_arguments import FP8, empty, exponents, numbers, scales
from packages_layers import CHOSEN, EXPERTS, HIDDEN, INNER, ROWS, routed

MICROSCALED = "vllm.model_executor.layers.fused_moe.experts"
INVARIANT = {
    "vllm": "vllm.model_executor.determinism.batch_invariant",
    "sglang": "sglang.srt.batch_invariant_ops.batch_invariant_ops",
}
"""Modules of products whose sums have the same order for any batch."""


def cases() -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and function of each case."""
    yield "vllm:microscaled_moe:mxfp8", mxfp8
    yield "vllm:microscaled_moe:nvfp4", nvfp4
    yield "vllm:matmul_ogs:mxfp4", matmul_ogs
    for package in INVARIANT:
        for dtype in ("bfloat16", "float32"):
            yield f"{package}:batch_invariant:{dtype}", partial(batch_invariant, package, dtype)


def sorted_tokens(rows: int, block: int) -> tuple[Any, tuple[Any, Any, Any]]:
    """Weights of the experts of each row, and the rows sorted by experts."""
    align = importlib.import_module("vllm.model_executor.layers.fused_moe.moe_align_block_size").moe_align_block_size
    shares, experts = routed(rows)
    return shares, align(experts, block, EXPERTS)


def mxfp8(block: int = 64) -> None:
    """The first product of a layer whose weights and activations have a scale for 32 numbers."""
    import torch

    launch = importlib.import_module(f"{MICROSCALED}.mxfp8_native_moe")._grouped_gemm_mxfp8
    weight, scale = numbers(EXPERTS, 2 * INNER, HIDDEN, dtype=FP8), exponents(EXPERTS, 2 * INNER, HIDDEN // 32)
    for rows in ROWS:
        _, order = sorted_tokens(rows, block)
        launch(
            numbers(rows, HIDDEN, dtype=FP8), exponents(rows, HIDDEN // 32), weight, scale, *order, rows * CHOSEN,
            CHOSEN, block, torch.bfloat16, CHOSEN,
        )  # fmt: skip


def nvfp4() -> None:
    """The first product of a layer whose weights have 4 bits and a scale for 16 numbers."""
    import torch
    from triton import language as tl

    launch = importlib.import_module(f"{MICROSCALED}.nvfp4_emulation_moe").invoke_fused_moe_nvfp4_emulation_kernel
    configure = importlib.import_module("vllm.model_executor.layers.fused_moe.fused_moe").get_default_config
    weight = numbers(EXPERTS, 2 * INNER, HIDDEN // 2, dtype="uint8")
    scale = scales(EXPERTS, 2 * INNER, HIDDEN // 16, dtype=FP8).view(torch.uint8)
    for rows in ROWS:
        config = configure(rows, EXPERTS, INNER, HIDDEN, CHOSEN, None)
        shares, order = sorted_tokens(rows, config["BLOCK_SIZE_M"])
        launch(
            numbers(rows, HIDDEN), weight, empty(rows, CHOSEN, 2 * INNER), scale, scales(EXPERTS), scales(EXPERTS),
            shares, *order, False, CHOSEN, config, tl.bfloat16,
        )  # fmt: skip


def matmul_ogs() -> None:
    """Products of each expert's tokens with weights of 4 bits, laid out as for this GPU."""
    importlib.import_module("vllm.utils.import_utils").import_triton_kernels()
    swizzle = importlib.import_module("vllm.model_executor.layers.quantization.utils.mxfp4_utils")._swizzle_mxfp4
    ops = importlib.import_module("triton_kernels.matmul_ogs")
    weight, flex, scale = swizzle(
        numbers(EXPERTS, 2 * INNER, HIDDEN // 2, dtype="uint8"), exponents(EXPERTS, 2 * INNER, HIDDEN // 32)
    )
    config = ops.PrecisionConfig(weight_scale=scale, flex_ctx=ops.FlexCtx(rhs_data=flex))
    for rows in ROWS:
        ops.matmul_ogs(numbers(EXPERTS, rows, HIDDEN), weight, None, precision_config=config)


def batch_invariant(package: str, dtype: str, n: int = 4096, k: int = 4096) -> None:
    """A linear layer, and a product of batches."""
    ops = importlib.import_module(INVARIANT[package])
    weight = numbers(n, k, dtype=dtype)
    for rows in ROWS:
        ops.matmul_persistent(numbers(rows, k, dtype=dtype), weight.t())
    ops.bmm_batch_invariant(numbers(8, 512, 512, dtype=dtype), numbers(8, 512, 512, dtype=dtype))
