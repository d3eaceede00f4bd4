// RUN: dotload-opt %s --hoist-async-copies='operands-behind=true' | FileCheck %s

// COM: From Triton 3.7 on, a dot that reads data from cp.async is preceded by a fence. So these loads follow the dot's
// COM: start.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#vector = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#halves = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!ptrs = tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>
!loaded = tensor<64x64xf8E4M3FN, #blocked>
!converted = tensor<64x64xbf16, #blocked>
!runs = tensor<64x64xf8E4M3FN, #runs>
!p = tensor<64x64xf8E4M3FN, #dot>
!acc = tensor<64x64xf32, #mma>
!raws = !ttg.memdesc<1x64x64xf8E4M3FN, #raw, #smem, mutable>
!raw = !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
!bytes = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem>
!two = !ttg.memdesc<2x64x64xf8E4M3FN, #bytes, #smem, mutable>
!one = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem, mutable>
!halves = !ttg.memdesc<64x64xbf16, #halves, #smem>
!slots = !ttg.memdesc<1x64xi32, #vector, #smem, mutable>
!slot = !ttg.memdesc<64xi32, #vector, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @two_buffers
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait {num = 0 : i32}
// CHECK-NEXT:      ttng.fence_async_shared
// CHECK-NEXT:      ttg.memdesc_index
// CHECK-NEXT:      %[[D:.*]] = ttng.warp_group_dot %
// CHECK-NEXT:      %[[TO:.*]] = ttg.memdesc_index
// CHECK-NEXT:      ttg.async_copy_global_to_local %{{.*}}, %[[TO]] {
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttng.warp_group_dot_wait %[[D]]
// CHECK-NEXT:      scf.yield
tt.func @two_buffers(%kp: !ptrs, %q: !p, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !two
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    ttng.fence_async_shared {bCluster = false}
    %k = ttg.memdesc_index %ks[%at] : !two -> !one
    %d = ttng.warp_group_dot %q, %k, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !p * !one -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %k_to = ttg.memdesc_index %ks[%to] : !two -> !one
    %k_copy = ttg.async_copy_global_to_local %kp, %k_to {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #bytes, #smem, mutable>
    %k_group = ttg.async_commit_group tokens %k_copy
    scf.yield %done, %to, %at : !acc, i32, i32
  }
  tt.return %sum : !acc
}

// COM: A load that could move above the dot follows its start as well, since loads keep their order. Data without a
// COM: fence get one after the wait for the tiles.
// CHECK-LABEL: @one_after_the_other
// CHECK:           ttg.async_wait {num = 0 : i32}
// CHECK-NEXT:      ttng.fence_async_shared {bCluster = false}
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %
// CHECK-NEXT:      ttg.memdesc_index
// CHECK-NEXT:      ttg.async_copy_global_to_local %[[K:.*]], %
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttg.async_copy_global_to_local %[[V:.*]], %
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttng.warp_group_dot_wait %[[D]]
tt.func @one_after_the_other(%kp: !ptrs, %vp: !ptrs, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !two
  %vs = ttg.local_alloc : () -> !raws
  %v = ttg.memdesc_index %vs[%c0] : !raws -> !raw
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k = ttg.memdesc_index %ks[%at] : !two -> !one
    %q = ttg.local_load %v {dotload.staged = "fragments"} : !raw -> !p
    %d = ttng.warp_group_dot %q, %k, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !p * !one -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %k_to = ttg.memdesc_index %ks[%to] : !two -> !one
    %k_copy = ttg.async_copy_global_to_local %kp, %k_to {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #bytes, #smem, mutable>
    %k_group = ttg.async_commit_group tokens %k_copy
    %v_copy = ttg.async_copy_global_to_local %vp, %v {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %v_group = ttg.async_commit_group tokens %v_copy
    scf.yield %done, %to, %at : !acc, i32, i32
  }
  tt.return %sum : !acc
}

// COM: Two dots start before a wait: the first load follows both of them, and so does the second.
// CHECK-LABEL: @two_dots_in_flight
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttg.memdesc_index
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttng.warp_group_dot_wait
tt.func @two_dots_in_flight(%kp: !ptrs, %vp: !ptrs, %bits: !p, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !two
  %vs = ttg.local_alloc : () -> !raws
  %v = ttg.memdesc_index %vs[%c0] : !raws -> !raw
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k = ttg.memdesc_index %ks[%at] : !two -> !one
    %early = ttng.warp_group_dot %bits, %k, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !p * !one -> !acc
    %q = ttg.local_load %v {dotload.staged = "fragments"} : !raw -> !p
    %d = ttng.warp_group_dot %q, %k, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !p * !one -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %k_to = ttg.memdesc_index %ks[%to] : !two -> !one
    %k_copy = ttg.async_copy_global_to_local %kp, %k_to {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #bytes, #smem, mutable>
    %k_group = ttg.async_commit_group tokens %k_copy
    %v_copy = ttg.async_copy_global_to_local %vp, %v {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %v_group = ttg.async_commit_group tokens %v_copy
    scf.yield %done, %to, %at : !acc, i32, i32
  }
  tt.return %sum : !acc
}
}
