"""Fuzz dotload-run-xe: mutated kernels in LLVM IR, some in TTGIR, and all sorts of arguments."""

from __future__ import annotations

import functools
import re
import sys
from random import Random

import attempts
from attempts import Attempt
from mutation import NUMBERS, REPOSITORY, corpus, mutate, renumbered

TESTS = REPOSITORY / "test" / "unit" / "emulator"
ARGUMENTS = ("f32:16", "f16:256x64:random", "i32:64:arange", "bf16:8x8:random", "@{}", "1", "-1", "1.5", "nan", "0x10",
             "name=f32:4", "f32:4x-4", "u8:0", "f64:1:ones", "f32:4:bogus", "@/dev/null", "")  # fmt: skip
TTGIR = 0.03  # triton-xpu takes seconds to start
OPTIONS = ("--num-warps", "--subgroup-size", "--threads", "--seed", "--local-bytes")


def prepare() -> None:
    attempts.prepare(["dotload.tools.dotload_run_xe", "dotload.emulator.runner", "llvmlite.binding"])
    texts()


@functools.cache
def texts() -> list[str]:
    """The kernels of the lit tests, and those of the emulator's unit tests of bounds and limits."""
    sys.path[:0] = [str(TESTS), str(TESTS.parent)]
    import test_bounds
    import test_refused
    from xe_kernels import module

    written = [source for source, _ in test_refused.SOURCES.values()]
    written += [module(test_bounds.place(3) + body, test_bounds.OUT) for body in test_bounds.INSTRUCTIONS.values()]
    written += [
        test_bounds.masked(name, array, body, declaration, True, place)
        for name, (array, body, declaration, place) in test_bounds.MASKED.items()
    ]
    return corpus("test/lit/emulator/*.ll") + written


@functools.cache
def modules() -> list[str]:
    """Kernels in TTGIR for Intel."""
    return corpus("test/unit/dialect_ext/inputs/xpu_*.mlir", "test/lit/convert_triton_intel_gpu_to_llvm/*.mlir")


def check(seed: int) -> str | None:
    random = Random(seed)
    is_module = random.random() < TTGIR
    text = random.choice(modules() if is_module else texts())
    text = renumbered(text, random) if random.random() < 0.6 else mutate(text, random, texts())
    head = re.search(r"(?:define|tt.func) [^\n]*?@[^(\n]*\(([^\n]*)\)[^)\n]*\{", text)
    count = head[1].count("%") if head and random.random() < 0.9 else random.randint(0, 4)
    grid = random.choice(("1", "2,2", "1,1,1")) if random.random() < 0.9 else random.choice((*NUMBERS, "x"))
    words = ["{}", "--timeout=2", f"--grid={grid}"]
    for _ in range(count):
        usual = random.random() < 0.8
        words.append(
            f"--arg={random.choice(ARGUMENTS[:3]) if usual else mutate(random.choice(ARGUMENTS), random, ARGUMENTS)}"
        )
    if random.random() < 0.3:
        words.append(f"{random.choice(OPTIONS)}={random.choice(NUMBERS)}")
    given = tuple(word.replace("\0", "") for word in words)
    return attempts.check(Attempt("dotload-run-xe", given, text, ".ttgir" if is_module else ".ll"), seed)
