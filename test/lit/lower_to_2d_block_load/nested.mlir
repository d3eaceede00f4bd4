// RUN: dotload-opt %s --lower-to-2d-block-load | FileCheck %s

// COM: A block pointer that an outer loop hands to an inner one and gets back: the offset goes round with it, once in
// COM: each loop.

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @in_two_loops
  // CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %[[OUTER:[a-z0-9_]+]] = %c0) -> (!tt.ptr<{{.*}}>, i32)
  // CHECK:   %[[R:[a-z0-9_]+]]:2 = scf.for {{.*}} iter_args(%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %[[X:[a-z0-9_]+]] = %[[OUTER]]) -> (!tt.ptr<{{.*}}>, i32)
  // CHECK:     ttig.2d_block_load %{{.*}}[%[[X]], %m] {row_major}
  // CHECK:     %[[NEXT:[a-z0-9_]+]] = arith.addi %[[X]], %c32
  // CHECK:     scf.yield %{{[a-z0-9_]+}}, %[[NEXT]] :
  // CHECK:   scf.yield %{{[a-z0-9_#]+}}, %[[R]]#1 :
  tt.func @in_two_loops(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %ptr) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) : i32 {
      %inner = scf.for %j = %c0 to %n step %c1 iter_args(%q = %p) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) : i32 {
        %a = tt.load %q : !tt.ptr<tensor<64x32xf16, #dot_a>>
        %next = tt.advance %q, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
        scf.yield %next : !tt.ptr<tensor<64x32xf16, #dot_a>>
      }
      scf.yield %inner : !tt.ptr<tensor<64x32xf16, #dot_a>>
    }
    tt.return
  }

  // COM: The branch in the loop, whose offset the loop needs first, is followed once.
  // CHECK-LABEL: @branch_in_a_loop
  // CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %[[X:[a-z0-9_]+]] = %c0) -> (!tt.ptr<{{.*}}>, i32)
  // CHECK:   %[[R:[a-z0-9_]+]]:2 = scf.if %{{.*}} -> (!tt.ptr<{{.*}}>, i32)
  // CHECK:     %[[NEXT:[a-z0-9_]+]] = arith.addi %[[X]], %c32
  // CHECK:     scf.yield %{{[a-z0-9_]+}}, %[[NEXT]] :
  // CHECK:     scf.yield %{{[a-z0-9_]+}}, %[[X]] :
  // CHECK:   ttig.2d_block_load %{{.*}}[%[[R]]#1, %m] {row_major}
  // CHECK:   scf.yield %{{[a-z0-9_#]+}}, %[[R]]#1 :
  tt.func @branch_in_a_loop(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %moves: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %ptr) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) : i32 {
      %q = scf.if %moves -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) {
        %next = tt.advance %p, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
        scf.yield %next : !tt.ptr<tensor<64x32xf16, #dot_a>>
      } else {
        scf.yield %p : !tt.ptr<tensor<64x32xf16, #dot_a>>
      }
      %a = tt.load %q : !tt.ptr<tensor<64x32xf16, #dot_a>>
      scf.yield %q : !tt.ptr<tensor<64x32xf16, #dot_a>>
    }
    tt.return
  }
}
