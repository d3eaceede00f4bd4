"""Fuzz dotload-reduce: mutated modules under commands that fail, succeed, print, hang and leave children."""

from __future__ import annotations

from random import Random

import attempts
import fuzz_opt
from attempts import Attempt
from mutation import mutate

COMMANDS = (
    ("false",),
    ("true",),
    ("cat", "{}"),
    ("grep", "-q", "tt.load", "{}"),
    ("sh", "-c", "! grep -q arith {}"),
    ("sh", "-c", "kill -SEGV $$"),
    ("sh", "-c", "sleep 600 & exit 1"),
    ("sh", "-c", "sleep 600"),
    ("no-such-program",),
    ("/",),
)
OPTIONS = (
    "--any-failure",
    "--contains=tt.",
    "--contains=",
    "--timeout=0.2",
    "--timeout=nan",
    "--timeout=0",
    "-o/dev/full",
)


def prepare() -> None:
    fuzz_opt.prepare()
    attempts.prepare(["dotload.tools.dotload_reduce"])


def check(seed: int) -> str | None:
    random = Random(seed)
    texts = [text for text in fuzz_opt.texts() if len(text) < 1500]
    text = random.choice(texts)
    text = text if random.random() < 0.3 else mutate(text, random, texts)
    options = [random.choice(OPTIONS)] if random.random() < 0.5 else []
    command = random.choice(COMMANDS)
    if "sleep 600" in command:  # dozens of candidates, each of which takes that long
        options = ["--timeout=0.1"]
    return attempts.check(Attempt("dotload-reduce", ("{}", *options, "--", *command), text), seed)
