// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

// COM: One tile of C (8x16) with K = 32: two steps of 16 along k; the second adds to the result of the first.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: llvm.func internal spir_funccc @two_steps
  // CHECK: %[[A:.*]] = llvm.bitcast %{{.*}} : vector<8xf16> to vector<8xi16>
  // CHECK: %[[B:.*]] = llvm.bitcast %{{.*}} : vector<16xf16> to vector<8xi32>
  // CHECK: %[[FIRST:.*]] = triton_gen.dpas %[[C:.*]], %[[A]], %[[B]] {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf32>
  // CHECK: %[[SECOND:.*]] = triton_gen.dpas %[[FIRST]],
  // CHECK: llvm.extractelement %[[SECOND]][
  tt.func private @two_steps(%a: tensor<8x32xf16, #dot_a>, %b: tensor<32x16xf16, #dot_b>, %c: tensor<8x16xf32, #mma>) -> tensor<8x16xf32, #mma> {
    %d = tt.dot %a, %b, %c : tensor<8x32xf16, #dot_a> * tensor<32x16xf16, #dot_b> -> tensor<8x16xf32, #mma>
    tt.return %d : tensor<8x16xf32, #mma>
  }
}
