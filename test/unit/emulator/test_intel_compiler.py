"""Intel's compiler accepts the SPIR-V of our kernels, and its disassembly has the instructions of the plan.

Debian's `ocloc` (package intel-opencl-icd) compiles for pvc, `iga64` (libigc-tools) disassembles. That release of IGC
supports the matrix multiplies. It leaves OpenCL's 2D block functions as calls, but has builtins of its own
(__builtin_IB_subgroup_block_read_flat_*), onto which these tests map them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from xpu_cases import gemm
from xpu_launch import NEEDS, compile_cases

from dotload.plugin.xpu import XeKernel
from dotload.plugin.xpu_environment import compile_there, find_python

TOOLS = shutil.which("ocloc") and shutil.which("iga64")
pytestmark = [
    pytest.mark.skipif(find_python() is None, reason=NEEDS),
    pytest.mark.skipif(not TOOLS, reason="no ocloc and iga64 (Debian: intel-opencl-icd, libigc-tools)"),
]

# One warp and small tiles: vectors of at most 16 elements, the limit of SPIR-V.
SMALL = [
    gemm("AxB", "f16", "AxB", (64, 64, 64), (8, 16, 32), num_warps=1),
    gemm("AxBT", "f16", "AxBT", (64, 64, 64), (8, 16, 32), num_warps=1),
]
WIDE = [
    gemm("AxB", "f16", "AxB", (256, 256, 64), (256, 256, 32), num_warps=32),
    gemm("AxBT", "bf16", "AxBT", (256, 256, 64), (256, 256, 32), num_warps=32),
    gemm("ATxB", "f16", "ATxB", (128, 128, 64), (64, 64, 32), num_warps=4),
    gemm("i8", "i8", "AxB", (128, 128, 128), (64, 128, 64), num_warps=8),
]


def compile_for(cases: list) -> list[XeKernel]:
    kernels = compile_cases(cases, [True])
    assert all(isinstance(kernel, XeKernel) for kernel in kernels), kernels
    return kernels  # type: ignore[return-value]


def disassemble(kernel: XeKernel, folder: Path) -> str:
    """The instructions of a kernel as text."""
    spirv = folder / "kernel.spv"
    spirv.write_bytes(kernel.spirv)
    quiet = {"cwd": folder, "check": True, "capture_output": True}
    options = ["-options", "-cl-intel-256-GRF-per-thread"]
    subprocess.run(["ocloc", "compile", "-file", spirv, "-spirv_input", "-device", "pvc", *options], **quiet)
    (binary,) = folder.glob("*.bin")
    subprocess.run(["ocloc", "disasm", "-file", binary, "-device", "pvc", "-dump", folder / "dump"], **quiet)
    heap = folder / "dump" / f"{kernel.name}_KernelHeap.dat"
    return subprocess.run(["iga64", "-d", "-p=xehpc", heap], **quiet, text=True).stdout


def calls(kernel: XeKernel, name: str) -> int:
    return len(re.findall(rf"call [^\n]*@\w*{name}", kernel.llir))


def test_matrix_multiplies_come_out_one_for_one(tmp_path: Path) -> None:
    for number, kernel in enumerate(compile_for(WIDE)):
        folder = tmp_path / str(number)
        folder.mkdir()
        planned = calls(kernel, "_matrix_mad_")
        assert planned > 0
        assert len(re.findall(r"\bdpas\.8x8\b", disassemble(kernel, folder))) == planned


BODY = """\
declare spir_func {vector} @{name}(i64, i32, i32, i32, <2 x i32>)
define internal void @{symbol}(ptr addrspace(1) %p, i32 %w, i32 %h, i32 %s, <2 x i32> %c, ptr %d) alwaysinline {{
  %b = ptrtoint ptr addrspace(1) %p to i64
  %w1 = sub i32 %w, 1
  %h1 = sub i32 %h, 1
  %s1 = sub i32 %s, 1
  %v = call spir_func {vector} @{name}(i64 %b, i32 %w1, i32 %h1, i32 %s1, <2 x i32> %c)
  store {vector} %v, ptr %d, align 4
  ret void
}}
"""


def read_function(symbol: str) -> str:
    """One of OpenCL's 2D block reads, defined by IGC's builtin for the same message."""
    match = re.search(r"block_read_?(transform|transpose)?_(\d+)b_(\d+)r(\d+)x(\d)c", symbol)
    assert match is not None
    form = match[1]
    bits, rows, columns, blocks = (int(match[index]) for index in (2, 3, 4, 5))
    element = 32 if form else bits
    vector = f"<{rows * columns * blocks * bits // 16 // element} x i{element}>"
    shape = {
        None: f"u{bits}_m{rows}k{columns}v{blocks}",
        "transform": f"transform_u{bits}_k{rows}",
        "transpose": f"transpose_u{bits}_k{columns}",
    }[form]
    return BODY.format(vector=vector, symbol=symbol, name=f"__builtin_IB_subgroup_block_read_flat_{shape}")


def with_block_builtins(llir: str) -> str:
    """The kernel with every 2D block read defined; calls and definitions agree on the convention."""
    for symbol in re.findall(r"^declare [^\n]*@(\w*intel_sub_group_2d_block_read_\w+)\(.*$", llir, re.MULTILINE):
        llir = re.sub(rf"^declare [^\n]*@{symbol}\(.*$", "", llir, flags=re.MULTILINE)
        llir = re.sub(rf"call spir_func void @{symbol}\(", f"call void @{symbol}(", llir)
        llir += read_function(symbol)
    return llir


def test_block_reads_come_out_one_for_one(tmp_path: Path) -> None:
    kernels = compile_for(SMALL)
    mapped = compile_there([{"llir": with_block_builtins(k.llir), "num_warps": 1} for k in kernels])
    for number, (kernel, answer) in enumerate(zip(kernels, mapped, strict=True)):
        assert isinstance(answer, XeKernel), answer
        folder = tmp_path / str(number)
        folder.mkdir()
        text = disassemble(answer, folder)
        assert len(re.findall(r"\bload_block2d\b", text)) == calls(kernel, "2d_block_read_")
        assert len(re.findall(r"\bdpas\.8x8\b", text)) == calls(kernel, "_matrix_mad_")
        forms = {"transform": "d16v", "transpose": "d32t"}
        for form, suffix in forms.items():
            if calls(kernel, f"2d_block_read_{form}"):
                assert re.search(rf"load_block2d\.ugm\.{suffix}\b", text)
