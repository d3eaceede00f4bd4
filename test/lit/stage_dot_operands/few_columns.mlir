// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>&1 | FileCheck %s

// COM: A warp has 8 columns: ldmatrix would bring two columns to a lane that needs one.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#bytes = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 8], instrShape = [16, 8]}>
#mma_rows = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#a_rows = #ttg.dot_op<{opIdx = 0, parent = #mma_rows, kWidth = 4}>
#b_rows = #ttg.dot_op<{opIdx = 1, parent = #mma_rows, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK: row-major B (not K-major, 8 bits, tile 32x64) is staged through shared memory into registers: ld.shared.b8, {{.*}}; use a larger BLOCK_N or fewer warps to read words
tt.func @few_columns(%x: tensor<16x32xf16, #a>, %wp: tensor<32x64x!tt.ptr<i8>, #blocked>, %c: tensor<16x64xf32, #mma>) -> tensor<16x64xf32, #mma> {
  %w = tt.load %wp : tensor<32x64x!tt.ptr<i8>, #blocked>
  %wo = ttg.convert_layout %w : tensor<32x64xi8, #blocked> -> tensor<32x64xi8, #b>
  %f = arith.sitofp %wo : tensor<32x64xi8, #b> to tensor<32x64xf16, #b>
  %d = tt.dot %x, %f, %c : tensor<16x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<16x64xf32, #mma>
  tt.return %d : tensor<16x64xf32, #mma>
}

// COM: Bytes that are loaded one by one cannot be copied asynchronously either.
// CHECK: few_columns.mlir:[[#@LINE+2]]:{{.*}} kept tt.load: a warp has too few rows or columns {{.*}}: row-major B (not K-major, 8 bits, tile 32x64) [SINGLE_BYTES]
tt.func @few_columns_by_bytes(%x: tensor<16x32xf16, #a>, %wp: tensor<32x64x!tt.ptr<i8>, #bytes>, %c: tensor<16x64xf32, #mma>) -> tensor<16x64xf32, #mma> {
  %w = tt.load %wp : tensor<32x64x!tt.ptr<i8>, #bytes>
  %wo = ttg.convert_layout %w : tensor<32x64xi8, #bytes> -> tensor<32x64xi8, #b>
  %f = arith.sitofp %wo : tensor<32x64xi8, #b> to tensor<32x64xf16, #b>
  %d = tt.dot %x, %f, %c : tensor<16x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<16x64xf32, #mma>
  tt.return %d : tensor<16x64xf32, #mma>
}

// COM: In a loop of one stage, Triton copies nothing asynchronously; in one of three, it does.
// CHECK: few_columns.mlir:[[#@LINE+5]]:{{.*}} kept tt.load: a warp has too few rows or columns {{.*}}: row-major B (not K-major, 8 bits, tile 32x64) [SINGLE_BYTES]
tt.func @one_stage(%x: tensor<16x32xf16, #a>, %wp: tensor<32x64x!tt.ptr<i8>, #blocked>, %c: tensor<16x64xf32, #mma>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %c) -> (tensor<16x64xf32, #mma>) : i32 {
    %w = tt.load %wp : tensor<32x64x!tt.ptr<i8>, #blocked>
    %wo = ttg.convert_layout %w : tensor<32x64xi8, #blocked> -> tensor<32x64xi8, #b>
    %f = arith.sitofp %wo : tensor<32x64xi8, #b> to tensor<32x64xf16, #b>
    %d = tt.dot %x, %f, %acc : tensor<16x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<16x64xf32, #mma>
    scf.yield %d : tensor<16x64xf32, #mma>
  } {tt.num_stages = 1 : i32}
  tt.return %r : tensor<16x64xf32, #mma>
}

// CHECK: few_columns.mlir:[[#@LINE+5]]:{{.*}} row-major B (not K-major, 8 bits, tile 32x64) is staged through shared memory into registers: ld.shared.b8
tt.func @three_stages(%x: tensor<16x32xf16, #a>, %wp: tensor<32x64x!tt.ptr<i8>, #blocked>, %c: tensor<16x64xf32, #mma>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %c) -> (tensor<16x64xf32, #mma>) : i32 {
    %w = tt.load %wp : tensor<32x64x!tt.ptr<i8>, #blocked>
    %wo = ttg.convert_layout %w : tensor<32x64xi8, #blocked> -> tensor<32x64xi8, #b>
    %f = arith.sitofp %wo : tensor<32x64xi8, #b> to tensor<32x64xf16, #b>
    %d = tt.dot %x, %f, %acc : tensor<16x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<16x64xf32, #mma>
    scf.yield %d : tensor<16x64xf32, #mma>
  }
  tt.return %r : tensor<16x64xf32, #mma>
}

// COM: Rows of 32 bytes conflict: staged, these bytes would be read more slowly than in stock.
// CHECK: few_columns.mlir:[[#@LINE+2]]:{{.*}} kept tt.load: a warp has too few rows or columns {{.*}}: row-major B (not K-major, 8 bits, tile 32x32) [SINGLE_BYTES]
tt.func @conflicts(%x: tensor<32x32xf16, #a_rows>, %wp: tensor<32x32x!tt.ptr<i8>, #narrow>, %c: tensor<32x32xf32, #mma_rows>) -> tensor<32x32xf32, #mma_rows> {
  %w = tt.load %wp : tensor<32x32x!tt.ptr<i8>, #narrow>
  %wo = ttg.convert_layout %w : tensor<32x32xi8, #narrow> -> tensor<32x32xi8, #b_rows>
  %f = arith.sitofp %wo : tensor<32x32xi8, #b_rows> to tensor<32x32xf16, #b_rows>
  %d = tt.dot %x, %f, %c : tensor<32x32xf16, #a_rows> * tensor<32x32xf16, #b_rows> -> tensor<32x32xf32, #mma_rows>
  tt.return %d : tensor<32x32xf32, #mma_rows>
}
}
