"""The hazard check over a corpus of kernels, without a GPU: every finding, and a line for each kind of kernel.

    python bench/hazards.py [--stock] [--random 100] [--only REGEX]

The kernels are those of bench/corpus.py, after the last TTGIR passes of Triton and dotload.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import tempfile
from collections import Counter
from typing import Any

import corpus
import triton
from triton import knobs

import dotload
from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.typed import of_kind
from dotload.layout.reject import Reject
from dotload.passes.check_shared_memory_hazards import hazards_of
from dotload.passes.remarks import Remark
from dotload.plugin import bridge, nvidia
from dotload.plugin.triton_types import minor_version


class Reached(BaseException):
    """The module after the stage `ttgir`, and dotload's failures; not an `Exception`, so that it does not trigger the
    fall-back to stock."""

    def __init__(self, module: Any, failures: list[str]):
        super().__init__()
        self.module = module
        self.failures = failures


def stop_behind_ttgir(*arguments: Any) -> tuple[str, str] | None:
    """A Triton hook that ends the compilation when the stage `llir` begins."""
    if not arguments:
        return "ttgir", "ttgir"

    def stop(module: Any, metadata: Any) -> None:
        remarks = [Remark(**remark) for remark in metadata.get("dotload", ())]
        raise Reached(module, [str(remark) for remark in remarks if remark.kind == "failure"])

    arguments[1]["llir"] = stop
    return None


def module_of(kernel: corpus.Kernel, *, stock: bool) -> Any:
    """The kernel's module after the stage `ttgir`; raises RuntimeError for stock's after a failure of dotload."""
    try:
        with contextlib.nullcontext() if stock else dotload.enabled():
            kernel.compile()
    except Reached as reached:
        if reached.failures:
            raise RuntimeError(reached.failures[0]) from None
        return reached.module
    raise RuntimeError("the compilation has no stage llir")


def check(kernel: corpus.Kernel, *, stock: bool) -> tuple[str, list[str]]:
    """The outcome for the kernel, and the lines of its findings."""
    try:
        module = bridge.to_xdsl(module_of(kernel, stock=stock))
    except Exception as error:
        return "not compiled", [f"{type(error).__name__}: {str(error).splitlines()[:1]}"]
    options = nvidia.options_for("check-shared-memory-hazards", minor_version())
    try:
        found = [each for function in of_kind(module.ops, FuncOp) for each in hazards_of(function, **options)]
    except Reject as reject:
        return "not checked", [reject.message]
    return ("hazards" if found else "clean"), [line for each in found for line in each.lines]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stock", action="store_true", help="without dotload")
    parser.add_argument("--random", type=int, default=100)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    knobs.runtime.add_stages_inspection_hook = stop_behind_ttgir
    kernels = [
        *corpus.gemms(),
        *corpus.uses(),
        *corpus.attentions(),
        *corpus.caches(),
        *corpus.several(),
        *corpus.weights_and_caches(),
        *corpus.randoms(options.random),
    ]
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        for kernel in kernels:
            if not re.search(options.only, kernel.name):
                continue
            verdict, lines = check(kernel, stock=options.stock)
            counts[kernel.name.split("-")[0].rstrip("0123456789"), verdict] += 1
            if lines:
                print(kernel.name, verdict, *lines, sep="\n  ", flush=True)
    for (kind, verdict), count in sorted(counts.items()):
        print(f"{kind:12} {verdict:14} {count}")
    print(f"Triton {triton.__version__}, {'stock' if options.stock else 'dotload'}")
    return int(any(verdict == "hazards" for _, verdict in counts))


if __name__ == "__main__":
    sys.exit(main())
