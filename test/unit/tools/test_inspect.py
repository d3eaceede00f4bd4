"""dotload-inspect compiles a kernel without a GPU, and shows stock's beside dotload's."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("triton")

sys.path.insert(0, str(Path(__file__).parent))

import inspected

import dotload
from dotload.passes.remarks import Remark
from dotload.plugin.xpu_environment import find_python
from dotload.tools import dotload_inspect
from dotload.tools.inspect import counts, lines, request
from dotload.tools.inspect.report import remark_lines, rows, shown
from dotload.tools.inspect.request import Request

FILE = str(Path(inspected.__file__).resolve())
TYPES = {
    "a": "*fp8e4nv:16",
    "b": "*fp8e4nv:16",
    "c": "*fp16:16",
    **dict.fromkeys(("K", "stride_a", "stride_b", "stride_c"), "i32:16"),
}
TILE = {"BM": 64, "BN": 64, "BK": 64}
SOURCE = Path(FILE).read_text().splitlines()
DEFINITION = 1 + next(number for number, line in enumerate(SOURCE) if line.startswith("def matmul("))
LOAD_OF_B = 1 + next(number for number, line in enumerate(SOURCE) if "tl.load(pb)" in line)


def words(types: dict[str, str], tile: dict[str, int]) -> list[str]:
    """The command line of a kernel."""
    arguments = [word for name, type_ in types.items() for word in ("--arg", f"{name}={type_}")]
    return arguments + [word for name, value in tile.items() for word in ("--const", f"{name}={value}")]


@pytest.fixture(scope="module")
def inspection() -> Any:
    return dotload.inspect(inspected.matmul, TYPES, constants=TILE, target="sm_90", num_warps=4)


def test_the_report_shows_the_remark_at_its_line_and_what_it_gained(inspection: Any) -> None:
    text = str(inspection)
    head, _, rest = text.partition(f"{shown(FILE)}:{LOAD_OF_B}:")
    assert head.startswith("matmul for sm_90\n\n")
    assert rest.splitlines()[1] == f"{LOAD_OF_B:6} | {SOURCE[LOAD_OF_B - 1]}"
    table = {name: (stock, ours) for name, stock, ours in rows(inspection.stock, inspection.dotload)}
    assert table["wgmma"][0] != "0"
    assert int(table["st.shared.b8"][0]) > 0 == int(table["st.shared.b8"][1])
    stock, ours = (int(number.replace(",", "")) for number in table["wavefronts per iteration, predicted"])
    assert 0 < ours < stock
    registers = table["registers per thread"]
    assert [int(number) for number in registers] == [
        v.resources.registers for v in (inspection.stock, inspection.dotload)
    ]


def test_the_example_is_the_kernel_of_the_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dotload_inspect.main(["--example", "gemm.py", "-o", str(file := tmp_path / "gemm.py")]) == 0
    assert capsys.readouterr().out == ""
    assert "pyright" not in file.read_text()
    assert request.load_kernel(str(file)).__name__ == "matmul"
    assert dotload_inspect.main(["--example", "gem.py"]) == 1
    assert "did you mean gemm.py? there are gemm.py" in capsys.readouterr().err
    assert dotload_inspect.main(["--example", "gemm.py", "-o", str(tmp_path / "no" / "gemm.py")]) == 1
    assert "No such file or directory" in capsys.readouterr().err


def test_what_is_not_promised_is_named(inspection: Any) -> None:
    assert inspection.unpromised == ()
    types = TYPES | {"a": "*fp8e4nv", "K": "i32", "stride_b": "i32:1"}
    request = Request.of(inspected.matmul, types, TILE, "sm_90", {})
    assert request.unpromised == ("a", "K")
    noted = dataclasses.replace(inspection, unpromised=request.unpromised)
    assert "makes loads narrow: a, K.\n      If they are, say so by :16 behind the type (--arg a=TYPE:16).\n" in str(
        noted
    )


def test_stock_is_stock_where_dotload_is_on(inspection: Any) -> None:
    dotload.enable()
    try:
        again = dotload.inspect(inspected.matmul, TYPES, constants=TILE, target="sm_90", num_warps=4)
    finally:
        dotload.disable()
    assert again.stock.ptx == inspection.stock.ptx != inspection.dotload.ptx == again.dotload.ptx


def test_a_remark_stands_once_in_source_order() -> None:
    places = ("k.py:7:20", "k.py:7:3", "k.py:7:20", "k.py:2:9")
    remarks = [Remark("missed", "stage-dot-operands", place, "because", "CODE") for place in places]
    lines = [line.split(" ")[0] for line in remark_lines(remarks) if line]
    assert lines == ["k.py:2:9:", "k.py:7:3:", "k.py:7:20:"]


def test_without_dotload_nothing_of_it_is_in_the_kernel(inspection: Any) -> None:
    assert "dotload." not in inspection.stock.ttgir
    assert "dotload." in inspection.dotload.ttgir
    assert inspection.stock.remarks == ()


@pytest.mark.parametrize("stage", ["ttgir", "ptx", "sass"])
def test_each_stage_knows_the_line_of_the_load(inspection: Any, stage: str) -> None:
    found = list(lines.LINES[stage](inspection.dotload.text(stage), FILE))
    of_the_load = [line.text for line in found if line.source == LOAD_OF_B]
    wanted = {"ttgir": "async_copy_global_to_local", "ptx": "cp.async.cg", "sass": "LDGSTS"}[stage]
    assert any(wanted in text for text in of_the_load)
    assert all(0 <= line.source <= len(SOURCE) for line in found)


def test_inline_assembly_has_the_line_of_its_operation(inspection: Any) -> None:
    found = [line for line in lines.ptx_lines(inspection.stock.ptx, FILE) if "ld.global" in line.text]
    assert {line.source for line in found} == {LOAD_OF_B}


def test_the_page_links_the_columns_of_both_versions(inspection: Any, tmp_path: Path) -> None:
    inspection.save_html(str(page := tmp_path / "page.html"))
    text = page.read_text()
    data = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', text, re.DOTALL)[1].replace("<\\/", "</"))
    assert data["file"] == "inspected.py"
    assert [SOURCE[LOAD_OF_B - 1], LOAD_OF_B] in data["source"]
    for version in ("stock", "dotload"):
        stages = dict(data["versions"][version])
        assert list(stages) == ["TTGIR", "PTX", "SASS"]
        assert all(any(source == LOAD_OF_B for _, source in stages[name]) for name in ("TTGIR", "PTX"))


def test_the_command_line_prints_the_report_and_any_stage(inspection: Any, capsys: pytest.CaptureFixture[str]) -> None:
    command = [f"{FILE}:matmul", *words(TYPES, TILE), "--num-warps", "4"]
    assert dotload_inspect.main(command) == 0
    assert capsys.readouterr().out.split("\n\n")[-1] == str(inspection).split("\n\n")[-1]
    assert dotload_inspect.main([*command, "--emit", "ptx"]) == 0
    ours = capsys.readouterr().out
    assert dotload_inspect.main([*command, "--emit", "ptx", "--stock"]) == 0
    assert counts.ptx_counts(ours) == inspection.dotload.counts != counts.ptx_counts(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([f"{FILE}:matmull"], "no kernel 'matmull'; did you mean matmul?"),
        (["nowhere.py:matmul"], "cannot read 'nowhere.py': No such file or directory"),
        ([f"{FILE}:matmul", "--arg", "a"], "--arg: 'a' is not NAME=TYPE"),
        ([f"{FILE}:matmul", "--stock"], "--stock is for --emit"),
        ([f"{FILE}:matmul", *words(TYPES, TILE), "--num-ctas", "3"], "--num-ctas=3: expected a power of two"),
        (
            [f"{FILE}:matmul", *words(TYPES, {"BM": 64})],
            "matmul also needs --const BN=VALUE --const BK=VALUE (a TYPE is such as '*fp16:16' or i32:16)",
        ),
        ([f"{FILE}:matmul", *words(TYPES, {}), "--arg", "a=*fp8:16"], "matmul also needs --const BM=VALUE"),
        (
            [f"{FILE}:matmul", *words(TYPES, TILE), "--arg", "a=*fp8e4:16"],
            "--arg a: unknown type '*fp8e4:16'; did you mean *fp8e4",
        ),
        (
            [f"{FILE}:matmul", *words(TYPES, TILE), "--arg", "K=x"],
            "--arg K: unknown type 'x'; such as *fp16:16, *fp8e4nv:16 or i32",
        ),
        (
            [f"{FILE}:matmul", *words(TYPES, TILE), "--html", "/nowhere/x.html"],
            "cannot write /nowhere/x.html: No such file",
        ),
        (["--dry-run"], "--dry-run needs a script"),
        ([f"{FILE}:matmul", *words(TYPES, TILE), "--target", "sm_9"], "unknown target 'sm_9'"),
        (
            [f"{FILE}:matmul", *words(TYPES, TILE), "--target", "hip:gfx9"],
            "unknown target 'hip:gfx9'; known: sm_80 to sm_121, gfx942",
        ),
        (
            [f"{FILE}:matmul", *words(TYPES, TILE), "--emit", "amdgcn"],
            "has no amdgcn, but ttir, ttgir, llir, ptx, sass",
        ),
        ([f"{FILE}:matmul", *words(TYPES, TILE), "-target", "sm_80"], "error: type fp8e4nv not supported in this arch"),
        (
            [f"{FILE}:not_a_power_of_two", "--arg", "x=*fp32"],
            f"{FILE}:26:18: error: arange's range must be a power of 2",
        ),
        (
            [f"{FILE}:matmul", *words(TYPES, TILE), "--maxnreg", "16"],
            f"{FILE}:{DEFINITION}:1: error: ptxas-blackwell fatal",
        ),
        ([], "no kernel: give FILE.py:KERNEL"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dotload_inspect.main(arguments) == 1
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_torchs_names_of_types_are_known() -> None:
    types = TYPES | {"a": "*float8_e4m3fn:16", "b": "*torch.float8_e4m3fn:16", "c": "*tl.float16:16", "K": "int32:16"}
    assert Request.of(inspected.matmul, types, TILE, "sm_90", {}).types == {**TYPES, **dict.fromkeys(TILE, "constexpr")}


def test_a_file_that_raises_is_told_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file := tmp_path / "broken.py").write_text("import triton\n\nraise ValueError('no GPU')\n")
    assert dotload_inspect.main([f"{file}:f"]) == 1
    assert capsys.readouterr().err == f"{file}:3:1: error: ValueError: no GPU\n"


def test_the_lines_are_those_of_the_file_that_was_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Triton's cache distinguishes kernels by their text only."""
    for name in ("one.py", "other.py"):
        (file := tmp_path / name).write_text(Path(FILE).read_text())
        command = [f"{file}:matmul", *words(TYPES, TILE), "--num-warps", "4"]
        assert dotload_inspect.main(command) == 0
        assert f"{file}:{LOAD_OF_B}:" in capsys.readouterr().out


SCRIPT = """
import sys
import triton
import triton.language as tl
sys.path.insert(0, {folder!r})
from inspected import matmul, not_a_power_of_two
import dotload

dotload.enable()

class Tensor:
    def __init__(self, dtype): self.dtype = dtype
    def data_ptr(self): return 0
    def ptr_range(self): return 0

a, c = Tensor(tl.float8e4nv), Tensor(tl.float16)
for _ in range(2):
    matmul[lambda meta: (1 // 0,)](a, a, c, 1024, 1024, 1024, 1024, 64, 64, 64, num_warps=4)
not_a_power_of_two[(1,)](c)
assert not "checked, which needs values"
if sys.argv[1:] == ["--size", "4"]:
    c.item()
"""


def test_a_dry_run_compiles_what_a_script_would_launch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (script := tmp_path / "script.py").write_text(SCRIPT.format(folder=str(Path(__file__).parent)))
    try:
        assert dotload_inspect.main(["--dry-run", str(script), "--size", "4"]) == 1
    finally:
        dotload.disable()
    header, gemm, broken, _, end = capsys.readouterr().out.splitlines()
    assert header.split() == ["kernel", "at", "registers", "stack", "shared", "blocks", "wavefronts", "dotload"]
    assert gemm.startswith("matmul ")
    assert f"inspected.py:{DEFINITION} " in gemm
    assert gemm.endswith("1 staged")
    assert re.search(r"inspected\.py:\d+ .*\d+ -> \d+", gemm)
    assert broken.endswith("does not compile: arange's range must be a power of 2")
    assert (
        end == f"The script ended early: {script}:22:1: error: AttributeError: 'Tensor' object has no attribute 'item'"
    )


def test_a_dry_run_sees_what_a_script_compiles_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (script := tmp_path / "script.py").write_text(
        f"""
import sys
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
sys.path.insert(0, {str(Path(__file__).parent)!r})
from inspected import matmul

types = {TYPES!r}
promised = {{(n,): [["tt.divisibility", 16]] for n in range(len(types))}}
signature = {{name: type_[:-3] for name, type_ in types.items()}} | dict.fromkeys(("BM", "BN", "BK"), "constexpr")
source = ASTSource(matmul, signature, {TILE!r}, promised)
print(triton.compile(source, GPUTarget("cuda", 90, 32), {{"num_warps": 4}}).metadata.shared)
"""
    )
    assert dotload_inspect.main(["--dry-run", str(script)]) == 0
    printed, _, gemm = capsys.readouterr().out.splitlines()
    assert gemm.endswith("1 staged")
    assert f" {printed} -> " in gemm


def test_a_dry_run_says_that_a_kernel_without_a_staged_operand_is_rewritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tiles of 16 rows are multiplied in f16: the conversion of K-major operands changes, nothing is staged."""
    (script := tmp_path / "script.py").write_text(
        f"""
import sys
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
sys.path.insert(0, {str(Path(__file__).parent)!r})
from inspected import product_of_rows

types = {{"a": "*fp8e4nv", "b": "*fp8e4nv", "c": "*fp32"}}
promised = {{(n,): [["tt.divisibility", 16]] for n in range(len(types))}}
triton.compile(ASTSource(product_of_rows, types, {{}}, promised), GPUTarget("cuda", 90, 32))
"""
    )
    assert dotload_inspect.main(["--dry-run", str(script)]) == 0
    _, kernel = capsys.readouterr().out.splitlines()
    assert kernel.endswith(" rewritten")


def test_a_script_without_kernels_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (script := tmp_path / "script.py").write_text("print(__name__)\n")
    assert dotload_inspect.main(["--dry-run", str(script)]) == 0
    assert capsys.readouterr().out == "__main__\nThe script launched no kernel.\n"


def test_a_gluon_kernel_ends_without_a_word_of_the_libraries() -> None:
    command = [
        sys.executable,
        "-m",
        "dotload.tools.dotload_inspect",
        FILE.replace(".py", "_gluon.py"),
        "--arg",
        "x=*fp32:16",
    ]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("of_gluon for sm_90\n")


def test_opcodes_are_counted_whatever_stands_before_them() -> None:
    text = """
      .extern .shared .align 16 .b8 global_smem[];
      @%p1 st.shared.b8 [%r1], %rs1;
      { ld.shared.b8 %rs1, [%r1]; st.shared.b32 [%r1], %r2; }
      ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];
      $L1: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {%f1}, %rd1, %rd2, p, 1, 1;
      cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
      // prmt.b32 in a comment
    """
    found = {"ldmatrix": 1, "ld.shared.b8": 1, "st.shared.b8": 1, "wgmma": 1, "cp.async.bulk": 1}
    assert counts.ptx_counts(text) == found


@pytest.mark.skipif(find_python() is None, reason="no environment with triton-xpu")
def test_intels_backend_compiles_for_its_own_targets(capsys: pytest.CaptureFixture[str]) -> None:
    types = TYPES | {"a": "*fp16:16", "b": "*fp16:16"}
    assert dotload_inspect.main([f"{FILE}:matmul", *words(types, TILE), "--target", "bmg", "--num-warps", "4"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("matmul for bmg\n")
    assert re.search(r"^dpas +[1-9]\d* +[1-9]", shown, re.MULTILINE)


@pytest.mark.skipif(find_python() is None, reason="no environment with triton-xpu")
def test_an_autotuned_kernel_needs_no_driver(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tuned = '@triton.autotune([triton.Config({"BM": 64})], key=["K"])\n@triton.jit\ndef matmul'
    (file := tmp_path / "tuned.py").write_text(Path(FILE).read_text().replace("@triton.jit\ndef matmul", tuned))
    types = TYPES | {"a": "*fp16:16", "b": "*fp16:16"}
    for target in ("bmg", "sm_90"):
        assert dotload_inspect.main([f"{file}:matmul", *words(types, TILE), "--target", target]) == 0
        assert capsys.readouterr().out.startswith(f"matmul for {target}\n")
