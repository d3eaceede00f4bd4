// RUN: dotload-opt %s --lower-to-2d-block-prefetch --remarks 2>&1 | FileCheck %s

// COM: Prefetches of blocks that have no origin, no rows, no contiguous dim, or rows that no message has.

// CHECK: kept ttig.prefetch: the block pointer does not come from one tt.make_tensor_ptr {{.*}} [UNKNOWN_POINTER]
// CHECK: kept ttig.prefetch: {{.*}} [SCALAR]
// CHECK: kept ttig.prefetch: neither of the last two dimensions is contiguous in memory [CONTIGUITY]
// CHECK: kept ttig.prefetch: {{.*}} [BATCH]
// CHECK: kept ttig.prefetch: {{.*}} [WASTE]
// CHECK: kept ttig.prefetch: {{.*}} [SCALAR]
// CHECK: kept ttig.descriptor_prefetch: {{.*}} [WASTE]

// CHECK-NOT: triton_gen

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @given(%p: !tt.ptr<tensor<64x32xf16>>) {
    ttig.prefetch %p : !tt.ptr<tensor<64x32xf16>>
    tt.return
  }

  tt.func @one_dim(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf16>>
    ttig.prefetch %p : !tt.ptr<tensor<64xf16>>
    tt.return
  }

  tt.func @two_strides(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i64, %stride: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %p = tt.make_tensor_ptr %base, [%n, %n], [%stride, %stride], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
    ttig.prefetch %p : !tt.ptr<tensor<64x32xf16>>
    tt.return
  }

  tt.func @two_planes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i64, %stride: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%n, %n, %n], [%stride, %stride, %c1], [%c0, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<2x64x32xf16>>
    ttig.prefetch %p : !tt.ptr<tensor<2x64x32xf16>>
    tt.return
  }

  tt.func @two_bytes_a_row(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i64, %stride: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%n, %n], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x1xf16>>
    ttig.prefetch %p : !tt.ptr<tensor<64x1xf16>>
    tt.return
  }

  tt.func @line_of_pointers(%p: tensor<64x!tt.ptr<f16>, #line>) {
    ttig.prefetch %p : tensor<64x!tt.ptr<f16>, #line>
    tt.return
  }

  tt.func @two_bytes_a_row_of_a_descriptor(%desc: !tt.tensordesc<tensor<64x1xf16>>, %y: i32) {
    ttig.descriptor_prefetch %desc[%y, %y] : !tt.tensordesc<tensor<64x1xf16>>
    tt.return
  }
}
