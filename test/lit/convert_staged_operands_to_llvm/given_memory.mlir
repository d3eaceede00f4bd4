// RUN: dotload-opt %s --convert-staged-operands-to-llvm | FileCheck %s
// RUN: dotload-opt %s --convert-staged-operands-to-llvm --check-shared-memory-hazards | FileCheck %s

// COM: The second copy may be allocated where the first one was, which the dot of other warps may still read: a CTA
// COM: barrier follows the dot.
// CHECK-LABEL: @one_copy_after_another
// CHECK:         %[[FIRST:.*]] = ttg.local_alloc : ()
// CHECK:         ttng.warp_group_dot %{{.*}}, %[[FIRST]],
// CHECK-NOT:     llvm.store
// CHECK:         gpu.barrier
// CHECK:         llvm.store
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttng.warp_group_dot

#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @one_copy_after_another(%t: tensor<64x64xi8, #runs>) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %a = ttg.local_alloc %t : (tensor<64x64xi8, #runs>) -> !ttg.memdesc<64x64xi8, #shared, #smem>
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #runs>) -> !ttg.memdesc<64x64xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem> -> tensor<64x64xi8, #runs>
  %first = ttg.local_alloc %v : (tensor<64x64xi8, #runs>) -> !ttg.memdesc<64x64xi8, #shared1, #smem>
  ttng.fence_async_shared {bCluster = false}
  %c = ttng.warp_group_dot %a, %first, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
  %w = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem> -> tensor<64x64xi8, #runs>
  %second = ttg.local_alloc %w : (tensor<64x64xi8, #runs>) -> !ttg.memdesc<64x64xi8, #shared1, #smem>
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %second, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}
}
