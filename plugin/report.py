"""What the plugin tells people: remarks at the lines of their kernels, and a warning for what went wrong."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterable

from dotload.passes.remarks import Remark

_remarks: list[Remark] = []
_warned: set[str] = set()
_lock = threading.Lock()

KEPT_REMARKS = 10_000
"""A process that compiles for days remembers the latest ones."""


class DotloadWarning(UserWarning):
    """Something kept dotload from its work; the kernel is what stock Triton makes of it."""


def report(*, clear: bool = False) -> list[Remark]:
    """The remarks on the kernels that this process compiled with dotload, oldest first; `clear` forgets them.

    A kernel that comes out of Triton's cache was compiled earlier and has none here; its `metadata.dotload` has them.
    """
    with _lock:
        remarks = list(_remarks)
        if clear:
            _remarks.clear()
    return remarks


def publish(remarks: Iterable[Remark]) -> None:
    """Keep `remarks` for `report`, and print them where DOTLOAD_REMARKS=1 asks for it."""
    remarks = list(remarks)
    with _lock:
        _remarks.extend(remarks)
        del _remarks[:-KEPT_REMARKS]
    if switched_on("DOTLOAD_REMARKS"):
        for remark in remarks:
            print(remark, file=sys.stderr)


def warn_once(message: str) -> None:
    """Warn of `message`, the first time in this process."""
    with _lock:
        if message in _warned:
            return
        _warned.add(message)
    warnings.warn(f"dotload: {message}", DotloadWarning, stacklevel=2)


def switched_on(variable: str) -> bool:
    """Whether the environment sets `variable` to anything but 0, false, off or nothing."""
    return os.environ.get(variable, "").lower() not in ("", "0", "false", "off", "no")
