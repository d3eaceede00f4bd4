// RUN: dotload-opt %s --check-shared-memory-hazards --remarks 2>&1 | FileCheck %s

// COM: Functions with ops that are not modelled are not checked.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func private @callee()

// CHECK: not_modelled.mlir:[[#@LINE+1]]:1: remark: check-shared-memory-hazards: unchecked tt.func: the effect of tt.call on shared memory is not modelled [NOT_MODELLED]
tt.func @caller() {
  tt.call @callee() : () -> ()
  tt.return
}
}
