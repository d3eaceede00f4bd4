"""One crossing of the bridge: the passes that stand at one place, over one kernel."""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from dotload.passes.registry import PassEntry
from dotload.passes.remarks import Remark, collect
from dotload.plugin.overview import Overview
from dotload.plugin.report import switched_on, warn_once


@dataclass(frozen=True)
class Spliced:
    """A pass as the plugin runs it: its entry in the registry and its options as the command line spells them."""

    entry: PassEntry
    options: str = ""

    def __str__(self) -> str:
        return self.entry.name + self.options

    def instance(self, known: Mapping[str, Any]) -> Any:
        """The pass with its options; xDSL's errors name the option that it does not have.

        `known` are options of the compilation: a pass that has one of that name is given it, unless the user was.
        """
        cls = self.entry.load()
        defaults = {name: value for name, value in known.items() if name in getattr(cls, "__dataclass_fields__", {})}
        defaults |= options_of_version(self.entry.name)
        if not self.options:
            return cls(**defaults)
        from xdsl.utils.arg_spec import parse_pipeline

        (spec,) = parse_pipeline(f"{cls.name}{self.options}")
        given = spec.normalize_parameter_names().parameters
        missing = {name: value for name, value in defaults.items() if name not in given}
        return dataclasses.replace(cls.from_pass_spec(spec), **missing)


BY_VERSION: dict[tuple[str, str], dict[str, Any]] = {
    # Its lowering of wgmma with A in registers asserts when a tile has more k than columns.
    ("3.6", "stage-dot-operands"): {"k_within_columns": True},
    # They fence before wgmma what asynchronous copies have brought; 3.6 does not.
    ("3.7", "convert-staged-operands-to-llvm"): {"early_fences": True},
    ("3.8", "convert-staged-operands-to-llvm"): {"early_fences": True},
    # Its lowering of a wait for wgmma has a barrier otherwise.
    ("3.9", "convert-staged-operands-to-llvm"): {"early_fences": True, "local_waits": True, "few_views": True},
}
"""(Triton's version, pass) -> options for what that version does its own way."""


def options_of_version(pass_name: str) -> dict[str, Any]:
    """The options that this version of Triton needs."""
    import triton

    version = ".".join(triton.__version__.split(".")[:2])
    return BY_VERSION.get((version, pass_name), {})


@dataclass(frozen=True)
class Rewriter:
    """Runs `passes` over a module of libtriton: returns the rewritten one, or the same object, which stays untouched.

    `known`: options of the compilation that passes may ask for, by having an option of the same name.

    Each failure of a pass or of the bridge ends in a remark and a warning, or raises with DOTLOAD_STRICT=1.
    """

    passes: Sequence[Spliced]
    publish: Callable[[list[Remark]], None]
    known: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, module: Any) -> Any:
        kernel = Overview(module)
        wanted = [spliced for spliced in self.passes if kernel.holds(spliced.entry.triggers)]
        if not wanted:
            return module
        with collect() as remarks, garbage_left_alone():
            try:
                return self._rewrite(module, kernel, wanted, remarks)
            except Exception as error:
                # Whatever a pass trips over, the module that stock Triton would go on with is still whole.
                fail(", ".join(spliced.entry.name for spliced in wanted), error, remarks)
                return module
            finally:
                self.publish(remarks)

    def _rewrite(self, module: Any, kernel: Overview, wanted: Sequence[Spliced], remarks: Sequence[Remark]) -> Any:
        wanted = [spliced for spliced in wanted if getattr(spliced.entry.load(), "might_apply", _always)(kernel)]
        if not wanted:
            return module
        from dotload.plugin import bridge  # not above: a process without candidates never loads xDSL

        passes = [spliced.instance(self.known) for spliced in wanted]
        carried = bridge.to_xdsl(module)
        for pass_ in passes:
            pass_.apply(bridge.xdsl_context(), carried)
        after = bridge.text_of(carried)
        if not any(remark.kind == "applied" for remark in remarks):
            before = bridge.text_of(bridge.to_xdsl(module))
            if after == before:
                return module
        return bridge.from_text(after, module.context)


@contextmanager
def garbage_left_alone() -> Generator[None, None, None]:
    """Without Python's collector, in all threads.

    Of what loads, all stays, and the collector would go through it, and through all that the process holds already,
    more than a hundred times. Of what crosses the bridge, nearly all goes at once; until then it would only be moved to
    the older generations, and those be collected the sooner.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _always(_: Overview) -> bool:
    return True


def fail(pass_name: str, error: Exception, remarks: list[Remark]) -> None:
    """Tell that `pass_name` could not do its work; what it said it had done did not come to be."""
    if switched_on("DOTLOAD_STRICT"):
        raise error
    reason = f"{type(error).__name__}: {error}".splitlines()[0]
    remarks[:] = [replace(remark, kind="failed") if remark.kind == "applied" else remark for remark in remarks]
    remarks.append(Remark("failed", pass_name, "<kernel>", f"left the kernel as it was: {reason}", "FAILED"))
    warn_once(f"{pass_name} left a kernel as stock Triton compiles it: {reason}")
