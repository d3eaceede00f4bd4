"""Generated loops on a GPU: does dotload's kernel write what stock Triton's does?

    python test/fuzz/gpu_results.py --seconds 300 --seed 1     # needs a Hopper GPU and PyTorch
    python test/fuzz/gpu_results.py --seed 4711 --cases 1

The kernels are those of the fuzzers (`written_*.py`). Each is launched as one block, from the same random memory by
stock Triton and with dotload, and all its arguments are compared afterwards. If they differ, stock's kernel without
pipelined loops, assembled by a newer ptxas, shows which of both is wrong. Several processes share the GPU; one whose
kernel fails ends.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

import torch
import triton
import written_caches
import written_kernels
import written_loops
import written_scales
import written_weights
from ahead_of_time import source
from gemm import relative_difference
from triton import knobs
from triton.backends.compiler import GPUTarget

import dotload

SIZES = {"M": 4096, "N": 4096, "R": 4096, "L": 512, "K": 512, "T": 16, "am": 512, "bn": 512}
"""Arguments; their products stay within ELEMENTS for all of the T tiles along M and N."""
ELEMENTS = 1 << 24
"""Of a pointer. Of results, written_loops.py stores more beside them, 65536 for each of T tiles."""
ROUNDING = 0.02
"""Results differ if the norm of their difference is larger, relative to stock's: sums of rounded 8-bit numbers."""
LARGE = 128 * 128
"""Of larger tiles, 4 warps spill so much that ptxas takes a minute."""
PATIENCE = 60
"""Seconds that a kernel may take beyond the end."""
TYPES = {
    "*fp8e4nv": torch.float8_e4m3fn,
    "*fp8e5": torch.float8_e5m2,
    "*fp16": torch.float16,
    "*bf16": torch.bfloat16,
    "*fp32": torch.float32,
}
INTEGERS = {"*i8": torch.int8, "*u8": torch.uint8, "*i32": torch.int32}
WRITERS = (
    partial(written_loops.write, capability=90),
    written_scales.write,
    written_weights.write,
    written_caches.write,
)
WEIGHTS = (4, 1, 3, 3)
"""How often a writer is taken."""


@dataclass(frozen=True)
class Generated:
    """A kernel: its source, the types of its pointers, its constants, and launch options."""

    text: str
    types: dict[str, str]
    constants: dict[str, Any]
    options: dict[str, int]

    @staticmethod
    def of(seed: int) -> Generated:
        """The kernel of this seed."""
        random = Random(seed)
        text, types, constants = random.choices(WRITERS, WEIGHTS)[0](random)
        is_large = constants["BM"] * max(constants["BN"], constants.get("VD", 0)) > LARGE
        options = {"num_warps": 8 if is_large else random.choice((4, 8)), "num_stages": random.choice((1, 2, 3, 4))}
        return Generated(text.replace("tl.device_print('i', i)", "pass"), types, constants, options)

    def __str__(self) -> str:
        return f"{self.types} {self.constants} {self.options}\n{self.text}"

    def compile(self, *, with_dotload: bool) -> Any:
        """The compiled kernel."""
        made = source(written_kernels.jitted(self.text, "generated"), self.types, self.constants)
        if not with_dotload:
            return triton.compile(made, GPUTarget("cuda", 90, 32), self.options)
        with dotload.enabled():
            return triton.compile(made, GPUTarget("cuda", 90, 32), self.options)

    def compile_safely(self) -> Any:
        """Stock's kernel without pipelined or flattened loops, by the wheel's newest ptxas."""
        text = re.sub(r"num_stages=\d", "num_stages=1", self.text).replace("flatten=True", "flatten=False")
        plain = replace(self, text=text, options={**self.options, "num_stages": 1})
        with knobs.compilation.scope(), knobs.nvidia.scope():
            knobs.compilation.always_compile = True
            knobs.nvidia.ptxas = knobs.nvidia.ptxas_blackwell.path
            return plain.compile(with_dotload=False)

    def run(self, handle: Any) -> dict[str, Any]:
        """All pointers' memory after a launch."""
        names = written_kernels.jitted(self.text, "generated").arg_names
        memory = {name: memory_of(name, kind) for name, kind in self.types.items()}
        values = {**memory, **self.constants}
        handle[(1, 1, 1)](*(values.get(name, SIZES.get(name)) for name in names))
        torch.cuda.synchronize()
        return memory


def memory_of(name: str, kind: str) -> Any:
    """Memory for a pointer: scales and flags (`f`, `s`, `t`) are at least 1, indices below 256; `c` is written, and `w`
    is any bits."""
    generator = torch.Generator(device="cuda").manual_seed(sum(map(ord, name)))
    if name == "w" and kind in INTEGERS:
        bits = torch.randint(0, 256, (4 * ELEMENTS,), device="cuda", generator=generator, dtype=torch.uint8)
        return bits.view(INTEGERS[kind])
    if kind == "*i32":
        index = torch.randint(0, 256, (ELEMENTS >> 8,), device="cuda", generator=generator, dtype=torch.int32)
        index[0], index[1] = 1, 0  # the number of a tile, or of k to sum
        return index
    if kind == "*u8":  # scales of microscaled numbers
        return torch.randint(122, 130, (ELEMENTS,), device="cuda", generator=generator, dtype=torch.uint8)
    if kind == "*i8":
        return torch.randint(-128, 128, (ELEMENTS,), device="cuda", generator=generator, dtype=torch.int8)
    if name in ("f", "s", "t"):
        return (1 + torch.rand(ELEMENTS >> 4, device="cuda", generator=generator)).to(TYPES[kind])
    if name.startswith("c"):
        return torch.zeros(ELEMENTS + (ELEMENTS >> 4), device="cuda")
    return torch.randn(ELEMENTS, device="cuda", generator=generator).to(TYPES[kind])


def difference(expected: Any, found: Any) -> float:
    """How far memory is from what is expected: integers 0 or 1, floats relative; NaN and infinities have to agree."""
    if not expected.is_floating_point():
        return float(not expected.equal(found))
    expected, found = expected.float(), found.float()
    are_finite, are_nan = expected.isfinite() & found.isfinite(), expected.isnan() & found.isnan()
    if not (are_finite | are_nan | (expected == found)).all():
        return math.inf
    return relative_difference(expected.masked_fill(~are_finite, 0), found.masked_fill(~are_finite, 0))


def differing(kernel: Generated, expected: dict[str, Any], found: dict[str, Any]) -> dict[str, float]:
    """The pointers whose memory differs by more than rounding, and how far."""
    differences = {name: difference(expected[name], found[name]) for name in kernel.types}
    return {name: round(each, 4) for name, each in differences.items() if not each <= ROUNDING}


class Lost(Exception):
    """A kernel failed, and this process cannot use the GPU any more."""


def check(seed: int) -> str:
    """What became of the kernel of this seed: a fault, or a few words."""
    kernel = Generated.of(seed)
    try:
        stock = kernel.compile(with_dotload=False)
        expected = kernel.run(stock)
    except Exception as error:
        if "CUDA error" in str(error):
            raise Lost("stock's kernel fails") from error
        return "refused by stock"
    ours = kernel.compile(with_dotload=True)
    if not getattr(ours.metadata, "dotload_passes", ()):
        return "unchanged"
    found = kernel.run(ours)
    if not (faults := differing(kernel, expected, found)):
        return "equal"
    if differing(kernel, expected, kernel.run(stock)):
        return "stock's results change from run to run"
    if not differing(kernel, kernel.run(kernel.compile_safely()), found):
        return "stock's results are wrong"
    return f"DIFFERS seed {seed}: {faults}\n{ours.metadata.dotload_passes}\n{kernel}"


def work(seeds: range, until: float, outcomes: Any, present: Any) -> None:
    """Check seeds until that time. `present`: shared memory for the seed in work."""
    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    for seed in seeds:
        if time.monotonic() > until:
            return
        present.value = seed
        try:
            outcomes.put(check(seed))
        except Lost as lost:
            outcomes.put(str(lost))
            return
        except Exception as error:
            outcomes.put(f"FAILED seed {seed}: {error!r}\n{Generated.of(seed)}")
            if "CUDA error" in str(error):
                return


def main() -> int:
    """Share the seeds among processes, and print faults as they are found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1 << 30)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    context, until = get_context("spawn"), time.monotonic() + options.seconds
    step, outcomes = min(options.processes, options.cases), context.Queue()
    workers: list[tuple[Any, Any]] = []
    for first in range(options.seed, options.seed + step):
        present, seeds = context.Value("q", first), range(first, options.seed + options.cases, step)
        workers.append((context.Process(target=work, args=(seeds, until, outcomes, present)), present))
        workers[-1][0].start()
    counts: Counter[str] = Counter()
    while any(worker.is_alive() for worker, _ in workers) or not outcomes.empty():
        if time.monotonic() > until + PATIENCE:
            hanging = [(worker, present.value) for worker, present in workers if worker.is_alive()]
            for worker, seed in hanging:
                print(f"HANGS seed {seed}\n{Generated.of(seed)}", flush=True)
                worker.kill()
            counts["faults"] += len(hanging)
            break
        if outcomes.empty():
            time.sleep(0.1)
            continue
        outcome = outcomes.get()
        if "seed" in outcome:
            print(outcome, flush=True)
        counts["faults" if "seed" in outcome else outcome] += 1
    print(dict(counts))
    return 1 if counts["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
