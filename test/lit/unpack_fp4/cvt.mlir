// RUN: dotload-opt %s --unpack-fp4 | FileCheck %s

// COM: From capability 100 on, one instruction converts a pair.
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#packed = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#fragments = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @kept
// CHECK:         ttg.fp4_to_fp
tt.func @kept(%x: tensor<64x32xi8, #packed>) -> tensor<64x64xbf16, #fragments> {
  %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #packed> -> tensor<64x64xbf16, #fragments>
  tt.return %y : tensor<64x64xbf16, #fragments>
}
}
