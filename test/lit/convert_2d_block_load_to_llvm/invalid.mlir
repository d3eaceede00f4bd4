// RUN: not dotload-opt %s --convert-2d-block-load-to-llvm='emit=opencl' 2>&1 | FileCheck %s
// RUN: not dotload-opt %s --convert-2d-block-load-to-llvm='emit=ptx' 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not dotload-opt %s --convert-2d-block-load-to-llvm='target=dg2' 2>&1 | FileCheck %s --check-prefix=TARGET

// COM: Column-major A with four elements per channel: neighbours along K lie in different rows of memory.
// CHECK: invalid.mlir:[[#@LINE+9]]:{{[0-9]+}}: error: {{.*}}ttig.2d_block_load of tensor<64x64xi8{{.*}}emit=opencl: no message distributes elements over the lanes as this layout does
// CHECK-NOT: Traceback
// EMIT: error: {{.*}}unknown emit 'ptx'; known are triton-gen, spirv, opencl
// TARGET: error: {{.*}}unknown Xe target 'dg2'; known are pvc, xe2, lnl, xe3, xe3p, bmg, ptl, cri

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 4, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 32], B = [32, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @transposed_i8_a(%base: !tt.ptr<i8>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x64xi8, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {column_major} : !tt.ptr<i8> -> tensor<64x64xi8, #dot_a>
    tt.return %a : tensor<64x64xi8, #dot_a>
  }
}
