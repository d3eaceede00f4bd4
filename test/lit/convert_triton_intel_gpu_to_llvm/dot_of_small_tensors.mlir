// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

// COM: The layout has 4x2 tiles of C, the tensor one: its 8 registers are there eight times, also in the result.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: llvm.func internal spir_funccc @one_tile
  // CHECK-SAME: -> [[STRUCT:!llvm.struct<\(f32(, f32){63}\)>]]
  // CHECK: %[[D:.*]] = triton_gen.dpas
  // CHECK-NOT: triton_gen.dpas
  // CHECK: llvm.insertvalue %{{.*}}[63]
  // CHECK: llvm.return %{{.*}} : [[STRUCT]]
  tt.func private @one_tile(%a: tensor<8x16xf16, #dot_a>, %b: tensor<16x16xf16, #dot_b>, %c: tensor<8x16xf32, #mma>) -> tensor<8x16xf32, #mma> {
    %d = tt.dot %a, %b, %c : tensor<8x16xf16, #dot_a> * tensor<16x16xf16, #dot_b> -> tensor<8x16xf32, #mma>
    tt.return %d : tensor<8x16xf32, #mma>
  }
}
