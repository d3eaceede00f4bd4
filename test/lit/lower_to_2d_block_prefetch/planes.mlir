// RUN: dotload-opt %s --lower-to-2d-block-prefetch --remarks 2>&1 | FileCheck %s

// COM: The base of a message is that of its plane, so the distance of planes must be a multiple of 4 bytes.
// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: kept ttig.prefetch: base is known to be a multiple of 2 B only, must be one of 4 B [BASE_ALIGNMENT]

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 2, 2], repCluster = [1, 4, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @aligned
  // CHECK: triton_gen.2Dblockprefetch
  tt.func @aligned(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %depth: i64, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %plane: i64 {tt.divisibility = 2 : i32}, %stride: i64 {tt.divisibility = 16 : i32}, %z: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%depth, %rows, %columns], [%plane, %stride, %c1], [%z, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x64x32xf16, #a>>
    ttig.prefetch %p : !tt.ptr<tensor<1x64x32xf16, #a>>
    tt.return
  }

  // COM: The index is even, so twice the distance is enough.
  // CHECK-LABEL: @by_two
  // CHECK: triton_gen.2Dblockprefetch
  tt.func @by_two(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %depth: i64, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %plane: i64, %stride: i64 {tt.divisibility = 16 : i32}, %z: i32 {tt.divisibility = 2 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%depth, %rows, %columns], [%plane, %stride, %c1], [%z, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x64x32xf16, #a>>
    ttig.prefetch %p : !tt.ptr<tensor<1x64x32xf16, #a>>
    tt.return
  }

  // CHECK-LABEL: @any
  // CHECK-NOT: triton_gen.2Dblockprefetch
  // CHECK: ttig.prefetch
  tt.func @any(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %depth: i64, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %plane: i64, %stride: i64 {tt.divisibility = 16 : i32}, %z: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%depth, %rows, %columns], [%plane, %stride, %c1], [%z, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x64x32xf16, #a>>
    ttig.prefetch %p : !tt.ptr<tensor<1x64x32xf16, #a>>
    tt.return
  }
}
