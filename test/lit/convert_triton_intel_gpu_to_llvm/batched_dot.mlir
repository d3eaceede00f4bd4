// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

// COM: Two planes in each of two warps: one DPAS for a plane, of the operands' tiles of the same plane.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 1, 1], repCluster = [1, 1, 1]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: llvm.func internal spir_funccc @planes
  // CHECK: %[[A0:.*]] = llvm.bitcast %{{.*}} : vector<8xf16> to vector<8xi16>
  // CHECK: %[[A1:.*]] = llvm.bitcast %{{.*}} : vector<8xf16> to vector<8xi16>
  // CHECK: %[[B0:.*]] = llvm.bitcast %{{.*}} : vector<16xf16> to vector<8xi32>
  // CHECK: %[[B1:.*]] = llvm.bitcast %{{.*}} : vector<16xf16> to vector<8xi32>
  // CHECK: triton_gen.dpas %{{.*}}, %[[A0]], %[[B0]]
  // CHECK: triton_gen.dpas %{{.*}}, %[[A1]], %[[B1]]
  // CHECK-NOT: triton_gen.dpas
  tt.func private @planes(%a: tensor<4x8x16xf16, #dot_a>, %b: tensor<4x16x16xf16, #dot_b>, %c: tensor<4x8x16xf32, #mma>) -> tensor<4x8x16xf32, #mma> {
    %d = tt.dot %a, %b, %c : tensor<4x8x16xf16, #dot_a> * tensor<4x16x16xf16, #dot_b> -> tensor<4x8x16xf32, #mma>
    tt.return %d : tensor<4x8x16xf32, #mma>
  }
}
