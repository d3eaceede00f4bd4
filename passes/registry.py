"""The one table of dotload's passes, and the decorator by which users add theirs.

A pass is an xDSL `ModulePass`: a frozen dataclass whose fields are its options. The table names the class without
importing it, so that listing the passes, or running one, costs no more than it must.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from dotload.passes.analysis.glance import PRODUCTS, Kernel, anything_goes, has_layouts, may_become_wrong_order

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


class RegistryError(ValueError):
    """A pass name that is unknown or taken; the message is meant for the user."""


@dataclass(frozen=True)
class Place:
    """Where in Triton's pipeline a pass runs.

    `stage` is the key of the stage ("ttgir", "llir"); `before` names the MLIR pass that it precedes there. Without
    `before`, it runs when the whole stage is done, and where it changed something, the MLIR passes named in `then` run
    once more ("tritongpu-pipeline", ...).
    """

    stage: str
    before: str | None = None
    then: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"before {self.before}" if self.before else f"after make_{self.stage}"


@dataclass(frozen=True)
class PassEntry:
    """A registered pass.

    `target` is "module:Class", or the class itself; `aliases` are further flag names; `place` is where the plugin
    splices it into Triton's pipeline (of several, the first that a pipeline comes by: Gluon's is not Triton's), None
    for a pass that only the driver runs; `backends` are the Triton backends ("cuda", "xpu") it is for; `triggers` are
    operations of which a kernel must hold one for the pass to have anything to do, `origins` those of which it must
    hold one when it comes to the stage for a trigger to be there later (none named: any kernel will do), `may_begin`
    tells by the types of some whether that may be one for the pass; `follows` names the pass that must have changed the
    kernel before.
    """

    name: str
    target: str | type[ModulePass]
    summary: str
    aliases: tuple[str, ...] = ()
    place: Place | tuple[Place, ...] | None = None
    backends: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    may_begin: Callable[[Kernel], bool] = anything_goes
    follows: str = ""

    @property
    def places(self) -> tuple[Place, ...]:
        """Where it may run, the best place first."""
        if self.place is None:
            return ()
        return (self.place,) if isinstance(self.place, Place) else self.place

    def load(self) -> type[ModulePass]:
        """The pass class; imports its module on first use."""
        if not isinstance(self.target, str):
            return self.target
        module, _, attribute = self.target.partition(":")
        return getattr(importlib.import_module(module), attribute)

    def options(self) -> dict[str, dataclasses.Field[object]]:
        """Option name as spelled on the command line (dashes) -> dataclass field."""
        return {field.name.replace("_", "-"): field for field in dataclasses.fields(self.load()) if field.init}


_SOURCES = (*PRODUCTS, "tt.dot_scaled")
"""What products are made of in the "ttgir" stage, by Triton or Gluon."""

BUILTIN_PASSES: tuple[PassEntry, ...] = (
    PassEntry(
        "lower-to-2d-block-load",
        "dotload.passes.lower_to_2d_block_load:LowerTo2DBlockLoadPass",
        "Rewrite loads of matrix operands as Intel 2D block loads",
        aliases=("tritonintelgpu-lower-to-2d-block-load",),
        place=Place("ttgir"),
        backends=("xpu",),
    ),
    PassEntry(
        "convert-2d-block-load-to-llvm",
        "dotload.passes.convert_2d_block_load_to_llvm:Convert2DBlockLoadToLLVMPass",
        "Lower 2D block loads to messages and shuffle-vectors in the LLVM dialect",
        place=Place("ttgir"),
        backends=("xpu",),
    ),
    PassEntry(
        "stage-dot-operands",
        "dotload.passes.stage_dot_operands:StageDotOperandsPass",
        "Stage operands in the wrong memory order through swizzled shared memory",
        place=Place("ttgir", before="tritongpu-assign-latencies"),
        backends=("cuda",),
        triggers=PRODUCTS,
        origins=_SOURCES,
        may_begin=may_become_wrong_order,
    ),
    PassEntry(
        "convert-staged-operands-to-llvm",
        "dotload.passes.convert_staged_operands_to_llvm:ConvertStagedOperandsToLLVMPass",
        "Lower reads of staged operands to ldmatrix and byte permutations in the LLVM dialect",
        place=Place("ttgir"),
        backends=("cuda",),
        triggers=("ttg.local_load",),
        origins=_SOURCES,
        follows="stage-dot-operands",
    ),
    PassEntry(
        "stage-dot-loads",
        "dotload.passes.stage_dot_loads:StageDotLoadsPass",
        "Load operands that are wanted in a dot layout by vectors, through swizzled shared memory",
        place=(
            Place("ttgir", before="tritongpu-accelerate-matmul"),
            # Gluon's pipeline is a short one: what its rewritten loops need has to be asked for.
            Place(
                "ttgir",
                then=(
                    "tritongpu-remove-layout-conversions",
                    "tritongpu-assign-latencies",
                    "tritongpu-schedule-loops",
                    "tritongpu-pipeline",
                    "canonicalize",
                    "cse",
                ),
            ),
        ),
        backends=("cuda",),
        triggers=PRODUCTS,
        origins=_SOURCES,
        may_begin=has_layouts,
    ),
)

_entries: dict[str, PassEntry] = {}


def add(entry: PassEntry) -> None:
    """Register `entry` under its name and aliases; RegistryError when one of them is taken by another pass."""
    for name in (entry.name, *entry.aliases):
        if name in _entries:
            raise RegistryError(f"pass name '{name}' is already taken by {_entries[name].target}")
    for name in (entry.name, *entry.aliases):
        _entries[name] = entry


def remove(name: str) -> None:
    """Take the pass called `name` off the table, with its aliases."""
    entry = find(name)
    for key in (entry.name, *entry.aliases):
        del _entries[key]


def entries() -> list[PassEntry]:
    """Every registered pass once, in the order of registration."""
    return list(dict.fromkeys(_entries.values()))


def find(name: str) -> PassEntry:
    """The pass called `name` (or with that alias); RegistryError naming the nearest names otherwise."""
    if name in _entries:
        return _entries[name]
    near = difflib.get_close_matches(name, _entries, n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; --list-passes shows them all"
    raise RegistryError(f"unknown pass '{name}'{hint}")


PassClass = TypeVar("PassClass", bound="type[ModulePass]")


def register_pass(
    cls: PassClass | None = None,
    *,
    aliases: tuple[str, ...] = (),
    place: Place | tuple[Place, ...] | None = None,
    backends: tuple[str, ...] = ("cuda",),
    triggers: tuple[str, ...] = (),
    origins: tuple[str, ...] = (),
) -> PassClass | Callable[[PassClass], PassClass]:
    """Class decorator for a user's pass: registers it under its `name`, with its docstring's first line as summary.

    Usable bare (`@register_pass`) and with arguments (`@register_pass(place=Place("ttgir"))`).
    """

    def decorate(cls: PassClass) -> PassClass:
        summary = (cls.__doc__ or "").strip().split("\n")[0]
        add(PassEntry(cls.name, cls, summary, aliases, place, backends, triggers, origins))
        return cls

    return decorate if cls is None else decorate(cls)


for _entry in BUILTIN_PASSES:
    add(_entry)
