"""Worker processes of `multiprocessing` begin with the selection of the thread that starts them.

A forked worker has its parent's hook. A worker by spawn or forkserver imports the program again, but does not run what
stands under `__name__ == "__main__"`, such as `enable`. Each process has a configuration, a dict that all descendants
inherit (`BaseProcess._config`, see the end of CPython's Lib/multiprocessing/process.py). multiprocessing pickles it for
such a worker, which unpickles it after its imports and before it calls its function.
"""

from __future__ import annotations

from multiprocessing import current_process
from typing import Any

from dotload.passes.registry import RegistryError
from dotload.plugin.report import warn_once

_KEY = "dotload"


class Inherited:
    """An object in a process's configuration. To unpickle it is to switch dotload on, if it was on at the pickling."""

    def __reduce__(self) -> tuple[Any, ...]:
        from dotload.plugin import hook

        selection = hook.active()
        if selection is None:
            return Inherited, ()
        return switch_on, (selection.spelled(),)


def switch_on(passes: tuple[str, ...] | None) -> Inherited:
    """Switch dotload on in a worker; a worker without Triton or without one of the passes compiles as stock."""
    from dotload.plugin import hook

    try:
        hook.enable(passes)
    except (ImportError, RegistryError) as error:
        warn_once(f"stock Triton compiles the kernels of process {current_process().name}: {error}")
    return Inherited()


def inherit() -> None:
    """Let the workers that this process starts from now on inherit the selection."""
    _configuration().setdefault(_KEY, Inherited())


def disinherit() -> None:
    """Undo `inherit`."""
    _configuration().pop(_KEY, None)


def _configuration() -> dict[str, Any]:
    return vars(current_process()).get("_config", {})
