"""Fuzz dotload-layout: mutated encodings, tensor types and modules in every subcommand and format."""

from __future__ import annotations

import functools
import re
from random import Random

import attempts
from attempts import Attempt
from mutation import NUMBERS, corpus, mutate, renumbered

MODULES = ("dotload.tools.dotload_layout", "dotload.tools.viewer.compare", "dotload.tools.viewer.explain",
           "dotload.tools.viewer.block_plan", "dotload.tools.viewer.ptx", "dotload.tools.viewer.html",
           "dotload.tools.viewer.svg", "dotload.tools.viewer.text", "dotload.dialect_ext.syntax",
           "dotload.passes.analysis.strides")  # fmt: skip
SHARED = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
TENSORS = ("tensor<64x64xf16>", "tensor<128x32xf8E4M3FN>", "tensor<64xf32>", "tensor<4x32x32xbf16>",
           f"!ttg.memdesc<64x64xf16, {SHARED}, #ttg.shared_memory>")  # fmt: skip
PLAIN = (
    ("atom", "K", "128", "f16"),
    ("atom", "MN", "64", "f32", "--atomicity", "32"),
    ("fragment", "mma", "A", "m16n8k16", "f16"),
    ("fragment", "wgmma", "C", "16"),
    ("fragment", "mma", "all", "m16n8k32", "s8"),
    ("fragment", "wgmma", "A", "f16"),
    ("fragment", "ldmatrix", "x4", "trans"),
    ("fragment", "stmatrix", "x2"),
    ("descriptor", "0x4000004000010040"),
)
FORMATS = ("html", "svg", "terminal", "png", "tikz", "bogus")
OPTIONS = ("--whole", "--view=hardware", "--view=bases", "--use-hw-view", "--colour=bank", "--colour=warp", "--warp=1",
           "--warp=-1", "--alias=blocked", "--against=", "-o/dev/full", "-o/no/such.png")  # fmt: skip
_ENCODING = re.compile(r"#(?:ttg|ttig|ttng|triton_intel_gpu)\.\w+<\{.*\}>")


def prepare() -> None:
    attempts.prepare(MODULES)
    encodings()


@functools.cache
def modules() -> list[str]:
    return corpus("test/lit/**/*.mlir")


@functools.cache
def encodings() -> list[str]:
    return sorted({match for text in modules() for match in _ENCODING.findall(text)})


def check(seed: int) -> str | None:
    random = Random(seed)
    kind = random.choice(("show", "show", "against", "block-load", "descriptor", "explain", "input", "plain"))
    layouts = [f"--layout={encoding(random)}"] if random.random() < 0.9 else []
    tensors = [f"--tensor={tensor(random)}"]
    text = ""
    if kind == "plain":
        words = list(random.choice(PLAIN))
        at = random.randrange(1, len(words))
        words[at] = mutate(words[at], random, [word for line in PLAIN for word in line])
    elif kind in ("explain", "input"):
        text = mutate(random.choice(modules()), random, modules())
        words = ["explain", "{}"] if kind == "explain" else ["--input={}", *tensors]
    elif kind in ("show", "against"):
        words = [*layouts, *tensors, *([f"--against={encoding(random)}"] if kind == "against" else [])]
    else:
        words = [kind, *layouts, *tensors]
    words += [f"--format={random.choice(FORMATS)}"] if random.random() < 0.5 else []
    words += [random.choice(OPTIONS)] if random.random() < 0.4 else []
    given = tuple(word.replace("\0", "") for word in words)  # a process argument cannot contain it
    return attempts.check(Attempt("dotload-layout", given, text), seed)


def encoding(random: Random) -> str:
    text = random.choice(encodings())
    return random.choice((text, renumbered(text, random), mutate(text, random, encodings())))


def tensor(random: Random) -> str:
    if random.random() < 0.3:
        sizes = "x".join(
            random.choice(("1", "8", "32", "64", "1024", *NUMBERS[:6])) for _ in range(random.randint(1, 4))
        )
        return f"tensor<{sizes}xf16>"
    text = random.choice(TENSORS)
    return text if random.random() < 0.5 else mutate(text, random, TENSORS)
