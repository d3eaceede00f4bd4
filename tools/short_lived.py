"""Settings for a process that answers one command and ends: start-up is most of its time."""

from __future__ import annotations

import atexit
import gc
import os

COLLECT_AFTER = 100_000


def prepare() -> None:
    """Call before numpy is imported.

    OpenBLAS would start a thread per core, and these spin while they wait for matrix products, of which the tools have
    none. Objects made by imports are never garbage, so the collector runs rarely (after `COLLECT_AFTER` new containers
    instead of 700).
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(COLLECT_AFTER)


def end_quietly() -> None:
    """Discard output of C++ libraries after the interpreter has ended. Call before anything else.

    Triton 3.9 loses references to attributes of Gluon kernels, and nanobind lists these on stderr. The handler
    registered first runs last.
    """
    atexit.register(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2))
