// RUN: dotload-opt %s --lower-staged-reads='partitions-only=true' --split-input-file | FileCheck %s

// COM: The plugin runs the pass with this option; convert-staged-operands-to-llvm takes all other reads.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 16], [8, 32], [16, 0], [32, 0]]}, alignment = 16>
#held = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @plain
// CHECK-NOT:     ttg.memdesc_reinterpret
// CHECK:         ttg.local_load {{.*}}dotload.staged
tt.func @plain(%t: tensor<64x64xf8E4M3FN, #blocked>, %b: !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem>
  %r = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem> -> tensor<64x64xf8E4M3FN, #held>
  %v = builtin.unrealized_conversion_cast %r : tensor<64x64xf8E4M3FN, #held> to tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %d = ttng.warp_group_dot %v, %b, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 16], [8, 32], [16, 0], [32, 0]]}, alignment = 16>
#held = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @warp_specialized
// CHECK:         ttg.memdesc_reinterpret
// CHECK:         ttg.warp_specialize
tt.func @warp_specialized(%t: tensor<64x64xf8E4M3FN, #blocked>, %b: !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem>
  %r = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem> -> tensor<64x64xf8E4M3FN, #held>
  %v = builtin.unrealized_conversion_cast %r : tensor<64x64xf8E4M3FN, #held> to tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %d = ttng.warp_group_dot %v, %b, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem> -> tensor<64x64xf32, #mma>
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  } : () -> ()
  tt.return %d : tensor<64x64xf32, #mma>
}
}
