"""Fuzz dotload-opt: mutated modules, random passes with random options, random pipeline texts and flags."""

from __future__ import annotations

import functools
from random import Random

import attempts
from attempts import Attempt
from mutation import NUMBERS, mutate, renumbered, tests

from dotload.passes import registry
from dotload.tools.opt import cpp_passes, libtriton
from dotload.tools.opt.command_line import FLAGS

MODULES = ("dotload.tools.opt.runner", "dotload.tools.opt.python_engine", "dotload.plugin.bridge",
           "dotload.dialect_ext.syntax", "dotload.tools.opt.driver", "dotload.tools.dotload_opt")  # fmt: skip
STAGES = ("ttir", "ttgir", "llir", "ptx", "nonsense")
TARGETS = ("cuda:90", "cuda:80", "cuda:89", "cuda:100", "cuda:120", "hip:gfx942", "cuda:", "xpu", "")
# Without flags that read or write other files, and without help.
AVOIDED = {"o", "load-pass", "help", "h", "version", "list-passes", "stage", "target", "debug", "traceback"}


def prepare() -> None:
    attempts.prepare(MODULES)
    libtriton.load()
    inputs()


@functools.cache
def inputs() -> list[tuple[tuple[str, ...], str]]:
    """Modules of the tests, each with the flags that its test gives."""
    found = tests("dotload-opt", "test/lit/**/*.mlir", "test/unit/dialect_ext/inputs/*.mlir")
    return [(tuple(one for one in flags if is_allowed(one)), text) for flags, text in found]


def is_allowed(word: str) -> bool:
    return word.partition("=")[0].lstrip("-") not in AVOIDED


@functools.cache
def texts() -> list[str]:
    return [text for _, text in inputs()]


def check(seed: int) -> str | None:
    random = Random(seed)
    own, text = random.choice(inputs())
    text = renumbered(text, random) if random.random() < 0.5 else mutate(text, random, texts())
    words = ["{}", *(flag(random) for _ in range(random.choice((0, 0, 1, 2))))]
    kind = random.choice(("own", "own", "own", "python", "python", "cpp", "pipeline", "stage", "none"))
    if kind == "own":
        words += own
    elif kind == "stage":
        words += [f"--stage={random.choice(STAGES)}", f"--target={random.choice(TARGETS)}"]
    elif kind == "pipeline":
        words += ["-p", mutate(pipeline(random), random, [pipeline(random)]).replace("\0", "")]
    elif kind != "none":
        words += [f"--{one_pass(random, kind)}" for _ in range(random.choice((1, 1, 2, 3)))]
    return attempts.check(Attempt("dotload-opt", tuple(words), text), seed)


def one_pass(random: Random, kind: str) -> str:
    """The flag of a random pass, sometimes with options."""
    if kind == "cpp":
        return random.choice(sorted(cpp_passes.table()))
    entry = random.choice(registry.BUILTIN_PASSES)
    options = list(entry.options())
    if not options or random.random() < 0.7:
        return entry.name
    return f"{entry.name}={random.choice(options)}={random.choice((*NUMBERS, 'true', 'llvm', 'sm_90', ''))}"


def pipeline(random: Random) -> str:
    names = ",".join(one_pass(random, random.choice(("python", "cpp"))).partition("=")[0] for _ in range(3))
    return f"builtin.module({names},tt.func(canonicalize{{max-iterations={random.choice(NUMBERS)}}}))"


def flag(random: Random) -> str:
    chosen = random.choice([one for one in FLAGS if one.name not in AVOIDED])
    name = f"--{chosen.name}"
    return name if chosen.kind in ("set", "llvm") else f"{name}={random.choice((*NUMBERS, 'cse', 'x'))}"
