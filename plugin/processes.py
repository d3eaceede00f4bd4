"""Child processes that end with their parent, and as a group when their time is up."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass

_PR_SET_PDEATHSIG = 1  # prctl(2)
PID_BYTES = 8


def die_with(parent: int) -> None:
    """Make the kernel end this process when `parent`, which started it, ends (Linux)."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent has ended before the call
        os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Finished:
    """The outcome of a command: its exit status (minus the signal's number after a signal) and its output."""

    status: int
    output: str


def run(words: Sequence[str], timeout_s: float, environment: Mapping[str, str]) -> Finished:
    """Run a command in its own process group, which is killed when the command returns, when `timeout_s` have passed,
    or when this process is killed. OSError if the command cannot be started."""
    import subprocess  # a large module, which most command lines never need

    # A file, since a pipe for the output would stay open as long as any child of the command lives.
    with tempfile.TemporaryFile() as output, _guard() as announce:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            start_new_session=True,
            preexec_fn=announce,
        )
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout_s)
        finally:
            _kill(process.pid)
        status = process.wait()
        output.seek(0)
        return Finished(status, output.read().decode(errors="replace"))


@contextlib.contextmanager
def _guard() -> Generator[Callable[[], object], None, None]:
    """A process that kills a group if this process ends within the block. The group's leader calls the yielded function
    before it executes its command, so the command never runs without the guard knowing of it.
    """
    read, write = os.pipe()
    guard = os.fork()
    if guard == 0:
        os.setsid()
        os.close(write)
        leader = os.read(read, PID_BYTES)
        if len(leader) == PID_BYTES and not os.read(read, 1):
            _kill(int.from_bytes(leader, sys.byteorder))
        os._exit(0)
    os.close(read)
    try:
        yield lambda: os.write(write, os.getpid().to_bytes(PID_BYTES, sys.byteorder))
    finally:
        os.write(write, b".")
        os.close(write)
        os.waitpid(guard, 0)


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
