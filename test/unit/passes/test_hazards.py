"""Kernels are free of hazards, compiled by Triton and by dotload; the exceptions are listed."""

import sys
from pathlib import Path

import pytest

triton = pytest.importorskip("triton", reason="compiles with Triton")
ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "bench"), str(ROOT / "test" / "unit")]

import corpus  # noqa: E402
import hazards  # noqa: E402
from sampling import sampled  # noqa: E402
from triton import knobs  # noqa: E402

from dotload import dialect_ext  # noqa: E402
from dotload.passes.check_shared_memory_hazards import findings_in  # noqa: E402
from dotload.plugin.report import DotloadWarning  # noqa: E402

KNOWN = "use-summed_too-128x128-tf32-rr-sm90"
"""Triton gives two buffers to a tile that a wgmma in flight reads, and refills the one that it reads."""
SAMPLE = 6

KERNELS = {
    kernel.name: kernel
    for kernel in [*corpus.gemms(), *corpus.uses(), *corpus.attentions(), *corpus.several()]
    if kernel.name != KNOWN
}


@pytest.fixture(autouse=True)
def up_to_ttgir(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(knobs.runtime, "add_stages_inspection_hook", hazards.stop_behind_ttgir)


@pytest.mark.parametrize("stock", [False, True], ids=["dotload", "stock"])
@pytest.mark.parametrize("name", sampled(KERNELS, keep=SAMPLE))
def test_a_kernel_is_clean(name, stock):
    verdict, lines = hazards.check(KERNELS[name], stock=stock)
    assert verdict in ("clean", "not checked"), "\n".join(lines)
    assert verdict == "clean" or lines == ["the effect of tt.call on shared memory is not modelled"]


def test_a_hazard_of_tritons_own_is_found():
    kernel = next(kernel for kernel in corpus.uses() if kernel.name == KNOWN)
    verdict, lines = hazards.check(kernel, stock=True)
    assert verdict == "hazards"
    assert "'ttg.async_copy_global_to_local' writes shared memory that wgmma may still be reading" in lines[0]


def test_a_kernel_whose_pass_fails_is_not_clean(monkeypatch):
    def fails(*arguments):
        raise ValueError("on purpose")

    monkeypatch.setattr("dotload.passes.stage_dot_operands.StageDotOperandsPass.rewrite", fails)
    kernel = next(kernel for kernel in corpus.uses() if kernel.name == KNOWN)
    with pytest.warns(DotloadWarning, match="on purpose"):
        verdict, lines = hazards.check(kernel, stock=False)
    assert verdict == "not compiled"
    assert "on purpose" in lines[0]


@pytest.mark.parametrize(("barrier", "count"), [("ttg.barrier local", 0), ("ttg.local_barrier", 0), ("", 1)])
def test_a_barrier_is_known_by_its_name_in_each_version(barrier, count):
    cases = (ROOT / "test/lit/check_shared_memory_hazards/words.mlir").read_text().split("// -----")
    (case,) = (case for case in cases if "@all_have_met" in case)
    module = dialect_ext.parse_module(case.replace("ttg.barrier local", barrier))
    assert len(list(findings_in(module, fence_copies=True))) == count
