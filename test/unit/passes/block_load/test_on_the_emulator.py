"""Loads that Triton 3.3 does not make by itself, lowered by dotload, compiled by triton-xpu, and run on the emulator.

C = A x B for one block: A by a descriptor or masked pointers, B by a descriptor, with and without a transposition.
"""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sampling import sampled

from dotload import dialect_ext, emulator
from dotload.passes import remarks
from dotload.passes.convert_2d_block_load_to_llvm import Convert2DBlockLoadToLLVMPass
from dotload.passes.lower_to_2d_block_load import LowerTo2DBlockLoadPass
from dotload.plugin.xpu_environment import find_python

XPU = find_python()
pytestmark = pytest.mark.skipif(XPU is None, reason="needs an environment with triton-xpu")

LLIR = """
import sys
from triton._C.libtriton import intel, ir
from triton.backends.intel.compiler import XPUBackend, XPUOptions
context = ir.context()
ir.load_dialects(context)
intel.load_dialects(context)
module = ir.parse_mlir_module(sys.argv[1], context)
module.context = context
print(XPUBackend.make_llir(module, {}, XPUOptions(num_warps=8, threads_per_warp=16)))
"""

KERNEL = """
#mma = #triton_intel_gpu.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#rows = #ttg.slice<{dim = 1, parent = #a}>
#columns = #ttg.slice<{dim = 0, parent = #a}>
module attributes {triton_intel_gpu.min_sg_size = 16 : i32, triton_intel_gpu.support_dpas, triton_intel_gpu.support_sg_2d_block, triton_intel_gpu.target_arch = "spir64", "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "xpu", "ttg.threads-per-warp" = 16 : i32} {
  tt.func public @gemm(%a_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32 {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %m = arith.extsi %M : i32 to i64
    %n = arith.extsi %N : i32 to i64
    %k = arith.extsi %K : i32 to i64
    %zero = arith.constant dense<0.000000e+00> : tensor<128x128xf32, #mma>
    @SETUP_A@
    @SETUP_B@
    %acc = scf.for %i = %c0 to %K step %c32 iter_args(%c = %zero) -> (tensor<128x128xf32, #mma>)  : i32 {
      @LOAD_A@
      @LOAD_B@
      %d = tt.dot %x, %y, %c, inputPrecision = tf32 : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    %pc = tt.make_tensor_ptr %c_ptr, [%m, %n], [%n, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<128x128xf32, #mma>>
    tt.store %pc, %acc {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<128x128xf32, #mma>>
    tt.return
  }
}
"""  # noqa: E501

A_BY_DESCRIPTOR = (
    "%da = tt.make_tensor_descriptor %a_ptr, [%M, %K], [%k, %one] : <f16>, <tensor<128x32xf16>>",
    "%x = tt.descriptor_load %da[%c0, %i] : !tt.tensordesc<tensor<128x32xf16>> -> tensor<128x32xf16, #a>",
)
A_BY_POINTERS = (
    """%rm = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #rows>
    %rk = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %row = tt.expand_dims %rm {axis = 1 : i32} : tensor<128xi32, #rows> -> tensor<128x1xi32, #a>
    %column = tt.expand_dims %rk {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #a>
    %strides = tt.splat %K : i32 -> tensor<128x1xi32, #a>
    %starts = arith.muli %row, %strides : tensor<128x1xi32, #a>
    %starts2 = tt.broadcast %starts : tensor<128x1xi32, #a> -> tensor<128x32xi32, #a>
    %bases = tt.splat %a_ptr : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>, #a>
    %row_ptrs = tt.addptr %bases, %starts2 : tensor<128x32x!tt.ptr<f16>, #a>, tensor<128x32xi32, #a>
    %two = arith.constant dense<2.000000e+00> : tensor<128x32xf16, #a>""",
    """%is = tt.splat %i : i32 -> tensor<1x32xi32, #a>
      %at = arith.addi %column, %is : tensor<1x32xi32, #a>
      %at2 = tt.broadcast %at : tensor<1x32xi32, #a> -> tensor<128x32xi32, #a>
      %ptrs = tt.addptr %row_ptrs, %at2 : tensor<128x32x!tt.ptr<f16>, #a>, tensor<128x32xi32, #a>
      %ks = tt.splat %K : i32 -> tensor<1x32xi32, #a>
      %inside = arith.cmpi slt, %at, %ks : tensor<1x32xi32, #a>
      %mask = tt.broadcast %inside : tensor<1x32xi1, #a> -> tensor<128x32xi1, #a>
      %x = tt.load %ptrs, %mask, %two : tensor<128x32x!tt.ptr<f16>, #a>""",
)
A_BY_BLOCK_POINTER = (
    "%pa = tt.make_tensor_ptr %a_ptr, [%m, %k], [%k, %one], [%c0, %c0] {order = array<i32: 1, 0>} "
    ": <tensor<128x32xf16, #a>>",
    """%pi = tt.advance %pa, [%c0, %i] : <tensor<128x32xf16, #a>>
      %x = tt.load %pi {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<128x32xf16, #a>>""",
)
# All rows of A are the same: the row stride is 0.
A_ONE_ROW = (
    A_BY_POINTERS[0].replace(
        "tt.splat %K : i32 -> tensor<128x1xi32, #a>", "arith.constant dense<0> : tensor<128x1xi32, #a>"
    ),
    A_BY_POINTERS[1],
)
A_GATHERED = (
    """%da = tt.make_tensor_descriptor %a_ptr, [%M, %K], [%k, %one] : <f16>, <tensor<1x32xf16>>
    %first = arith.constant @FIRST@ : i32
    %firsts = tt.splat %first : i32 -> tensor<128xi32, #rows>
    %count = tt.make_range {end = 130 : i32, start = 2 : i32} : tensor<128xi32, #rows>
    %taken = arith.addi %count, %firsts : tensor<128xi32, #rows>""",
    "%x = tt.descriptor_gather %da[%taken, %i] : "
    "(!tt.tensordesc<tensor<1x32xf16>>, tensor<128xi32, #rows>, i32) -> tensor<128x32xf16, #a>",
)
A_IN_PLANES = (
    """%z = arith.constant @PLANE@ : i32
    %planes = arith.constant 2 : i32
    %mk = arith.muli %m, %k : i64
    %da = tt.make_tensor_descriptor %a_ptr, [%planes, %M, %K], [%mk, %k, %one] : <f16>, <tensor<1x128x32xf16>>""",
    "%x = tt.descriptor_load %da[%z, %c0, %i] : !tt.tensordesc<tensor<1x128x32xf16>> -> tensor<128x32xf16, #a>",
)
B_ROW_MAJOR = (
    "%db = tt.make_tensor_descriptor %b_ptr, [%K, %N], [%n, %one] : <f16>, <tensor<32x128xf16>>",
    "%y = tt.descriptor_load %db[%i, %c0] : !tt.tensordesc<tensor<32x128xf16>> -> tensor<32x128xf16, #b>",
)
B_TRANSPOSED = (
    "%db = tt.make_tensor_descriptor %b_ptr, [%N, %K], [%k, %one] : <f16>, <tensor<128x32xf16>>",
    '%y = tt.descriptor_load %db[%c0, %i] {ttig.block_io = "column_major"} '
    ": !tt.tensordesc<tensor<128x32xf16>> -> tensor<32x128xf16, #b>",
)


def compiled(text: str, folder: Path, guard: str = "gathers") -> tuple[str, int]:
    """LLVM IR of the kernel, and the number of rewritten loads."""
    context = dialect_ext.context()
    module = dialect_ext.parse_module(text, "gemm.ttgir")
    with remarks.collect() as found:
        LowerTo2DBlockLoadPass(emit="opencl", guard=guard).apply(context, module)
        Convert2DBlockLoadToLLVMPass(emit="opencl").apply(context, module)
    for op in list(module.walk()):
        if op.name == "tt.make_tensor_descriptor":  # it has no use left, and 3.3 cannot convert it
            op.detach()
            op.erase()
    path = folder / "gemm.mlir"
    path.write_text(dialect_ext.print_module(module, generic=True))
    done = subprocess.run([str(XPU), "-c", LLIR, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout, sum(remark.pass_name == "lower-to-2d-block-load" for remark in found if remark.kind == "passed")


@pytest.mark.parametrize(
    ("by_pointers", "transposed", "guard"),
    sampled(itertools.product([False, True], [False, True], ["checked", "never"]), 3),
)
def test_product(by_pointers: bool, transposed: bool, guard: str, tmp_path: Path):
    setup_a, load_a = A_BY_POINTERS if by_pointers else A_BY_DESCRIPTOR
    setup_b, load_b = B_TRANSPOSED if transposed else B_ROW_MAJOR
    text = KERNEL.replace("@SETUP_A@", setup_a).replace("@LOAD_A@", load_a)
    llir, rewritten = compiled(text.replace("@SETUP_B@", setup_b).replace("@LOAD_B@", load_b), tmp_path, guard)
    assert rewritten == 2
    assert "2d_block_read" in llir

    # Pointers are not masked along M; all other extents are smaller than the block, and K is not a multiple of its 32.
    rows, columns, depth = 128 if by_pointers else 112, 112, 80
    generator = np.random.default_rng(5)
    a = generator.integers(-4, 5, (rows, depth)).astype(np.float16)
    b = generator.integers(-4, 5, (depth, columns)).astype(np.float16)
    c = np.zeros((rows, columns), np.float32)
    stored_b = np.ascontiguousarray(b.T) if transposed else b
    emulator.run(llir, (1, 1, 1), [a, stored_b, c, rows, columns, depth], num_warps=8, subgroup_size=16)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_rows_that_are_all_the_same(tmp_path: Path):
    text = KERNEL.replace("@SETUP_A@", A_ONE_ROW[0]).replace("@LOAD_A@", A_ONE_ROW[1])
    text = text.replace("@SETUP_B@", B_ROW_MAJOR[0]).replace("@LOAD_B@", B_ROW_MAJOR[1])
    llir, rewritten = compiled(text, tmp_path)
    assert rewritten == 2
    assert "2d_block_read_16b_1r16x" in llir

    columns, depth = 112, 80
    generator = np.random.default_rng(6)
    a = generator.integers(-4, 5, (1, depth)).astype(np.float16)
    b = generator.integers(-4, 5, (depth, columns)).astype(np.float16)
    c = np.zeros((128, columns), np.float32)
    emulator.run(llir, (1, 1, 1), [a, b, c, 128, columns, depth], num_warps=8, subgroup_size=16)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    assert np.array_equal(c, np.repeat(expected, 128, axis=0))


@pytest.mark.parametrize("first", [0, 8, -5])
def test_rows_that_are_gathered_in_order(first: int, tmp_path: Path):
    """Row i of the product comes from row i + 2 + `first` of A; rows outside of A are zeros."""
    text = KERNEL.replace("@SETUP_A@", A_GATHERED[0].replace("@FIRST@", str(first))).replace("@LOAD_A@", A_GATHERED[1])
    text = text.replace("@SETUP_B@", B_ROW_MAJOR[0]).replace("@LOAD_B@", B_ROW_MAJOR[1])
    llir, rewritten = compiled(text, tmp_path)
    assert rewritten == 2

    rows, columns, depth = 112, 112, 80
    generator = np.random.default_rng(8)
    a = generator.integers(1, 5, (rows, depth)).astype(np.float16)
    b = generator.integers(1, 5, (depth, columns)).astype(np.float16)
    c = np.full((rows, columns), -1, np.float32)
    emulator.run(llir, (1, 1, 1), [a, b, c, rows, columns, depth], num_warps=8, subgroup_size=16)
    taken = np.arange(rows) + 2 + first
    known = np.where(((taken >= 0) & (taken < rows))[:, None], a[taken % rows], 0)
    assert np.array_equal(c, known.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("plane", sampled([0, 1, 2, -1], 2))
def test_one_plane_of_two(plane: int, tmp_path: Path):
    """Planes 2 and -1 do not exist: the loads give zeros, whatever lies in memory there."""
    text = KERNEL.replace("@SETUP_A@", A_IN_PLANES[0].replace("@PLANE@", str(plane))).replace(
        "@LOAD_A@", A_IN_PLANES[1]
    )
    text = text.replace("@SETUP_B@", B_ROW_MAJOR[0]).replace("@LOAD_B@", B_ROW_MAJOR[1])
    llir, rewritten = compiled(text, tmp_path)
    assert rewritten == 2

    rows, columns, depth = 112, 112, 80
    generator = np.random.default_rng(7)
    a = generator.integers(1, 5, (2, rows, depth)).astype(np.float16)
    b = generator.integers(1, 5, (depth, columns)).astype(np.float16)
    c = np.full((rows, columns), -1, np.float32)
    report = emulator.run(llir, (1, 1, 1), [a, b, c, rows, columns, depth], num_warps=8, subgroup_size=16)
    # 8 warps, 3 steps along K; no messages are sent for tiles that do not exist.
    sent = report.by_shape().get("read_16b_32r16x2c")
    assert (sent.messages if sent else 0) == (8 * 3 if plane in (0, 1) else 0)
    wanted = a[plane].astype(np.float32) @ b.astype(np.float32) if plane in (0, 1) else np.zeros_like(c)
    assert np.array_equal(c, wanted)


@pytest.mark.parametrize(
    ("depth", "by_blocks"), sampled([(80, True), (40, True), (84, False), (77, False), (24, False)], 3)
)
def test_a_pitch_that_the_kernel_looks_at(depth: int, by_blocks: bool, tmp_path: Path):
    """The pitch of A is K elements, known at run time only; 24 are fewer than a surface must have."""
    text = KERNEL.replace("%K: i32 {tt.divisibility = 16 : i32}", "%K: i32")
    text = text.replace("@SETUP_A@", A_BY_BLOCK_POINTER[0]).replace("@LOAD_A@", A_BY_BLOCK_POINTER[1])
    text = text.replace("@SETUP_B@", B_ROW_MAJOR[0]).replace("@LOAD_B@", B_ROW_MAJOR[1])
    llir, rewritten = compiled(text, tmp_path)
    assert rewritten == 2

    rows, columns = 112, 112
    generator = np.random.default_rng(9)
    a = generator.integers(-4, 5, (rows, depth)).astype(np.float16)
    b = generator.integers(-4, 5, (depth, columns)).astype(np.float16)
    c = np.zeros((rows, columns), np.float32)
    report = emulator.run(llir, (1, 1, 1), [a, b, c, rows, columns, depth], num_warps=8, subgroup_size=16)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    sent = report.by_shape()["read_16b_32r16x2c"].messages
    assert (sent > 0) == by_blocks
