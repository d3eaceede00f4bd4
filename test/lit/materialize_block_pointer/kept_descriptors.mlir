// RUN: dotload-opt %s -tritonintelgpu-materialize-block-pointer --remarks 2>&1 | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
// CHECK: remark: materialize-block-pointer: tt.descriptor_load is not marked: its descriptor may be one of several, with different shapes or paddings
// CHECK: remark: materialize-block-pointer: tt.descriptor_load is not marked: its result is not a tensor of rank 2 or more
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @one_of_two_heights
  // CHECK-NOT: block_io
  tt.func @one_of_two_heights(%base: !tt.ptr<f16>, %rows: i32, %fewer: i32, %columns: i32 {tt.divisibility = 16 : i32}, %stride: i64, %which: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %one = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %c1] : !tt.ptr<f16>, !tt.tensordesc<64x32xf16>
    %other = tt.make_tensor_descriptor %base, [%fewer, %columns], [%stride, %c1] : !tt.ptr<f16>, !tt.tensordesc<64x32xf16>
    %desc = arith.select %which, %one, %other : !tt.tensordesc<64x32xf16>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16, #dot_a>
    tt.return
  }

  // CHECK-LABEL: @one_dim
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @one_dim(%base: !tt.ptr<f16>, %columns: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%columns], [%c1] : !tt.ptr<f16>, !tt.tensordesc<128xf16>
    %a = tt.descriptor_load %desc[%c0] : !tt.tensordesc<128xf16> -> tensor<128xf16, #line>
    tt.return
  }
}
