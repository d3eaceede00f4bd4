// RUN: dotload-opt %s --add-wait-barriers | FileCheck %s
// RUN: dotload-opt %s --add-wait-barriers --convert-staged-operands-to-llvm --check-shared-memory-hazards -o /dev/null 2>&1 | FileCheck %s --check-prefix=CLEAN --allow-empty
// RUN: not dotload-opt %s --convert-staged-operands-to-llvm --check-shared-memory-hazards -o /dev/null 2>&1 | FileCheck %s --check-prefix=HAZARD

// COM: Iteration i loads tile i + 2 into the buffer of tile i - 1, which the dot of iteration i - 1 reads.

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
!copies = !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
!fragments = tensor<128x64xf8E4M3FN, #dot>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The dot is in flight at a barrier, here of a wait for other tiles, and over at the wait behind it. membar takes
// COM: its reads as done at the barrier.
// CHECK-LABEL: @barrier_behind_the_dot
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK-NEXT:    gpu.barrier
// CHECK:         ttg.async_copy_global_to_local
// CHECK:         scf.yield
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK-NEXT:    gpu.barrier
// CLEAN-NOT:   error
// HAZARD:      error: 'ttg.async_copy_global_to_local' writes shared memory that other warps may still be reading: no CTA barrier in between [READ_BY_OTHERS]
tt.func @barrier_behind_the_dot(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
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
    %c = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %c
    scf.yield %w : !acc
  }
  %done = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  tt.return %done : !acc
}

// COM: No tile is staged, but an operand has two buffers.
// CHECK-LABEL: @double_buffer
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK-NEXT:    gpu.barrier
// HAZARD:      error: 'ttg.async_copy_global_to_local' writes shared memory that other warps may still be reading: no CTA barrier in between [READ_BY_OTHERS]
// HAZARD-NOT:  error: 'ttg.async_copy_global_to_local'
tt.func @double_buffer(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !bs
  %copies = ttg.local_alloc : () -> !copies
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %at = arith.remui %i, %c3 : i32
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %one = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%one] {dotload.double_buffer} : !copies -> !b
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

// COM: membar may place the barrier: an op with scratch memory stands behind the dot.
// CHECK-LABEL: @scratch_behind_the_dot
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK-NEXT:    gpu.barrier
tt.func @scratch_behind_the_dot(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
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
    %sum = "tt.reduce"(%zero) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %z = arith.addf %u, %v : f32
      tt.reduce.return %z : f32
    }) : (!acc) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
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

// COM: No barrier stands between dot and wait, so membar places one before the load.
// CHECK-LABEL: @membar_places_one
// CHECK:         ttng.warp_group_dot_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @membar_places_one(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
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

// COM: The dot is over before the barrier.
// CHECK-LABEL: @dot_is_over
// CHECK:         ttng.warp_group_dot_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @dot_is_over(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
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
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %others = ttg.async_wait {num = 1 : i32}
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

// COM: The load stands behind another barrier.
// CHECK-LABEL: @barrier_before_the_load
// CHECK:         ttng.warp_group_dot_wait
// CHECK-NEXT:    gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @barrier_before_the_load(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
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
    gpu.barrier
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

// COM: The load writes other memory than the dot reads.
// CHECK-LABEL: @other_tiles
// CHECK:         ttng.warp_group_dot_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.yield
tt.func @other_tiles(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !bs
  %more = ttg.local_alloc : () -> !bs
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
    %b2 = ttg.memdesc_index %more[%to] : !bs -> !b
    %c = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %c
    scf.yield %w : !acc
  }
  %done = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  tt.return %done : !acc
}

// COM: The same for a conversion of layouts through scratch memory.
// CHECK-LABEL: @converted_behind_the_dot
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK-NEXT:    gpu.barrier
// HAZARD:      error: 'ttg.async_copy_global_to_local' writes shared memory that other warps may still be reading: no CTA barrier in between [READ_BY_OTHERS]
// HAZARD-NOT:  error: 'ttg.async_copy_global_to_local'
tt.func @converted_behind_the_dot(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
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
    %sum = ttg.convert_layout %zero : !acc -> tensor<128x64xf32, #rows>
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %b0 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %l0 = ttg.async_copy_global_to_local %p, %b0 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g0 = ttg.async_commit_group tokens %l0
    scf.yield %w, %acc2 : !acc, !acc
  }
  %done:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : !acc, !acc
  tt.return %done#0 : !acc
}

// COM: And for a read of shared memory.
// CHECK-LABEL: @read_behind_the_dot
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK-NEXT:    gpu.barrier
tt.func @read_behind_the_dot(%p: !pointers, %x: !x, %a: !a, %n: i32) -> !acc {
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
    %t = ttg.local_load %o : !b -> tensor<64x64xf8E4M3FN, #rows>
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %b0 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %l0 = ttg.async_copy_global_to_local %p, %b0 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g0 = ttg.async_commit_group tokens %l0
    scf.yield %w, %acc2 : !acc, !acc
  }
  %done:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : !acc, !acc
  tt.return %done#0 : !acc
}
}
