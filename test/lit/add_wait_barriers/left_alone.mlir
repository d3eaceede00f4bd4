// RUN: dotload-opt %s --add-wait-barriers | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#k_major = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!pointers = tensor<64x64x!tt.ptr<f8E4M3FN>, #rows>
!acc = tensor<128x64xf32, #mma>
!a = !ttg.memdesc<128x64xf8E4M3FN, #raw, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
!bs = !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
!x = !ttg.memdesc<128x64xf8E4M3FN, #k_major, #smem, mutable>
!fragments = tensor<128x64xf8E4M3FN, #dot>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A loop without a staged tile is Triton's.
// CHECK-LABEL: @not_staged
// CHECK:         ttng.warp_group_dot_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @not_staged(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !bs
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %at = arith.remui %i, %c3 : i32
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %f = ttg.local_load %a : !a -> !fragments
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %others = ttg.async_wait {num = 1 : i32}
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %next = arith.addi %i, %c2 : i32
    %to = arith.remui %next, %c3 : i32
    %b2 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %c = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %c
    scf.yield %w : !acc
  }
  %done = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  tt.return %done : !acc
}

// COM: No warp reads the load's buffer any more.
// CHECK-LABEL: @free_buffer
// CHECK:         ttng.warp_group_dot_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @free_buffer(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !bs
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %at = arith.remui %i, %c3 : i32
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %others = ttg.async_wait {num = 1 : i32}
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %next = arith.addi %i, %c2 : i32
    %to = arith.remui %next, %c3 : i32
    %b2 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %c = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32, dotload.free_buffer} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %c
    scf.yield %w : !acc
  }
  %done = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  tt.return %done : !acc
}

// COM: The second dot's tiles arrive before a barrier, so membar places none between the dots.
// CHECK-LABEL: @two_dots
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @two_dots(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !bs
  %more = ttg.local_alloc : () -> !bs
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %acc2 = %zero) -> (!acc, !acc) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %at = arith.remui %i, %c3 : i32
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %o = ttg.memdesc_index %more[%at] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    ttng.fence_async_shared {bCluster = false}
    %next = arith.addi %i, %c2 : i32
    %to = arith.remui %next, %c3 : i32
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %e = ttng.warp_group_dot %x, %o, %acc2 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %w = ttng.warp_group_dot_wait %e {pendings = 2 : i32} : !acc
    %b0 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %l0 = ttg.async_copy_global_to_local %p, %b0 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g0 = ttg.async_commit_group tokens %l0
    %b1 = ttg.memdesc_index %more[%to] : !bs -> !b
    %l1 = ttg.async_copy_global_to_local %p, %b1 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g1 = ttg.async_commit_group tokens %l1
    scf.yield %d, %w : !acc, !acc
  }
  %done:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : !acc, !acc
  tt.return %done#0 : !acc
}

// COM: A dot behind the wait reads the memory: membar places a barrier before the load.
// CHECK-LABEL: @dot_behind_the_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @dot_behind_the_wait(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !bs
  %more = ttg.local_alloc : () -> !bs
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %acc2 = %zero) -> (!acc, !acc) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %at = arith.remui %i, %c3 : i32
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %o = ttg.memdesc_index %more[%at] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    ttng.fence_async_shared {bCluster = false}
    %next = arith.addi %i, %c2 : i32
    %to = arith.remui %next, %c3 : i32
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %others = ttg.async_wait {num = 1 : i32}
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %e = ttng.warp_group_dot %x, %b, %acc2 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %b0 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %l0 = ttg.async_copy_global_to_local %p, %b0 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g0 = ttg.async_commit_group tokens %l0
    scf.yield %w, %e : !acc, !acc
  }
  %done:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : !acc, !acc
  tt.return %done#0 : !acc
}

// COM: Another wait has finished the dot before the barrier.
// CHECK-LABEL: @over_at_an_earlier_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @over_at_an_earlier_wait(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !bs
  %more = ttg.local_alloc : () -> !bs
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %acc2 = %zero) -> (!acc, !acc) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %at = arith.remui %i, %c3 : i32
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %o = ttg.memdesc_index %more[%at] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    ttng.fence_async_shared {bCluster = false}
    %next = arith.addi %i, %c2 : i32
    %to = arith.remui %next, %c3 : i32
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %v = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %others = ttg.async_wait {num = 1 : i32}
    %e = ttng.warp_group_dot %x, %o, %acc2 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %w = ttng.warp_group_dot_wait %e {pendings = 1 : i32} : !acc
    %b0 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %l0 = ttg.async_copy_global_to_local %p, %b0 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g0 = ttg.async_commit_group tokens %l0
    scf.yield %v, %w : !acc, !acc
  }
  %done:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : !acc, !acc
  tt.return %done#0 : !acc
}

// COM: The wait leaves the dot in flight, which the next iteration finishes before a barrier.
// CHECK-LABEL: @still_in_flight
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @still_in_flight(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !bs
  %more = ttg.local_alloc : () -> !bs
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %acc2 = %zero) -> (!acc, !acc) : i32 {
    %at = arith.remui %i, %c3 : i32
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %o = ttg.memdesc_index %more[%at] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    ttng.fence_async_shared {bCluster = false}
    %next = arith.addi %i, %c2 : i32
    %to = arith.remui %next, %c3 : i32
    %v = ttng.warp_group_dot_wait %acc {pendings = 0 : i32} : !acc
    %d = ttng.warp_group_dot %x, %b, %v {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %others = ttg.async_wait {num = 1 : i32}
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %b0 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %l0 = ttg.async_copy_global_to_local %p, %b0 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g0 = ttg.async_commit_group tokens %l0
    scf.yield %w, %acc2 : !acc, !acc
  }
  %done:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : !acc, !acc
  tt.return %done#0 : !acc
}

// COM: A K-major copy gets its barrier as it is lowered.
// CHECK-LABEL: @copied
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @copied(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !bs
  %more = ttg.local_alloc : () -> !bs
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %acc2 = %zero) -> (!acc, !acc) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %at = arith.remui %i, %c3 : i32
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %o = ttg.memdesc_index %more[%at] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    ttng.fence_async_shared {bCluster = false}
    %next = arith.addi %i, %c2 : i32
    %to = arith.remui %next, %c3 : i32
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %others = ttg.async_wait {num = 1 : i32}
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %t = ttg.local_load %a {dotload.staged = "copy"} : !a -> tensor<128x64xf8E4M3FN, #rows>
    ttg.local_store %t, %x : tensor<128x64xf8E4M3FN, #rows> -> !x
    scf.yield %w, %acc2 : !acc, !acc
  }
  %done:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : !acc, !acc
  tt.return %done#0 : !acc
}
}
