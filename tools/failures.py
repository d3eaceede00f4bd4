"""Unforeseen failures of a command: a full disk, too little memory, an input too deep for Python's stack. Each gives
one line and an exit status, like any other error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path


class Unreadable(ValueError):
    """A file without text; the message is one line for the user."""


def read_text(path: str, encoding: str = "utf-8") -> str:
    """The text of a file, or of standard input for `-`; Unreadable if there is none."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding=encoding)
    except OSError as error:
        raise Unreadable(f"cannot read '{path}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise Unreadable(f"cannot read '{path}': it is not a text file") from None
    except ValueError:  # a null character in the file name
        raise Unreadable(f"cannot read {path!r}: No such file or directory") from None
    if not text.strip():
        raise Unreadable(f"cannot read '{path}': it is empty")
    return text


def message_of(error: BaseException) -> str | None:
    """The message to the user for a failure that is not dotload's; None for one that is."""
    if isinstance(error, RecursionError):
        return "the input is nested too deeply"
    if isinstance(error, MemoryError):
        return f"there is not enough memory for this{f': {error}' if str(error) else ''}"
    if isinstance(error, UnicodeEncodeError):  # an argument that is neither UTF-8 nor a file name
        return "the command line is not text"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot write {_name(error)}: {error.strerror}"
    return None


def guarded(work: Callable[[], int], prefix: str) -> int:
    """The exit status of a command whose errors begin with `prefix`; its output is flushed."""
    _open_standard_streams()
    try:
        try:
            status = work()
        except SystemExit as end:  # argparse has printed the reason
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of our output has closed it
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
    """Open closed standard streams on the null device: the next opened file must not take their numbers."""
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
    """Discard buffered output: the interpreter would try to write it again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
