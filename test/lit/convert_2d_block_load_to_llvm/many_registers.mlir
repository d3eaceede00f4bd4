// RUN: dotload-opt %s --convert-2d-block-load-to-llvm | FileCheck %s

// COM: 512 x 32 elements are 1024 registers per lane, and each insertvalue names the struct type of 1024 fields. The
// COM: type is printed once, under an alias; in full, it would be a million fields.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [64, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
// CHECK: !struct = !llvm.struct<(f16, f16,
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @a
  // CHECK-COUNT-16: triton_gen.2Dblockload
  // CHECK: llvm.mlir.undef : !struct
  // CHECK: llvm.insertvalue %{{.*}}[1023] : !struct
  // CHECK: unrealized_conversion_cast %{{.*}} : !struct to tensor<512x32xf16
  tt.func @a(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<512x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<512x32xf16, #dot_a>
    tt.return %a : tensor<512x32xf16, #dot_a>
  }
}
