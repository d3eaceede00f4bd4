// RUN: dotload-opt %s --convert-2d-block-load-to-llvm --remarks 2>&1 | FileCheck %s

// COM: The load stands in a branch of the kernel. Its condition may be anything and is not taken for a guard.
// CHECK: convert-2d-block-load-to-llvm: 1 x 16b_32r16x2c, proved

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @inside_a_branch
  // CHECK: scf.if %c
  // CHECK: triton_gen.2Dblockload
  // CHECK: else
  tt.func @inside_a_branch(%base: !tt.ptr<f16>, %width: i32, %height: i32, %pitch: i32, %x: i32, %y: i32, %c: i1) -> tensor<64x32xf16, #a> {
    %zero = arith.constant dense<0.0> : tensor<64x32xf16, #a>
    %r = scf.if %c -> (tensor<64x32xf16, #a>) {
      %a = ttig.2d_block_load %base, %width, %height, %pitch[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #a>
      scf.yield %a : tensor<64x32xf16, #a>
    } else {
      scf.yield %zero : tensor<64x32xf16, #a>
    }
    tt.return %r : tensor<64x32xf16, #a>
  }
}
