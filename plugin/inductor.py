"""torch.compile while dotload is on: its kernels are compiled here, and its caches keep them apart.

Inductor compiles in worker processes, where no hook of this process is, and keeps whole graphs with their kernels in
caches of its own, which know nothing of the hook's key. While dotload is on, Inductor compiles in this process, and the
key of dotload is part of its configuration, which its caches go by. Where torch is yet to be imported, the environment
variables that it reads then do the same, with its graph caches off.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

_ENVIRONMENT = {
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
    "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
}


def adapt(key: str) -> Callable[[], None]:
    """Make Inductor heed dotload, whose kernels go by `key`; returns what undoes it."""
    return _adapt_configuration(key) if "torch" in sys.modules else _adapt_environment()


def _adapt_configuration(key: str) -> Callable[[], None]:
    try:
        from torch._inductor import config  # pyright: ignore[reportMissingImports]
    except ImportError:  # a build of torch without Inductor
        return nothing
    changes: dict[str, Any] = {"compile_threads": 1}
    metadata = getattr(getattr(config, "aot_inductor", None), "metadata", None)
    if isinstance(metadata, dict):
        changes["aot_inductor.metadata"] = metadata | {"dotload": key}
    else:
        changes["fx_graph_cache"] = False
    patch = config.patch(changes)
    patch.__enter__()
    return lambda: patch.__exit__(None, None, None)


def _adapt_environment() -> Callable[[], None]:
    before = {name: os.environ.get(name) for name in _ENVIRONMENT}
    os.environ.update(_ENVIRONMENT)

    def undo() -> None:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    return undo


def nothing() -> None:
    """There is nothing to undo."""
