"""One crossing of the bridge: the passes at one place, run over one kernel."""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from dotload.passes.analysis.prefilter import Kernel, always
from dotload.passes.registry import PassEntry, Place
from dotload.passes.remarks import KERNEL, Remark, collect
from dotload.plugin import intel, nvidia
from dotload.plugin.kernel_line import at_line, line_of
from dotload.plugin.op_index import OpIndex
from dotload.plugin.report import switched_on, warn_once
from dotload.plugin.triton_types import Module, minor_version

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute
    from xdsl.passes import ModulePass


@dataclass(frozen=True)
class Spliced:
    """A pass as the plugin runs it: its entry in the registry and its options as the command line spells them."""

    entry: PassEntry
    options: str = ""

    def __str__(self) -> str:
        return self.entry.name + self.options

    @property
    def places(self) -> tuple[Place, ...]:
        """The places where the pass may run, the best first; empty for a pass that only the driver runs."""
        if self.entry.name in intel.PASSES:
            return (intel.PLACE,)
        pipeline = nvidia.pipeline_of(self.entry.name)
        return self.entry.places if pipeline is None else pipeline.places

    @property
    def begins(self) -> Callable[[Kernel], bool]:
        """The predicate on a kernel at the start of the stage: whether the pass may find a candidate in it."""
        pipeline = nvidia.pipeline_of(self.entry.name)
        return always if pipeline is None else pipeline.begins

    def place_after(self, stage: str) -> Place | None:
        """The pass's place after the stage."""
        return next((place for place in self.places if place.stage == stage and not place.before), None)

    def instance(self, known: Mapping[str, Any]) -> ModulePass:
        """The pass with its options; xDSL's errors name an unknown option.

        `known` are options of the compilation: a pass with an option of that name gets it, unless the user set it.
        """
        cls = self.entry.load()
        defaults = {name: value for name, value in known.items() if name in getattr(cls, "__dataclass_fields__", {})}
        defaults |= nvidia.options_for(self.entry.name, minor_version())
        if not self.options:
            return cls(**defaults)
        from xdsl.utils.arg_spec import parse_pipeline

        (spec,) = parse_pipeline(f"{cls.name}{self.options}")
        given = spec.normalize_parameter_names().parameters
        missing = {name: value for name, value in defaults.items() if name not in given}
        instance: ModulePass = cast("Any", cls).from_pass_spec(spec)  # see dialect_ext/typed.py
        return dataclasses.replace(instance, **missing)


@dataclass(frozen=True)
class Rewriter:
    """Runs `passes` over a module of libtriton: returns the rewritten one, or the same object, which stays untouched.

    `known`: options of the compilation; a pass gets them by having an option of the same name. `changed` collects the
    names of the passes that changed the module.

    A failure of a pass or of the bridge gives a remark and a warning, or raises with DOTLOAD_STRICT=1.
    """

    passes: Sequence[Spliced]
    publish: Callable[[list[Remark]], None]
    known: Mapping[str, Any] = field(default_factory=dict[str, Any])
    changed: list[str] = field(default_factory=list[str])

    def __call__(self, module: Module) -> Module:
        kernel = OpIndex(module)
        wanted = [spliced for spliced in self.passes if spliced.entry.precondition(kernel)]
        if not wanted:
            return module
        with collect() as remarks, gc_paused():
            try:
                return self._rewrite(module, wanted)
            except Exception as error:
                # Whatever the failure, the module that stock Triton would go on with is unchanged.
                fail(", ".join(spliced.entry.name for spliced in wanted), error, remarks)
                remarks[:] = at_line(remarks, line_of(module))
                return module
            finally:
                self.publish(remarks)

    def _rewrite(self, module: Module, wanted: Sequence[Spliced]) -> Module:
        from dotload.plugin import bridge  # here: a process without candidates never loads xDSL

        passes = [spliced.instance(self.known) for spliced in wanted]
        carried = bridge.to_xdsl(module)
        before = kernels_of(carried)
        changed = [pass_.name for pass_ in passes if changed_by(pass_, bridge.xdsl_context(), carried)]
        if not changed:
            return module
        if kernels_of(carried) != before:  # otherwise Triton aborts, or launches with other arguments
            raise ValueError("a kernel has to keep its name and its arguments")
        rewritten = bridge.from_xdsl(carried, module.context)
        self.changed.extend(changed)
        return rewritten


def kernels_of(module: ModuleOp) -> dict[str, Attribute]:
    """Name -> type of the functions that can be launched."""
    from dotload.dialect_ext.tt import FuncOp
    from dotload.dialect_ext.typed import of_kind

    return {
        function.sym_name.data: function.function_type
        for function in of_kind(module.ops, FuncOp)
        if function.sym_visibility is not None and function.sym_visibility.data == "public"
    }


def changed_by(pass_: ModulePass, context: Context, module: ModuleOp) -> bool:
    """Run the pass; returns whether it changed the module."""
    from dotload.passes.rewriting import RewritePass
    from dotload.plugin import bridge

    if isinstance(pass_, RewritePass):
        return pass_.rewrite(module)
    before = bridge.text_of(module)
    pass_.apply(context, module)
    return bridge.text_of(module) != before


@contextmanager
def gc_paused() -> Generator[None, None, None]:
    """Pause Python's garbage collector, in all threads.

    Python modules imported here stay, and the collector would visit them, and all objects of the process, more than a
    hundred times. Objects that cross the bridge are freed by reference counts right afterwards.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def fail(pass_name: str, error: Exception, remarks: list[Remark]) -> None:
    """Report that `pass_name` failed, and that all changes to the kernel are undone."""
    if switched_on("DOTLOAD_STRICT"):
        raise error
    reason = f"{type(error).__name__}: {error}".splitlines()[0]
    undo(remarks, Remark("failure", pass_name, KERNEL, f"stock Triton's kernel is used: {reason}", "FAILED"))
    warn_once(f"{pass_name} was undone, and stock Triton's kernel is used: {reason}")


def undo(remarks: list[Remark], *causes: Remark) -> None:
    """Report the causes, and mark every change by a pass as undone."""
    for at, remark in enumerate(remarks):
        if remark.kind == "passed":
            remarks[at] = replace(remark, kind="missed", message=f"undone: {remark.message}", reason="UNDONE")
    remarks[:0] = causes
