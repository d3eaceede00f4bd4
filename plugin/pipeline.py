"""Triton's own pipeline with Python passes spliced in.

A backend's `make_ttgir` looks up `passes`, `nvidia` and `ir` as globals of its module and adds pass after pass to a
pass manager. `splice` makes a copy of that function whose globals are stand-ins: they forward everything to the real
modules, but cut the pass manager in two where a Python pass belongs. Triton itself is not changed, so there is nothing
to restore and nothing that another thread could see.
"""

from __future__ import annotations

import copy
import functools
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dotload.plugin.triton_types import Backend, Context, Module, PassManager, Stage, libtriton

Rewrite = Callable[[Module], Module]
"""A libtriton module -> the module to go on with: the same object when nothing was rewritten."""
Adder = Callable[[PassManager], None]
"""Adds one of Triton's own passes to a pass manager."""

_LIBTRITON = "triton._C.libtriton"
_LAST_PASS = re.compile(r"([\w-]+)(?:\{[^}]*\})?\)*$")
_pass_names: dict[Any, str] = {}


@dataclass
class Splice:
    """The rewrites of a stage, and the state while it runs.

    `rewrites` maps the name of an MLIR pass to the rewrite that runs before its first occurrence. `met` are the anchors
    that the pipeline had; `started` says that its passes have begun to run. `stock` is set once a module was rewritten:
    it makes the module of this stage as Triton alone would have made it.
    """

    rewrites: Mapping[str, Rewrite]
    on_failure: Callable[[Exception], None]
    met: set[str] = field(default_factory=set[str])
    started: bool = False
    stock: Callable[[], Module] | None = None

    def take(self, pass_name: str) -> Rewrite | None:
        if pass_name not in self.rewrites or pass_name in self.met:
            return None
        self.met.add(pass_name)
        return self.rewrites[pass_name]


def splice(function: Callable[..., Any], splice: Splice) -> Callable[..., Any]:
    """`function`, a backend's `make_ttgir` or `gluon_to_ttgir`, with the rewrites of `splice` in its pipeline.

    TypeError for anything but a Python function or a method of one.
    """
    stand_ins = {
        name: _StandIn(value, splice)
        for name, value in globals_of(function).items()
        if isinstance(value, types.ModuleType) and value.__name__.startswith(_LIBTRITON)
    }
    copy = with_globals(function, stand_ins)

    def spliced(module: Any, *args: Any, **kwargs: Any) -> Any:
        return _unwrap(copy(_Module(module), *args, **kwargs))

    return spliced


def globals_of(function: object) -> dict[str, Any]:
    """The globals of a Python function, or of a method of one; empty for anything else."""
    return getattr(function, "__globals__", {})


def with_globals(function: Any, names: Mapping[str, Any]) -> Callable[..., Any]:
    """A copy of a Python function, or of a method of one, that finds `names` in place of its own globals.

    TypeError for anything else.
    """
    plain = getattr(function, "__func__", function)
    if not isinstance(plain, types.FunctionType):
        raise TypeError(f"{function!r} is not a Python function")
    copy = types.FunctionType(
        plain.__code__, {**plain.__globals__, **names}, plain.__name__, plain.__defaults__, plain.__closure__
    )
    copy.__kwdefaults__ = plain.__kwdefaults__
    return types.MethodType(copy, function.__self__) if isinstance(function, types.MethodType) else copy


def over_twin(stage: Any, twin: Any) -> Any:
    """`stage`, a lambda of a backend's `add_stages`, that calls `twin` instead of the backend in its closure.

    TypeError for a stage that is not of this kind, because another hook has replaced it.
    """
    if not isinstance(stage, types.FunctionType) or "self" not in stage.__code__.co_freevars:
        raise TypeError("another hook has replaced the stage")
    cells = tuple(
        types.CellType(twin) if name == "self" else cell
        for name, cell in zip(stage.__code__.co_freevars, stage.__closure__ or (), strict=True)
    )
    return types.FunctionType(stage.__code__, stage.__globals__, stage.__name__, stage.__defaults__, cells)


def respliced(backend: Backend, stage: Stage, splice_: Splice) -> Stage:
    """`stage`, a lambda of the backend's `add_stages`, over a twin of the backend whose functions are spliced.

    TypeError for a stage that is not of this kind, because another hook has replaced it.
    """
    twin = copy.copy(backend)
    over = over_twin(stage, twin)
    for name in over.__code__.co_names:
        method = getattr(backend, name, None)
        if callable(method):
            setattr(twin, name, splice(method, splice_))
    return over


_ADDERS: Mapping[str, Callable[[Any, Any, Any], None]] = {
    "canonicalize": lambda passes, pm, _: passes.common.add_canonicalizer(pm),
    "cse": lambda passes, pm, _: passes.common.add_cse(pm),
    "tritongpu-remove-layout-conversions": lambda passes, pm, _: passes.ttgpuir.add_remove_layout_conversions(pm),
    "tritongpu-assign-latencies": lambda passes, pm, options: passes.ttgpuir.add_assign_latencies(
        pm, options.num_stages
    ),
    "tritongpu-schedule-loops": lambda passes, pm, _: passes.ttgpuir.add_schedule_loops(pm),
    "tritongpu-pipeline": lambda passes, pm, options: passes.ttgpuir.add_pipeline(pm, options.num_stages, False),
}
"""MLIR passes that a place may ask for after a rewrite, and how to add them to a pass manager."""


def run_passes(module: Module, names: tuple[str, ...], options: Any) -> None:
    """Run the MLIR passes `names` over `module` in place; `options` are those of the compilation."""
    library = libtriton()
    if names:
        manager = library.ir.pass_manager(module.context)
        manager.enable_debug()
        for name in names:
            _ADDERS[name](library.passes, manager, options)
        manager.run(module, "dotload")


class _Module:
    """Stands for a module that a rewrite may replace by another while `make_ttgir` holds on to it."""

    def __init__(self, module: Module) -> None:
        self.stood_for = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stood_for, name)


class _StandIn:
    """Stands for a module of libtriton and for the modules inside it."""

    def __init__(self, real: types.ModuleType, splice: Splice) -> None:
        self._real = real
        self._splice = splice

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._real, name)
        if isinstance(value, types.ModuleType):
            return _StandIn(value, self._splice)
        if name == "pass_manager":
            return functools.partial(_PassManager, value, self._splice)
        if isinstance(value, type) or not callable(value):
            return value
        return functools.partial(_call, value)


def _call(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    if args and isinstance(args[0], _PassManager):
        return args[0].add(function, args[1:], kwargs)
    return function(*map(_unwrap, args), **kwargs)


def _unwrap(value: Any) -> Any:
    return value.stood_for if isinstance(value, _Module) else value


class _PassManager:
    """Stands for a pass manager: added passes are recorded, cut where a rewrite belongs, until it is run.

    libtriton lets a pass manager run only once, and the way back to stock runs the same passes again, so each run makes
    its own pass managers.
    """

    def __init__(self, make: Callable[[Context], PassManager], splice: Splice, context: Context) -> None:
        self._make = make
        self._context = context
        self._splice = splice
        self._debug = False
        self._segments: list[list[Adder]] = [[]]
        self._rewrites: list[Rewrite] = []  # each runs after the segment of the same number

    def enable_debug(self) -> bool:
        """The result of a real pass manager: whether MLIR's dumps are on."""
        self._debug = True
        return self._make(self._context).enable_debug()

    def add(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        unwrapped = tuple(map(_unwrap, args))

        def adder(manager: PassManager) -> None:
            function(manager, *unwrapped, **kwargs)

        rewrite = self._splice.take(self._name(function, adder))
        if rewrite is not None:
            self._rewrites.append(rewrite)
            self._segments.append([])
        self._segments[-1].append(adder)

    def run(self, module: _Module, *args: Any) -> None:
        self._splice.started = True
        module.stood_for = self._run(0, module.stood_for, args)

    def _run(self, first: int, module: Module, args: tuple[Any, ...], *, rewriting: bool = True) -> Module:
        """`module` after the segments from `first` on."""
        for index, segment in enumerate(self._segments[first:], first):
            self._run_segment(segment, module, args)
            if rewriting and index < len(self._rewrites):
                if (rewritten := self._rewrites[index](module)) is not module:
                    return self._go_on(index + 1, module, rewritten, args)
        return module

    def _run_segment(self, segment: list[Adder], module: Module, args: tuple[Any, ...]) -> None:
        manager = self._make(self._context)
        if self._debug:
            manager.enable_debug()
        for add in segment:
            add(manager)
        manager.run(module, *args)

    def _go_on(self, first: int, stock: Module, rewritten: Module, args: tuple[Any, ...]) -> Module:
        """`rewritten` after the segments from `first` on; `stock` after them if one of Triton's passes refuses it."""

        def run_stock() -> Module:
            return self._run(first, stock, args, rewriting=False)

        if self._splice.stock is not None:  # an earlier rewrite knows the way back
            return self._run(first, rewritten, args)
        self._splice.stock = run_stock
        try:
            return self._run(first, rewritten, args)
        except RuntimeError as error:
            self._splice.on_failure(error)
            self._splice.stock = None
            return run_stock()

    def _name(self, function: Callable[..., Any], adder: Adder) -> str:
        """The MLIR name of the pass that `function` adds, read from a temporary pass manager."""
        if function not in _pass_names:
            probe = self._make(self._context)
            adder(probe)
            found = _LAST_PASS.search(probe.get_pipeline_str())
            _pass_names[function] = found[1] if found else ""
        return _pass_names[function]
