// RUN: dotload-opt %s --permute-k-for-fragments --convert-staged-operands-to-llvm --allocate-shared-memory-nv='compute-capability=90 ptx-version=81' --convert-triton-gpu-to-llvm='compute-capability=90 ptx-version=81' | FileCheck %s
// RUN: dotload-opt %s --convert-staged-operands-to-llvm --allocate-shared-memory-nv='compute-capability=90 ptx-version=81' --convert-triton-gpu-to-llvm='compute-capability=90 ptx-version=81' | FileCheck %s --check-prefix=STOCK

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#acc = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #acc, kWidth = 4}>
#rows = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 64]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 16], [2, 0], [4, 0], [8, 0], [16, 32], [32, 64]]}, alignment = 16>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!raw = !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable>
!copy = !ttg.memdesc<64x128xf8E4M3FN, #tile, #smem>
!acc = tensor<64x128xf32, #acc>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: No lane exchanges bytes; V takes as many instructions as before.
// CHECK-LABEL:   @attention
// CHECK-NOT:     shfl
// CHECK-COUNT-4: ldmatrix
// CHECK-NOT:     ldmatrix
// CHECK-NOT:     shfl
// CHECK:         wgmma
// STOCK-LABEL:   @attention
// STOCK:         shfl
// STOCK:         wgmma
tt.func @attention(%pp: tensor<64x64x!tt.ptr<f8E4M3FN>, #mma>, %n: i32, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #rows>, %op: tensor<64x128x!tt.ptr<f32>, #acc>) {
  %raw = ttg.local_alloc : () -> !raw
  %zero = arith.constant dense<0.0> : !acc
  %loaded = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #rows>
  ttg.local_store %loaded, %raw : tensor<64x128xf8E4M3FN, #rows> -> !raw
  %p = tt.load %pp : tensor<64x64x!tt.ptr<f8E4M3FN>, #mma>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> tensor<64x128xf8E4M3FN, #rows>
  %b = ttg.local_alloc %v : (tensor<64x128xf8E4M3FN, #rows>) -> !copy
  %a = ttg.convert_layout %p : tensor<64x64xf8E4M3FN, #mma> -> tensor<64x64xf8E4M3FN, #a>
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  %w:2 = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !copy
  tt.store %op, %w#0 : tensor<64x128x!tt.ptr<f32>, #acc>
  tt.return
}
}
