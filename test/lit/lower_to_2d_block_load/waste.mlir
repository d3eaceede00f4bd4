// RUN: dotload-opt %s --lower-to-2d-block-load='emit=opencl' --remarks 2>&1 | FileCheck %s
// RUN: dotload-opt %s --lower-to-2d-block-load='emit=triton-gen' | FileCheck %s --check-prefix=GEN
// RUN: dotload-opt %s --lower-to-2d-block-load='emit=spirv' --remarks 2>&1 | FileCheck %s

// COM: A warp needs 8 columns of A, in pairs of 32-bit elements: 4 elements. OpenCL's and SPIR-V's names transpose at
// COM: least 8 elements, half of which would be unused; the instruction itself can take 4. Intel's lowering of column-
// COM: major A is a gather, which loads no unused elements.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 2], repCluster = [1, 1]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK: kept tt.load: the smallest message loads 2 times the data needed, and lane-by-lane loads do not [WASTE]
  // CHECK-LABEL: @half_of_each_message
  // CHECK: tt.load
  // GEN-LABEL: @half_of_each_message
  // GEN: ttig.2d_block_load
  tt.func @half_of_each_message(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i64 {tt.divisibility = 16 : i32}, %k: i64, %pitch: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> tensor<32x32xf16, #dot_a> {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%m, %k], [%one, %pitch], [%x, %y] {order = array<i32: 0, 1>} : <tensor<32x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>, ttig.block_io = "column_major"} : !tt.ptr<tensor<32x32xf16, #dot_a>>
    tt.return %a : tensor<32x32xf16, #dot_a>
  }
}
