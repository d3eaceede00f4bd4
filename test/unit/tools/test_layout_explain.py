"""`dotload-layout explain` on modules as Triton leaves them, as text and as a page."""

import json
import re
from pathlib import Path

import pytest

from dotload.tools import dotload_layout
from dotload.tools.viewer import explain
from dotload.tools.viewer.source import UserError

LIT = Path(__file__).parents[2] / "lit"
STAGED = LIT / "layout_tool" / "explain.mlir"
HEADER = 'module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {'
WGMMA = f"""
#k_major = #ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}}>
#n_major = #ttg.nvmma_shared<{{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}}>
#mma = #ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}}>
#smem = #ttg.shared_memory
{HEADER}
  tt.func @product(%a: !ttg.memdesc<64x128xf8E4M3FN, #k_major, #smem>,
                   %b: !ttg.memdesc<128x64xf8E4M3FN, #n_major, #smem>, %c: tensor<64x64xf32, #mma>) {{
    %d = ttng.warp_group_dot %a, %b, %c {{inputPrecision = 0 : i32}} :
      !ttg.memdesc<64x128xf8E4M3FN, #k_major, #smem> * !ttg.memdesc<128x64xf8E4M3FN, #n_major, #smem>
      -> tensor<64x64xf32, #mma>
    tt.return
  }}
}}
"""


def test_costs_of_a_staged_operand() -> None:
    report = explain.read(str(STAGED))
    by_name = {finding.operation: finding for finding in reversed(report.findings)}
    load = by_name["tt.load"]
    assert (load.bytes_used, load.bytes_moved, load.verdict) == (8192, 8192, "full sectors")
    store = by_name["ttg.local_alloc"]
    assert (store.access, store.verdict) == ("st.shared.b8", "8-way bank conflicts")
    assert store.bytes_moved == 4 * 64 * 8 * 128
    assert store.picture is not None
    assert int(store.picture.fields["words"].max()) == 8


def test_the_descriptors_of_a_product_and_the_rule_that_one_breaks(tmp_path: Path) -> None:
    path = tmp_path / "product.ttgir"
    path.write_text(WGMMA)
    a, b = explain.read(str(path)).findings
    assert (a.access, a.cost) == ("wgmma operand A", "128B swizzle, LBO 16 B, SBO 1024 B")
    assert (b.cost, b.verdict) == (
        "not readable",
        "wgmma cannot read MN-major e4m3 from shared memory: only f16 and bf16 can be",
    )


def test_what_dotload_would_do_is_told_beside_the_load() -> None:
    report = explain.read(str(LIT / "stage_dot_operands" / "wgmma.mlir"))
    told = [line for finding in report.findings for line in finding.advice]
    assert any(line.startswith("stage-dot-operands: ") for line in told)
    assert "dotload: stage-dot-operands" in explain.as_text(report)


def test_the_page_has_a_row_per_access_and_its_banks(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert dotload_layout.main(["explain", str(STAGED), "-o", str(page)]) == 0
    text = page.read_text()
    assert text.count("<tr>") == 1 + 6
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)[1])
    assert len(data["pictures"]) == 3  # two stores and one load of shared memory


def test_mistakes_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dotload_layout.main(["explain", str(tmp_path / "none.ttgir")]) == 1
    assert capsys.readouterr().err == f"error: cannot read '{tmp_path / 'none.ttgir'}': No such file or directory\n"
    broken = tmp_path / "broken.ttgir"
    broken.write_text("module {\n  tt.func @f( {\n}\n")
    with pytest.raises(UserError, match=r"broken\.ttgir:2:\d+: error: "):
        explain.read(str(broken))


def test_a_pass_that_fails_on_a_module_that_nobody_verified_is_a_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    from dotload.passes.stage_dot_operands import StageDotOperandsPass

    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(StageDotOperandsPass, "apply", fail)
    remarks = explain.read(str(STAGED)).remarks
    assert any("stage-dot-operands: does not take this module: AssertionError" in line for line in remarks)


def test_conversions_in_an_unknown_encoding_stay() -> None:
    from dotload.dialect_ext import context, parse_module
    from dotload.passes.pack_operand_conversions import PackOperandConversionsPass

    text = (LIT / "pack_operand_conversions" / "packed.mlir").read_text()
    for encoding, packed in (("#ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>", True), ("#foreign.op<1>", False)):
        module = parse_module(re.sub(r"#(b2?) = .*", rf"#\1 = {encoding}", text))
        PackOperandConversionsPass().apply(context(), module)
        assert ("elementwise_inline_asm" in str(module)) == packed
