"""Random NVIDIA kernels through the hook, compiled without a GPU: what stock compiles, dotload compiles; no pass fails;
what was not rewritten is stock's PTX to the letter; what spills more or holds back blocks was weighed, and says so."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import forked
from mutation import REPOSITORY

CAPABILITIES = (80, 89, 90)
ORDERS = ("rc", "rr", "cc", "cr")


def prepare() -> None:
    sys.path[:0] = [str(REPOSITORY / "bench"), str(REPOSITORY / "test")]
    import ahead_of_time  # noqa: F401
    import gemm  # noqa: F401
    import kernels_at_large  # noqa: F401
    import triton  # noqa: F401
    from xdsl.dialects import builtin  # noqa: F401


def check(seed: int) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        ended = forked.run(lambda: _compare(seed, Path(folder)), Path(folder))
        stock_compiles = (Path(folder) / "stock").exists()
    fault = ended.fault or (ended.errors.strip().splitlines()[-1] if ended.status else None)
    if fault is None or not stock_compiles:
        return None
    return f"{fault}\n  {drawn(seed)[0]}"


def drawn(seed: int) -> tuple[str, Any]:
    """A kernel: what it is, and the function that compiles it."""
    import gemm
    import triton
    from ahead_of_time import source
    from kernels_at_large import USES
    from triton.backends.compiler import GPUTarget

    random = Random(seed)
    capability = random.choice(CAPABILITIES)
    warps, stages = random.choice((4, 8)), random.choice((1, 2, 3, 4))
    sides = [random.choice((32, 64, 128)) for _ in range(2)]
    if random.random() < 0.5:
        kind = random.choice(sorted(gemm.KINDS))
        descriptors = capability == 90 and random.random() < 0.3
        case = gemm.Case(kind, random.choice(ORDERS), *sides, random.choice((32, 64, 128)), warps, stages,
                         masked=not descriptors and random.random() < 0.3, descriptors=descriptors)  # fmt: skip
        return f"{case!r}.compile({capability})", lambda: case.compile(capability)
    use, orders, kind = random.choice(USES), random.choice(ORDERS[1:]), random.choice(("fp8", "int8", "tf32"))
    pointers = {"fp8": "*fp8e4nv", "int8": "*i8", "tf32": "*fp32"}[kind]
    types = {"a": pointers, "b": pointers, "c": "*fp32", "d": "*i32" if str(use) == "gathered" else pointers}
    strides = {"rr": ("ak", "bn"), "cr": ("am", "bn"), "cc": ("am", "bk")}[orders]
    constants = use.constants(kind) | {"BM": sides[0], "BN": sides[1]} | dict.fromkeys(strides, 1)
    options = {"num_warps": warps, "num_stages": stages}
    text = f"{use}, {kind} {orders}, sm_{capability}, {sides[0]}x{sides[1]}, {warps} warps, {stages} stages"
    target = GPUTarget("cuda", capability, 32)
    return text, lambda: triton.compile(source(use.kernel, types, constants), target, options)


def _compare(seed: int, folder: Path) -> int:
    """Exit status 1, and why as the last line of standard error, where dotload's kernel is not as it has to be."""
    import os

    import dotload
    from dotload.layout.nvidia_targets import find_target
    from dotload.plugin.cubin import resources_of

    os.environ["TRITON_CACHE_DIR"] = str(folder / "cache")
    _, compile_ = drawn(seed)
    try:
        stock = compile_()
    except Exception:
        return 0  # what stock does not compile, dotload need not
    (folder / "stock").touch()
    with dotload.enabled():
        ours = compile_()
    remarks = dotload.report()
    wrong = [str(remark) for remark in remarks if remark.kind == "failure"]
    rewritten = any(remark.kind == "passed" for remark in remarks)
    if not rewritten and ours.asm["ptx"] != stock.asm["ptx"]:
        wrong.append("the PTX is another than stock's, although nothing was rewritten")
    if rewritten and not any("resident block" in remark.message for remark in remarks):
        target = find_target(int(ours.metadata.target.arch))
        both = [
            resources_of(kernel.asm["cubin"], kernel.metadata.shared, kernel.metadata.num_warps)
            for kernel in (ours, stock)
        ]
        if target is not None and (
            both[0].stack_bytes > both[1].stack_bytes or both[0].blocks(target) * 2 <= both[1].blocks(target)
        ):
            wrong.append(f"takes more than stock and was not weighed: {both[0]}, stock {both[1]}")
    if wrong:
        print(" ".join(wrong[0].split()), file=sys.stderr)
    return len(wrong) and 1
