// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s

// CHECK: tt.descriptor_gather becomes 1 x 16b_32r16x2c, proved, guarded
// CHECK: kept tt.descriptor_gather: the gathered rows are not known to be consecutive [GATHER]

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Rows %start + 8, %start + 9, ...
  // CHECK-LABEL: @run
  // CHECK: %[[EIGHT:.*]] = arith.constant 8 : i32
  // CHECK: %[[Y:.*]] = arith.addi %start, %[[EIGHT]] : i32
  // CHECK: ttig.2d_block_load %{{.*}}[%k, %[[Y]]] {row_major} {ttig.guard = array<i32: 0, 1>}
  // CHECK-NOT: tt.descriptor_gather
  // CHECK: tt.return
  tt.func @run(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %start: i32, %k: i32 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #a> {
    %c1 = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%m, %n], [%pitch, %c1] : <f16>, <tensor<1x32xf16>>
    %i = tt.make_range {end = 72 : i32, start = 8 : i32} : tensor<64xi32, #e>
    %s = tt.splat %start : i32 -> tensor<64xi32, #e>
    %rows = arith.addi %s, %i : tensor<64xi32, #e>
    %a = tt.descriptor_gather %desc[%rows, %k] : (!tt.tensordesc<tensor<1x32xf16>>, tensor<64xi32, #e>, i32) -> tensor<64x32xf16, #a>
    tt.return %a : tensor<64x32xf16, #a>
  }

  // COM: Every other row.
  // CHECK-LABEL: @every_other
  // CHECK: tt.descriptor_gather
  tt.func @every_other(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #a> {
    %c1 = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%m, %n], [%pitch, %c1] : <f16>, <tensor<1x32xf16>>
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #e>
    %two = arith.constant dense<2> : tensor<64xi32, #e>
    %rows = arith.muli %i, %two : tensor<64xi32, #e>
    %a = tt.descriptor_gather %desc[%rows, %k] : (!tt.tensordesc<tensor<1x32xf16>>, tensor<64xi32, #e>, i32) -> tensor<64x32xf16, #a>
    tt.return %a : tensor<64x32xf16, #a>
  }
}
