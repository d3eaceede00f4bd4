"""Malformed input ends in a one-line error in all five commands: no traceback, no signal, no hang."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from limits import HANG_SECONDS

from dotload.tools import dotload_layout, dotload_run_xe
from dotload.tools.viewer import html
from dotload.tools.viewer.picture import Picture

BIN = Path(sys.executable).parent
DEEP = 3000
KERNEL = "define spir_kernel void @k() {\n  ret void\n}\n"
PLAIN = "tt.func @f(%c: i1) {\n  tt.return\n}\n"
FILES = {
    "plain.mlir": PLAIN,
    "deep.mlir": PLAIN.replace("  tt.return", "scf.if %c {\n" * DEEP + "}\n" * DEEP + "tt.return"),
    "deep_attribute.mlir": f"module attributes {{a = {'[' * DEEP}{']' * DEEP}}} {{}}\n",
    "wide_integer.mlir": "module attributes {a = 128 : i9223372036854775807} {}\n",
    "bom.mlir": "\ufeffmodule {}\n",
    "kernel.ll": KERNEL,
    "kernel.py": "import triton\n\n\n@triton.jit\ndef k():\n    pass\n",
    "empty.ll": "",
    "empty.npy": "",
    "corrupt.npz": "PK\3\4" + "x" * 50,
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


LAYOUT = [
    (["-t", "tensor<4x4xf16>", "--layout=--"], "argument --layout: '--' is not a value"),
    (["gallery", "/dev/null"], "cannot write '/dev/null': File exists"),
    (
        ["-t", "tensor<4x4x4xf16>", "-l", "#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>"],
        "basis [0, 1] has rank 2, the tensor has [4, 4, 4]",
    ),
    (
        ["-t", "tensor<4x4x4xf16>", "-l", "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>"],
        "basis [0, 1] has rank 2, the tensor has [4, 4, 4]",
    ),
    (
        ["-t", "tensor<8x8xf16>", "-l", "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 64]}>"],
        "order [1, 64] is not a permutation of the dims",
    ),
    (
        [
            "-t",
            "tensor<64xf16>",
            "-l",
            "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
            "warpsPerCTA = [4, 1], instrShape = [16, 8]}>, kWidth = 2}>",
        ],
        "NvidiaMma has rank 2, the tensor has shape [64]",
    ),
    (
        [
            "-t",
            "tensor<64x64xf16>",
            "-l",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 0}>",
        ],
        "elementBitWidth must be 4, 8, 16, 32 or 64, got 0",
    ),
    (
        ["-t", "tensor<8x8xf16>", "-l", "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 0, order = [1, 0]}>"],
        "maxPhase 0 is not a power of two",
    ),
    (
        [
            "-t",
            "tensor<64x64xf16>",
            "-l",
            "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], "
            "instrShape = [16, 2147483648]}>",
        ],
        "has more than 16777216 registers, or offsets",
    ),
    (
        ["-t", "tensor<8x8xf16>", "-l", "#ttg.swizzled_shared<{vec = 4294967296}>"],
        "expected an unsigned integer of 32 bits, got 4294967296",
    ),
    (
        [
            "block-load",
            "-t",
            "tensor<64x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>>",
        ],
        "give the layout of a tensor, not of shared memory",
    ),
    (["block-load", "-t", "tensor<65536x65536xf16>", "--column-major"], "at most 1048576 elements"),
    (["atom", "K", "128", "-o", "a\0.svg"], "cannot write 'a\\x00.svg': no such file"),
    (["atom", "K", "128", "-o", "-", "--format", "png"], "a PNG needs a file"),
    (["atom", "K", "128", "-o", "/dev/full", "--format", "png"], "cannot write /dev/full: No space left on device"),
    (["explain", "deep.mlir"], "malformed IR: nested too deeply"),
    (["explain", "wide_integer.mlir"], ":1:30: error: integer bitwidth is limited to 16777215 bits"),
    (["explain", "bom.mlir"], "bom.mlir:1:1: error: unexpected character"),
    (["explain", "a\0b"], "No such file or directory"),
]


@pytest.mark.parametrize(("arguments", "message"), LAYOUT, ids=[message for _, message in LAYOUT])
def test_layout(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dotload_layout.main(arguments) == 1
    assert message in capsys.readouterr().err


SHAPES = ["0x" + "9" * 30, "4x-4", "-2x-2", "1000000000000000", "x".join(["1"] * 201), "9" * 30]
RUN_XE = [
    *[(["kernel.ll", "--arg", f"f32:{shape}"], 2, "is not a shape with at most 32 sizes") for shape in SHAPES],
    (["kernel.ll", "--arg", "@empty.npy"], 2, "(@empty.npy): not an array of numbers in a .npy file"),
    (["kernel.ll", "--arg", "@corrupt.npz"], 2, "(@corrupt.npz): not an array of numbers in a .npy file"),
    (["kernel.ll", "--arg", "@."], 2, "(@.): Is a directory"),
    (["kernel.ll", "--seed", "-1"], 2, "argument --seed: '-1' is not a count"),
    (["kernel.ll", "--threads", "x"], 2, "argument --threads: 'x' is not a count"),
    (["kernel.ll", "--timeout", "nan"], 2, "argument --timeout: 'nan' is not a number of seconds"),
    (["kernel.ll", "--arg=--"], 2, "argument --arg: '--' is not a value"),
    (["kernel.ll", "--save", "²=x"], 2, "--save: '²=x' is not N=FILE.npy"),
    (["kernel.ll\0"], 2, "No such file or directory"),
    (["empty.ll"], 2, "cannot read 'empty.ll': it is empty"),
]


@pytest.mark.parametrize(("arguments", "status", "message"), RUN_XE, ids=[row[-1] for row in RUN_XE])
def test_run_xe(arguments: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dotload_run_xe.main([*arguments, "--grid", "1"]) == status
    assert message in capsys.readouterr().err


def test_a_result_that_cannot_be_saved(capsys: pytest.CaptureFixture[str]) -> None:
    Path("kernel.ll").write_text(KERNEL.replace("()", "(ptr addrspace(1) %p)"))
    arguments = ["kernel.ll", "--grid", "1", "--arg", "f32:9999", "--save", "0=/no/such/folder.npy"]
    assert dotload_run_xe.main(arguments) == 2
    assert "--save: cannot write /no/such/folder.npy: No such file" in capsys.readouterr().err


ANCHORS = "builtin.module(" * DEEP + "cse" + ")" * DEEP
COMMANDS = [
    ("dotload-opt plain.mlir -p @anchors", "malformed pass pipeline: nested more than 50 deep"),
    ("dotload-opt deep.mlir --stage-dot-operands", "dotload-opt: error: the input is nested too deeply"),
    ("dotload-opt plain.mlir --cse --mlir-print-ir-after=stage-dot-operand", "did you mean --stage-dot-operands"),
    ("dotload-opt plain.mlir --cse --mlir-print-ir-before=nonsense", "unknown flag or pass '--nonsense'"),
    ("dotload-opt bom.mlir", "bom.mlir:1:"),
    ("dotload-opt deep_attribute.mlir --stage-dot-operands", "error: "),
    ("dotload-opt plain.mlir -p tt.func(canonicalize{max-iterations\udcff=0})", "the command line is not text"),
    ("dotload-opt plain.mlir --stage=ttgir --num-stages=65", "--num-stages=65 is too large: at most 64"),
    (f"dotload-opt plain.mlir --stage=ttgir --num-warps={'9' * 5000}", "is not a number"),
    ("dotload-inspect kernel.py:k --num-stages=2147483647", "--num-stages=2147483647 is too large: at most 64"),
    ("dotload-inspect kernel.py:k --maxnreg=-1", "--maxnreg=-1 is too small: at least 1"),
    ("dotload-inspect kernel.py:k --num-stages=-1", "--num-stages=-1 is too small: at least 0"),
    ("dotload-reduce deep.mlir -- false", "dotload-reduce: error: the input is nested too deeply"),
    ("dotload-reduce plain.mlir -o /dev/full -- false", "cannot write '/dev/full': No space left on device"),
]
FULL = [
    "dotload-opt plain.mlir",
    "dotload-opt --help",
    "dotload-layout atom K 128",
    "dotload-inspect --example gemm.py",
    "dotload-run-xe kernel.ll --grid 1",
    "dotload-reduce plain.mlir -- false",
]


def run(command: str, output: str) -> str:
    """The standard error of a command whose exit status must be 1."""
    program, *words = command.split()
    words = [ANCHORS if word == "@anchors" else word for word in words]
    with open(output, "wb") as stdout:
        done = subprocess.run(
            [BIN / program, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=HANG_SECONDS
        )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(("command", "message"), COMMANDS, ids=[message for _, message in COMMANDS])
def test_commands(command: str, message: str) -> None:
    assert message in run(command, "/dev/null")


@pytest.mark.parametrize("command", FULL)
def test_output_to_a_full_disk(command: str) -> None:
    said = run(command, "/dev/full").splitlines()
    assert [line for line in said if "error" in line and "cannot write the output: No space left on device" in line]
    assert len(said) == 1


@pytest.mark.parametrize("command", FULL)
def test_standard_streams_that_are_closed(command: str) -> None:
    """Closed standard streams stay unused: files that the command opens must not get their numbers."""
    done = subprocess.run(["sh", "-c", f"exec {shlex.quote(str(BIN))}/{command} <&- >&- 2>&-"], timeout=HANG_SECONDS)
    assert done.returncode == 0


def test_no_text_can_end_the_script_of_a_page() -> None:
    """`<!--<script>` keeps a script from ending at `</script>`: the page would stay blank."""
    import numpy as np

    page = html.render([Picture("<!--<script>", {"x": np.zeros((1, 1), int)}, "{x}", "x", notes=("</script>",))], "t")
    (data,) = re.findall(r'<script id="data" type="application/json">(.*)</script>', page)
    assert "<" not in data
    assert "\\u003c!--\\u003cscript>" in data
