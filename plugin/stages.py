"""The stages of one compilation, reworked: passes at their places, and a way back to stock after any failure."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import groupby
from typing import Any

from dotload.layout.nvidia_targets import NvidiaTarget, find_target
from dotload.passes.analysis.prefilter import always
from dotload.passes.registry import Place
from dotload.passes.remarks import KERNEL, UNKNOWN, Remark
from dotload.plugin import nvidia, weighing
from dotload.plugin.assembler import Assembled, Assembler
from dotload.plugin.escapes import ascii_ptx
from dotload.plugin.kernel_line import at_line, line_of
from dotload.plugin.narrow_loads import NarrowLoads
from dotload.plugin.op_index import OpIndex
from dotload.plugin.pipeline import Splice, respliced, run_passes
from dotload.plugin.report import publish, switched_on, warn_once
from dotload.plugin.rewrite import Rewriter, Spliced, fail, undo
from dotload.plugin.strict import problems_of
from dotload.plugin.triton_types import Backend, Module, Stage
from dotload.plugin.weighing import NOTHING_STAGED, Expectation, Verdict, is_doubtful, remark_of, weigh


def rework_stages(
    backend: Backend, stages: MutableMapping[str, Stage], options: Any, passes: Sequence[Spliced]
) -> Compilation | None:
    """Put those of `passes` that are for `backend` at their places in `stages`; None if there are none."""
    fitting = [spliced for spliced in passes if backend.target.backend in spliced.entry.backends]
    if not fitting:
        warn_once(f"no pass is for the target '{backend.target.backend}': stock Triton compiles its kernels")
        return None
    if switched_on("DOTLOAD_STRICT"):
        fitting = [spliced for spliced in fitting if spliced.entry.name not in nvidia.NOT_IN_STRICT_MODE]
    compilation = Compilation(backend, options, dict(stages), fitting)
    compilation.rework(stages)
    return compilation


@dataclass
class Compilation:
    """One kernel on its way through the stages.

    `stock` are the original stages. `ran` are the passes that had their turn, `changed` names those that changed the
    kernel. `way_back` is set once one has: the stage, and a function that makes its module as Triton alone would have.
    `remarks` are published when the kernel is done: a later stage may undo a change. `line`: where the kernel is
    defined, once a remark needs it. `loads` finds slow loads without a remark, if a pass reports such loads.
    """

    backend: Backend
    options: Any
    stock: dict[str, Stage]
    passes: Sequence[Spliced]
    ran: set[Spliced] = field(default_factory=set[Spliced])
    changed: list[str] = field(default_factory=list[str])
    remarks: list[Remark] = field(default_factory=list[Remark])
    way_back: tuple[str, Callable[[], Any]] | None = None
    expected: Expectation = NOTHING_STAGED
    line: str = UNKNOWN
    loads: NarrowLoads | None = None

    @cached_property
    def assembler(self) -> Assembler:
        """The stage "cubin"."""
        return Assembler(self.backend, self.stock["cubin"], self.options.num_warps)

    def rework(self, stages: MutableMapping[str, Stage]) -> None:
        """Wrap each stage, from the first with a pass on: later stages may have to start over."""
        for spliced in self.passes:
            if not any(place.stage in stages for place in spliced.places):
                self._skip(f"the pipeline has no stage '{spliced.places[0].stage}'", [spliced])
        if any(spliced.entry.name == "stage-dot-operands" for spliced in self.passes):
            self.loads = NarrowLoads()
        wanted = {place.stage for spliced in self.passes for place in spliced.places}
        first = next((position for position, name in enumerate(stages) if name in wanted), 0)
        for name in list(stages)[first:]:
            stages[name] = partial(self._run, name)

    def finish(self) -> None:  # the kernel is done; loops may be unrolled
        publish(list(dict.fromkeys(self.remarks)))
        self.remarks.clear()

    def _run(self, name: str, source: Any, metadata: dict[str, Any]) -> Any:
        """The result of the stage `name`; stock's result if it fails on a kernel that a pass has changed."""
        if self.loads is not None:
            self.loads.look_at(name, source)
        try:
            result = self._run_with_passes(name, source, metadata)
            result = self._within_a_block(name, result, metadata)
            if name == "ptx" and self.way_back is not None:
                result = self._weigh(ascii_ptx(result), metadata)
        except Exception as error:
            if self.way_back is None:
                self._locate(source)
                self.finish()
                raise
            self._fail(error)
            result = self._start_over(name, metadata)
        self._locate(source)
        if self.loads is not None:
            self.remarks += self.loads.remarks_after(name, result, self.remarks)
        if self.remarks:
            metadata["dotload"] = [asdict(remark) for remark in dict.fromkeys(self.remarks)]
        metadata["dotload_passes"] = list(self.changed)
        if name == list(self.stock)[-1]:
            self.finish()
        return result

    def _locate(self, source: Any) -> None:
        """Put the kernel's line into remarks about the whole kernel. Later stages, on text, may add such remarks."""
        if self.remarks and self.line is UNKNOWN and hasattr(source, "walk"):
            self.line = line_of(source)
        self.remarks[:] = at_line(self.remarks, self.line)

    def _weigh(self, ptx: str, metadata: dict[str, Any]) -> str:
        """The PTX of the best kernel: the rewritten one, with or without a register limit, or stock's."""
        target = find_target(int(self.backend.target.arch))
        versions = weighing.best_first(self.assembler.versions(ptx, metadata, target), self.expected, target)
        ours, chosen = versions[0].resources, versions[0]
        if ours is not None and is_doubtful(ours, self.expected, target):
            chosen = self._weighed(versions, target, metadata)
        elif ours is not None:
            self.remarks += weighing.needs_of(ours, self.expected, target)
        self.remarks += [chosen.limit] if chosen.limit else []
        self.assembler.last = chosen
        return chosen.ptx

    def _weighed(self, versions: Sequence[Assembled], target: NvidiaTarget, metadata: dict[str, Any]) -> Assembled:
        """The first version of the rewritten kernel that is not worse than stock's; else stock's."""
        way_back, stock_metadata = self.way_back, copy.deepcopy(metadata)
        try:
            stock_ptx = ascii_ptx(self._start_over("ptx", stock_metadata))
            stock = self.assembler.assemble_quietly(stock_ptx, stock_metadata)
        except Exception:  # stock Triton or ptxas fails on stock's kernel: nothing to weigh ours against
            stock = None
        refused: list[Verdict] = []
        for ours in versions:
            verdict = None
            if ours.resources is not None and stock is not None and stock.resources is not None:
                verdict = weigh(ours.resources, stock.resources, self.expected, target)
            if verdict is None or verdict.takes_ours:
                self.remarks += [remark_of(verdict)] if verdict else []
                self.way_back = way_back
                return ours
            refused.append(verdict)
        self._undo(remark_of(refused[0]))
        metadata.clear()
        metadata.update(stock_metadata)
        assert stock is not None
        return stock

    def _make_cubin(self, ptx: str, metadata: dict[str, Any]) -> bytes:
        """The stage "cubin", unless weighing the kernel has already assembled this text."""
        made = self.assembler.last
        if made is None or made.ptx != ptx:  # for example the user's own PTX
            is_stock = self.way_back is None
            made = (self.assembler.assemble if is_stock else self.assembler.assemble_rewritten)(ptx, metadata)
        self.remarks += [made.made] if made.made else []
        return made.cubin

    def _run_with_passes(self, name: str, source: Any, metadata: dict[str, Any]) -> Any:
        self._drop_idle(name, source)
        before: dict[str, list[Spliced]] = defaultdict(list)
        for spliced in self.passes:
            for place in spliced.places:
                if place.stage == name and place.before:
                    before[place.before].append(spliced)
        rewrites = {anchor: partial(self._rewrite, passes) for anchor, passes in before.items()}
        splice_ = Splice(rewrites, self._fail_within)
        plain: Stage = self._make_cubin if name == "cubin" else self.stock[name]
        stage = self._respliced(name, splice_) if rewrites else plain
        try:
            result: Any = stage(source, metadata)
        except Exception as error:
            if splice_.started or not rewrites:
                raise
            self._fail(error)  # the stage has another form than those that dotload knows; nothing has run yet
            result = self.stock[name](source, metadata)
        if splice_.stock is not None and self.way_back is None:
            self.way_back = (name, splice_.stock)
        result = self._run_after(name, result)
        if self.way_back is not None and hasattr(result, "get_int_attr"):
            self.expected = Expectation.of(result) or self.expected
        return self._checked(name, result, metadata)

    def _checked(self, name: str, module: Any, metadata: dict[str, Any]) -> Any:
        """In strict mode, stock's module in place of a rewritten one that has hazards or stores something else."""
        is_last = name == "ttgir" and self.backend.target.backend == "cuda"
        if not is_last or self.way_back is None or not switched_on("DOTLOAD_STRICT"):
            return module
        stock = self._start_over(name, copy.deepcopy(metadata))
        self.way_back = (name, lambda: stock)
        may_compare = all(nvidia.pipeline_of(spliced.entry.name) is not None for spliced in self.ran)
        if not (found := problems_of(stock if may_compare else None, module)):
            return module
        self._undo(*found)
        return self._start_over(name, metadata)

    def _drop_idle(self, name: str, source: Any) -> None:
        """Drop the passes that will find nothing in this stage: a stage without passes runs as stock's."""
        here = [spliced for spliced in self.passes if any(place.stage == name for place in spliced.places)]
        if all(spliced.begins is always for spliced in here) or not hasattr(source, "walk"):
            return
        kernel = OpIndex(source)
        answers = {begins: begins(kernel) for begins in {spliced.begins for spliced in here}}
        self.passes = [spliced for spliced in self.passes if spliced not in here or answers[spliced.begins]]

    def _respliced(self, name: str, splice_: Splice) -> Stage:
        try:
            return respliced(self.backend, self.stock[name], splice_)
        except TypeError as error:
            self._skip(str(error), [spliced for spliced in self.passes if spliced not in self.ran])
            return self.stock[name]

    def _run_after(self, name: str, module: Any) -> Any:
        """`module`, the result of the stage `name`, after the passes with a place there that have not run."""
        waiting = [each for each in self.passes if each not in self.ran and any(p.stage == name for p in each.places)]
        if waiting and not hasattr(module, "walk"):
            self._skip(f"what the stage '{name}' makes is no MLIR module", waiting)
            return module
        for place, passes in groupby(waiting, lambda spliced: spliced.place_after(name)):
            module = self._run_group(name, place, list(passes), module)
        return module

    def _run_group(self, name: str, place: Place | None, passes: list[Spliced], module: Any) -> Any:
        """`module` after the passes of one place after the stage; `place` is None for passes without a place there."""
        if place is None:
            kernel = OpIndex(module)
            skipped = [spliced for spliced in passes if spliced.entry.precondition(kernel)]
            for before, those in groupby(skipped, lambda spliced: spliced.places[0].before):
                self._skip(f"the pipeline has no pass '{before}'", list(those))
            return module
        rewritten = self._rewrite(passes, module)
        if rewritten is module:
            return module
        if self.way_back is None:
            self.way_back = (name, lambda: module)
        run_passes(rewritten, place.then, self.options)
        return rewritten

    def _rewrite(self, passes: Sequence[Spliced], module: Module) -> Module:
        waiting = [spliced for spliced in passes if spliced not in self.ran]
        self.ran.update(waiting)
        known = {name: getattr(self.options, name, 0) for name in ("num_stages", "num_warps")}
        if self.backend.target.backend == "cuda":
            known["capability"] = int(self.backend.target.arch)
        return Rewriter(waiting, self.remarks.extend, known, self.changed)(module)

    def _within_a_block(self, name: str, result: Any, metadata: dict[str, Any]) -> Any:
        """Stock's kernel in place of a rewritten one that takes more shared memory than a block has."""
        if self.way_back is None or self.backend.target.backend != "cuda":
            return result
        taken, most = metadata.get("shared", 0), find_target(int(self.backend.target.arch)).max_block_bytes
        if taken <= most:
            return result
        self._undo(weighing.outgrown(taken, most))
        return self._start_over(name, metadata)

    def _start_over(self, last: str, metadata: dict[str, Any]) -> Any:
        """The result of the stage `last` when no pass touches the kernel."""
        assert self.way_back is not None
        (name, make_stock), self.way_back = self.way_back, None
        module = make_stock()
        if "tensordesc_meta" in metadata:
            metadata["tensordesc_meta"] = module.get_tensordesc_metadata()
        names = list(self.stock)
        for later in names[names.index(name) + 1 : names.index(last) + 1]:
            module = self.stock[later](module, metadata)
        return module

    def _undo(self, *causes: Remark) -> None:
        """Report why stock's kernel is used after all."""
        undo(self.remarks, *causes)
        self.changed.clear()

    def _fail(self, error: Exception) -> None:
        names = self.changed or [each.entry.name for each in self.passes if each in self.ran]
        fail(", ".join(names), error, self.remarks)
        self.changed.clear()

    def _fail_within(self, error: Exception) -> None:
        """Report that one of Triton's passes failed on a rewritten module: the stage goes on with its own module.

        Raises the error if an earlier stage was rewritten, since that module is not stock's then.
        """
        if self.way_back is not None:
            raise error
        self._fail(error)

    def _skip(self, why: str, passes: Sequence[Spliced]) -> None:
        names = ", ".join(spliced.entry.name for spliced in passes)
        self.remarks += [Remark("analysis", names, KERNEL, f"did not run: {why}", "NO_PLACE")] if passes else []
