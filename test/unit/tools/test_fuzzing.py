"""`make fuzz` notices failures, shrinks them, and the same seed gives the same case."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

FUZZ = Path(__file__).resolve().parents[2] / "fuzz"
sys.path.insert(0, str(FUZZ))

import attempts  # noqa: E402
import forked  # noqa: E402
import mutation  # noqa: E402


def is_killed() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def raises() -> int:
    raise KeyError("nobody catches this")


def leaves_a_child() -> int:
    if os.fork() == 0:
        time.sleep(600)
    return 0


FAULTS = {is_killed: "ended by SIGKILL", raises: "traceback: KeyError", leaves_a_child: "left 1 processes running"}


@pytest.mark.parametrize("work", FAULTS)
def test_a_fault_is_noticed(work, tmp_path: Path) -> None:
    fault = forked.run(work, tmp_path).fault
    assert fault is not None
    assert fault.startswith(FAULTS[work])


def test_an_end_in_order_is_none(tmp_path: Path) -> None:
    ended = forked.run(lambda: print("said", file=sys.stderr) or 2, tmp_path)
    assert (ended.fault, ended.status, ended.errors) == (None, 2, "said\n")


def test_a_failure_is_shrunk_to_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that crashes at a word is shrunk to that word, in one line of its input."""

    def main() -> int:
        if any(Path(word).is_file() and "crash" in Path(word).read_text() for word in sys.argv[1:]):
            raise KeyError("crash")
        return 0

    monkeypatch.setattr("dotload.tools.dotload_opt.main", main)
    monkeypatch.setattr(attempts, "FAILURES", tmp_path)
    attempt = attempts.Attempt("dotload-opt", ("{}", "--one", "--two"), "a\nb\ncrash\nc\n" * 3)
    said = attempts.check(attempt, 7)
    assert said == f"traceback: KeyError: 'crash'\n  dotload-opt {tmp_path}/dotload-opt-7.mlir"
    assert (tmp_path / "dotload-opt-7.mlir").read_text() == "crash\n"


def test_shrinking_does_not_wait_for_what_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --timeout a command may hang: smaller candidates get a few times as long as the failure took."""
    limits: list[float] = []

    def run(_work, _folder, seconds: float = forked.HANG_SECONDS) -> forked.Ended:
        limits.append(seconds)
        return forked.Ended(-signal.SIGSEGV, "", 0, seconds)

    monkeypatch.setattr(forked, "run", run)
    monkeypatch.setattr(attempts, "FAILURES", tmp_path)
    monkeypatch.setattr(attempts, "time", SimpleNamespace(monotonic=iter((10.0, 10.5)).__next__))
    attempts.check(attempts.Attempt("dotload-opt", ("--one", "--two")), 7)
    assert limits[0] == forked.HANG_SECONDS
    assert set(limits[1:]) == {6.0}


def test_a_case_is_made_from_its_seed_alone() -> None:
    texts = mutation.corpus("test/lit/reduce/*.mlir")
    first, again, other = (mutation.mutate(texts[0], Random(seed), texts) for seed in (1, 1, 3))
    assert first == again
    assert first != other


def test_every_command_holds_against_some_cases() -> None:
    targets = [f"--target={name}" for name in ("opt", "layout", "run_xe", "reduce")]
    words = [sys.executable, str(FUZZ / "run.py"), "--seed", "1", "--cases", "2", *targets]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("0 failures\n")
