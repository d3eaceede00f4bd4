"""Settings for a process that answers one command and ends: start-up is most of its time."""

from __future__ import annotations

import atexit
import gc
import os

COLLECT_AFTER = 100_000


def prepare() -> None:
    """Call before numpy is imported.

    OpenBLAS would start a thread per core, which wait for matrix products by spinning; the tools have none. What
    importing leaves behind is never garbage, so the collector looks at it seldom (`COLLECT_AFTER` new containers
    instead of 700).
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(COLLECT_AFTER)


def end_quietly() -> None:
    """Call before anything else: what C++ libraries say of themselves when the interpreter is gone goes nowhere.

    Triton 3.9 loses references to attributes of Gluon kernels, and nanobind lists these on stderr. The handler that is
    registered first runs last.
    """
    atexit.register(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2))
