"""dotload-run-xe without a shell: arguments, files, exit codes."""

import importlib.util
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from xe_kernels import module, store_vector
from xpu_launch import NEEDS

from dotload.emulator import EmulatorError
from dotload.emulator.library import library
from dotload.plugin.xpu_environment import find_python
from dotload.tools import dotload_run_xe
from dotload.tools.xe_arguments import make_argument

COPY = f"""
  %p = getelementptr float, ptr addrspace(1) %in, i32 %item
  %v = load float, ptr addrspace(1) %p
{store_vector("v", "float", 1, "float")}"""


@pytest.fixture
def kernel(tmp_path):
    path = tmp_path / "copy.ll"
    path.write_text(module(COPY, "ptr addrspace(1) %in, ptr addrspace(1) %out"))
    return path


def test_arrays_come_from_files_and_go_to_files(kernel, tmp_path, capsys) -> None:
    values = np.arange(16, dtype=np.float32)
    np.save(tmp_path / "in.npy", values)
    arguments = ["--arg", f"@{tmp_path}/in.npy", "--arg", "out=f32:16", "--save", f"1={tmp_path}/out.npy"]
    assert dotload_run_xe.main([str(kernel), "--grid", "1", "--num-warps", "1", *arguments]) == 0
    assert np.array_equal(np.load(tmp_path / "out.npy"), values)
    assert "load_32b" in capsys.readouterr().out


def test_versions_that_differ_are_told_apart(kernel, tmp_path, capsys) -> None:
    other = tmp_path / "twice.ll"
    other.write_text(kernel.read_text().replace("  %place", "  %w = fadd float %v, %v\n  %place", 1).replace(
        "store float %v", "store float %w"))  # fmt: skip
    arguments = ["--arg", "f32:16:ones", "--arg", "f32:16"]
    assert (
        dotload_run_xe.main([str(kernel), "--grid", "1", "--num-warps", "1", *arguments, "--compare", str(other)]) == 0
    )
    assert "argument 1: 16 of 16 elements differ" in capsys.readouterr().out


def test_versions_are_compared_by_bits() -> None:
    first = [np.array([0.0, np.nan, 1.0], np.float32), np.empty(0, np.float32)]
    second = [np.array([-0.0, np.nan, 1.0], np.float32), np.empty(0, np.float32)]
    assert dotload_run_xe.differences(first, second) == [
        "argument 0: 1 of 3 elements differ",
        "argument 1: equal, bit for bit",
    ]


def test_what_llvm_does_not_parse_is_told_at_its_line(kernel, capsys) -> None:
    kernel.write_text("define void @k( {\n")
    assert dotload_run_xe.main([str(kernel), "--grid", "1"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"{kernel}:3:1: error: this is not sound LLVM IR: expected type"


def test_arrays_do_not_go_into_folders(kernel, tmp_path, capsys) -> None:
    words = ["--grid", "1", "--num-warps", "1", "--arg", "f32:16", "--arg", "f32:16", "--save", f"1={tmp_path}"]
    assert dotload_run_xe.main([str(kernel), *words]) == 2
    assert f"--save: cannot write {tmp_path}: Is a directory" in capsys.readouterr().err


def test_random_arrays_depend_on_the_seed_alone() -> None:
    first, again, other = (make_argument("x=bf16:4x4:random", 0, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first.dtype == np.uint16
    assert first.shape == (4, 4)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


MISTAKES = [
    (["--grid", "a"], 2, "--grid: 'a' is not X, X,Y or X,Y,Z"),
    (["--grid", "1", "--arg", "what"], 2, "'what' is neither a number"),
    (["--grid", "1", "--arg", "f32:4y4"], 2, "'4y4' is not a shape"),
    (["--grid", "1", "--arg", "@/no/file.npy"], 2, "No such file"),
    (["--grid", "1", "--arg", "f32:16", "--arg", "2"], 1, "takes an array here"),
    (["--grid", "1", "--num-warps", "1", "--arg", "f32:16", "--arg", "f32:16", "--save", "7=x"], 2, "--save: '7=x'"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), MISTAKES, ids=[mistake[-1] for mistake in MISTAKES])
def test_mistakes_end_in_one_line(arguments: list[str], code: int, message: str, kernel, capsys) -> None:
    assert dotload_run_xe.main([str(kernel), *arguments]) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("dotload-run-xe: error: ")
    assert message in line


def test_ttgir_without_an_environment_says_how_to_get_one(kernel, monkeypatch, capsys) -> None:
    monkeypatch.setenv("DOTLOAD_XPU_PYTHON", "/no/python")
    source = kernel.with_suffix(".ttgir")
    source.write_text("module {}")
    assert dotload_run_xe.main([str(source), "--grid", "1"]) == 2
    message = capsys.readouterr().err
    assert "make xpu-env" in message
    assert "xpu-env/bin/pip install dotload triton-xpu==" in message


def test_a_file_that_is_not_the_library(monkeypatch, tmp_path) -> None:
    (text := tmp_path / "text.so").write_text("no library")
    others = tmp_path / "others.so"  # a library without the emulator's functions
    shutil.copy(importlib.util.find_spec("_ctypes").origin, others)
    for named, message in (
        ("/no/such.so", "DOTLOAD_XE_LIBRARY=/no/such.so: no such file"),
        (text, f"{text} is not the emulator's library: "),
        (others, f"{others} is not the emulator's library: "),
    ):
        monkeypatch.setenv("DOTLOAD_XE_LIBRARY", str(named))
        with pytest.raises(EmulatorError, match=message):
            library.__wrapped__()  # without the cache


@pytest.mark.skipif(find_python() is None, reason=NEEDS)
def test_ttgir_that_mlir_rejects_is_told_at_its_place(tmp_path, capsys) -> None:
    (source := tmp_path / "kernel.ttgir").write_text("module {\n  tt.func @f() { tt.retrun }\n}\n")
    assert dotload_run_xe.main([str(source), "--grid", "1"]) == 2
    assert capsys.readouterr().err == f"{source}:2:18: error: custom op 'tt.retrun' is unknown\n"


DOUBLED = """#rows = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32,
    ttg.target = "xpu", ttig.min_sg_size = 16 : i32} {
  tt.func @doubled(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %lane = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #rows>
    %from = tt.splat %in : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #rows>
    %to = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #rows>
    %source = tt.addptr %from, %lane : tensor<16x!tt.ptr<f32>, #rows>, tensor<16xi32, #rows>
    %target = tt.addptr %to, %lane : tensor<16x!tt.ptr<f32>, #rows>, tensor<16xi32, #rows>
    %x = tt.load %source {ttig.block_io = "row_major"} : tensor<16x!tt.ptr<f32>, #rows>
    %y = arith.addf %x, %x : tensor<16xf32, #rows>
    tt.store %target, %y : tensor<16x!tt.ptr<f32>, #rows>
    tt.return
  }
}
"""


@pytest.mark.skipif(find_python() is None, reason=NEEDS)
def test_ttgir_with_the_newer_dialect_s_name_and_named_arguments(tmp_path, capsys) -> None:
    (source := tmp_path / "kernel.ttgir").write_text(DOUBLED)
    values = np.arange(16, dtype=np.float32)
    np.save(tmp_path / "in.npy", values)
    arguments = ["--arg", f"@{tmp_path}/in.npy", "--arg", "f32:16", "--save", f"1={tmp_path}/out.npy"]
    assert dotload_run_xe.main([str(source), "--grid", "1", *arguments]) == 0
    assert np.array_equal(np.load(tmp_path / "out.npy"), 2 * values)
    captured = capsys.readouterr()
    assert f"{source}:10:10: remark: " in captured.out + captured.err


def test_compiling_for_xe_without_triton_xpu_says_what_is_missing(monkeypatch) -> None:
    import dotload
    from dotload.plugin.xpu_request import XeCompileError

    monkeypatch.setenv("DOTLOAD_XPU_PYTHON", "/no/python")
    here = test_compiling_for_xe_without_triton_xpu_says_what_is_missing
    kernel = SimpleNamespace(fn=here, __name__="kernel", arg_names=[])
    with pytest.raises(XeCompileError, match="no environment with triton-xpu: `make xpu-env` makes one"):
        dotload.compile_xe(kernel, [])
