// RUN: dotload-opt %s --stage-dot-operands --remarks 2>&1 | FileCheck %s

// COM: Threads that load a tile element by element may hold several k of one column. They store these K-major together,
// COM: without conflicts: a store in the order of memory, and a read from there, would cost more.

#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#vectors = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK:     loaded_by_columns.mlir:[[#@LINE+3]]:{{.*}} kept tt.load: {{.*}} element by element; {{.*}}: row-major B (not K-major, 8 bits, tile 64x128) [LOADED_BY_ELEMENTS]
tt.func @several_k(%a: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %p: tensor<64x128x!tt.ptr<f8E4M3FN>, #columns>) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %p : tensor<64x128x!tt.ptr<f8E4M3FN>, #columns>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #columns>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %a, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  tt.return %d : tensor<128x128xf32, #mma>
}

// COM: The four warps hold neighbouring k, so each thread's k are apart: stock stores single bytes.
// CHECK:     loaded_by_columns.mlir:[[#@LINE+3]]:{{.*}} row-major B (not K-major, 8 bits, tile 64x128) is staged through shared memory into registers
tt.func @one_k_of_four(%a: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %p: tensor<64x128x!tt.ptr<f8E4M3FN>, #rows>) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %p : tensor<64x128x!tt.ptr<f8E4M3FN>, #rows>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #rows>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %a, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  tt.return %d : tensor<128x128xf32, #mma>
}

// COM: What is loaded in vectors can be copied asynchronously, in the order of memory.
// CHECK:     loaded_by_columns.mlir:[[#@LINE+3]]:{{.*}} row-major B (not K-major, 8 bits, tile 64x512) is
tt.func @vectors(%a: !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem>, %p: tensor<64x512x!tt.ptr<f8E4M3FN>, #vectors>) -> tensor<64x512xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x512xf32, #mma>
  %b = tt.load %p : tensor<64x512x!tt.ptr<f8E4M3FN>, #vectors>
  %bs = ttg.local_alloc %b : (tensor<64x512xf8E4M3FN, #vectors>) -> !ttg.memdesc<64x512xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %a, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x512xf8E4M3FN, #shared1, #smem> -> tensor<64x512xf32, #mma>
  tt.return %d : tensor<64x512xf32, #mma>
}
}
