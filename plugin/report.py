"""The plugin's output to users: remarks at the lines of their kernels, and warnings on failures."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FrameType
from typing import Any

from dotload.passes.remarks import Remark

Record = Mapping[str, Any]
"""The fields of a remark, as a kernel's metadata has them."""

_remarks: list[Remark] = []
_warned: set[str] = set()
_published: dict[str, Sequence[Record]] = {}
"""The remarks that this process has published, by the hashes of their kernels."""
_lock = threading.Lock()

KINDS = frozenset(("passed", "missed", "analysis", "failure"))

SWITCHES = frozenset(("1", "true", "on", "yes"))

_BETWEEN = frozenset(("contextlib", "dotload", "torch", "triton"))

KEPT_REMARKS = 10_000
"""The most remarks kept: a process that compiles for days keeps the latest."""


class DotloadWarning(UserWarning):
    """A failure of dotload; the kernel is stock Triton's."""


def report(*, clear: bool = False) -> list[Remark]:
    """The remarks on the kernels that this process compiled with dotload, oldest first; `clear` forgets them.

    A kernel from Triton's cache brings its remarks along, the first time in a process.
    """
    with _lock:
        remarks = list(_remarks)
        if clear:
            _remarks.clear()
    return remarks


def publish(remarks: Iterable[Remark]) -> None:
    """Keep `remarks` for `report`, and print those that DOTLOAD_REMARKS asks for: all (1), or kinds (passed,missed)."""
    remarks = list(remarks)
    with _lock:
        _remarks.extend(remarks)
        del _remarks[:-KEPT_REMARKS]
    if switched_on("DOTLOAD_REMARKS"):
        kinds = _kinds_asked_for(os.environ["DOTLOAD_REMARKS"])
        for remark in remarks:
            if remark.kind in kinds:
                print(remark, file=sys.stderr)


def _kinds_asked_for(text: str) -> frozenset[str]:
    """The kinds listed in `text`, separated by commas; all kinds for a text that is a switch."""
    words = frozenset(word.strip() for word in text.split(","))
    if not words <= KINDS and text.lower() not in SWITCHES:
        warn_once(f"DOTLOAD_REMARKS={text}: expected 1, or some of {','.join(sorted(KINDS))}")
    return words & KINDS or KINDS


def with_recalled(listener: Callable[..., None] | None) -> Callable[..., None]:
    """A compilation listener, around Triton's or the user's, that also publishes the remarks of cached kernels."""

    def listen(**compilation: Any) -> None:
        if listener is not None:
            listener(**compilation)
        metadata = compilation["metadata"]
        recall(metadata["hash"], metadata.get("dotload") or (), are_new=compilation["cache_hit"])

    return listen


def published() -> dict[str, Sequence[Record]]:
    """The remarks that this process has published, by the hashes of their kernels."""
    with _lock:
        return dict(_published)


def recall(kernel: str, remarks: Sequence[Record], *, are_new: bool = True) -> None:
    """Publish the remarks on the kernel with this hash, unless this process has; `are_new` is false if it just has."""
    with _lock:
        is_known = kernel in _published
        _published.setdefault(kernel, remarks)
    if are_new and not is_known:
        publish(Remark(**remark) for remark in remarks)


def warn_once(message: str) -> None:
    """Warn of `message` at the user's line, the first time in this process."""
    with _lock:
        if message in _warned:
            return
        _warned.add(message)
    frame = _frame_of_user()
    names = frame.f_globals
    warnings.warn_explicit(
        f"dotload: {message}",
        DotloadWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        names.get("__name__"),
        names.setdefault("__warningregistry__", {}),
    )


def _frame_of_user() -> FrameType:
    """The innermost frame that is not of a package between the user and the warning; else the outermost frame."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  # `inspect` takes long to import
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame = frame.f_back
    return frame


def switched_on(variable: str) -> bool:
    """Whether the environment sets `variable` to anything but 0, false, off or nothing."""
    return os.environ.get(variable, "").lower() not in ("", "0", "false", "off", "no")
