// RUN: dotload-opt %s -tritonintelgpu-materialize-block-pointer | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: A branch and a loop forward the pointer, which all steps move by multiples of 4 bytes.
  // CHECK-LABEL: @branch_and_loop
  // CHECK: scf.while
  // CHECK: tt.load %{{.*}} {ttig.block_io = "row_major"}
  tt.func @branch_and_loop(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %moves: i1) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %start = scf.if %moves -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) {
      %next = tt.advance %ptr, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
      scf.yield %next : !tt.ptr<tensor<64x32xf16, #dot_a>>
    } else {
      scf.yield %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    }
    %r:2 = scf.while (%p = %start, %i = %c0) : (!tt.ptr<tensor<64x32xf16, #dot_a>>, i32) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>, i32) {
      %goes_on = arith.cmpi slt, %i, %n : i32
      scf.condition(%goes_on) %p, %i : !tt.ptr<tensor<64x32xf16, #dot_a>>, i32
    } do {
    ^bb0(%p: !tt.ptr<tensor<64x32xf16, #dot_a>>, %i: i32):
      %a = tt.load %p : !tt.ptr<tensor<64x32xf16, #dot_a>>
      %next = tt.advance %p, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
      %following = arith.addi %i, %c32 : i32
      scf.yield %next, %following : !tt.ptr<tensor<64x32xf16, #dot_a>>, i32
    }
    tt.return
  }

  // COM: One branch moves the pointer by a single element, 2 bytes.
  // CHECK-LABEL: @moved_by_2_bytes
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @moved_by_2_bytes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %moves: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %p = scf.if %moves -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) {
      %next = tt.advance %ptr, [%c0, %c1] : <tensor<64x32xf16, #dot_a>>
      scf.yield %next : !tt.ptr<tensor<64x32xf16, #dot_a>>
    } else {
      scf.yield %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    }
    %a = tt.load %p : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return
  }
}
