"""Run a function in a child process: how it ended, what it printed, and which processes it left running."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HANG_SECONDS = 120
MEMORY_BYTES = 24 << 30  # of address space: untouched stacks and arrays count as well
CRASHED = 70  # an uncaught exception


@dataclass(frozen=True)
class Ended:
    """`status`: of exit, or minus the signal's number; None when it did not end within `seconds`."""

    status: int | None
    errors: str
    left_running: int
    seconds: float

    @property
    def fault(self) -> str | None:
        """What is wrong with how a child ended, whatever its work was; None for a normal end."""
        if self.status is None:
            return f"did not end within {self.seconds:.0f} s"
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        if "Traceback (most recent call last)" in self.errors:
            return f"traceback: {_last_line(self.errors)}"
        if self.left_running:
            return f"left {self.left_running} processes running"
        return None


def run(work: Callable[[], int], folder: Path, seconds: float = HANG_SECONDS) -> Ended:
    """Run `work` in a child that leads a process group, in this folder, which also takes its temporary files."""
    with tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            _become(work, folder, errors.fileno())
        status = _wait(child, seconds)
        left = _running(child)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if status is None:
            os.waitpid(child, 0)
        errors.seek(0)
        return Ended(status, errors.read().decode(errors="replace"), 0 if status is None else left, seconds)


def _become(work: Callable[[], int], folder: Path, errors: int) -> None:
    status = CRASHED
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.dup2(errors, 2)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # whatever they were
        os.chdir(folder)
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        status = work()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _wait(child: int, seconds: float) -> int | None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    return None


def _running(group: int) -> int:
    """How many processes of the group keep running after two seconds."""
    members: list[int] = []
    for _ in range(40):
        members = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and _is_in(path, group)]
        if not members:
            break
        time.sleep(0.05)
    return len(members)


def _is_in(process: Path, group: int) -> bool:
    try:
        state, _, its_group = (process / "stat").read_text().rpartition(")")[2].split()[:3]
    except OSError:
        return False
    return int(its_group) == group and state != "Z"


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")
