"""The stages of one compilation, reworked: passes at their places, and a way back to stock for whatever goes wrong."""

from __future__ import annotations

import copy
import types
from collections import defaultdict
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from dotload.passes.remarks import Remark
from dotload.plugin.overview import Overview
from dotload.plugin.pipeline import Splice, run_passes, splice
from dotload.plugin.report import publish, warn_once
from dotload.plugin.rewrite import Rewriter, Spliced, fail

Stage = Callable[[Any, dict[str, Any]], Any]
"""A stage of Triton's: (module or text, metadata) -> the next module or text."""

SHARED_MEMORY_BYTES = {80: 163 << 10, 86: 99 << 10, 87: 163 << 10, 89: 99 << 10, 120: 99 << 10}
"""Most shared memory that a block may have, by compute capability (CUDA C++ Programming Guide, "Technical
Specifications per Compute Capability"); 227 KB from 9.0 on where nothing else stands here."""


def rework_stages(backend: Any, stages: MutableMapping[str, Stage], options: Any, passes: Sequence[Spliced]) -> None:
    """Put `passes` at their places in `stages`, as far as they are for `backend`."""
    fitting = [spliced for spliced in passes if backend.target.backend in spliced.entry.backends]
    if fitting:
        Compilation(backend, options, dict(stages), fitting).rework(stages)
    else:
        warn_once(f"no pass is for the target '{backend.target.backend}', its kernels compile as stock")


@dataclass
class Compilation:
    """One kernel on its way through the stages.

    `stock` are the stages as they were. `ran` are the passes that had their turn. `way_back` is set once a pass has
    changed the kernel: the stage that it was in and what makes that stage's module as Triton alone would have.
    """

    backend: Any
    options: Any
    stock: dict[str, Stage]
    passes: Sequence[Spliced]
    ran: set[Spliced] = field(default_factory=set)
    remarks: list[Remark] = field(default_factory=list)
    way_back: tuple[str, Callable[[], Any]] | None = None

    def rework(self, stages: MutableMapping[str, Stage]) -> None:
        """Wrap each stage from the first that has a pass on; the later ones may have to start over."""
        for spliced in self.passes:
            if not any(place.stage in stages for place in spliced.entry.places):
                self._skip(f"the pipeline has no stage '{spliced.entry.places[0].stage}'", [spliced])
        publish(self.remarks)
        self.remarks.clear()
        wanted = {place.stage for spliced in self.passes for place in spliced.entry.places}
        first = next((position for position, name in enumerate(stages) if name in wanted), len(stages))
        for name in list(stages)[first:]:
            stages[name] = partial(self._run, name)

    def _run(self, name: str, source: Any, metadata: dict[str, Any]) -> Any:
        """The stage `name`; where it fails on a kernel that a pass has changed, its stock result."""
        try:
            result = self._run_with_passes(name, source, metadata)
            self._check_shared_memory(metadata)
        except Exception as error:
            if self.way_back is None:
                raise
            self._fail(error)
            result = self._start_over(name, metadata)
        if self.remarks:
            metadata["dotload"] = metadata.get("dotload", []) + [asdict(remark) for remark in self.remarks]
            publish(self.remarks)
            self.remarks.clear()
        return result

    def _run_with_passes(self, name: str, source: Any, metadata: dict[str, Any]) -> Any:
        self._drop_idle(name, source)
        before: dict[str, list[Spliced]] = defaultdict(list)
        for spliced in self.passes:
            for place in spliced.entry.places:
                if place.stage == name and place.before:
                    before[place.before].append(spliced)
        rewrites = {anchor: partial(self._rewrite, passes) for anchor, passes in before.items()}
        splice_ = Splice(rewrites, self._fail)
        stage = self._respliced(name, splice_) if rewrites else self.stock[name]
        try:
            result = stage(source, metadata)
        except Exception as error:
            if splice_.started or not rewrites:
                raise
            self._fail(error)  # the stage is not written as those that dotload knows; nothing has happened yet
            result = self.stock[name](source, metadata)
        if splice_.stock is not None:
            self.way_back = (name, splice_.stock)
        for spliced in self.passes:
            result = self._run_after(name, spliced, result)
        return result

    def _drop_idle(self, name: str, source: Any) -> None:
        """Do without the passes that will find nothing in this stage: one that has none left runs as stock's."""
        here = [spliced for spliced in self.passes if any(place.stage == name for place in spliced.entry.places)]
        if not any(spliced.entry.origins for spliced in here) or not hasattr(source, "walk"):
            return
        kernel = Overview(source)
        idle = [each for each in here if not (kernel.holds(each.entry.origins) and each.entry.may_begin(kernel))]
        self.passes = [spliced for spliced in self.passes if spliced not in idle]

    def _respliced(self, name: str, splice_: Splice) -> Stage:
        try:
            return respliced(self.backend, self.stock[name], splice_)
        except TypeError as error:
            self._skip(str(error), [spliced for spliced in self.passes if spliced not in self.ran])
            return self.stock[name]

    def _run_after(self, name: str, spliced: Spliced, module: Any) -> Any:
        """`module`, what the stage `name` made, after `spliced` if its place is there and it had no turn before."""
        places = [place for place in spliced.entry.places if place.stage == name]
        if not places or spliced in self.ran:
            return module
        if not hasattr(module, "walk"):
            self._skip(f"what the stage '{name}' makes is no MLIR module", [spliced])
            return module
        place = next((place for place in places if not place.before), None)
        if place is None:
            if Overview(module).holds(spliced.entry.triggers):
                self._skip(f"the pipeline has no pass '{places[0].before}'", [spliced])
            return module
        if spliced.entry.follows and not self._has_changed(spliced.entry.follows):
            return module
        rewritten = self._rewrite([spliced], module)
        if rewritten is module:
            return module
        if self.way_back is None:
            self.way_back = (name, lambda: module)
        run_passes(rewritten, place.then, self.options)
        return rewritten

    def _has_changed(self, pass_name: str) -> bool:
        return any(remark.pass_name == pass_name and remark.kind == "applied" for remark in self.remarks)

    def _rewrite(self, passes: Sequence[Spliced], module: Any) -> Any:
        waiting = [spliced for spliced in passes if spliced not in self.ran]
        self.ran.update(waiting)
        known = {"num_stages": getattr(self.options, "num_stages", 0)}
        return Rewriter(waiting, self.remarks.extend, known)(module)

    def _check_shared_memory(self, metadata: dict[str, Any]) -> None:
        """A kernel that its passes let grow out of the chip is better off as stock."""
        if self.way_back is None or self.backend.target.backend != "cuda":
            return
        most = SHARED_MEMORY_BYTES.get(self.backend.target.arch, 227 << 10)
        if metadata.get("shared", 0) > most:
            raise RuntimeError(f"it takes {metadata['shared']} bytes of shared memory, a block has {most}")

    def _start_over(self, last: str, metadata: dict[str, Any]) -> Any:
        """What the stage `last` makes of the kernel when no pass touches it."""
        assert self.way_back is not None
        (name, make_stock), self.way_back = self.way_back, None
        module = make_stock()
        if "tensordesc_meta" in metadata:
            metadata["tensordesc_meta"] = module.get_tensordesc_metadata()
        names = list(self.stock)
        for later in names[names.index(name) + 1 : names.index(last) + 1]:
            module = self.stock[later](module, metadata)
        return module

    def _fail(self, error: Exception) -> None:
        fail(", ".join(spliced.entry.name for spliced in self.passes if spliced in self.ran), error, self.remarks)

    def _skip(self, why: str, passes: Sequence[Spliced]) -> None:
        self.remarks += [
            Remark("skipped", spliced.entry.name, "<kernel>", f"did not run: {why}", "NO_PLACE") for spliced in passes
        ]


def respliced(backend: Any, stage: Stage, splice_: Splice) -> Stage:
    """`stage`, a lambda of the backend's `add_stages`, over a twin of the backend whose functions are spliced.

    The lambda finds the backend in its closure and calls a method of it. TypeError for a stage that is not of this
    kind, because another hook has replaced it.
    """
    if not isinstance(stage, types.FunctionType) or "self" not in stage.__code__.co_freevars:
        raise TypeError("another hook has replaced the stage")
    twin = copy.copy(backend)
    for name in stage.__code__.co_names:
        method = getattr(backend, name, None)
        if callable(method):
            setattr(twin, name, splice(method, splice_))
    cells = tuple(
        types.CellType(twin) if name == "self" else cell
        for name, cell in zip(stage.__code__.co_freevars, stage.__closure__ or (), strict=True)
    )
    return types.FunctionType(stage.__code__, stage.__globals__, stage.__name__, stage.__defaults__, cells)
