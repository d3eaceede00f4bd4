"""What no code can foresee of a command: a full disk, too little memory, an input too deep for Python's stack. Each is
one line and an exit status, as any other mistake is."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path


class Unreadable(ValueError):
    """There is no text in a file; the message is one line for the user."""


def read_text(path: str) -> str:
    """The text of a file, or of standard input for `-`; Unreadable where there is none."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise Unreadable(f"cannot read '{path}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise Unreadable(f"cannot read '{path}': it is not a text file") from None
    except ValueError:  # a null character, which no name of a file has
        raise Unreadable(f"cannot read {path!r}: No such file or directory") from None
    if not text.strip():
        raise Unreadable(f"cannot read '{path}': it is empty")
    return text


def message_of(error: BaseException) -> str | None:
    """What to tell the user of a failure that is not dotload's; None for one that is."""
    if isinstance(error, RecursionError):
        return "the input is nested too deeply"
    if isinstance(error, MemoryError):
        return f"there is not enough memory for this{f': {error}' if str(error) else ''}"
    if isinstance(error, UnicodeEncodeError):  # bytes of an argument that are no UTF-8, and no name of a file
        return "the command line is not text"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot write {_name(error)}: {error.strerror}"
    return None


def guarded(work: Callable[[], int], prefix: str) -> int:
    """The exit status of a command whose mistakes begin with `prefix`; whatever it printed is written by then."""
    _open_standard_streams()
    try:
        try:
            status = work()
        except SystemExit as end:  # argparse has said why
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # who read our output has seen enough
        _close_output()
        return 1
    except KeyboardInterrupt:
        return 130
    except (RecursionError, MemoryError, UnicodeEncodeError, OSError) as error:
        message = message_of(error)
        if message is None:
            raise
        _close_output()
        print(f"{prefix}error: {message}", file=sys.stderr)
        return 1


def _open_standard_streams() -> None:
    """Who closed one of them wants nothing from it: the next file that is opened must not take its number."""
    if sys.stdin and sys.stdout and sys.stderr:
        return
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(number)
    sys.stdin = sys.stdin or open(0, closefd=False)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)
    sys.stderr = sys.stderr or open(2, "w", closefd=False)


def _name(error: OSError) -> str:
    return f"'{error.filename}'" if error.filename else "the output"


def _close_output() -> None:
    """What is still buffered goes nowhere: the interpreter would try to write it once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
