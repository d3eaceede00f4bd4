"""Whole Triton kernels on the emulated machine agree with numpy, with Intel's lowering of their loads and with
dotload's. triton-xpu compiles all of them at once, in an environment of its own (`make xpu-env`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from limits import HANG_SECONDS
from sampling import sampled
from xpu_cases import CASES, KERNELS, Case
from xpu_launch import NEEDS, compile_cases, launch

from dotload.emulator import EmulatorError, Kind, run
from dotload.plugin.xpu import XeKernel
from dotload.plugin.xpu_environment import compile_there, find_python

pytestmark = pytest.mark.skipif(find_python() is None, reason=NEEDS)

LOWERINGS = {"intel": False, "dotload": True}
Compiled = dict[tuple[str, str], "XeKernel | str"]


def compile_both_ways(cases: Sequence[Case]) -> Compiled:
    """The kernels of these cases in both lowerings, in one process of triton-xpu's environment."""
    keys = [(case.name, lowering) for case in cases for lowering in LOWERINGS]
    return dict(zip(keys, compile_cases(cases, LOWERINGS.values()), strict=True))


NAMED = ("AxB_f16", "ATxB_f16", "ATxB_f16_tails", "AxB_f16_bmg")
"""Cases that tests here ask for by name."""


@pytest.fixture(scope="module")
def compiled(request: pytest.FixtureRequest) -> Compiled:
    """The kernels of the cases that this run tests; `make check` runs a sample."""
    chosen = [item.callspec.params.get("case") for item in request.session.items if hasattr(item, "callspec")]
    return compile_both_ways([case for case in CASES if case.name in NAMED or case in chosen])


@pytest.mark.parametrize("case", sampled(CASES, 4, lambda case: case.name in NAMED), ids=lambda case: case.name)
def test_both_lowerings_compute_what_numpy_does(case: Case, compiled: Compiled) -> None:
    """dotload's lowering must also issue no more messages, request no more bytes, and read no more memory."""
    theirs, their_result = launch(case, compiled[case.name, "intel"])
    ours, our_result = launch(case, compiled[case.name, "dotload"])
    assert our_result.tobytes() == their_result.tobytes()
    assert ours.dpas == theirs.dpas
    assert ours.load_messages <= theirs.load_messages
    assert ours.load_bytes <= theirs.load_bytes
    assert ours.load_bytes_used <= theirs.load_bytes_used


def test_remarks_and_messages_agree(compiled: Compiled) -> None:
    """A load that a remark calls rewritten reads by 2D block messages, at the line of the remark."""
    kernel = compiled["AxB_f16", "dotload"]
    assert isinstance(kernel, XeKernel)
    applied = [remark for remark in kernel.remarks if remark.kind == "passed" and "lower-to" in remark.pass_name]
    assert len(applied) == 2
    case = next(case for case in CASES if case.name == "AxB_f16")
    report, _ = launch(case, kernel)
    lines = {count.site.location.rsplit(":", 1)[0] for count in report.select(Kind.BLOCK_READ)}
    assert lines == {str(Path(remark.location.rsplit(":", 1)[0]).name) for remark in applied}
    assert not report.select(Kind.LOAD)


def test_transposed_a_needs_no_gather(compiled: Compiled) -> None:
    """Intel's lowering of this release reads A^T lane by lane; dotload's does not."""
    case = next(case for case in CASES if case.name == "ATxB_f16")
    theirs, _ = launch(case, compiled[case.name, "intel"])
    ours, _ = launch(case, compiled[case.name, "dotload"])
    assert theirs.select(Kind.LOAD)
    assert not ours.select(Kind.LOAD)
    assert ours.load_messages * 3 <= theirs.load_messages


def test_tiles_outside_of_a_matrix_are_not_read(compiled: Compiled) -> None:
    """A^T has 112 of the 128 rows that its tiles cover: gathers and messages leave out the eighth that is outside."""
    case = next(case for case in CASES if case.name == "ATxB_f16_tails")
    theirs, _ = launch(case, compiled[case.name, "intel"])
    ours, _ = launch(case, compiled[case.name, "dotload"])
    (gathered,) = theirs.select(Kind.LOAD)[:1]
    messages = [count for count in ours.select(Kind.BLOCK_READ) if count.site.location == gathered.site.location]
    assert sum(count.messages for count in messages) * 8 == 96 * 7
    assert sum(count.bytes_asked for count in messages) == sum(count.bytes_asked for count in theirs.select(Kind.LOAD))


def test_compiled_kernel_has_every_stage(compiled: Compiled) -> None:
    kernel = compiled["AxB_f16_bmg", "dotload"]
    assert isinstance(kernel, XeKernel)
    assert kernel.target == "bmg"
    assert "tt.dot" in kernel.ttir
    assert "tt.load" not in kernel.ttgir
    assert "builtin.unrealized_conversion_cast" in kernel.ttgir
    assert "intel_sub_group_2d_block_read" in kernel.llir
    assert kernel.spirv[:4] == b"\x03\x02\x23\x07"  # SPIR-V's magic number, little endian
    assert kernel.arguments[:4] == ("*fp16", "*fp16", "*fp32", "i32")


REFUSED = [
    ({"kernel": "no_such_kernel"}, "has no kernel 'no_such_kernel'"),
    ({"target": "dg2"}, "unknown target 'dg2'; known: pvc, bmg, lnl"),
    ({"signature": ["*fp32"]}, "has 3 run-time parameters (x, y, n), the signature gives 1 types"),
    ({"signature": {"x": "*fp32", "y": "*fp32", "z": "i32"}}, "has no parameter z"),
    ({"signature": {"x": "*fp32", "y": "*fp32"}}, "lacks n"),
    ({"pass_options": {"gard": "checked"}}, "no pass has an option gard; known: "),
    ({"pass_options": {"guard": "sometimes"}}, "unknown guard 'sometimes'; known are gathers, checked, never"),
    ({"signature": ["*fp7", "*fp32", "i32"]}, "x: unknown type '*fp7'"),
    ({"signature": ["*fp32:8", "*fp32", "i32"]}, "only divisibility by 16 can be promised, got ':8'"),
]


def test_requests_that_make_no_sense() -> None:
    base = {"file": KERNELS, "kernel": "softmax", "signature": ["*fp32", "*fp32", "i32"], "constants": {"BLOCK": 256}}
    answers = compile_there([base | change for change, _ in REFUSED])
    for answer, (_, message) in zip(answers, REFUSED, strict=True):
        assert isinstance(answer, str)
        assert message in answer


@pytest.mark.parametrize("k", [256, pytest.param(5120, marks=pytest.mark.full)])
def test_the_documents_product(k: int) -> None:
    """1024 x 5120 x 4096: 10,485,760 multiplies; `make check` runs a twentieth of them."""
    m, n = 1024, 4096
    constants = {"BM": 256, "BN": 256, "BK": 32, "M": m, "N": n, "K": k}
    signature = ["*fp16:16", "*fp16:16", "*fp32:16"]
    request = {"file": KERNELS, "kernel": "seed_gemm", "signature": signature, "constants": constants}
    (kernel,) = compile_there([request | {"num_warps": 32}])
    assert isinstance(kernel, XeKernel), kernel
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), np.float32)
    report = run(kernel.llir, (64,), [a, b, c], 32, signature=kernel.arguments, timeout=HANG_SECONDS)
    assert report.dpas == m // 8 * n // 16 * k // 16
    assert np.allclose(c, a.astype(np.float32) @ b.astype(np.float32), atol=1e-2)
    # A warp's 32 x 32 part of A is one message, its 32 x 64 part of B two, for each 32 of k.
    assert report.load_messages == 64 * 32 * (k // 32) * 3


def test_surfaces_that_are_too_narrow_are_gathered() -> None:
    """Rows of A have 32 bytes, and a surface 64 or more. Intel marks the load of A all the same."""
    m, n, k = 64, 128, 16
    constants = {"BM": 64, "BN": 64, "BK": 16, "M": m, "N": n, "K": k}
    signature = ["*fp16:16", "*fp16:16", "*fp32:16"]
    request = {"file": KERNELS, "kernel": "seed_gemm", "signature": signature, "constants": constants}
    stock, kernel = compile_there([request | {"num_warps": 4, "dotload": how} for how in (False, True)])
    assert isinstance(stock, XeKernel), stock
    assert isinstance(kernel, XeKernel), kernel
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), np.float32)
    with pytest.raises(EmulatorError, match="surface width must be 64"):
        run(stock.llir, (2,), [a, b, c], 4, signature=stock.arguments, timeout=HANG_SECONDS)
    report = run(kernel.llir, (2,), [a, b, c], 4, signature=kernel.arguments, timeout=HANG_SECONDS)
    assert np.allclose(c, a.astype(np.float32) @ b.astype(np.float32), atol=1e-3)
    assert report.select(Kind.LOAD)
    assert report.select(Kind.BLOCK_READ)


SWITCHED = """
import sys
sys.path.insert(0, {folder!r})
import dotload, xpu_kernels
from dotload.plugin.xpu import compile_xe
from triton.backends.intel.compiler import XPUBackend

constants = dict(BM=64, BN=64, BK=32, M=128, N=128, K=64)
stock = dict(vars(XPUBackend))

def rewritten():
    # compile_xe adds nothing here: what rewrites the loads is the backend itself.
    kernel = compile_xe(xpu_kernels.seed_gemm, ["*fp16:16", "*fp16:16", "*fp32:16"], constants=constants, dotload=False)
    return "unrealized_conversion_cast" in kernel.ttgir

def touched():
    return [name for name in stock if vars(XPUBackend)[name] is not stock[name]]

backend = XPUBackend.__new__(XPUBackend)
backend.properties = {{}}
hashes = [XPUBackend.hash(backend)]
print(rewritten(), touched())
dotload.enable()
dotload.enable()
hashes.append(XPUBackend.hash(backend))
print(rewritten(), touched(), len(dotload.report()) > 0)
dotload.disable()
print(rewritten(), touched())
with dotload.enabled():
    print(rewritten())
print(rewritten(), touched(), hashes[0] != hashes[1])
"""


def test_enable_splices_the_passes_into_the_backend_of_a_process() -> None:
    from dotload.plugin.xpu_environment import run_there

    lines = run_there(SWITCHED.format(folder=str(Path(__file__).parent))).splitlines()
    assert lines == [
        "False []",
        "True ['make_ttgir', 'hash'] True",
        "False []",
        "True",
        "False [] True",
    ]


def test_ttgir_is_a_kernel_too(compiled: Compiled, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """dotload-run-xe takes a kernel's TTGIR from before dotload's passes, and runs these passes."""
    from dotload.tools import dotload_run_xe

    kernel = compiled["AxB_f16", "intel"]
    assert isinstance(kernel, XeKernel)
    path = tmp_path / "gemm.ttgir"
    path.write_text(kernel.ttgir)
    arrays = ["f16:128x64:random", "f16:64x128:random", "f32:128x128"]
    numbers = ["128", "128", "64", "64", "64", "128", "128", "128"]
    arguments = [part for value in (*arrays, *numbers) for part in ("--arg", value)]
    assert dotload_run_xe.main([str(path), "--grid", "2,2", *arguments, "--compare", str(path)]) == 0
    output = capsys.readouterr()
    assert "argument 2: equal, bit for bit" in output.out
    assert "becomes" in output.err
