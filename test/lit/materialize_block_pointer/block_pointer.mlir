// RUN: dotload-opt %s -split-input-file -tritonintelgpu-materialize-block-pointer | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @rows_and_columns
  // CHECK: tt.load %a_ptr {boundaryCheck = array<i32: 0, 1>, ttig.block_io = "row_major"}
  // CHECK: tt.load %b_ptr {ttig.block_io = "column_major"}
  tt.func @rows_and_columns(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %n = arith.constant 1024 : i64
    %a_ptr = tt.make_tensor_ptr %base, [%n, %n], [%pitch, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %a_ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    %b_ptr = tt.make_tensor_ptr %base, [%n, %n], [%c1, %pitch], [%c0, %c0] {order = array<i32: 0, 1>} : <tensor<64x32xf16, #dot_a>>
    %b = tt.load %b_ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return
  }

  // COM: Half a byte each.
  // CHECK-LABEL: @of_4_bits
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @of_4_bits(%base: !tt.ptr<i4> {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %n = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%n, %n], [%n, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xi4, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xi4, #dot_a>>
    tt.return
  }

  // COM: Nothing is known of the pitch.
  // CHECK-LABEL: @any_pitch
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @any_pitch(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %n = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%n, %n], [%pitch, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return
  }
}

// -----

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
// COM: The device has no 2D block loads.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: @no_block_io
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @no_block_io(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %n = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%n, %n], [%pitch, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return
  }
}
