// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='emit=opencl' | FileCheck %s

// COM: Triton 3.3's axis analysis fails on elementwise ops of a tensor that is cast from a struct, so the pass reshapes
// COM: the tensor to its own shape. Operands of tt.dot do not need this.

#mma = #triton_intel_gpu.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, triton_intel_gpu.support_sg_2d_block} {
  // CHECK-LABEL: @elementwise
  // CHECK: %[[A:[a-z0-9_]+]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<{{.*}}> to tensor<64x32xf16
  // CHECK: %[[B:[a-z0-9_]+]] = tt.reshape %[[A]] allow_reorder
  // CHECK: arith.addf %[[B]], %[[B]]
  tt.func @elementwise(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
    %b = arith.addf %a, %a : tensor<64x32xf16, #dot_a>
    tt.return %b : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @product
  // CHECK: %[[A:[a-z0-9_]+]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<{{.*}}> to tensor<64x32xf16
  // CHECK: tt.dot %[[A]]
  tt.func @product(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32, %b: tensor<32x64xf16, #dot_b>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #dot_a> * tensor<32x64xf16, #dot_b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }
}
