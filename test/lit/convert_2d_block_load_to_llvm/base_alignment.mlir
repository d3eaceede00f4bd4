// RUN: dotload-opt %s --convert-2d-block-load-to-llvm --split-input-file | FileCheck %s

// COM: An option says that the device takes any base that is a multiple of 4 bytes: the base is not aligned.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io, ttig.2d_block_io_base_alignment = 4 : i32} {
  // CHECK-LABEL: @any_word
  // CHECK: %[[BASE:.*]] = builtin.unrealized_conversion_cast %base
  // CHECK-NOT: ptrtoint
  // CHECK: triton_gen.2Dblockload %[[BASE]], %w, %h, %p, %x, %y
  tt.func @any_word(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<32x32xf16, #dot_a>
    tt.return %a : tensor<32x32xf16, #dot_a>
  }
}

// -----

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io, ttig.2d_block_io_base_alignment = 128 : i32} {
  // CHECK-LABEL: @two_registers
  // CHECK-DAG: arith.constant 127 : i32
  // CHECK-DAG: arith.constant -128 : i64
  // CHECK: llvm.ptrtoint
  // CHECK: triton_gen.2Dblockload
  tt.func @two_registers(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<32x32xf16, #dot_a>
    tt.return %a : tensor<32x32xf16, #dot_a>
  }
}
