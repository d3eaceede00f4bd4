// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>&1 | FileCheck %s

// COM: A warp has 8 columns: ldmatrix would bring two columns to a lane that needs one.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#bytes = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK: row-major B (not K-major, 8 bits, tile 64x32) is staged through shared memory into registers: ld.shared.b8, {{.*}}; use a larger BLOCK_N or fewer warps to read words
tt.func @few_columns(%x: tensor<16x64xf16, #a>, %wp: tensor<64x32x!tt.ptr<i8>, #blocked>, %c: tensor<16x32xf32, #mma>) -> tensor<16x32xf32, #mma> {
  %w = tt.load %wp : tensor<64x32x!tt.ptr<i8>, #blocked>
  %wo = ttg.convert_layout %w : tensor<64x32xi8, #blocked> -> tensor<64x32xi8, #b>
  %f = arith.sitofp %wo : tensor<64x32xi8, #b> to tensor<64x32xf16, #b>
  %d = tt.dot %x, %f, %c : tensor<16x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<16x32xf32, #mma>
  tt.return %d : tensor<16x32xf32, #mma>
}

// COM: Bytes that are loaded one by one cannot be copied asynchronously either.
// CHECK: kept tt.load: the load is too narrow for an asynchronous copy, and a warp has too few rows or columns {{.*}} [SINGLE_BYTES]
tt.func @few_columns_by_bytes(%x: tensor<16x64xf16, #a>, %wp: tensor<64x32x!tt.ptr<i8>, #bytes>, %c: tensor<16x32xf32, #mma>) -> tensor<16x32xf32, #mma> {
  %w = tt.load %wp : tensor<64x32x!tt.ptr<i8>, #bytes>
  %wo = ttg.convert_layout %w : tensor<64x32xi8, #bytes> -> tensor<64x32xi8, #b>
  %f = arith.sitofp %wo : tensor<64x32xi8, #b> to tensor<64x32xf16, #b>
  %d = tt.dot %x, %f, %c : tensor<16x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<16x32xf32, #mma>
  tt.return %d : tensor<16x32xf32, #mma>
}
}
