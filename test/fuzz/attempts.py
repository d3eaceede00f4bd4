"""One run of a command on an input that may be malformed. Whatever the input, the command must end with status 0, 1 or
2, without a traceback, in time, and leave no process behind. Failures are shrunk."""

from __future__ import annotations

import importlib
import shlex
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import forked
from mutation import REPOSITORY

from dotload.tools.opt.shrinking import shrink_sequence

FAILURES = REPOSITORY / "build" / "fuzz"
STATUSES = (0, 1, 2)


@dataclass(frozen=True)
class Attempt:
    """`words` are the command line; `{}` in it stands for a file with `text`, whose name ends in `suffix`."""

    program: str
    words: tuple[str, ...]
    text: str = ""
    suffix: str = ".mlir"

    def fault(self, seconds: float = forked.HANG_SECONDS) -> str | None:
        """What is wrong with the way the command ended; None if nothing is."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"input{self.suffix}"
            path.write_bytes(self.text.encode(errors="surrogateescape"))
            ended = forked.run(lambda: self._main(path), Path(folder), seconds)
        if ended.fault is None and ended.status not in STATUSES:
            return f"exit status {ended.status}: {ended.errors[-200:]}"
        return ended.fault

    def shrunk(self, fault: str, seconds: float) -> Attempt:
        """The smallest attempt found within so many seconds that fails in the same way."""
        kind = fault.partition(":")[0]

        def fails(attempt: Attempt) -> bool:
            found = attempt.fault(seconds)
            return found is not None and found.partition(":")[0] == kind

        best = self
        if fault.startswith("did not end"):
            return best  # each step would take as long
        if "{}" in " ".join(self.words):
            lines = shrink_sequence(
                best.text.splitlines(keepends=True), lambda kept: fails(replace(best, text="".join(kept)))
            )
            best = replace(best, text="".join(lines))
        words = shrink_sequence(best.words, lambda kept: fails(replace(best, words=tuple(kept))))
        return replace(best, words=tuple(words))

    def command(self, seed: int) -> str:
        """The command line that reproduces the attempt; its input is saved to a file."""
        FAILURES.mkdir(parents=True, exist_ok=True)
        path = FAILURES / f"{self.program}-{seed}{self.suffix}"
        path.write_bytes(self.text.encode(errors="surrogateescape"))
        words = [word.replace("{}", str(path)) for word in self.words]
        return shlex.join([self.program, *words])

    def _main(self, path: Path) -> int:
        sys.argv = [self.program, *(word.replace("{}", str(path)) for word in self.words)]
        return importlib.import_module(f"dotload.tools.{self.program.replace('-', '_')}").main()


def check(attempt: Attempt, seed: int) -> str | None:
    """Run the attempt; returns the fault with a line that reproduces it, or None."""
    begin = time.monotonic()
    fault = attempt.fault()
    if fault is None:
        return None
    # A smaller attempt may take longer: without its --timeout, or if it waits for input that never comes.
    seconds = min(forked.HANG_SECONDS, 1 + 10 * (time.monotonic() - begin))
    return f"{fault}\n  {attempt.shrunk(fault, seconds).command(seed)}"


def prepare(modules: Sequence[str]) -> None:
    """Import what every run would import, since each run is a fork of this process."""
    for name in modules:
        importlib.import_module(name)
