// RUN: dotload-opt %s -intel-allocate-shared-memory -convert-triton-intel-gpu-to-llvm | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 1], repCluster = [1, 2]}>
#row = #ttg.slice<{dim = 1, parent = #mma}>
#column = #ttg.slice<{dim = 0, parent = #mma}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // COM: A lane has two columns of 8 rows. The first row takes one maximum of these, and one for each bit of the lane.
  // CHECK-LABEL: llvm.func spir_kernelcc @largest_of_rows
  // CHECK: %[[FIRST:.*]] = llvm.extractvalue %{{.*}}[0]
  // CHECK: %[[NINTH:.*]] = llvm.extractvalue %{{.*}}[8]
  // CHECK: %[[OWN:.*]] = llvm.intr.maxnum(%[[FIRST]], %[[NINTH]])
  // CHECK: %[[BITS:.*]] = llvm.bitcast %[[OWN]] : f32 to i32
  // CHECK: %[[OTHER:.*]] = llvm.call spir_funccc @_Z21sub_group_shuffle_xorjj(%[[BITS]], %{{.*}}) {{.*}}convergent
  // CHECK: %[[FLOAT:.*]] = llvm.bitcast %[[OTHER]] : i32 to f32
  // CHECK: llvm.intr.maxnum(%[[OWN]], %[[FLOAT]])
  // CHECK-COUNT-3: llvm.call spir_funccc @_Z21sub_group_shuffle_xorjj
  // COM: The other seven rows.
  // CHECK-COUNT-28: llvm.call spir_funccc @_Z21sub_group_shuffle_xorjj
  // CHECK-NOT: llvm.call
  tt.func public @largest_of_rows(%x: tensor<16x32xf32, #mma>) -> tensor<16xf32, #row> {
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x32xf32, #mma>) -> tensor<16xf32, #row>
    tt.return %s : tensor<16xf32, #row>
  }
}
