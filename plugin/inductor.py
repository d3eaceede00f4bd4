"""torch.compile while dotload is on: Inductor's workers compile with dotload, and its caches keep the kernels apart.

Inductor compiles in worker processes, which lack this process's hook. Each job brings the names of the passes along,
and the remarks come back with its result. A worker does not know passes that a user registered: with them, Inductor
compiles in this process.

Inductor caches kernels by source and whole graphs by configuration; neither includes the hook's key. dotload's key is
part of the configuration and of the backend's hash, which stands in each kernel's source.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

from dotload.plugin.after_import import AfterImport
from dotload.plugin.patch import Patch
from dotload.plugin.report import Record, published, recall, warn_once
from dotload.plugin.selection import Selection

_COMPILE = "_worker_compile_triton"
"""torch's function that compiles a kernel in a worker, as torch/_inductor/async_compile.py names it."""


def adapt(selection: Selection) -> Callable[[], None]:
    """Make Inductor heed dotload, now or once it is imported; returns what undoes it."""
    key = selection.key()
    return AfterImport(
        {
            "torch._inductor.config": partial(_configure, selection=selection, key=key),
            "torch._inductor.async_compile": partial(_bring_along, selection=selection),
            # Inductor finds a kernel by its source, in which it writes the hash of Triton and its backend.
            "torch.utils._triton": partial(_add_to_hash, key=key),
        }
    ).undo


def _configure(config: Any, selection: Selection, key: str) -> Callable[[], None]:
    changes: dict[str, Any] = {}
    # Workers that torch does not start by a program of its own may have this process's hook.
    if not _workers_know(selection) or getattr(config, "worker_start_method", None) != "subprocess":
        changes["compile_threads"] = 1
    metadata = getattr(getattr(config, "aot_inductor", None), "metadata", None)
    if isinstance(metadata, dict):
        changes["aot_inductor.metadata"] = metadata | {"dotload": key}
    else:
        changes["fx_graph_cache"] = False
    return _changed(config, changes)


def _bring_along(async_compile: Any, selection: Selection) -> Callable[[], None]:
    if not _workers_know(selection):
        return nothing
    if not hasattr(async_compile, _COMPILE) or _uses_threads(async_compile):
        return _changed(sys.modules["torch._inductor.config"], {"compile_threads": 1})
    return Patch.apply(async_compile, _COMPILE, partial(Job, passes=selection.spelled())).revert


def _uses_threads(async_compile: Any) -> bool:
    """Whether its workers are threads of this process, which do not see `with enabled()` (torch 2.15)."""
    asks = getattr(getattr(async_compile, "AsyncCompile", None), "should_use_thread_workers", None)
    return asks is not None and asks()


def _changed(config: Any, changes: Mapping[str, Any]) -> Callable[[], None]:
    stack = ExitStack()
    stack.enter_context(config.patch(changes))
    return stack.close


def _add_to_hash(triton_utilities: Any, key: str) -> Callable[[], None]:
    return Patch.apply(triton_utilities, "triton_hash_with_backend", lambda hash_: lambda: hash_() + key).revert


def _workers_know(selection: Selection) -> bool:
    """Whether all passes are dotload's own."""
    return all(isinstance(each.entry.target, str) for each in selection.passes())


@dataclass(frozen=True)
class Job:
    """Inductor's function that compiles a kernel in a worker, with these passes."""

    compile: Callable[..., Any]
    passes: tuple[str, ...] | None

    def __call__(self, *args: Any, **kwargs: Any) -> Result:
        from dotload.plugin import hook

        os.environ.pop("DOTLOAD_REMARKS", None)  # the process that sent the job prints them
        before = published()
        with hook.enabled(self.passes):
            value = self.compile(*args, **kwargs)
        return Result(value, {hash_: remarks for hash_, remarks in published().items() if hash_ not in before})


@dataclass(frozen=True)
class Result:
    """What a job returns. To unpickle it is to publish the remarks on its kernels, by their hashes."""

    value: Any
    kernels: Mapping[str, Sequence[Record]]

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self.value, self.kernels)


def _received(value: Any, kernels: Mapping[str, Sequence[Record]]) -> Any:
    for hash_, remarks in kernels.items():
        recall(hash_, remarks)
        for remark in remarks:
            if remark["kind"] == "failure":
                warn_once(f"{remark['pass_name']}: {remark['message']}")  # the worker's own warning is not seen
    return value


def nothing() -> None:
    """Undo nothing."""
