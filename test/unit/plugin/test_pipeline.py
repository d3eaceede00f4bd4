"""Splicing: Python passes run at their places between Triton's own, and any failure gives stock's kernel."""

from __future__ import annotations

import contextlib
import gc
import inspect
import json
import warnings

import pytest
import triton
from triton.backends.compiler import GPUTarget
from xdsl.dialects import test as toy
from xdsl.dialects.builtin import ModuleOp, UnitAttr, i32, i64
from xdsl.rewriter import Rewriter

import dotload
from dotload.layout.nvidia_targets import RESERVED_BLOCK_BYTES, NvidiaTarget
from dotload.passes import registry
from dotload.passes.registry import Place
from dotload.passes.remarks import UNKNOWN
from dotload.plugin import bridge, pipeline, report, rewrite, stages
from dotload.plugin.assembler import Assembler
from dotload.plugin.report import DotloadWarning


def test_a_rewrite_reaches_the_ptx_with_its_lines(kernels, register) -> None:
    register(kernels.Volatile)
    stock = kernels.compile_copy()
    with dotload.enabled():
        ours = kernels.compile_copy()
    assert "ld.volatile" in ours.asm["ptx"]
    assert "ld.volatile" not in stock.asm["ptx"]
    assert [line for line in ours.asm["ptx"].splitlines() if ".loc" in line] == [
        line for line in stock.asm["ptx"].splitlines() if ".loc" in line
    ]


def test_a_file_whose_name_is_not_ascii(kernels, register, tmp_path) -> None:
    """LLVM repeats such a name in comments, which ptxas rejects."""
    register(kernels.Volatile)
    (file := tmp_path / "kérnel.py").write_text("".join(inspect.getsourcelines(kernels.copy.fn)[0]))
    scope = {"triton": triton, "tl": kernels.tl}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    signature = {"x_ptr": "*fp32", "y_ptr": "*fp32"}
    with dotload.enabled():
        ours = triton.compile(kernels.source_of(scope["copy"], signature, {"SIZE": 256}), GPUTarget("cuda", 80, 32))
    assert "ld.volatile" in ours.asm["ptx"]
    assert "// k?rnel.py:" in ours.asm["ptx"]
    assert {remark.location.rsplit(":", 2)[0] for remark in dotload.report()} == {str(file)}


@pytest.mark.parametrize("name", ["compile_gemm", "compile_medley", "compile_gluon"])
def test_a_pass_that_changes_nothing_leaves_the_stock_kernel(kernels, register, name: str) -> None:
    register(kernels.Idle)
    register(type("Last", (kernels.Idle,), {"name": "toy-last"}), place=Place("ttgir"))
    stock = getattr(kernels, name)()
    with dotload.enabled():
        ours = getattr(kernels, name)()
    assert ours.hash != stock.hash
    for stage in ("ttir", "glir", "ttgir", "llir", "ptx"):
        assert ours.asm.get(stage) == stock.asm.get(stage)


def test_a_pass_stands_before_its_anchor(kernels, register) -> None:
    seen = {}

    def look(name: str) -> type:
        def apply(self, ctx, op):
            seen[self.name] = {kernels.op_name(inner) for inner in op.walk()}

        return type(name, (kernels.Idle,), {"name": name, "apply": apply})

    register(look("toy-latencies"))
    register(look("toy-coalesce"), place=Place("ttgir", before="tritongpu-coalesce"))
    register(look("toy-end"), place=Place("ttgir"))
    register(look("toy-ttir"), place=Place("ttir"))
    with dotload.enabled():
        kernels.compile_gemm()
    assert list(seen) == ["toy-ttir", "toy-coalesce", "toy-latencies", "toy-end"]
    assert "tt.dot" in seen["toy-coalesce"]
    assert "ttng.warp_group_dot" in seen["toy-latencies"]
    assert "ttg.async_copy_global_to_local" not in seen["toy-latencies"]
    assert "ttg.async_copy_global_to_local" in seen["toy-end"]


def test_passes_at_one_place_run_in_the_order_of_their_names_given(kernels, register) -> None:
    order = []
    for name in ("toy-a", "toy-b"):
        apply = lambda self, ctx, op: order.append(self.name)  # noqa: E731
        register(type(name, (kernels.Idle,), {"name": name, "apply": apply}))
    with dotload.enabled("toy-b, toy-a"):
        kernels.compile_copy()
    assert order == ["toy-b", "toy-a"]


def test_options_reach_the_pass(kernels, register) -> None:
    register(kernels.Volatile)
    with dotload.enabled("toy-volatile{all=false}"):
        kernels.compile_copy()
        kernels.compile_gemm()
    assert len(dotload.report()) == 1, "the loads of the GEMM have masks"


@pytest.mark.parametrize(
    ("place", "why", "line"),
    [
        (Place("ttgir", before="no-such-pass"), "the pipeline has no pass 'no-such-pass'", True),
        (Place("cubin"), "what the stage 'cubin' makes is no MLIR module", False),
        (Place("spirv"), "the pipeline has no stage 'spirv'", True),
    ],
)
def test_a_place_that_is_not_there_is_skipped_with_a_remark(kernels, register, place: Place, why: str, line) -> None:
    register(kernels.Volatile, place=place)
    stock = kernels.compile_copy()
    with dotload.enabled():
        ours = kernels.compile_copy()
    (remark,) = dotload.report()
    assert (remark.kind, remark.reason) == ("analysis", "NO_PLACE")
    assert remark.location == (line_of_kernel(kernels, "copy") if line else UNKNOWN)
    assert why in remark.message
    assert ours.asm["ptx"] == stock.asm["ptx"]


def test_passes_without_a_place_share_a_remark(kernels, register) -> None:
    """Gluon's pipeline has no place for most passes."""
    for pass_ in (kernels.Volatile, kernels.Raise):
        register(pass_, place=Place("ttgir", before="no-such-pass"))
    with dotload.enabled():
        kernels.compile_copy()
    (remark,) = dotload.report()
    assert remark.pass_name == f"{kernels.Volatile.name}, {kernels.Raise.name}"


def test_gluon_has_a_pipeline_of_its_own(kernels, register) -> None:
    places = (kernels.BEFORE_LATENCIES, Place("ttgir", then=("canonicalize", "cse")))
    register(kernels.Volatile, place=places)
    with dotload.enabled():
        gluon = kernels.compile_gluon()
        kernels.compile_gemm()
    assert gluon.asm["ptx"].count("ld.volatile") > 0
    counts = [sum(f":{line}:" in remark.location for remark in dotload.report()) for line in lines_of(kernels, "load(")]
    assert sorted(filter(None, counts)) == [1, 1, 2], "each load once, two loads of Gluon's kernel on one line"


def lines_of(kernels, text: str) -> list[int]:
    with open(kernels.__file__) as file:
        return [number for number, line in enumerate(file, 1) if text in line]


def line_of_kernel(kernels, name: str) -> str:
    """The line of remarks about the whole kernel."""
    (line,) = lines_of(kernels, f"def {name}(")
    return f"{kernels.__file__}:{line}:1"


def test_no_trigger_no_parse(kernels, register, monkeypatch: pytest.MonkeyPatch) -> None:
    register(kernels.Raise, triggers=("tt.dot",))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    with dotload.enabled():
        kernels.compile_copy()
    assert dotload.report() == []


def test_a_kernel_that_cannot_become_one_for_its_pipelines_runs_as_stocks_does(kernels, monkeypatch) -> None:
    spliced = []
    real = stages.respliced
    monkeypatch.setattr(stages, "respliced", lambda *args: spliced.append(args) or real(*args))
    registry.add(next(entry for entry in registry.BUILTIN_PASSES if entry.name == "stage-dot-operands"))
    with dotload.enabled():
        kernels.compile_copy()
        assert not spliced
        kernels.compile_gemm(dtype="fp8e4nv")
        assert spliced


def test_the_precondition_is_asked_before_the_parse(kernels, register, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    register(kernels.Raise, precondition=lambda kernel: bool(asked.extend(kernel.ops("tt.load"))))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    with dotload.enabled():
        kernels.compile_copy()
    (load,) = asked
    assert load.operands[0].startswith("tensor<256x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = ")
    assert load.results[0].startswith("tensor<256xf32, #ttg.blocked<{sizePerThread = ")


TROUBLE = {
    "Raise": "toy trouble",
    "Break": "MLIR does not accept",
    "Remove": "a kernel has to keep its name",
    "Rename": "a kernel has to keep its name",
}


@pytest.mark.parametrize(("toy", "why"), TROUBLE.items())
def test_a_failure_leaves_the_stock_kernel(kernels, register, toy: str, why: str, capfd) -> None:
    register(getattr(kernels, toy))
    stock = [kernels.compile_gemm(), kernels.compile_copy()]
    with dotload.enabled(), pytest.warns(DotloadWarning, match=why) as warned:
        ours = [kernels.compile_gemm(), kernels.compile_copy()]
    assert len(warned) == 1
    assert [kernel.asm["ptx"] for kernel in ours] == [kernel.asm["ptx"] for kernel in stock]
    assert [kernel.metadata.dotload_passes for kernel in ours] == [[], []]
    failed = [remark for remark in dotload.report() if remark.reason == "FAILED"]
    assert [remark.location for remark in failed] == [line_of_kernel(kernels, name) for name in ("gemm", "copy")]
    assert not [remark for remark in dotload.report() if remark.kind == "passed"]


def test_strict_raises(kernels, register, monkeypatch: pytest.MonkeyPatch) -> None:
    register(kernels.Raise)
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    with dotload.enabled(), pytest.raises(ValueError, match="toy trouble"):
        kernels.compile_copy()
    kernels.compile_copy()


@pytest.mark.parametrize("is_second", [False, True])
def test_one_of_tritons_passes_that_refuses_the_rewrite(kernels, register, monkeypatch, capfd, is_second) -> None:
    def mark(self, ctx, op):
        for inner in op.walk():
            if inner.name == "scf.for":
                inner.attributes["toy.marked"] = UnitAttr()

    register(type("Mark", (kernels.Idle,), {"name": "toy-mark", "apply": mark}))
    if is_second:
        register(kernels.Volatile, place=Place("ttir"))
    stock = kernels.compile_gemm()
    real = pipeline._PassManager._run

    def refuse(self, first, module, args, *, rewriting=True):
        if first and rewriting:
            raise RuntimeError("PassManager::run failed")
        return real(self, first, module, args, rewriting=rewriting)

    monkeypatch.setattr(pipeline._PassManager, "_run", refuse)
    with dotload.enabled(), pytest.warns(DotloadWarning, match="PassManager::run failed"):
        ours = kernels.compile_gemm()
    assert ("isVolatile = true" in ours.asm["ttir"]) == is_second
    assert ours.asm["ttgir"] == stock.asm["ttgir"]
    assert ours.asm["ptx"] == stock.asm["ptx"]


def test_the_way_back_leads_before_the_first_of_two_rewrites_in_a_stage(kernels, register, monkeypatch) -> None:
    def mark(self, ctx, op):
        for inner in op.walk():
            if inner.name == "scf.for":
                inner.attributes[f"toy.{self.name}"] = UnitAttr()

    for name, anchor in (("toy-first", "tritongpu-coalesce"), ("toy-second", "tritongpu-assign-latencies")):
        toy = type("Mark", (kernels.Idle,), {"name": name, "apply": mark})
        register(toy, place=Place("ttgir", before=anchor))
    stock = kernels.compile_gemm()
    real = pipeline._PassManager._run

    def refuse(self, first, module, args, *, rewriting=True):
        if first > 1 and rewriting:
            raise RuntimeError("PassManager::run failed")
        return real(self, first, module, args, rewriting=rewriting)

    monkeypatch.setattr(pipeline._PassManager, "_run", refuse)
    with dotload.enabled(), pytest.warns(DotloadWarning, match="toy-first, toy-second.*PassManager::run failed"):
        ours = kernels.compile_gemm()
    assert ours.metadata.dotload_passes == []
    assert ours.asm["ttgir"] == stock.asm["ttgir"]


@pytest.mark.parametrize("place", [None, Place("ttgir")])
def test_a_kernel_that_outgrows_shared_memory_starts_over(kernels, register, monkeypatch, place) -> None:
    register(kernels.Volatile, place=place or kernels.BEFORE_LATENCIES)
    stock = kernels.compile_gemm(options={"num_stages": 1})
    small = NvidiaTarget(90, stock.metadata.shared + RESERVED_BLOCK_BYTES - 1, 64, 32)
    monkeypatch.setattr(stages, "find_target", lambda _: small)
    with dotload.enabled():
        ours = kernels.compile_gemm(options={"num_stages": 1})
    reasons = {remark.reason: remark.kind for remark in dotload.report()}
    assert reasons["OUTGROWN"] == reasons["UNDONE"] == "missed"
    (outgrown,) = [remark for remark in dotload.report() if remark.reason == "OUTGROWN"]
    assert outgrown.location == line_of_kernel(kernels, "gemm")
    assert ours.metadata.dotload_passes == []
    for stage in ("llir", "ptx"):
        assert ours.asm[stage] == stock.asm[stage]


def test_a_failure_names_the_passes_that_changed_the_kernel(kernels, register, monkeypatch) -> None:
    register(kernels.Volatile)
    register(kernels.Idle)

    def refuse(self, ptx, metadata):
        raise RuntimeError("ptxas refuses it")

    monkeypatch.setattr(Assembler, "assemble_rewritten", refuse)
    with dotload.enabled(), pytest.warns(DotloadWarning, match="^dotload: toy-volatile was undone"):
        kernels.compile_gemm()


def test_a_kernel_tells_which_passes_changed_it(kernels, register) -> None:
    register(kernels.Volatile)
    register(kernels.Idle)
    with dotload.enabled():
        assert kernels.compile_gemm().metadata.dotload_passes == ["toy-volatile"]


def test_a_pass_that_fails_has_not_changed_the_kernel(kernels, register) -> None:
    register(kernels.Volatile, place=Place("ttgir", before="tritongpu-coalesce"))
    register(kernels.Break)
    with dotload.enabled(), pytest.warns(DotloadWarning, match="MLIR does not accept"):
        assert kernels.compile_gemm().metadata.dotload_passes == ["toy-volatile"]


def test_a_change_of_types_alone_is_a_change(kernels) -> None:
    def widen(self, ctx, op):
        (inner,) = op.body.block.ops
        Rewriter.replace_value_with_new_type(inner.results[0], i64)

    widening = type("Widen", (kernels.Idle,), {"name": "toy-widen", "apply": widen})()
    module = ModuleOp([toy.TestOp(result_types=[i32])])
    assert rewrite.changed_by(widening, bridge.xdsl_context(), module)
    assert not rewrite.changed_by(kernels.Idle(), bridge.xdsl_context(), module)


def test_an_undone_kernel_was_changed_by_no_pass(kernels, register, monkeypatch) -> None:
    register(kernels.Volatile)

    def refuse(self, ptx, metadata):
        raise RuntimeError("ptxas refuses it")

    monkeypatch.setattr(Assembler, "assemble_rewritten", refuse)
    with dotload.enabled(), pytest.warns(DotloadWarning, match="was undone"):
        assert kernels.compile_gemm().metadata.dotload_passes == []


def test_a_stage_that_fails_on_stock_too_fails_as_stock(kernels, register) -> None:
    register(kernels.Volatile)
    with dotload.enabled(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(Exception, match=r"(?i)ptx") as ours:
            kernels.compile_gemm(options={"ptx_options": "--no-such-option"})
    with pytest.raises(type(ours.value)):
        kernels.compile_gemm(options={"ptx_options": "--no-such-option"})


def test_a_target_that_no_pass_is_for(kernels, register) -> None:
    register(kernels.Volatile)
    with dotload.enabled(), pytest.warns(DotloadWarning, match="no pass is for the target 'hip'"):
        try_compile_for_amd(kernels)
    assert dotload.report() == []


def try_compile_for_amd(kernels) -> None:
    """Compile for AMD as far as possible without AMD's linker: the warning comes before the first stage."""
    with contextlib.suppress(Exception):
        kernels.compile_copy(GPUTarget("hip", "gfx942", 64))


def test_older_targets_lack_the_anchor(kernels, register) -> None:
    register(kernels.Volatile, triggers=("tt.load",))
    with dotload.enabled():
        kernel = kernels.compile_copy(GPUTarget("cuda", 75, 32))
    (remark,) = dotload.report()
    assert "no pass 'tritongpu-assign-latencies'" in remark.message
    assert "volatile" not in kernel.asm["ptx"]


def test_remarks_are_printed_kept_and_stored(kernels, register, monkeypatch, capsys) -> None:
    register(kernels.Volatile)
    monkeypatch.setenv("DOTLOAD_REMARKS", "1")
    with dotload.enabled():
        kernel = kernels.compile_copy()
    (remark,) = dotload.report()
    (line,) = lines_of(kernels, "tl.store(y_ptr + at, tl.load(x_ptr + at))")
    assert remark.location.startswith(f"{kernels.__file__}:{line}:")
    assert capsys.readouterr().err == f"{remark.location}: remark: toy-volatile: is volatile [TOY]\n"
    (stored,) = kernel.metadata.dotload
    assert stored["location"] == remark.location
    assert json.dumps(stored)
    assert dotload.report(clear=True) == [remark]
    assert dotload.report() == []


def test_a_kernel_from_the_cache_brings_its_remarks_once_a_process(kernels, register, monkeypatch, capsys) -> None:
    register(kernels.Volatile)
    monkeypatch.setenv("DOTLOAD_REMARKS", "1")
    with dotload.enabled():
        kernels.compile_copy()
        told = capsys.readouterr().err
        kernels.compile_copy()
        assert capsys.readouterr().err == ""
        (remark,) = dotload.report(clear=True)
        monkeypatch.setattr(report, "_published", {})  # as in another process
        for _ in range(2):
            kernels.compile_copy()
    assert capsys.readouterr().err == told != ""
    assert dotload.report() == [remark]


def test_a_listener_of_the_users_is_called_as_before(kernels, register, monkeypatch) -> None:
    register(kernels.Volatile)
    heard: list[bool] = []
    theirs = lambda **compilation: heard.append(compilation["cache_hit"])  # noqa: E731
    monkeypatch.setattr(triton.knobs.compilation, "listener", theirs)
    with dotload.enabled():
        kernels.compile_copy()
        kernels.compile_copy()
    assert heard == [False, True]
    assert triton.knobs.compilation.listener is theirs


@pytest.mark.parametrize(("asked", "printed"), [("passed", 1), ("missed", 0), ("missed, passed", 1), ("0", 0)])
def test_remarks_are_printed_by_kind(kernels, register, monkeypatch, capsys, asked, printed) -> None:
    register(kernels.Volatile)
    monkeypatch.setenv("DOTLOAD_REMARKS", asked)
    with dotload.enabled():
        kernels.compile_copy()
    assert capsys.readouterr().err.count("remark:") == printed
    assert len(dotload.report()) == 1


def test_a_kind_of_remark_that_does_not_exist_prints_all_with_a_warning(kernels, register, monkeypatch, capsys) -> None:
    register(kernels.Volatile)
    monkeypatch.setenv("DOTLOAD_REMARKS", "pased")
    with dotload.enabled(), pytest.warns(DotloadWarning, match="DOTLOAD_REMARKS=pased: expected 1, or some of"):
        kernels.compile_copy()
    assert ": remark: toy-volatile" in capsys.readouterr().err


def test_a_stage_of_another_form_runs_as_stocks_does(kernels, register, monkeypatch) -> None:
    register(kernels.Volatile)
    stock = kernels.compile_copy()

    def refuse(source, metadata):
        raise AttributeError("no such pass")

    monkeypatch.setattr(stages, "respliced", lambda *_: refuse)
    with dotload.enabled(), pytest.warns(DotloadWarning, match="no such pass"):
        ours = kernels.compile_copy()
    assert ours.asm["ptx"] == stock.asm["ptx"]


def test_what_is_no_python_function_is_left_alone() -> None:
    with pytest.raises(TypeError, match="not a Python function"):
        pipeline.splice(len, pipeline.Splice({}, print))
    with pytest.raises(TypeError, match="another hook"):
        pipeline.respliced(object(), len, pipeline.Splice({}, print))


def test_nothing_of_tritons_is_changed_while_a_stage_runs(kernels, register) -> None:
    from triton.backends.nvidia import compiler

    def names() -> list[dict[str, object]]:
        """But for what Python's `copy` notes on a class the first time that it copies an object of it."""
        found = [dict(vars(compiler)), dict(vars(compiler.CUDABackend))]
        return [{name: value for name, value in each.items() if name != "__slotnames__"} for each in found]

    before, during = names(), []
    apply = lambda self, ctx, op: during.append(names())  # noqa: E731
    register(type("Spy", (kernels.Idle,), {"name": "toy-spy", "apply": apply}))
    with dotload.enabled():
        kernels.compile_copy()
    assert during == [before]


@pytest.mark.parametrize("was_enabled", [True, False])
def test_garbage_collection_is_paused_while_passes_load_and_run(kernels, register, monkeypatch, was_enabled) -> None:
    seen = []
    load = rewrite.PassEntry.load
    monkeypatch.setattr(rewrite.PassEntry, "load", lambda entry: (seen.append(gc.isenabled()), load(entry))[1])
    register(
        type("Spy", (kernels.Idle,), {"name": "toy-spy", "apply": lambda self, ctx, op: seen.append(gc.isenabled())})
    )
    if not was_enabled:
        gc.disable()
    try:
        with dotload.enabled():
            kernels.compile_copy()
        assert gc.isenabled() == was_enabled
    finally:
        gc.enable()
    assert seen == [False] * 2  # loaded for its options, and run


def test_the_passes_of_a_selection_are_values() -> None:
    assert rewrite.Spliced.__dataclass_params__.frozen
    assert triton.__version__.startswith("3.")
