"""The one table of dotload's passes, and the decorator by which users add theirs.

A pass is an xDSL `ModulePass`: a frozen dataclass whose fields are its options. The table names the class without
importing it, so that listing the passes, or running one, costs no more than it must. Where dotload's own passes stand
in a compilation is the plugin's to say (plugin/nvidia.py, plugin/xpu.py).
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from dotload.passes.analysis.prefilter import (
    Holding,
    Kernel,
    always,
    has_overlapped_operands,
    has_overlapped_or_scales,
    has_staged_operands,
    has_staged_or_scales,
    may_cast_tiles,
    may_convert_operands,
    may_convert_to_words,
    may_hold_flattened,
    may_hold_non_k_major,
    may_load_fragments,
    may_load_repeated,
    may_load_transposed,
    may_mask_operands,
    may_scale_columns,
    may_scale_integers,
    may_scale_operands,
    may_transpose_converted,
    may_transpose_words,
    may_unpack_operands,
)

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


class RegistryError(ValueError):
    """A pass name that is unknown or taken; the message is meant for the user."""


@dataclass(frozen=True)
class Place:
    """Where in Triton's pipeline a pass runs."""

    stage: str
    """The key of the stage: "ttgir", "llir"."""
    before: str | None = None
    """The MLIR pass that it precedes there. Without it, the pass runs when the whole stage is done."""
    then: tuple[str, ...] = ()
    """Without `before`: the MLIR passes that run once more where the pass changed something ("tritongpu-pipeline")."""


@dataclass(frozen=True)
class PassEntry:
    """A registered pass.

    `target` is "module:Class", or the class itself; `aliases` are further flag names, under which the pass has the
    `alias_options` unless others are given; `backends` are the Triton backends ("cuda", "xpu") it is for;
    `precondition` says whether a kernel may hold anything for it, without a parse.
    `places` are where the plugin splices a user's pass into Triton's pipeline (of several, the first that a pipeline
    comes by: Gluon's is not Triton's), none for a pass that only the driver runs, or that the plugin places itself.
    """

    name: str
    target: str | type[ModulePass]
    summary: str
    aliases: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    backends: tuple[str, ...] = ()
    precondition: Callable[[Kernel], bool] = always
    alias_options: tuple[tuple[str, str], ...] = ()

    def load(self) -> type[ModulePass]:
        """The pass class; imports its module on first use."""
        if not isinstance(self.target, str):
            return self.target
        module, _, attribute = self.target.partition(":")
        return getattr(importlib.import_module(module), attribute)

    def options(self) -> dict[str, dataclasses.Field[object]]:
        """Option name as spelled on the command line (dashes) -> dataclass field."""
        return {field.name.replace("_", "-"): field for field in dataclasses.fields(self.load()) if field.init}


def _builtin(name: str, summary: str, backend: str, precondition: Callable[[Kernel], bool], **more: Any) -> PassEntry:
    """An entry of the pass whose name says the file and the class."""
    words = name.replace("llvm", "LLVM").replace("2d", "2D").replace("memdesc", "MemDesc").split("-")
    class_name = "".join(word[0].upper() + word[1:] for word in words)
    target = f"dotload.passes.{more.pop('folder', '')}{name.replace('-', '_')}:{class_name}Pass"
    return PassEntry(name, target, summary, backends=(backend,), precondition=precondition, **more)


def _intel(name: str, summary: str, **more: Any) -> PassEntry:
    return _builtin(name, summary, "xpu", always, **more)


def _nvidia(name: str, summary: str, precondition: Callable[[Kernel], bool] = always) -> PassEntry:
    return _builtin(name, summary, "cuda", precondition)


def _of_loops(name: str, summary: str, precondition: Callable[[Kernel], bool] = has_staged_operands) -> PassEntry:
    return _builtin(name, summary, "cuda", precondition, folder="pipelined_loops.")


BUILTIN_PASSES: tuple[PassEntry, ...] = (
    _intel(
        "lower-to-2d-block-load",
        "Rewrite loads of matrix operands as Intel 2D block loads",
        aliases=("tritonintelgpu-lower-to-2d-block-load",),
        alias_options=(("hints", "required"), ("planes", "false"), ("versions", "false")),
    ),
    _intel("lower-to-2d-block-prefetch", "Lower prefetches of blocks of memory to 2D block prefetches"),
    _intel("convert-triton-intel-gpu-to-llvm", "Convert functions of loads and plain ops to the LLVM dialect"),
    _intel("intel-allocate-shared-memory", "Set `ttg.shared = 0` on modules that need no shared memory"),
    _intel(
        "materialize-block-pointer",
        "Mark the loads that 2D block loads can replace",
        aliases=("tritonintelgpu-materialize-block-pointer",),
    ),
    _intel("convert-2d-block-load-to-llvm", "Lower 2D block loads to messages and shuffle-vectors in the LLVM dialect"),
    _intel("convert-tritongen-to-llvm", "Lower triton_gen ops to calls of SPIR-V builtins in the LLVM dialect"),
    _nvidia("hoist-load-bitcasts", "Load tiles in the type to which they are cast for a dot", may_cast_tiles),
    _nvidia("deduplicate-repeated-loads", "Load repeated elements of a tile once", may_load_repeated),
    _nvidia("unflatten-loops", "Keep loops nested around a dot whose operands can be staged", may_hold_flattened),
    _nvidia("deduplicate-row-loads", "Load one row of tiles whose rows are all the same", may_load_repeated),
    _nvidia("fold-operand-masks", "Load operands under the mask that sets them to zero", may_mask_operands),
    _nvidia("sink-operand-scales", "Multiply the sums of dots by scales of converted operands", may_scale_operands),
    _nvidia("narrow-operand-products", "Compute with unpacked integers in 16 bits, if exact", may_scale_integers),
    _nvidia(
        "eliminate-transposed-loads",
        "Take values from the tile of keys, if both are loaded from one address",
        may_load_transposed,
    ),
    _nvidia("version-scale-loads", "Load one scale for all columns, in a version of the loop", may_scale_columns),
    _nvidia("hoist-scale-selects", "Select NaN among scales of operands, not their products", may_convert_to_words),
    _nvidia("hoist-carried-transposes", "Hoist transposes of loop-carried values out of loops", may_convert_to_words),
    _nvidia("hoist-load-transposes", "Load tiles of tf32 transposed for mma.sync", may_transpose_words),
    _nvidia("sink-operand-transposes", "Convert operands of wgmma before they are transposed", may_transpose_converted),
    _nvidia("unpack-fp4", "Unpack 4-bit floats two at a time", may_convert_to_words),
    _nvidia("multiply-in-f16", "Compute dots of bf16 and converted e4m3 in f16, with scaling", may_convert_operands),
    _nvidia("narrow-k-width", "Let ldmatrix read the operand beside narrower weights", may_unpack_operands),
    _nvidia("hoist-fragment-layouts", "Convert tiles in the layout of fragments", may_unpack_operands),
    _nvidia("unpack-operands-in-registers", "Unpack operands of wgmma in registers", may_unpack_operands),
    _nvidia("unpack-in-load-layout", "Unpack operands in the layout in which they are loaded", may_unpack_operands),
    _nvidia(
        "stage-dot-operands",
        "Stage non-K-major operands of dots through swizzled shared memory",
        may_hold_non_k_major,
    ),
    _nvidia(
        "relayout-converted-operands",
        "Convert operands of wgmma in a layout that stores without bank conflicts",
        may_convert_to_words,
    ),
    _nvidia("widen-wgmma", "Compute all columns of a warpgroup with one wgmma", may_hold_non_k_major),
    _nvidia(
        "deduplicate-1d-loads", "Load indices and scales of tokens once instead of in each thread", may_hold_non_k_major
    ),
    _nvidia("load-scales-ahead", "Load scales that cp.async cannot copy an iteration ahead", may_convert_to_words),
    _of_loops("sink-wgmma-waits", "Start the loads of next tiles before the wait for the dot", has_staged_or_scales),
    _of_loops("pipeline-operand-copies", "Copy the next operand K-major while the dot runs"),
    _of_loops("deduplicate-scale-loads", "Load scales of a dot's result once, not per thread", has_staged_or_scales),
    _of_loops("reassociate-scales", "Multiply the scales of a dot's result by each other first", has_staged_or_scales),
    _of_loops("hoist-scale-loads", "Move the loads of scales to the start of the iteration", has_staged_or_scales),
    _of_loops("await-register-operands", "Wait for dots whose A is read into registers", has_overlapped_operands),
    _of_loops("await-overwritten-tiles", "Wait for dots before loads overwrite their tiles", has_overlapped_operands),
    _of_loops("split-dot-along-n", "Split an accumulating dot along N so that its pieces fit in registers"),
    _of_loops(
        "sink-operand-conversions", "Convert each part of a dot's A right before its dot", has_overlapped_operands
    ),
    _of_loops(
        "single-buffer-operand-copies",
        "Use one buffer for K-major copies if another block then becomes resident",
    ),
    _of_loops("split-dot-along-k", "Split dots along K into parts of one instruction"),
    _of_loops(
        "hoist-async-fences", "Place the fence right after the wait for asynchronous copies", has_overlapped_operands
    ),
    _of_loops("hoist-async-copies", "Load the next tiles as soon as their buffers are free", has_overlapped_operands),
    _of_loops("add-load-buffers", "Add a buffer to tiles whose loads would wait for reads"),
    _of_loops("mark-free-buffers", "Mark loads into buffers that no warp reads any more", has_staged_or_scales),
    _of_loops("interleave-dots-and-loads", "Load the next tiles in the middle of a loop's dots"),
    _of_loops("add-wait-barriers", "Place CTA barriers before tiles are overwritten", has_overlapped_or_scales),
    _of_loops("mark-local-waits", "Wait for wgmma without a barrier of the whole block", has_overlapped_or_scales),
    _nvidia("lower-staged-reads", "Read staged bytes in pairs, and permute them in registers", has_staged_operands),
    _nvidia(
        "pack-operand-conversions",
        "Convert operands of dots to 16 bits on packed words, four bytes or two numbers at a time",
        may_convert_to_words,
    ),
    _of_loops("permute-k-for-ldmatrix", "Permute k of a dot so that ldmatrix reads its A", may_convert_operands),
    _of_loops("permute-k-for-fragments", "Permute k of a dot so that an accumulator is its A without conversion"),
    _nvidia(
        "convert-staged-operands-to-llvm",
        "Lower reads of staged operands to ldmatrix and byte permutations in the LLVM dialect",
        has_staged_operands,
    ),
    _nvidia("convert-async-copies-to-llvm", "Lower loads into free buffers to cp.async", has_staged_or_scales),
    _of_loops("fold-memdesc-trans", "Store tiles transposed if dots read them through a transpose"),
    _of_loops("prune-wgmma-waits", "Remove operands that waits for wgmma need not forward"),
    _of_loops("rematerialize-descriptors", "Recompute wgmma descriptors in loops that are short of registers"),
    _nvidia(
        "check-shared-memory-hazards",
        "Report races in shared memory: reads before the data arrive, writes before reads are done",
    ),
    _nvidia(
        "stage-dot-loads",
        "Load operands of dots in vectors, through swizzled shared memory",
        may_load_fragments,
    ),
)

_entries: dict[str, PassEntry] = {}
_revision = 0


def revision() -> int:
    """The number of changes to the table."""
    return _revision


def add(entry: PassEntry) -> None:
    """Register `entry` under its name and aliases; RegistryError when one of them is taken by another pass."""
    global _revision
    for name in (entry.name, *entry.aliases):
        if name in _entries:
            raise RegistryError(f"pass name '{name}' is already taken by {_entries[name].target}")
    for name in (entry.name, *entry.aliases):
        _entries[name] = entry
    _revision += 1


def remove(name: str) -> None:
    """Take the pass called `name` off the table, with its aliases."""
    global _revision
    entry = find(name)
    for key in (entry.name, *entry.aliases):
        del _entries[key]
    _revision += 1


def knows(name: str) -> bool:
    """Whether a pass has this name, or this alias."""
    return name in _entries


def entries() -> list[PassEntry]:
    """Every registered pass once, in the order of registration."""
    return list(dict.fromkeys(_entries.values()))


def find(name: str) -> PassEntry:
    """The pass called `name` (or with that alias); RegistryError naming the nearest names otherwise."""
    if name in _entries:
        return _entries[name]
    near = difflib.get_close_matches(name, _entries, n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; dotload-opt --list-passes shows them all"
    raise RegistryError(f"unknown pass '{name}'{hint}")


PassClass = TypeVar("PassClass", bound="type[ModulePass]")


def register_pass(
    cls: PassClass | None = None,
    *,
    aliases: tuple[str, ...] = (),
    place: Place | tuple[Place, ...] | None = None,
    backends: tuple[str, ...] = ("cuda",),
    triggers: tuple[str, ...] = (),
    precondition: Callable[[Kernel], bool] | None = None,
) -> PassClass | Callable[[PassClass], PassClass]:
    """Class decorator for a user's pass: registers it under its `name`, with its docstring's first line as summary.

    Usable bare (`@register_pass`) and with arguments (`@register_pass(place=Place("ttgir"))`). The precondition may be
    given as `triggers`: names of operations of which the kernel must hold one.
    """
    condition = precondition or (Holding(triggers) if triggers else always)
    places = (place,) if isinstance(place, Place) else place or ()

    def decorate(cls: PassClass) -> PassClass:
        summary = (cls.__doc__ or "").strip().split("\n")[0]
        add(PassEntry(cls.name, cls, summary, aliases, places, backends, condition))
        return cls

    return decorate if cls is None else decorate(cls)


for _entry in BUILTIN_PASSES:
    add(_entry)
