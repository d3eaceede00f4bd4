// RUN: not dotload-opt %s --convert-async-copies-to-llvm 2>&1 | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, dotload.staged = "operands"} {

// COM: A thread's elements are contiguous along rows, memory along columns: somebody else wrote the mark.
// CHECK: errors.mlir:[[#@LINE+3]]:8: error: 'convert-async-copies-to-llvm' failed: dotload.free_buffer: expected a load by whole vectors of 16 bytes
tt.func @columns(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #rows>) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
  %c = ttg.async_copy_global_to_local %p, %b {contiguity = 16 : i32, dotload.free_buffer} : tensor<64x64x!tt.ptr<f8E4M3FN>, #rows> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %c
  tt.return
}
}
