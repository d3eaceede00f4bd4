// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s

// COM: Four f16 of a lane form one element of a message of 64-bit elements: widths, bases and x are in units of 8
// COM: bytes.
// CHECK: becomes 1 x 64b_32r8x1c, proved
// CHECK: kept tt.load: width is known to be a multiple of 4 B only, must be one of 8 B [WIDTH_ALIGNMENT]
// CHECK: kept tt.load: x is known to be a multiple of 4 B only, must be one of 8 B [X_ALIGNMENT]
#pairs = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @by_eight
  // CHECK: ttig.2d_block_load
  tt.func @by_eight(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %w: i64 {tt.divisibility = 4 : i32}, %h: i64, %pitch: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 4 : i32}, %y: i32) -> tensor<32x32xf16, #pairs> {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%h, %w], [%pitch, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<32x32xf16, #pairs>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<32x32xf16, #pairs>>
    tt.return %a : tensor<32x32xf16, #pairs>
  }

  // CHECK-LABEL: @width_by_four
  // CHECK: tt.load
  tt.func @width_by_four(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %w: i64 {tt.divisibility = 2 : i32}, %h: i64, %pitch: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 4 : i32}, %y: i32) -> tensor<32x32xf16, #pairs> {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%h, %w], [%pitch, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<32x32xf16, #pairs>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>, ttig.block_io = "row_major"} : !tt.ptr<tensor<32x32xf16, #pairs>>
    tt.return %a : tensor<32x32xf16, #pairs>
  }

  // CHECK-LABEL: @x_by_four
  // CHECK: tt.load
  tt.func @x_by_four(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %w: i64 {tt.divisibility = 4 : i32}, %h: i64, %pitch: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 2 : i32}, %y: i32) -> tensor<32x32xf16, #pairs> {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%h, %w], [%pitch, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<32x32xf16, #pairs>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<32x32xf16, #pairs>>
    tt.return %a : tensor<32x32xf16, #pairs>
  }
}
