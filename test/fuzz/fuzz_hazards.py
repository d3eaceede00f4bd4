"""Random loops with several dots, compiled up to the last TTGIR passes without a GPU. The hazard check must find no
race in dotload's kernel, unless stock Triton's has one of its kind, and no pass may fail where stock compiles. Then
each kernel is compiled in strict mode, where translation validation must find that it stores what stock's stores,
unless that one has a race."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import forked
from mutation import REPOSITORY

outcomes: Counter[str] = Counter()
"""What became of the kernels so far."""


def prepare() -> None:
    sys.path[:0] = [str(REPOSITORY / "bench"), str(REPOSITORY / "test")]
    import drawn_kernels  # noqa: F401
    import hazards  # noqa: F401


def check(seed: int) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        ended = forked.run(lambda: _check(seed, Path(folder)), Path(folder))
        reached = [path.name for path in Path(folder).iterdir() if path.suffix == ".outcome"]
    outcomes[Path(reached[0]).stem if reached else "failed"] += 1
    fault = ended.fault or (ended.errors.strip().splitlines()[-1] if ended.status else None)
    if fault is None:
        return None
    from drawn_kernels import draw_loop

    return f"{fault}\n{draw_loop(seed)}"


def summary() -> str:
    """One line about all cases of the run."""
    return ", ".join(f"{count} {name}" for name, count in outcomes.most_common())


def _check(seed: int, folder: Path) -> int:
    """Exit with status 1, and the reason as the last line of standard error, if dotload's kernel is not as required."""
    import corpus
    import hazards
    from drawn_kernels import draw_loop
    from triton import knobs

    os.environ["TRITON_CACHE_DIR"] = str(folder / "cache")
    knobs.runtime.add_stages_inspection_hook = hazards.stop_behind_ttgir
    kernel = corpus.Kernel("loop", draw_loop(seed).compile)
    verdict, lines = hazards.check(kernel, stock=False)
    if verdict != "clean":
        of_stock, lines_of_stock = hazards.check(kernel, stock=True)
        if of_stock != verdict or not _codes(lines) <= _codes(lines_of_stock):
            print(" ".join(lines[0].split()), file=sys.stderr)
            return 1
        verdict = f"{verdict}, as with stock"
    elif failure := _failure_in_strict_mode(kernel):
        verdict, _ = hazards.check(kernel, stock=True)
        if verdict == "clean":
            print(failure, file=sys.stderr)
            return 1
        verdict = f"clean, unlike stock: {verdict}"
    (folder / f"{verdict}.outcome").touch()
    return 0


def _failure_in_strict_mode(kernel: Any) -> str:
    """What translation validation finds, or how a pass fails without those that strict mode leaves out; else empty."""
    import hazards

    os.environ["DOTLOAD_STRICT"] = "1"
    try:
        hazards.module_of(kernel, stock=False)
    except Exception as error:
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def _codes(lines: list[str]) -> set[str]:
    """The codes of the hazards."""
    return {code for line in lines for code in re.findall(r"\[([A-Z_]+)\]$", line)}
