"""torch.compile while dotload is on: its kernels are compiled in this process, and its caches keep them apart.

Inductor compiles in worker processes, which lack this process's hook. It caches kernels by source and whole graphs by
configuration; neither includes the hook's key. While dotload is on, Inductor compiles in this process, and dotload's
key is part of the configuration and of the backend's hash, which stands in each kernel's source. If torch is not
imported yet, environment variables that it reads turn its workers and its graph caches off instead.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from dotload.plugin.patch import Patch

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
        config: Any = importlib.import_module("torch._inductor.config")
    except ImportError:  # a build of torch without Inductor
        return nothing
    changes: dict[str, Any] = {"compile_threads": 1}
    metadata = getattr(getattr(config, "aot_inductor", None), "metadata", None)
    if isinstance(metadata, dict):
        changes["aot_inductor.metadata"] = metadata | {"dotload": key}
    else:
        changes["fx_graph_cache"] = False
    stack = ExitStack()
    stack.enter_context(config.patch(changes))
    # Inductor finds a kernel by its source, in which it writes the hash of Triton and its backend.
    owner = importlib.import_module("torch.utils._triton")
    stack.callback(Patch.apply(owner, "triton_hash_with_backend", lambda hash_: lambda: hash_() + key).revert)
    return stack.close


def _adapt_environment() -> Callable[[], None]:
    before = {name: os.environ.get(name) for name in _ENVIRONMENT}
    os.environ.update(_ENVIRONMENT)

    def undo() -> None:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        codecache = sys.modules.get("torch._inductor.codecache")
        if codecache is not None:  # torch was imported since; its kernels do not say whose they are
            codecache.PyCodeCache.cache_clear()

    return undo


def nothing() -> None:
    """Undo nothing."""
