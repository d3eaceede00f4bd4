// RUN: dotload-opt %s --stage-dot-operands --remarks 2>&1 | FileCheck %s

// COM: A remark on an op of an inlined function is at its line there, and names the calls.

#bytes = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK: {{^}}load.py:3:5: remark: stage-dot-operands: kept tt.load: {{.*}}, inlined at tile.py:7:9, inlined at kernel.py:20:13 [SINGLE_BYTES]
tt.func @twice(%x: tensor<16x64xf16, #a>, %wp: tensor<64x32x!tt.ptr<i8>, #bytes>, %c: tensor<16x32xf32, #mma>) -> tensor<16x32xf32, #mma> {
  %w = tt.load %wp : tensor<64x32x!tt.ptr<i8>, #bytes> loc(callsite("w"("load.py":3:5) at callsite("tile.py":7:9 at "kernel.py":20:13)))
  %wo = ttg.convert_layout %w : tensor<64x32xi8, #bytes> -> tensor<64x32xi8, #b>
  %f = arith.sitofp %wo : tensor<64x32xi8, #b> to tensor<64x32xf16, #b>
  %d = tt.dot %x, %f, %c : tensor<16x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<16x32xf32, #mma>
  tt.return %d : tensor<16x32xf32, #mma>
}
}
