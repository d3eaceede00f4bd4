// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s --mlir-print-op-generic | dotload-opt - | FileCheck %s

// COM: The names up to Triton 3.3.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, triton_intel_gpu.min_sg_size = 16 : i32} {
  tt.func @descriptors(%d: !tt.tensordesc<tensor<8x32xf16>>, %rows: !tt.tensordesc<tensor<1x32xf16>>, %i: i32, %at: tensor<8xi32>) {
    // CHECK: %[[X:.*]] = tt.experimental_descriptor_load %d[%i, %i] {triton_intel_gpu.block_io = "row_major"} : !tt.tensordesc<tensor<8x32xf16>> -> tensor<8x32xf16>
    %x = tt.experimental_descriptor_load %d[%i, %i] {triton_intel_gpu.block_io = "row_major"} : !tt.tensordesc<tensor<8x32xf16>> -> tensor<8x32xf16>
    // CHECK: tt.experimental_descriptor_store %d[%i, %i], %[[X]] : !tt.tensordesc<tensor<8x32xf16>>, tensor<8x32xf16>
    tt.experimental_descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<8x32xf16>>, tensor<8x32xf16>
    // CHECK: tt.experimental_descriptor_gather %rows[%at, %i] : (!tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32) -> tensor<8x32xf16>
    %y = tt.experimental_descriptor_gather %rows[%at, %i] : (!tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32) -> tensor<8x32xf16>
    // CHECK: tt.experimental_descriptor_scatter %rows[%at, %i], %{{.*}} : !tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32, tensor<8x32xf16>
    tt.experimental_descriptor_scatter %rows[%at, %i], %y : !tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32, tensor<8x32xf16>
    tt.return
  }
}
