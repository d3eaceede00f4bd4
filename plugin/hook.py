"""Switching dotload on and off, and the keys that keep its kernels apart from stock ones.

`enable` is for the process, `enabled` and `disabled` for the thread (or task) that runs the `with` block. Triton calls
dotload's hook to change the stages of a compilation, and from 3.7 on also for a key, which becomes part of its cache
keys. In 3.6 the two functions that make these keys are wrapped while dotload is on.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any

from dotload.plugin import inductor, nvidia, workers, xpu
from dotload.plugin.patch import Patch
from dotload.plugin.report import switched_on, warn_once, with_recalled
from dotload.plugin.selection import OFF, Selection, select
from dotload.plugin.stages import rework_stages
from dotload.plugin.triton_types import minor_version, runtime_knobs, version

_lock = threading.RLock()
_process: Selection | None = None
_context: ContextVar[Selection | None] = ContextVar("dotload_selection", default=None)
_users = 0  # `enable`, and each running `with enabled()`
_hook: Hook | None = None
_patches: list[Patch] = []
_undo_inductor: Callable[[], None] = inductor.nothing


def enable(passes: str | Iterable[str] | None = None) -> None:
    """Compile kernels with dotload from now on, in every thread of this process and in workers that it starts.

    `passes` limits it to those named, with options as on the command line: "lower-staged-reads{partitions-only=false}",
    several with commas between them or as a list. RegistryError for an unknown name, ImportError without Triton. With a
    version of Triton that dotload does not know, it warns and stays off.
    """
    global _process
    selection = select(passes)
    if not _can_switch():
        return
    with _lock:
        if _process is None:
            _install()
        _process = selection
        _switched()


def disable() -> None:
    """Undo `enable`, with every change that dotload made to Triton."""
    global _process
    with _lock:
        if _process is not None:
            _process = None
            _uninstall()
            _switched()


@contextmanager
def enabled(passes: str | Iterable[str] | None = None) -> Generator[None, None, None]:
    """Compile kernels with dotload inside the `with` block; other threads are not affected. Arguments as for `enable`.

    With triton-xpu, another thread must not launch the same kernels meanwhile.
    """
    selection = select(passes)
    if not _can_switch():
        yield
        return
    _install()
    try:
        with _selected(selection):
            yield
    finally:
        _uninstall()
        _switched()


@contextmanager
def disabled() -> Generator[None, None, None]:
    """Compile kernels as stock Triton does inside the `with` block; other threads are not affected."""
    with _selected(OFF):
        yield


@contextmanager
def _selected(selection: Selection) -> Generator[None, None, None]:
    token = _context.set(selection)
    _switched()
    try:
        yield
    finally:
        _context.reset(token)
        _switched()


def active() -> Selection | None:
    """The selection of the current thread or task; None if dotload is off."""
    selection = _context.get() or _process
    return None if selection is OFF else selection


def _can_switch() -> bool:
    """Whether dotload knows this version of Triton; warns if not."""
    first, last = nvidia.TESTED
    if xpu.is_here() or first <= minor_version() <= last:
        return True
    tested, is_newer = f"tested: {_dotted(first)} to {_dotted(last)}", minor_version() > last
    if is_newer and switched_on("DOTLOAD_UNTESTED_TRITON"):
        warn_once(f"Triton {version()} is not tested: dotload applies the rules of {_dotted(last)} ({tested})")
        return True
    go_on = "; DOTLOAD_UNTESTED_TRITON=1 uses dotload anyway" if is_newer else ""
    warn_once(f"Triton {version()} is not tested: stock Triton compiles the kernels ({tested}{go_on})")
    return False


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def _install() -> None:
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            workers.inherit()
            if xpu.is_here():
                xpu.install(lambda: () if (selection := active()) is None else selection.chosen)
            else:
                _put_hook()


def _uninstall() -> None:
    global _users
    with _lock:
        _users -= 1
        if _users == 0:
            workers.disinherit()
            xpu.uninstall()
            _take_hook()


def _put_hook() -> None:
    global _hook
    knobs = runtime_knobs()
    _hook = knobs.add_stages_inspection_hook = Hook(knobs.add_stages_inspection_hook)
    _patches[:] = _make_patches()


def _take_hook() -> None:
    global _hook
    if _hook is None:
        return
    knobs = runtime_knobs()
    if knobs.add_stages_inspection_hook is _hook:
        knobs.add_stages_inspection_hook = _hook.previous
    _hook = None
    for patch in _patches:
        patch.revert()
    _patches.clear()


def _switched() -> None:
    """Update Inductor and triton-xpu: both have one configuration per process, that of the last switch."""
    global _undo_inductor
    with _lock:
        if _users and xpu.is_here():
            xpu.forget_compiled()
            return
        _undo_inductor()
        selection = active() if _users else None
        _undo_inductor = inductor.adapt(selection) if selection else inductor.nothing


@dataclass(frozen=True)
class Hook:
    """Triton's hook: without arguments a key, otherwise (backend, stages, options, language, capability).

    `previous` is another hook, installed before. A hook installed later keeps calling this one, which only forwards
    once dotload is off.
    """

    previous: Callable[..., Any] | None

    def __call__(self, *args: Any) -> Any:
        selection = active() if self is _hook else None
        if not args:
            key, digest = self.previous() if self.previous else ("", "")
            ours = selection.key() if selection else ""
            return key + ours, digest + ours
        if selection:
            backend, stages, options, *_ = args
            rework_stages(backend, stages, options, selection.passes())
        return self.previous(*args) if self.previous else None


def _make_patches() -> list[Patch]:
    compiler, jit, asynchronous = map(
        importlib.import_module, ("triton.compiler.compiler", "triton.runtime.jit", "triton.runtime._async_compile")
    )
    patches = [
        Patch.apply(asynchronous.AsyncCompileMode, "submit", _submit_here),
        Patch.apply(importlib.import_module("triton.knobs").compilation, "listener", with_recalled),
    ]
    if "add_stages_inspection_hook" not in jit.JITFunction.run.__code__.co_names:
        patches.append(Patch.apply(compiler, "get_cache_key", _with_key))
        patches.append(Patch.apply(jit, "compute_cache_key", _with_key))
    return patches


def _with_key(original: Callable[..., str]) -> Callable[..., str]:
    def with_key(*args: Any, **kwargs: Any) -> str:
        selection = active()
        return original(*args, **kwargs) + (selection.key() if selection else "")

    return with_key


def _submit_here(original: Callable[..., Any]) -> Callable[..., Any]:
    """Submit compilations with the present selection: asynchronous compilation identifies a kernel by its stock key
    alone, and compiles it in a thread that sees no `with enabled()`, maybe after that block has ended."""

    def submit(self: Any, key: str, compile_: Callable[[], Any], *rest: Any) -> Any:
        selection = active()
        if selection is None:
            return original(self, key, partial(_compile_with, OFF, compile_), *rest)
        key += selection.key()
        if key not in self.future_kernels:
            _install()  # for the compiling thread, which takes over this use and ends it
            compile_ = partial(_compile_and_uninstall, selection, compile_)
        return original(self, key, compile_, *rest)

    return submit


def _compile_and_uninstall(selection: Selection, compile_: Callable[[], Any]) -> Any:
    try:
        return _compile_with(selection, compile_)
    finally:
        _uninstall()


def _compile_with(selection: Selection, compile_: Callable[[], Any]) -> Any:
    token = _context.set(selection)
    try:
        return compile_()
    finally:
        _context.reset(token)
