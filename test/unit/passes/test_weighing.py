"""A rewritten kernel that needs more resources is weighed against stock's: reading cubins, and both verdicts."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend

import dotload
from dotload.layout.nvidia_targets import UNCERTAIN_REGISTERS, find_target
from dotload.passes.analysis.prefilter import COSTS
from dotload.passes.remarks import Remark
from dotload.plugin import assembler, stages, weighing
from dotload.plugin.assembler import Assembled
from dotload.plugin.cubin import Resources, resources_of
from dotload.plugin.weighing import (
    FEW_BYTES,
    NOTHING_STAGED,
    Expectation,
    cost,
    is_doubtful,
    weigh,
)

sys.path += [str(Path(__file__).resolve().parents[3] / "bench"), str(Path(__file__).resolve().parents[2])]

import corpus
import gemm
import kv_cache
from ahead_of_time import source
from kernels_at_large import USES

HOPPER = find_target(90)
CUOBJDUMP = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"

DOUBTFUL = gemm.Case("fp8", "cc", 64, 64, 256, 8, 3)
"""Two resident blocks; stock's kernel has three."""

SMALL = gemm.Case("fp16", "rc", 128, 64, 32, 4, 2)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))


@pytest.fixture
def in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rewritten kernel is weighed."""
    monkeypatch.setattr(stages, "is_doubtful", lambda *_: True)


def compiled(case: gemm.Case, on: bool, **more: int):
    options = {"num_warps": case.num_warps, "num_stages": case.num_stages, **more}
    with dotload.enabled() if on else nullcontext():
        return triton.compile(case.source(), GPUTarget("cuda", 90, 32), options)


def remarks_of(kernel) -> dict[str, str]:
    return {remark["reason"]: remark["kind"] for remark in kernel.metadata.dotload}


def test_resources_are_those_that_cuobjdump_prints(tmp_path: Path) -> None:
    kernel = compiled(SMALL, on=False, maxnreg=64)  # so few that it spills
    path = tmp_path / "kernel.cubin"
    path.write_bytes(kernel.asm["cubin"])
    text = subprocess.run([CUOBJDUMP, "-res-usage", path], capture_output=True, text=True, check=True).stdout
    found = resources_of(kernel.asm["cubin"], 0, SMALL.num_warps)
    assert found.stack_bytes > 0
    assert (found.registers, found.stack_bytes) == tuple(
        int(re.search(rf"{name}:(\d+)", text)[1]) for name in ("REG", "STACK")
    )


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"\x7fELF" + bytes(60), b"PK" + bytes(200)])
def test_what_is_no_cubin_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a cubin"):
        resources_of(data, 0, 4)


@pytest.mark.usefixtures("in_doubt")
def test_a_doubtful_kernel_is_taken_where_it_costs_less() -> None:
    kernel = compiled(DOUBTFUL, on=True)
    assert remarks_of(kernel)["WEIGHED"] == "analysis"
    assert "ldmatrix" in kernel.asm["ptx"]


def test_stocks_kernel_is_taken_whole_where_it_costs_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "LATENCY", 10**6)  # as if only the number of resident blocks counted
    stock, kernel = compiled(DOUBTFUL, on=False), compiled(DOUBTFUL, on=True)
    assert kernel.asm["ptx"] == stock.asm["ptx"]
    assert resources_of(kernel.asm["cubin"], 0, 8) == resources_of(stock.asm["cubin"], 0, 8)
    assert kernel.metadata.shared == stock.metadata.shared
    assert remarks_of(kernel)["OUTWEIGHED"] == remarks_of(kernel)["UNDONE"] == "missed"
    assert "passed" not in remarks_of(kernel).values()
    (outweighed,) = [remark for remark in kernel.metadata.dotload if remark["reason"] == "OUTWEIGHED"]
    file, line, _ = outweighed["location"].split(":")
    assert Path(file).read_text().splitlines()[int(line) - 1].startswith("def ")


def test_a_kernel_that_is_not_doubtful_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "weigh", lambda *_: pytest.fail("weighed"))
    kernel = compiled(gemm.Case("fp8", "rr", 128, 256, 128, 8, 3), on=True)
    assert not {"WEIGHED", "OUTWEIGHED"} & remarks_of(kernel).keys()
    assert "ldmatrix" in kernel.asm["ptx"]


@pytest.mark.parametrize("cache", [kv_cache.BF16, kv_cache.FP8])
@pytest.mark.parametrize("rows", [16, 64])
def test_attention_is_compiled_once(rows: int, cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate of stock's registers counts both dots, and the fragments of the queries."""
    monkeypatch.setattr(stages, "weigh", lambda *_: pytest.fail("weighed"))
    with dotload.enabled():
        kernel = kv_cache.Kernel(cache, kv_cache.FP8, rows, 64, 4, 3).compile()
    assert "passed" in remarks_of(kernel).values()


def test_a_cubin_of_an_unknown_kind_is_not_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_):
        raise ValueError("not a cubin")

    monkeypatch.setattr(assembler, "resources_of", unknown)
    kernel = compiled(DOUBTFUL, on=True)
    assert "WEIGHED" not in remarks_of(kernel)
    assert "ldmatrix" in kernel.asm["ptx"]


@pytest.mark.usefixtures("in_doubt")
def test_a_kernel_that_only_dotload_compiles_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """ptxas may reject stock's kernel, for example bf16 and fp8 before Hopper with Triton 3.6."""
    make, made = CUDABackend.make_cubin, []

    def make_the_first(*arguments, **more):
        made.append(arguments)
        if len(made) > 1:
            raise RuntimeError("ptxas: Feature requires .target sm_90 or higher")
        return make(*arguments, **more)

    monkeypatch.setattr(CUDABackend, "make_cubin", make_the_first)
    kernel = compiled(DOUBTFUL, on=True)
    assert len(made) > 1
    assert not {"WEIGHED", "OUTWEIGHED", "UNDONE"} & remarks_of(kernel).keys()
    assert "ldmatrix" in kernel.asm["ptx"]


PLAIN = Resources(registers=64, stack_bytes=0, shared_bytes=32 << 10, warps=4)
SPILLS = Resources(registers=255, stack_bytes=20_000, shared_bytes=32 << 10, warps=4)
WIDE = Resources(registers=255, stack_bytes=0, shared_bytes=32 << 10, warps=8)
EXPECTED = Expectation(wavefronts=100, stock_wavefronts=1000, stock_bytes=32 << 10, stock_registers=64)


@pytest.mark.parametrize(
    ("ours", "stock", "takes_ours"),
    [(SPILLS, PLAIN, False), (WIDE, PLAIN, False), (PLAIN, SPILLS, None), (PLAIN, PLAIN, None)],
)
def test_verdicts(ours: Resources, stock: Resources, takes_ours: bool | None) -> None:
    verdict = weigh(ours, stock, Expectation(900, 1000, 0, 0), HOPPER)
    assert takes_ours == (verdict and verdict.takes_ours)


def test_a_kernel_that_has_no_room_is_not_taken() -> None:
    """Stock's kernel needs 250 KB of shared memory and does not fit, so dotload's is used whatever it costs."""
    verdict = weigh(SPILLS, Resources(255, 0, 250 << 10, 4), Expectation(1 << 20, 1, 250 << 10, 255), HOPPER)
    assert verdict is not None
    assert verdict.takes_ours
    assert "does not fit" in verdict.message


def test_fewer_blocks_are_taken_for_fewer_wavefronts() -> None:
    verdict = weigh(WIDE, PLAIN, EXPECTED, HOPPER)
    assert verdict is not None
    assert verdict.takes_ours
    assert "8 resident blocks" not in verdict.message
    ours, stock = cost(WIDE, 100, HOPPER, waits=1), cost(PLAIN, 1000, HOPPER, waits=1)
    assert f"estimated {ours} cycles per iteration, stock {stock}" in verdict.message


@pytest.mark.parametrize(("kernel", "doubtful"), [(PLAIN, False), (SPILLS, True), (WIDE, False)])
def test_doubts(kernel: Resources, doubtful: bool) -> None:
    """Fewer resident blocks are no doubt where stock's kernel is slower whatever it takes."""
    assert is_doubtful(kernel, EXPECTED, HOPPER) == doubtful


def test_what_a_kernel_needs_that_is_faster_all_the_same_is_told() -> None:
    expected = replace(EXPECTED, stock_wavefronts=1 << 20)
    for kernel in (SPILLS, WIDE):
        assert not is_doubtful(kernel, expected, HOPPER)
        (remark,) = weighing.needs_of(kernel, expected, HOPPER)
        assert remark.reason == "WEIGHED"
        assert f"{kernel.stack_bytes} bytes of stack" in remark.message
        stock = replace(PLAIN, registers=EXPECTED.stock_registers - UNCERTAIN_REGISTERS, warps=kernel.warps)
        assert f"stock {cost(stock, 1 << 20, HOPPER, waits=1)} or more" in remark.message
    assert not weighing.needs_of(PLAIN, expected, HOPPER)
    assert not weighing.needs_of(SPILLS, NOTHING_STAGED, HOPPER)


def test_a_kernel_that_spills_has_a_remark() -> None:
    use = next(use for use in USES if str(use) == "tiles_in_one_loop")
    types = {"a": "*fp8e4nv", "b": "*fp8e4nv", "d": "*fp8e4nv", "c": "*fp32"}
    constants = use.constants("fp8") | {"BM": 128, "BN": 128, "BK": 128, "ak": 1, "bn": 1}
    dotload.report(clear=True)
    with dotload.enabled():
        triton.compile(source(use.kernel, types, constants), GPUTarget("cuda", 90, 32), {"num_stages": 1})
    assert any(remark.reason == "WEIGHED" and "0 bytes of stack" not in remark.message for remark in dotload.report())


@pytest.mark.parametrize(("stock_wavefronts", "doubtful"), [(130, True), (1000, False)])
def test_the_estimate_of_stocks_registers_is_uncertain(stock_wavefronts: int, doubtful: bool) -> None:
    """A kernel of this kind ran at 0.66 of stock's speed: stock's took 60 registers, and had a fourth block."""
    kernel = Resources(registers=74, stack_bytes=0, shared_bytes=36 << 10, warps=8)
    expected = Expectation(wavefronts=100, stock_wavefronts=stock_wavefronts, stock_bytes=36 << 10, stock_registers=74)
    assert kernel.blocks(HOPPER) == replace(kernel, registers=expected.stock_registers).blocks(HOPPER) == 3
    assert is_doubtful(kernel, expected, HOPPER) == doubtful


def with_limit(registers: int, stack_bytes: int, expected: Expectation = EXPECTED) -> str:
    """The PTX of the version that is taken of WIDE, one block of 8 warps, and of WIDE with a limit."""
    limited = replace(WIDE, registers=registers, stack_bytes=stack_bytes)
    versions = [Assembled("plain", b"", WIDE), Assembled("limited", b"", limited)]
    return weighing.best_first(versions, expected, HOPPER)[0].ptx


def test_a_second_block_is_worth_a_few_spills() -> None:
    """Half of a wait, 500 cycles, against 4 wavefronts for each byte of stack."""
    assert with_limit(128, 8) == with_limit(128, 100) == "limited"
    assert with_limit(128, 120) == "plain"
    assert with_limit(128, 8, NOTHING_STAGED) == "plain"


def test_a_third_block_is_not() -> None:
    assert replace(WIDE, registers=80).blocks(HOPPER) == 3
    assert with_limit(80, 8) == "plain"


def test_one_version_is_the_best() -> None:
    versions = [Assembled("plain", b"", WIDE)]
    assert weighing.best_first(versions, EXPECTED, HOPPER) == versions


@pytest.mark.parametrize(
    ("kernel", "doubtful"),
    [(PLAIN, False), (SPILLS, True), (WIDE, False), (replace(PLAIN, stack_bytes=8), False)],
)
def test_only_spills_are_doubtful_where_nothing_is_staged(kernel: Resources, doubtful: bool) -> None:
    assert is_doubtful(kernel, NOTHING_STAGED, HOPPER) == doubtful


def test_a_kernel_that_spills_a_little_is_taken_where_nothing_is_staged() -> None:
    """Its conversions are packed: ptxas then uses fewer registers, and may spill two of them."""
    use = next(use for use in USES if str(use) == "halves_of_bytes")
    types = {"a": "*fp8e4nv", "b": "*fp8e4nv", "d": "*fp8e4nv", "c": "*fp32"}
    constants = use.constants("fp8") | {"BM": 32, "BN": 128, "am": 1, "bn": 1}
    options = {"num_warps": 4, "num_stages": 2}
    with dotload.enabled():
        kernel = triton.compile(source(use.kernel, types, constants), GPUTarget("cuda", 90, 32), options)
    spills = resources_of(kernel.asm["cubin"], 0, 4).stack_bytes > FEW_BYTES
    assert spills == ("WEIGHED" in remarks_of(kernel))
    assert "passed" in remarks_of(kernel).values()


@pytest.mark.usefixtures("in_doubt")
def test_a_kernel_whose_loads_are_staged_is_weighed() -> None:
    """A Gluon kernel: with the tiles in flight it has 1 resident block, and stock's has 2 with Triton 3.9."""
    sizes = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32, "WARPS_M": 4, "WARPS_N": 2, "stride_bn": 1}

    def make() -> tuple[dict[str, str], Resources]:
        kernel = triton.compile(corpus.gluon_source(sizes), GPUTarget("cuda", 90, 32), {"num_warps": 8})
        resources = resources_of(kernel.asm["cubin"], kernel.metadata.shared, 8)
        return remarks_of(kernel) if hasattr(kernel.metadata, "dotload") else {}, resources

    _, stock = make()
    with dotload.enabled():
        remarks, ours = make()
    assert "passed" in remarks.values()
    takes_more = ours.blocks(HOPPER) < stock.blocks(HOPPER) or ours.stack_bytes > stock.stack_bytes
    assert ("WEIGHED" in remarks) == takes_more
    assert triton.__version__ < "3.9" or takes_more


def test_loads_that_stock_waits_for_count() -> None:
    """Stock waits once more per iteration, less what other blocks hide of the wait."""
    blocks = PLAIN.blocks(HOPPER)
    for waits in (1, 2):
        verdict = weigh(WIDE, PLAIN, Expectation(500, 500, 0, 64, waits), HOPPER)
        assert verdict is not None
        assert verdict.message.endswith(f"stock {500 + waits * 1000 // blocks}")


def test_a_loop_of_one_stage_waits_twice_in_both_kernels() -> None:
    """Fewer resident blocks then cost more: what is worth one block of two in a pipelined loop is not in this one."""
    ours, stock = replace(WIDE, registers=154), replace(WIDE, registers=128)
    verdicts = [weigh(ours, stock, Expectation(192, 896, 0, 0, waits, waits), HOPPER) for waits in (1, 2)]
    assert [verdict and verdict.takes_ours for verdict in verdicts] == [True, False]


@pytest.mark.parametrize(("num_stages", "waits"), [(1, 2), (2, 1)])
def test_the_pass_tells_how_often_an_iteration_waits(num_stages: int, waits: int) -> None:
    case = gemm.Case("fp8", "rr", 64, 64, 64, 4, num_stages)
    seen: list[Expectation] = []

    def doubt(_ours: Resources, expected: Expectation, _target: object) -> bool:
        seen.append(expected)
        return False

    with pytest.MonkeyPatch.context() as patch, dotload.enabled():
        patch.setattr(stages, "is_doubtful", doubt)
        case.compile(90)
    assert [(expected.waits, expected.stock_waits) for expected in seen] == [(waits, waits)]


def test_nothing_is_expected_of_a_kernel_that_was_not_rewritten() -> None:
    class Stock:
        def get_int_attr(self, name: str) -> None:
            assert name in COSTS

    assert Expectation.of(Stock()) is None


def test_a_kernel_of_an_fp8_cache_has_a_limit_to_its_registers() -> None:
    """The limit is in the PTX, ptxas observes it, and two blocks are resident instead of one."""
    case = kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, 32, 128, 8, 2)
    with dotload.enabled():
        kernel = case.compile()
    resources = resources_of(kernel.asm["cubin"], kernel.metadata.shared, 8)
    assert "\n.maxnreg 128\n" in kernel.asm["ptx"]
    assert remarks_of(kernel)["REGISTERS_LIMITED"] == "analysis"
    assert resources.blocks(HOPPER) == 2
    assert resources.stack_bytes == 0


@pytest.mark.parametrize("is_rewritten", [False, True])
def test_ptx_that_is_given_in_place_of_ours_is_assembled_by_a_ptxas_that_makes_it_right(is_rewritten: bool) -> None:
    """The user gives PTX by Triton's override of a stage; stock's PTX is assembled by stock's ptxas."""
    called: list[str] = []
    compilation = stages.Compilation(CUDABackend(GPUTarget("cuda", 90, 32)), SimpleNamespace(num_warps=4), {}, ())
    compilation.way_back = ("ttgir", lambda: None) if is_rewritten else None
    compilation.assembler = SimpleNamespace(  # type: ignore[assignment]
        last=Assembled("ours", b"ours", PLAIN),
        assemble=lambda ptx, _: called.append("stock's") or Assembled(ptx, b"given", PLAIN),
        assemble_rewritten=lambda ptx, _: called.append("right") or Assembled(ptx, b"given", PLAIN),
    )
    assert compilation._make_cubin("ours", {}) == b"ours"
    assert compilation._make_cubin("given", {}) == b"given"
    assert called == (["right"] if is_rewritten else ["stock's"])


@pytest.mark.parametrize(("spilled", "is_ours"), [(8, True), (1 << 16, False)])
def test_a_limit_that_makes_spills_is_weighed_before_stock_is_taken(spilled: int, is_ours: bool) -> None:
    """Without the limit 1 block of 8 warps is resident; with it 2, as with stock's kernel."""
    stock = replace(WIDE, registers=128)
    versions = [Assembled("ours", b"", WIDE), Assembled("limited", b"", replace(stock, stack_bytes=spilled))]
    compilation = stages.Compilation(CUDABackend(GPUTarget("cuda", 90, 32)), SimpleNamespace(num_warps=8), {}, ())
    compilation.stock = {"ttgir": lambda module, _: module, "ptx": lambda _, __: "stock's"}
    compilation.way_back, compilation.expected = ("ttgir", lambda: None), Expectation(10, 100, 0, 128)
    compilation.assembler = SimpleNamespace(assemble_quietly=lambda ptx, _: Assembled(ptx, b"", stock))  # type: ignore[assignment]
    compilation.remarks = [Remark("passed", "stage-dot-operands", "", "staged")]
    chosen = compilation._weighed(versions, HOPPER, {})
    assert chosen.ptx == ("limited" if is_ours else "stock's")
    assert (compilation.way_back is not None) == is_ours
    told = [remark.reason for remark in compilation.remarks]
    assert told == (["", "WEIGHED"] if is_ours else ["OUTWEIGHED", "UNDONE"])  # the cause comes first
