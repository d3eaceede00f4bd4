// RUN: dotload-opt %s -split-input-file -tritonintelgpu-lower-to-2d-block-load --remarks 2>&1 | FileCheck %s --check-prefixes=CHECK,REQUIRED
// RUN: dotload-opt %s -split-input-file --lower-to-2d-block-load='hints=required' --remarks 2>&1 | FileCheck %s --check-prefixes=CHECK,REQUIRED
// RUN: dotload-opt %s -split-input-file --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s --check-prefixes=CHECK,DERIVED
// RUN: not dotload-opt %s --lower-to-2d-block-load='hints=some' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: 'lower-to-2d-block-load{hints=some}': unknown hints 'some'; known are derive, required

// COM: Under Intel's name, the pass lowers marked loads only; under dotload's own name, it needs no marks.
// REQUIRED: kept tt.load: the load has no attribute ttig.block_io, which `hints=required` asks for [NO_HINT]
// REQUIRED: kept tt.load: the module does not say that the device has 2D block loads [NO_BLOCK_IO]

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @marked_and_not
  // CHECK: ttig.2d_block_load
  // REQUIRED: tt.load
  // DERIVED: ttig.2d_block_load
  tt.func @marked_and_not(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %n = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%n, %n], [%pitch, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    %b = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return
  }
}

// -----

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
// COM: If marks are not required, a mark alone says that the device has block loads.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: @device_unknown
  // REQUIRED: tt.load
  // DERIVED: ttig.2d_block_load
  tt.func @device_unknown(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %n = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%n, %n], [%pitch, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return
  }
}
