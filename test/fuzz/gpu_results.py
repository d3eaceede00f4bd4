"""Generated loops on a GPU: does dotload's kernel write what stock Triton's does?

    python test/fuzz/gpu_results.py --seconds 300 --seed 1     # needs a Hopper GPU and PyTorch
    python test/fuzz/gpu_results.py --seed 4711 --cases 1

The kernels are those of the fuzzers (`written_*.py`). Each is launched as one block, from the same random memory by
stock Triton and with dotload, and all its arguments are compared afterwards; then again with loops of no, one and few
iterations. If they differ, stock's kernel without pipelined loops, assembled by a newer ptxas, shows which of
both is wrong. Several processes share the GPU; one whose kernel fails ends.

    python test/fuzz/gpu_results.py --capability 80            # or 86, 89, 120

launches kernels that are compiled for other GPUs, as bench/other_gpus.py says.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
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
from other_gpus import CAPABILITIES, HOPPER, on_hopper
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.runtime.errors import OutOfResources

import dotload

SIZES = {"M": 4096, "N": 4096, "R": 4096, "L": 512, "K": 512, "T": 16, "am": 512, "bn": 512}
"""Arguments; their products stay within ELEMENTS for all of the T tiles along M and N."""
SHORTER = ({"L": 0}, {"L": 16}, {"L": 208})
"""Arguments of more launches: loops of no iteration, of a part of one, and of few, the last of them a part."""
OF_DESCRIPTORS = ({"L": 128}, {"L": 256})
"""The same for kernels with descriptors: the TMA takes no sizes of 0, nor strides that are no multiples of 16 bytes."""
ELEMENTS = 1 << 24
"""Of a pointer. Of results, written_loops.py stores more beside them, 65536 for each of T tiles."""
IN_FRONT = 1 << 22
"""Elements before those of a pointer."""
ROUNDING = 0.02
"""Results differ if the norm of their difference is larger, relative to stock's: sums of rounded 8-bit numbers."""
LARGE = 128 * 128
"""Of larger tiles, 4 warps spill so much that ptxas takes a minute."""
LOST = 3
"""The exit status of a process that cannot use the GPU any more."""
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
RANGES = {"*i8": (-128, 128), "*u8": (122, 130), "*i32": (0, 256)}
"""Of values; `*u8` are scales of microscaled numbers."""
WRITERS = (written_loops.write, written_scales.write, written_weights.write, written_caches.write)
WEIGHTS = (4, 1, 3, 3)
"""How often a writer is taken."""


@dataclass(frozen=True)
class Generated:
    """A kernel: its source, the types of its pointers, its constants, launch options, and for which GPUs."""

    text: str
    types: dict[str, str]
    constants: dict[str, Any]
    options: dict[str, int]
    capability: int

    @staticmethod
    def of(seed: int, capability: int = HOPPER) -> Generated:
        """The kernel of this seed."""
        random = Random(seed)
        write = random.choices(WRITERS, WEIGHTS)[0]
        more = (capability,) if write is written_loops.write else ()
        text, types, constants = write(random, *more)
        m, n = constants["BM"], max(constants["BN"], constants.get("VD", 0))
        is_chain = text.count("tl.dot(") > 1  # the result of one may have n rows and n columns, or m and m
        is_large = (max(m, n) ** 2 if is_chain else m * n) > LARGE
        options = {"num_warps": 8 if is_large else random.choice((4, 8)), "num_stages": random.choice((1, 2, 3, 4))}
        return Generated(text.replace("tl.device_print('i', i)", "pass"), types, constants, options, capability)

    def __str__(self) -> str:
        return f"{self.types} {self.constants} {self.options}\n{self.text}"

    def compile(self, *, with_dotload: bool) -> Any:
        """The compiled kernel, for Hopper."""
        made = source(written_kernels.jitted(self.text, "generated"), self.types, self.constants)
        with dotload.enabled() if with_dotload else nullcontext():
            return on_hopper(triton.compile(made, GPUTarget("cuda", self.capability, 32), self.options))

    def compile_safely(self) -> Any:
        """Stock's kernel without pipelined or flattened loops, by the wheel's newest ptxas."""
        text = re.sub(r"num_stages=\d", "num_stages=1", self.text).replace("flatten=True", "flatten=False")
        plain = replace(self, text=text, options={**self.options, "num_stages": 1})
        with knobs.compilation.scope(), knobs.nvidia.scope():
            knobs.compilation.always_compile = True
            knobs.nvidia.ptxas = knobs.nvidia.ptxas_blackwell.path
            return plain.compile(with_dotload=False)

    @property
    def sizes(self) -> Iterable[Mapping[str, int]]:
        """Arguments of its launches that differ from SIZES."""
        return {}, *(OF_DESCRIPTORS if "descriptor" in self.text else SHORTER)

    def run(self, handle: Any, sizes: Mapping[str, int]) -> dict[str, Any]:
        """All pointers' memory after a launch with `sizes`, and else SIZES."""
        names = written_kernels.jitted(self.text, "generated").arg_names
        memory = {name: memory_of(name, kind) for name, kind in self.types.items()}
        values = {**SIZES, **sizes, **memory, **self.constants}
        handle[(1, 1, 1)](*(values.get(name) for name in names))
        torch.cuda.synchronize()
        return memory


def memory_of(name: str, kind: str) -> Any:
    """Memory for a pointer: scales and flags (`f`, `s`, `t`) are at least 1, indices below 256; `c` is written, and `w`
    is any bits. There is more of it in front: loops towards the start load tiles there that they do not use."""
    if name.startswith("c"):
        return torch.zeros(ELEMENTS + (ELEMENTS >> 4), device="cuda")
    generator, size = torch.Generator(device="cuda").manual_seed(sum(map(ord, name))), (IN_FRONT + ELEMENTS,)
    if name == "w" and kind in INTEGERS:
        bits = torch.randint(0, 256, (4 * size[0],), device="cuda", generator=generator, dtype=torch.uint8)
        memory = bits.view(INTEGERS[kind])
    elif kind in INTEGERS:
        memory = torch.randint(*RANGES[kind], size, device="cuda", generator=generator, dtype=INTEGERS[kind])
    elif name in ("f", "s", "t"):
        memory = (1 + torch.rand(size, device="cuda", generator=generator)).to(TYPES[kind])
    else:
        memory = torch.randn(size, device="cuda", generator=generator).to(TYPES[kind])
    memory = memory[IN_FRONT:]
    if kind == "*i32" and name != "w":
        memory[0], memory[1] = 1, 0  # the number of a tile, or of k to sum
    return memory


def difference(expected: Any, found: Any) -> float:
    """How far memory is from what is expected: integers 0 or 1, floats relative; NaN and infinities have to agree."""
    if not expected.is_floating_point():
        return float(not expected.equal(found))
    expected, found = expected.double(), found.double()
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


def check(kernel: Generated) -> str:
    """What became of a kernel: a fault, or a few words."""
    try:
        stock = kernel.compile(with_dotload=False)
    except Exception as error:
        return f"refused by stock ({type(error).__name__})"
    try:
        expected = [kernel.run(stock, sizes) for sizes in kernel.sizes]
    except OutOfResources:
        return "too large for the GPU"
    except RuntimeError as error:
        if "CUDA error" in str(error):
            raise Lost(f"stock's kernel fails: {error}") from error
        raise
    ours = kernel.compile(with_dotload=True)
    if not getattr(ours.metadata, "dotload_passes", ()):
        return "unchanged"
    for sizes, memory in zip(kernel.sizes, expected, strict=True):
        found = kernel.run(ours, sizes)
        if faults := differing(kernel, memory, found):
            return arbitrated(kernel, stock, sizes, memory, found) or (
                f"DIFFERS: {faults} {sizes}\n{ours.metadata.dotload_passes}\n{kernel}"
            )
    return "equal"


def arbitrated(kernel: Generated, stock: Any, sizes: Mapping[str, int], expected: Any, found: Any) -> str:
    """What is wrong with stock's results, if anything."""
    if differing(kernel, expected, kernel.run(stock, sizes)):
        return "stock's results change from run to run"
    if not differing(kernel, kernel.run(kernel.compile_safely(), sizes), found):
        return "stock's results are wrong"
    return ""


def work(seeds: range, present: Any, capability: int, until: float, outcomes: Any) -> None:
    """Check seeds until that time. `present`: shared memory for the seed in work."""
    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    for seed in seeds:
        if time.monotonic() > until:
            return
        present.value = seed
        try:
            outcome = check(Generated.of(seed, capability))
            outcomes.put(f"seed {seed} {outcome}" if outcome.startswith("DIFFERS") else outcome)
        except Lost as lost:
            print(f"seed {seed}: {lost}", flush=True)
            outcomes.put("stock's kernel fails")
            sys.exit(LOST)
        except Exception as error:
            outcomes.put(f"seed {seed} FAILED: {error!r}\n{Generated.of(seed, capability)}")
            if "CUDA error" in str(error):
                sys.exit(LOST)


class Worker:
    """A process that checks seeds, and those that go on when one cannot use the GPU any more."""

    def __init__(self, seeds: range, *arguments: Any):
        self.context, self.arguments = get_context("spawn"), arguments
        self.present = self.context.Value("q")
        self.start(seeds)

    def start(self, seeds: range) -> None:
        """Let a process check these."""
        self.seeds, self.present.value = seeds, seeds.start
        self.process = self.context.Process(target=work, args=(seeds, self.present, *self.arguments))
        self.process.start()

    def goes_on(self) -> bool:
        """Whether seeds are checked still; starts another process if the last one has lost the GPU."""
        left = self.seeds[self.seeds.index(self.present.value) + 1 :]
        if self.process.exitcode == LOST and left:
            self.start(left)
        return self.process.is_alive()


def main() -> int:
    """Share the seeds among processes, and print faults as they are found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--capability", type=int, choices=CAPABILITIES, default=HOPPER)
    parser.add_argument("--cases", type=int, default=1 << 30)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    until, outcomes = time.monotonic() + options.seconds, get_context("spawn").Queue()
    seeds = range(options.seed, options.seed + options.cases)
    step = min(options.processes, options.cases)
    workers = [Worker(seeds[first::step], options.capability, until, outcomes) for first in range(step)]
    counts: Counter[str] = Counter()
    while sum([worker.goes_on() for worker in workers]) or not outcomes.empty():  # each is asked, unlike with `any`
        if time.monotonic() > until + PATIENCE:
            hanging = [worker for worker in workers if worker.process.is_alive()]
            for worker in hanging:
                seed = worker.present.value
                print(f"seed {seed} HANGS\n{Generated.of(seed, options.capability)}", flush=True)
                worker.process.kill()
            counts["faults"] += len(hanging)
            break
        if outcomes.empty():
            time.sleep(0.1)
            continue
        outcome = outcomes.get()
        if outcome.startswith("seed"):
            print(outcome, flush=True)
        counts["faults" if outcome.startswith("seed") else outcome] += 1
    print(dict(counts))
    if not counts["equal"]:
        print("no results were compared")
    return 1 if counts["faults"] or not counts["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
