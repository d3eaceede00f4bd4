"""Kernels of other packages, as these launch them: results and times of dotload's version beside stock Triton's.

    pip install fla-core gemlite sageattention     # or vllm, or sglang: each pins its own PyTorch
    python bench/packages.py                       # needs an NVIDIA GPU and PyTorch
    python bench/packages.py --only 'fla:.*f32'
    python bench/packages.py --only '^(vllm|sglang):'

fla-core: linear attention in its forms, forwards and backwards, in tf32 and bf16. gemlite: linear layers with quantised
weights and activations, for 1 to 256 rows. sageattention: attention in int8. vLLM and SGLang: attention over caches of
bf16, fp8, int8 and int4, of all tokens or chosen ones, latent attention, mixtures of experts, quantised linear layers,
layers that keep a state, adapters. Cases run in processes of their own, `JOBS` at a time; one of them at a time
measures. Of an autotuned kernel's configurations, `--configs` are tried. See `python -m dotload --compare` for how
kernels are compared.
"""

from __future__ import annotations

import argparse
import fcntl
import importlib
import inspect
import math
import re
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import packages_attention
import packages_formats
import packages_layers
import packages_lora
import packages_sparse
import packages_states
from compile_jobs import worker_count

import dotload
from dotload.tools import compare

LOCK = Path(tempfile.gettempdir()) / "dotload-packages.lock"
"""Held by the process that measures."""
BATCH, TOKENS, HEADS, DIM = 2, 1024, 4, 64
"""Of the problems of fla-core."""
FLA = (
    "chunk_gla", "chunk_retention", "chunk_simple_gla", "chunk_delta_rule", "chunk_gated_delta_rule", "chunk_rwkv6",
    "chunk_rwkv7", "chunk_gsa", "chunk_abc", "chunk_kda", "chunk_comba", "parallel_attn", "parallel_forgetting_attn",
    "parallel_path_attn", "parallel_based", "parallel_rebased", "chunk_ttt_linear", "chunk_mesa_net",
    "chunk_log_linear_attn", "chunk_dplr_delta_rule", "chunk_gated_oja_rule", "parallel_simple_gla",
)  # fmt: skip
GEMLITE = (
    "A16W8_INT8", "A16W8_FP8", "A16W8_MXFP", "A16W4_MXFP", "A16W4_NVFP", "A8W8_int8_dynamic", "A8W8_fp8_dynamic",
    "A8W8_MXFP_dynamic", "A8W4_MXFP_dynamic", "A16W4_HQQ_INT", "A16W2_HQQ_INT", "A16W8_HQQ_INT", "A8W4_HQQ_INT_dynamic",
)  # fmt: skip
BY_CHANNEL = ("chunk_gla", "chunk_gsa", "chunk_kda")
"""Functions whose gates have a number for each channel, not for each head."""


def cases() -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and function of each case."""
    for dtype in ("f32", "bf16"):
        for name in FLA:
            yield f"fla:{name}:{dtype}", partial(run_fla, name, dtype)
    for name in GEMLITE:
        yield f"gemlite:{name}", partial(run_gemlite, name)
    yield from packages_attention.cases()
    yield from packages_layers.cases()
    yield from packages_states.cases()
    yield from packages_sparse.cases()
    yield from packages_lora.cases()
    yield from packages_formats.cases()
    for causal in (False, True):
        yield f"sageattention:{'causal' if causal else 'full'}", partial(run_sageattention, causal)


def run_fla(name: str, dtype: str) -> None:
    """One function, and its gradient."""
    import torch

    function = found(name)
    values = arguments(name, torch.float32 if dtype == "f32" else torch.bfloat16)
    outputs = function(**{each: values[each] for each in inspect.signature(function).parameters if each in values})
    first = outputs[0] if isinstance(outputs, tuple) else outputs
    first.float().square().mean().backward()


def found(name: str) -> Any:
    """A function of fla.ops, or of one of its packages."""
    ops = importlib.import_module("fla.ops")
    if hasattr(ops, name):
        return getattr(ops, name)
    stem = re.sub(r"^(chunk|parallel)_", "", name)
    return getattr(importlib.import_module(f"fla.ops.{stem}"), name)


def arguments(name: str, dtype: Any) -> Mapping[str, Any]:
    """Random arguments by their names in fla-core."""
    import torch
    from torch.nn import functional

    heads = (BATCH, TOKENS, HEADS)

    def normal(*shape: int) -> Any:
        return torch.randn(*shape, device="cuda", dtype=dtype).requires_grad_()

    def unit(*shape: int) -> Any:
        return functional.normalize(torch.randn(*shape, device="cuda"), dim=-1).to(dtype).requires_grad_()

    def gate(*shape: int) -> Any:
        return (functional.logsigmoid(torch.randn(*shape, device="cuda")) / 16).to(dtype).requires_grad_()

    def share(*shape: int) -> Any:
        return torch.rand(*shape, device="cuda").sigmoid().to(dtype).requires_grad_()

    values = {each: unit(*heads, DIM) for each in ("q", "k", "r", "p", "w")}
    values |= {each: gate(*heads, DIM) for each in ("gk", "gv")} | {"v": normal(*heads, DIM), "s": normal(*heads, DIM)}
    values |= {"beta": share(*heads), "u": normal(HEADS, DIM), "lamb": share(HEADS, DIM), "scale": DIM**-0.5}
    levels = math.ceil(math.log2(TOKENS)) + 1
    values |= {"level_scales": share(*heads, levels), "eta": share(*heads, 1).detach().mul(5e-3).requires_grad_()}
    key = unit(*heads, DIM).detach()
    values |= {"a": (-key).requires_grad_(), "b": (key / 2).requires_grad_()}
    if name != "parallel_attn":
        values["g"] = gate(*heads, DIM) if name in BY_CHANNEL else gate(*heads)
    if "rwkv" in name:
        values["w"] = gate(*heads, DIM)
    if "ttt" in name:
        values |= {"w": normal(HEADS, DIM), "b": normal(HEADS, DIM)}
    return values


def run_gemlite(name: str, rows: tuple[int, ...] = (1, 8, 32, 256), size: int = 4096) -> None:
    """A linear layer, with one batch after the other."""
    import torch

    maker = getattr(importlib.import_module("gemlite.helper"), name)(device="cuda", dtype=torch.float16)
    if "HQQ" in name:
        bits = int(name[name.index("W") + 1])
        weights = torch.randint(0, 1 << bits, (size, size), device="cuda", dtype=torch.uint8)
        scales = torch.rand(size * size // 128, 1, device="cuda", dtype=torch.float16) / 100
        layer = maker.from_weights(weights, scales, torch.full_like(scales, 1 << (bits - 1)))
    else:
        layer = maker.from_linear(torch.nn.Linear(size, size, bias=False, device="cuda", dtype=torch.float16))
    for count in rows:
        layer(torch.randn(count, size, device="cuda", dtype=torch.float16) / 10)


def run_sageattention(causal: bool) -> None:
    """Attention with 16 heads of 128."""
    import torch

    q, k, v = (torch.randn(2, 16, 4096, 128, device="cuda", dtype=torch.float16) for _ in range(3))
    importlib.import_module("sageattention").sageattn(q, k, v, is_causal=causal)


def run_case(configs: int, name: str) -> tuple[str, compare.Comparison, str]:
    """One case in a process of its own; returns what was compared, and the error that ended it early."""
    import torch

    torch.manual_seed(0)
    limit_autotuning(configs)
    measure_alone()
    dotload.enable()
    error = ""
    with compare.comparing() as comparison:
        try:
            dict(cases())[name]()
            torch.cuda.synchronize()
        except Exception as caught:  # of the package: dtypes that it does not take, or no such package
            error = f"{type(caught).__name__}: {' '.join(str(caught).split())[:100]}"
    return name, comparison, error


def limit_autotuning(configs: int) -> None:
    """Let the autotuner try this many of a kernel's configurations, of those that the kernel's own rule leaves."""
    tuner = importlib.import_module("triton.runtime.autotuner").Autotuner
    prune = tuner.prune_configs

    def with_few(self: Any, *values: Any) -> list[Any]:
        left = list(prune(self, *values))
        step = max(1, (len(left) - 1) // max(1, configs - 1))
        return left[::step][:configs]

    tuner.prune_configs = with_few


def measure_alone() -> None:
    """Let one process at a time compare."""
    compare_one = compare.compare

    def locked(*values: Any) -> compare.Compared:
        with LOCK.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return compare_one(*values)

    compare.compare = locked


def report(name: str, comparison: compare.Comparison, error: str) -> None:
    """The table of a case."""
    print(f"\n{name}" + (f" ended early: {error}" if error else ""))
    print(comparison.table(), flush=True)


def main() -> None:
    """Run the cases and print a table of each, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a regular expression that a case's name has a match of")
    parser.add_argument("--configs", type=int, default=2, help="configurations of each autotuned kernel")
    options = parser.parse_args()
    names = [name for name, _ in cases() if re.search(options.only, name)]
    changed: list[compare.Compared] = []
    kernels = 0
    with ProcessPoolExecutor(worker_count(), mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for name, comparison, error in pool.map(partial(run_case, options.configs), names):
            report(name, comparison, error)
            changed += [each for found in comparison.compared.values() for each in found]
            kernels += len(comparison.compared.keys() | comparison.unchanged)
    speeds = [each.speed for each in changed if each.speed is not None]
    equal, differing = sum(each.difference == 0 for each in changed), sum(bool(each.difference) for each in changed)
    own = sum(bool(each.of_stock) for each in changed)
    mean = statistics.geometric_mean(speeds or [1])
    print(f"\n{kernels} kernels; dotload changes {len(changed)} variants: {mean:.2f} times stock's speed")
    print(f"results: {equal} equal, {differing} differ, of which {own} also between two runs of stock's")


if __name__ == "__main__":
    main()
