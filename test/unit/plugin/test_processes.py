"""No child outlives its parent, and no time limit leaves a process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from limits import HANG_SECONDS

from dotload.plugin import processes

LONG = 10 * HANG_SECONDS
"""Seconds that a process would live, longer than anything here waits for its end."""

SLEEPERS = f"echo $$ >> {{file}}; (echo $BASHPID >> {{file}}; sleep {LONG}) & {{then}}"


def eventually(holds: Callable[[], bool]) -> bool:
    for _ in range(HANG_SECONDS * 20):
        if holds():
            return True
        time.sleep(0.05)
    return False


def is_gone(pid: int) -> bool:
    """Whether a process has ended, even if nobody has read its status."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def pids(file: Path) -> list[int]:
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def command(file: Path, then: str) -> list[str]:
    return ["bash", "-c", SLEEPERS.format(file=file, then=then)]


def test_a_timeout_ends_the_whole_group(tmp_path: Path) -> None:
    done = processes.run(command(tmp_path / "pids", f"echo said; sleep {LONG}"), 2, os.environ)
    assert (done.status, done.output) == (-signal.SIGKILL, "said\n")
    assert eventually(lambda: all(map(is_gone, pids(tmp_path / "pids"))))


def test_what_a_command_leaves_in_the_background_ends_with_it(tmp_path: Path) -> None:
    """It also holds the command's output open, which must not keep us waiting."""
    file = tmp_path / "pids"
    waits = f"while [ $(wc -l < {file}) -lt 2 ]; do sleep 0.05; done; exit 3"
    done = processes.run(command(file, waits), HANG_SECONDS, os.environ)
    assert done.status == 3
    assert len(pids(file)) == 2
    assert eventually(lambda: all(map(is_gone, pids(file))))


PARENTS = {
    "a command": "from dotload.plugin import processes; processes.run({words!r}, 9999, os.environ)",
    "the driver's child": "from dotload.tools.opt import child; child.call(lambda: write() or time.sleep(9999))",
    "the driver's child's child": (
        "from dotload.tools.opt import child; child.call(lambda: child.call(lambda: write() or time.sleep(9999)))"
    ),
}
WRITE = """
import os, time
def write():
    with open({file!r}, "a") as file:
        file.write(f"{{os.getpid()}}\\n" * 2)
"""


@pytest.mark.parametrize("what", PARENTS)
def test_children_die_with_the_parent(what: str, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    code = PARENTS[what].format(words=command(file, f"sleep {LONG}"))
    parent = subprocess.Popen([sys.executable, "-c", WRITE.format(file=str(file)) + code])
    assert eventually(lambda: len(pids(file)) == 2)
    assert not any(map(is_gone, pids(file)))
    parent.kill()
    parent.wait()
    assert eventually(lambda: all(map(is_gone, pids(file))))


ENDS_EARLY = """
import os, subprocess, time
from dotload.plugin import processes

start = subprocess.Popen
def start_and_end(*words, **how):
    start(*words, **how)
    while not (os.path.exists({file!r}) and os.path.getsize({file!r})):  # it is there before it is written
        time.sleep(0.05)
    os._exit(0)

subprocess.Popen = start_and_end
processes.run({words!r}, 9999, os.environ)
"""


def test_a_command_dies_with_a_parent_that_has_only_just_started_it(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    words = command(file, f"sleep {LONG}")
    subprocess.run([sys.executable, "-c", ENDS_EARLY.format(file=str(file), words=words)], check=False)
    assert eventually(lambda: len(pids(file)) > 0 and all(map(is_gone, pids(file))))


def test_a_command_that_is_none() -> None:
    with pytest.raises(FileNotFoundError):
        processes.run(["/no/such/program"], 1, os.environ)
