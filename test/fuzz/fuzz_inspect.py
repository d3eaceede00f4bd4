"""Fuzz dotload-inspect: mutated kernel source, all sorts of arguments, other targets and options."""

from __future__ import annotations

from random import Random

import attempts
from attempts import Attempt
from mutation import NUMBERS, REPOSITORY, mutate, renumbered

MODULES = ("triton", "dotload.tools.inspect.report", "dotload.tools.inspect.page", "dotload.tools.dotload_inspect")
POINTERS = ("a", "b", "c")
NUMBER_ARGUMENTS = ("K", "stride_a", "stride_b", "stride_c")
TYPES = ("*fp8e4nv:16", "*fp16:16", "*i8", "*fp32:16", "i32:16", "i64", "*fp7", "fp32", "", "*fp16:0", "*fp16:x",
         "i32:15")  # fmt: skip
TARGETS = ("sm_80", "sm_89", "sm_90", "sm_100", "sm_120", "sm_70", "sm_", "gfx942", "pvc", "bmg", "90", "")
EMITTED = ("ttir", "ttgir", "llir", "ptx", "sass", "cubin", "nonsense")
FLAGS = {"--target": TARGETS, "--emit": EMITTED, "--num-warps": NUMBERS, "--num-stages": NUMBERS}
OPTIONS = ("--stock", "--html=/dev/full", "--html=out.html", "-o/no/such", "-oout.txt", "--maxnreg=64", "--num-ctas=2")
KERNEL = (REPOSITORY / "tools" / "demo_fp8.py").read_text()


def prepare() -> None:
    attempts.prepare(MODULES)


def check(seed: int) -> str | None:
    random = Random(seed)
    text = KERNEL
    if random.random() < 0.3:
        text = renumbered(text, random) if random.random() < 0.5 else mutate(text, random, [text])
    types = {name: "*fp16:16" if name == "c" else "*fp8e4nv:16" for name in POINTERS}
    types |= dict.fromkeys(NUMBER_ARGUMENTS, "i32:16")
    constants = {f"BLOCK_{dim}": random.choice(("16", "32", "64", "128")) for dim in "MNK"}
    for values, others in ((types, TYPES), (constants, (*NUMBERS, "True", "1.5", "x", "fp16"))):
        if random.random() < 0.4:
            values[random.choice(sorted(values))] = random.choice(others)
        if random.random() < 0.1:
            del values[random.choice(sorted(values))]
    words = [f"{{}}:{'matmul' if random.random() < 0.9 else random.choice(('', 'no_such', 'tl', 'math.pi'))}"]
    words += [f"--arg={name}={kind}" for name, kind in types.items()]
    words += [f"--const={name}={value}" for name, value in constants.items()]
    for flag, values in FLAGS.items():
        words += [f"{flag}={random.choice(values)}"] if random.random() < 0.25 else []
    words += [random.choice(OPTIONS)] if random.random() < 0.3 else []
    return attempts.check(Attempt("dotload-inspect", tuple(words), text, ".py"), seed)
