"""Random NVIDIA kernels through the hook, compiled without a GPU. Checks that dotload compiles what stock Triton
compiles, that no pass fails, that kernels without a rewrite have exactly stock's PTX, and that a kernel that spills
more or has fewer resident blocks was weighed, with a remark."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import forked
from mutation import REPOSITORY

HANG_SECONDS = 10 * forked.HANG_SECONDS  # ptxas alone takes half a minute for some of the kernels

outcomes: Counter[str] = Counter()
"""What became of the kernels so far."""


def prepare() -> None:
    sys.path[:0] = [str(REPOSITORY / "bench"), str(REPOSITORY / "test")]
    import drawn_kernels  # noqa: F401
    from xdsl.dialects import builtin  # noqa: F401


def check(seed: int) -> str | None:
    from drawn_kernels import draw

    drawn = draw(seed)  # in this process: an error in drawing is none of stock's
    with tempfile.TemporaryDirectory() as folder:
        ended = forked.run(lambda: _compare(drawn, Path(folder)), Path(folder), HANG_SECONDS)
        reached = {path.name for path in Path(folder).iterdir()}
    outcome = next((name for name in ("rewritten", "left alone", "failed") if name in reached), "failed")
    outcomes[outcome if "compiled by stock" in reached else "not compiled by stock"] += 1
    fault = ended.fault or (ended.errors.strip().splitlines()[-1] if ended.status else None)
    if fault is None or "compiled by stock" not in reached:
        return None
    return f"{fault}\n{drawn}"


def summary() -> str:
    """One line about all cases of the run."""
    return ", ".join(f"{count} {name}" for name, count in outcomes.most_common())


def _compare(drawn: Any, folder: Path) -> int:
    """Exit with status 1, and the reason as the last line of standard error, if dotload's kernel is not as
    required."""
    import dotload

    os.environ["TRITON_CACHE_DIR"] = str(folder / "cache")
    os.environ.update(dict.fromkeys(drawn.environment, "1"))
    try:
        stock = drawn.compile()
    except Exception:
        return 0  # dotload need not compile a kernel that stock rejects
    (folder / "compiled by stock").touch()
    try:
        with dotload.enabled():
            ours = drawn.compile()
    except Exception as error:
        print(f"{type(error).__name__}: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    remarks = dotload.report()
    wrong = [str(remark) for remark in remarks if remark.kind == "failure"]
    rewritten = any(remark.kind == "passed" for remark in remarks)
    (folder / ("rewritten" if rewritten else "left alone")).touch()
    if not rewritten and ours.asm["ptx"] != stock.asm["ptx"] and _is_repeatable(drawn, stock):
        wrong.append("the PTX is another than stock's, although nothing was rewritten")
    if rewritten and not any("resident block" in remark.message for remark in remarks):
        is_limited = any(remark.reason == "REGISTERS_LIMITED" for remark in remarks)
        wrong += _takes_more(ours, stock, is_limited=is_limited)
    if wrong:
        print(" ".join(wrong[0].split()), file=sys.stderr)
    return len(wrong) and 1


def _is_repeatable(drawn: Any, stock: Any) -> bool:
    """Whether Triton makes the same PTX each time. That of some warp-specialised kernels differs in its order."""
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    return all(drawn.compile().asm["ptx"] == stock.asm["ptx"] for _ in range(3))


def _takes_more(ours: Any, stock: Any, *, is_limited: bool) -> list[str]:
    """Whether the kernel should have been weighed against stock's.

    One with a register limit may spill, but not have fewer resident blocks than stock's as well. One without staged
    operands is weighed only for its spills, since stock's blocks are not known before stock's is compiled.
    """
    from dotload.layout.nvidia_targets import find_target
    from dotload.plugin.cubin import resources_of

    target = find_target(int(ours.metadata.target.arch))
    of_ours, of_stock = (
        resources_of(kernel.asm["cubin"], kernel.metadata.shared, kernel.metadata.num_warps) for kernel in (ours, stock)
    )
    blocks, blocks_of_stock = of_ours.blocks(target), of_stock.blocks(target)
    spills_more = of_ours.stack_bytes > of_stock.stack_bytes
    is_staged = any(name.startswith("stage-") for name in ours.metadata.dotload_passes)
    more = (is_staged and blocks * 2 <= blocks_of_stock) or (
        spills_more and not (is_limited and blocks >= blocks_of_stock)
    )
    return [f"takes more than stock and was not weighed: {of_ours}, stock {of_stock}"] if more else []
