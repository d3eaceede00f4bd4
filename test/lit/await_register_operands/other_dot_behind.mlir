// RUN: dotload-opt %s --await-register-operands | FileCheck %s
// RUN: dotload-opt %s --await-register-operands --convert-staged-operands-to-llvm --check-shared-memory-hazards -o /dev/null 2>&1 | FileCheck %s --check-prefix=CLEAN --allow-empty
// RUN: not dotload-opt %s --convert-staged-operands-to-llvm --check-shared-memory-hazards 2>&1 | FileCheck %s --check-prefix=HAZARD

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#cut4 = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [8, 0, 0], [0, 0, 16], [0, 0, 32], [0, 1, 0]], lane = [[0, 0, 4], [0, 0, 8], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut3 = #ttg.linear<{register = [[0, 1, 0], [0, 2, 0], [8, 0, 0], [0, 16, 0], [0, 32, 0], [0, 0, 1]], lane = [[0, 4, 0], [0, 8, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut2 = #ttg.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16], [0, 32]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32], [0, 64]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A dot with A in shared memory follows those of both parts. Triton's wait behind it leaves all three in flight: the
// COM: next iteration would permute %a0 while %d0 may still read it. The waits for the parts leave two, which is right.
// CHECK-LABEL: @another_dot_behind
// CHECK:         scf.for
// CHECK-COUNT-3:   ttng.warp_group_dot_wait %{{.*}} {pendings = 2 : i32}
// CHECK:           scf.yield
// CLEAN-NOT:   error
// HAZARD:      error: {{.*}}[REGISTERS_IN_FLIGHT]
tt.func @another_dot_behind(%as: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %bs: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>, %fresh: i1, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %x = ttg.local_alloc : () -> !ttg.memdesc<3x64x128xf8E4M3FN, #shared, #smem, mutable>
  %y = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %other = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %ready = ttg.async_wait {num = 2 : i32}
    %slot = arith.remsi %i, %c2 : i32
    %k_major = ttg.memdesc_index %x[%slot] : !ttg.memdesc<3x64x128xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem, mutable>
    %b = ttg.memdesc_trans %k_major {order = array<i32: 1, 0>} : !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable>
    %tile = ttg.memdesc_index %y[%slot] : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable>
    %v = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x128xf8E4M3FN, #dot>
    %r = tt.reshape %v : tensor<64x128xf8E4M3FN, #dot> -> tensor<64x2x64xf8E4M3FN, #cut4>
    %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x64xf8E4M3FN, #cut4> -> tensor<64x64x2xf8E4M3FN, #cut3>
    %lo, %hi = tt.split %t : tensor<64x64x2xf8E4M3FN, #cut3> -> tensor<64x64xf8E4M3FN, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %b1 = ttg.memdesc_subslice %b[64, 0] : !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    ttng.fence_async_shared {bCluster = false}
    %d0 = ttng.warp_group_dot %a0, %b0, %acc, %fresh {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w0, %k0 = ttng.warp_group_dot_wait %d0, %b0 {pendings = 2 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    ttng.fence_async_shared {bCluster = false}
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w1, %k1 = ttng.warp_group_dot_wait %d1, %b1 {pendings = 2 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %e = ttng.warp_group_dot %k_major, %b, %other {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem, mutable> * !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
    %in_flight:2 = ttng.warp_group_dot_wait %d1, %e {pendings = 3 : i32} : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    scf.yield %w1, %in_flight#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  %finished:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  ttg.local_dealloc %y : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  ttg.local_dealloc %x : !ttg.memdesc<3x64x128xf8E4M3FN, #shared, #smem, mutable>
  tt.return %finished#0, %finished#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}
}
