// RUN: dotload-opt %s --add-wait-barriers | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#k_major = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#barriers = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!pointers = tensor<64x64x!tt.ptr<f8E4M3FN>, #rows>
!acc = tensor<128x64xf32, #mma>
!a = !ttg.memdesc<128x64xf8E4M3FN, #raw, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
!bs = !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
!x = !ttg.memdesc<128x64xf8E4M3FN, #k_major, #smem, mutable>
!n = !ttg.memdesc<64x64xf8E4M3FN, #k_major, #smem, mutable>
!ns = !ttg.memdesc<3x64x64xf8E4M3FN, #k_major, #smem, mutable>
!mbarrier = !ttg.memdesc<1xi64, #barriers, #smem, mutable>
!fragments = tensor<128x64xf8E4M3FN, #dot>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The load is one of TMA.
// CHECK-LABEL: @loaded_by_tma
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK-NEXT:    gpu.barrier
tt.func @loaded_by_tma(%p: !pointers, %tiles: !tt.tensordesc<64x64xf8E4M3FN, #k_major>, %x: !x, %a: !a, %n: i32) -> !acc {
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !ns
  %more = ttg.local_alloc : () -> !ns
  %mbarrier = ttg.local_alloc : () -> !mbarrier
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %acc2 = %zero) -> (!acc, !acc) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %at = arith.remui %i, %c3 : i32
    %bn = ttg.memdesc_index %bs[%at] : !ns -> !n
    %on = ttg.memdesc_index %more[%at] : !ns -> !n
    %b = ttg.memdesc_trans %bn {order = array<i32: 1, 0>} : !n -> !b
    %o = ttg.memdesc_trans %on {order = array<i32: 1, 0>} : !n -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    ttng.fence_async_shared {bCluster = false}
    %next = arith.addi %i, %c2 : i32
    %to = arith.remui %next, %c3 : i32
    %b2 = ttg.memdesc_index %bs[%to] : !ns -> !n
    %o2 = ttg.memdesc_index %more[%to] : !ns -> !n
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %others = ttg.async_wait {num = 1 : i32}
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    ttng.async_tma_copy_global_to_local %tiles[%c0, %next] %b2, %mbarrier, %true : !tt.tensordesc<64x64xf8E4M3FN, #k_major>, !mbarrier -> !n
    scf.yield %w, %acc2 : !acc, !acc
  }
  %done:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : !acc, !acc
  tt.return %done#0 : !acc
}

// COM: membar places a barrier before the second dot, whose tile TMA has written: no other stands between. It takes the
// COM: first one's reads as done.
// CHECK-LABEL: @dot_behind_the_dot
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 2 : i32}
// CHECK-NEXT:    gpu.barrier
tt.func @dot_behind_the_dot(%p: !pointers, %tiles: !tt.tensordesc<64x64xf8E4M3FN, #k_major>, %x: !x, %a: !a, %n: i32) -> !acc {
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !ns
  %more = ttg.local_alloc : () -> !ns
  %mbarrier = ttg.local_alloc : () -> !mbarrier
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %acc2 = %zero) -> (!acc, !acc) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %at = arith.remui %i, %c3 : i32
    %bn = ttg.memdesc_index %bs[%at] : !ns -> !n
    %on = ttg.memdesc_index %more[%at] : !ns -> !n
    %b = ttg.memdesc_trans %bn {order = array<i32: 1, 0>} : !n -> !b
    %o = ttg.memdesc_trans %on {order = array<i32: 1, 0>} : !n -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    ttng.fence_async_shared {bCluster = false}
    %next = arith.addi %i, %c2 : i32
    %to = arith.remui %next, %c3 : i32
    %b2 = ttg.memdesc_index %bs[%to] : !ns -> !n
    %o2 = ttg.memdesc_index %more[%to] : !ns -> !n
    ttng.async_tma_copy_global_to_local %tiles[%c0, %next] %o2, %mbarrier, %true : !tt.tensordesc<64x64xf8E4M3FN, #k_major>, !mbarrier -> !n
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %e = ttng.warp_group_dot %x, %o, %acc2 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %w = ttng.warp_group_dot_wait %e {pendings = 2 : i32} : !acc
    %l = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #k_major, #smem, mutable>
    %g = ttg.async_commit_group tokens %l
    scf.yield %d, %w : !acc, !acc
  }
  %done:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : !acc, !acc
  tt.return %done#0 : !acc
}

// COM: membar places a barrier before the first dot, and none before the second.
// CHECK-LABEL: @two_dots
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @two_dots(%p: !pointers, %tiles: !tt.tensordesc<64x64xf8E4M3FN, #k_major>, %x: !x, %a: !a, %n: i32) -> !acc {
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !ns
  %more = ttg.local_alloc : () -> !ns
  %mbarrier = ttg.local_alloc : () -> !mbarrier
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %acc2 = %zero) -> (!acc, !acc) : i32 {
    %at = arith.remui %i, %c3 : i32
    %bn = ttg.memdesc_index %bs[%at] : !ns -> !n
    %on = ttg.memdesc_index %more[%at] : !ns -> !n
    %b = ttg.memdesc_trans %bn {order = array<i32: 1, 0>} : !n -> !b
    %o = ttg.memdesc_trans %on {order = array<i32: 1, 0>} : !n -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    ttng.fence_async_shared {bCluster = false}
    %next = arith.addi %i, %c2 : i32
    %to = arith.remui %next, %c3 : i32
    %b2 = ttg.memdesc_index %bs[%to] : !ns -> !n
    %o2 = ttg.memdesc_index %more[%to] : !ns -> !n
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %e = ttng.warp_group_dot %x, %o, %acc2 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %w = ttng.warp_group_dot_wait %e {pendings = 2 : i32} : !acc
    ttng.async_tma_copy_global_to_local %tiles[%c0, %next] %b2, %mbarrier, %true : !tt.tensordesc<64x64xf8E4M3FN, #k_major>, !mbarrier -> !n
    ttng.async_tma_copy_global_to_local %tiles[%c0, %next] %o2, %mbarrier, %true : !tt.tensordesc<64x64xf8E4M3FN, #k_major>, !mbarrier -> !n
    scf.yield %d, %w : !acc, !acc
  }
  %done:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : !acc, !acc
  tt.return %done#0 : !acc
}
}
