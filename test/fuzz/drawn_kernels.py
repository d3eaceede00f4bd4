"""A random NVIDIA kernel from a seed: GEMMs of every kind, kernels as people write them, kernels of the benchmarks, and
generated kernels, with any sizes, compute capability and options."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import corpus
import gemm
import kernels_at_large
import triton
import triton.language as tl
import written_caches
import written_kernels
import written_loops
import written_scales
import written_weights
from ahead_of_time import source
from triton.backends.compiler import GPUTarget

CAPABILITIES = (80, 86, 89, 90, 90, 90, 90, 100, 120)
ORDERS = ("rc", "rr", "cc", "cr")
POINTERS = {"fp8": "*fp8e4nv", "fp8e5": "*fp8e5", "int8": "*i8", "tf32": "*fp32", "fp16": "*fp16"}
DEPTHS = {"tf32": (8, 16, 32, 64), "fp16": (16, 32, 64)}
OPTIONS = (
    *[{}] * 12,
    {"maxnreg": 64},
    {"maxnreg": 128},
    {"num_ctas": 2},
    {"debug": True},
    {"enable_fp_fusion": False},
    {"default_dot_input_precision": "tf32x3"},
    {"sched4reg": True},
)
STRICT, WITHOUT_LINES = "DOTLOAD_STRICT", "TRITON_DISABLE_LINE_INFO"


@dataclass(frozen=True)
class Drawn:
    """A kernel, how it is compiled, and the environment variables for it."""

    name: str
    make: Callable[[], Any]
    capability: int
    num_warps: int
    num_stages: int
    more: dict[str, Any] = field(default_factory=dict[str, Any])
    environment: tuple[str, ...] = ()

    def __str__(self) -> str:
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages, **self.more}
        return f"sm_{self.capability}, {options}, {' '.join(self.environment)}\n{self.name}"

    def compile(self) -> Any:
        """Compile the kernel with the present state of the hook."""
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages, **self.more}
        return triton.compile(self.make(), GPUTarget("cuda", self.capability, 32), options)


def draw(seed: int) -> Drawn:
    """The kernel of this seed."""
    random = Random(seed)
    families = (*[_gemm] * 2, *[_at_large] * 2, _of_benchmarks, *[_written] * 3, _loops, _scales, _serving)
    drawn: Drawn = random.choice(families)(random, random.choice(CAPABILITIES))
    environment = [name for name, share in ((STRICT, 0.3), (WITHOUT_LINES, 0.1)) if random.random() < share]
    return replace(drawn, more={**drawn.more, **random.choice(OPTIONS)}, environment=tuple(environment))


def draw_loop(seed: int) -> Drawn:
    """The kernel of this seed, with several dots in a loop, or in several loops, or with scaled products, or with
    weights or keys and values that are converted."""
    random = Random(seed)
    family = random.choice((_loops, _loops, _loops, _scales, _serving, _serving))
    return family(random, random.choice((80, 89, 90, 90, 90, 90, 120)))


def _loops(random: Random, capability: int) -> Drawn:
    text, types, constants = written_loops.write(random, capability)
    kernel = written_kernels.jitted(text, "loop")
    options = random.choice((1, 2, *(4,) * 6, *(8,) * 3, 16)), random.choice((1, 2, 2, 3, 3, 4, 5))
    more = {"num_ctas": 2} if capability == 90 and random.random() < 0.05 else {}
    return Drawn(f"{types} {constants}\n{text}", lambda: source(kernel, types, constants), capability, *options, more)


def _scales(random: Random, capability: int) -> Drawn:
    return _generated(written_scales.write, random, max(capability, 90))


def _serving(random: Random, capability: int) -> Drawn:
    return _generated(random.choice((written_weights.write, written_caches.write)), random, max(capability, 89))


def _generated(write: Callable[[Random], tuple[str, Any, Any]], random: Random, capability: int) -> Drawn:
    text, types, constants = write(random)
    kernel = written_kernels.jitted(text, "generated")
    name = f"{types} {constants}\n{text}"
    return Drawn(name, lambda: source(kernel, types, constants), capability, *_launch(random))


def _launch(random: Random) -> tuple[int, int]:
    return random.choice((1, 2, 4, 4, 4, 8, 8, 8, 16)), random.choice((1, 2, 3, 3, 4, 5))


def _gemm(random: Random, capability: int) -> Drawn:
    kind = random.choice(sorted(gemm.KINDS))
    sides = [random.choice((16, 32, 64, 64, 128, 128, 256)) for _ in range(2)]
    descriptors = random.random() < 0.3
    case = gemm.Case(
        kind,
        random.choice(ORDERS),
        *sides,
        random.choice(DEPTHS.get(kind, (16, 32, 64, 128, 128, 256))),
        *_launch(random),
        masked=not descriptors and random.random() < 0.3,
        descriptors=descriptors,
        specialised=descriptors and random.random() < 0.5,
    )
    return Drawn(repr(case), case.source, capability, case.num_warps, case.num_stages)


def _at_large(random: Random, capability: int) -> Drawn:
    use, orders = random.choice(kernels_at_large.USES), random.choice(ORDERS)
    kind = random.choice(("fp8", "int8", "tf32"))
    sizes = {"BM": random.choice((16, 32, 64, 128)), "BN": random.choice((32, 64, 128))}
    depth = {"BK": use.block_depth(kind) * random.choice((1, 1, 1, 2, 4))}
    pointers = POINTERS["fp8e5" if kind == "fp8" and random.random() < 0.3 else kind]
    types = {"a": pointers, "b": pointers, "c": "*fp32", "d": "*i32" if str(use) == "gathered" else pointers}
    constants = use.constants(kind) | sizes | depth | _unit_strides(orders)
    return Drawn(
        f"{use}, {pointers} {orders}, {sizes | depth}",
        lambda: source(use.kernel, types, constants),
        capability,
        *_launch(random),
    )


@functools.cache
def _benchmarks() -> list[corpus.SourceKernel]:
    return [*corpus.attentions(), *corpus.caches(), *corpus.several()]


def _of_benchmarks(random: Random, capability: int) -> Drawn:
    kernel = random.choice(_benchmarks())
    if kernel.name.startswith("gluon"):  # its layouts assume its number of warps
        return Drawn(kernel.name, kernel.make, capability, kernel.num_warps, kernel.num_stages)
    return Drawn(kernel.name, kernel.make, capability, *_launch(random))


def _written(random: Random, capability: int) -> Drawn:
    kind, orders = random.choice(sorted(POINTERS)), random.choice(ORDERS)
    pointers = dict.fromkeys("abd", POINTERS[kind])
    if random.random() < 0.3:
        pointers["b"] = random.choice(("*i8", "*u8", "*fp8e4nv", "*fp16"))
    text = written_kernels.write(random, orders, kind, capability >= 90)
    if "load(d + m" in text or "load(d + n" in text:
        pointers["d"] = "*i32"
    constants = {
        "BM": random.choice((16, 32, 64, 128)),
        "BN": random.choice((16, 32, 64, 128)),
        "BK": random.choice(DEPTHS.get(kind, (32, 64, 128))),
        "ACC": tl.int32 if kind == "int8" else tl.float32,
        **_unit_strides(orders),
    }
    any_number = random.choice(((), (), ("M", "N", "K"), ("am", "ak", "bk", "bn")))
    kernel = written_kernels.jitted(text, "written")
    return Drawn(
        f"{pointers} {orders} {constants}\n{text}",
        lambda: source(kernel, {**pointers, "c": "*fp32"}, constants, any_number=any_number),
        capability,
        *_launch(random),
    )


def _unit_strides(orders: str) -> dict[str, int]:
    return {"ak" if orders[0] == "r" else "am": 1, "bn" if orders[1] == "r" else "bk": 1}
