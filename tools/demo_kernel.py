"""The GEMM of the demo: A [1024, 5120] x B [5120, 4096] in f16, blocks of 256 x 256 x 32, 32 warps of 16 lanes."""

from __future__ import annotations

M, N, K = 1024, 4096, 5120

_TEMPLATE = """\
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, \
warpsPerCTA = [8, 4], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 32 : i32, "ttg.threads-per-warp" = 16 : i32, \
ttg.target = "xpu", ttig.support_2d_block_io} {
  tt.func public @gemm(%a_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, \
%b_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %c256 = arith.constant 256 : i32
    %c5120 = arith.constant 5120 : i32
    %one = arith.constant 1 : i64
    %m = arith.constant 1024 : i64
    %n = arith.constant 4096 : i64
    %k = arith.constant 5120 : i64
    %zero = arith.constant dense<0.000000e+00> : tensor<256x256xf32, #mma>
    %pid = tt.get_program_id x : i32
    %pid_m = arith.divsi %pid, %c16 : i32
    %pid_n = arith.remsi %pid, %c16 : i32
    %off_m = arith.muli %pid_m, %c256 : i32
    %off_n = arith.muli %pid_n, %c256 : i32
    %a0 = tt.make_tensor_ptr %a_ptr, [%m, %k], [%k, %one], [%off_m, %c0] {order = array<i32: 1, 0>} \
: <tensor<256x32xf16, #dot_a>>
    %b0 = tt.make_tensor_ptr %b_ptr, [%k, %n], [@STRIDES@], [%c0, %off_n] {order = array<i32: @ORDER@>} \
: <tensor<32x256xf16, #dot_b>>
    %acc:3 = scf.for %i = %c0 to %c5120 step %c32 iter_args(%c = %zero, %pa = %a0, %pb = %b0) -> \
(tensor<256x256xf32, #mma>, !tt.ptr<tensor<256x32xf16, #dot_a>>, !tt.ptr<tensor<32x256xf16, #dot_b>>)  : i32 {
      %a = tt.load %pa {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<256x32xf16, #dot_a>>
      %b = tt.load %pb {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<32x256xf16, #dot_b>>
      %d = tt.dot %a, %b, %c, inputPrecision = tf32 \
: tensor<256x32xf16, #dot_a> * tensor<32x256xf16, #dot_b> -> tensor<256x256xf32, #mma>
      %pa_next = tt.advance %pa, [%c0, %c32] : <tensor<256x32xf16, #dot_a>>
      %pb_next = tt.advance %pb, [%c32, %c0] : <tensor<32x256xf16, #dot_b>>
      scf.yield %d, %pa_next, %pb_next \
: tensor<256x256xf32, #mma>, !tt.ptr<tensor<256x32xf16, #dot_a>>, !tt.ptr<tensor<32x256xf16, #dot_b>>
    }
    %pc = tt.make_tensor_ptr %c_ptr, [%m, %n], [%n, %one], [%off_m, %off_n] {order = array<i32: 1, 0>} \
: <tensor<256x256xf32, #mma>>
    tt.store %pc, %acc#0 {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<256x256xf32, #mma>>
    tt.return
  }
}
"""


def gemm(*, transposed_b: bool) -> str:
    """The kernel in Triton GPU IR; with `transposed_b`, B lies in memory as [4096, 5120]."""
    strides, order = ("%one, %k", "0, 1") if transposed_b else ("%n, %one", "1, 0")
    return _TEMPLATE.replace("@STRIDES@", strides).replace("@ORDER@", order)
