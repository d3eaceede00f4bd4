// RUN: dotload-opt %s --hoist-async-copies --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --allow-empty --input-file=%t

// COM: Loops that stay as they are without a remark: nothing to gain, or no dot to move the loads above.
// REMARK-NOT: remark

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#vector = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!ptrs = tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>
!runs = tensor<64x64xf8E4M3FN, #runs>
!a = tensor<64x64xf8E4M3FN, #dot>
!acc = tensor<64x64xf32, #mma>
!raws = !ttg.memdesc<1x64x64xf8E4M3FN, #raw, #smem, mutable>
!raw = !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
!bytes = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem>
!three = !ttg.memdesc<3x64x64xf8E4M3FN, #bytes, #smem, mutable>
!two = !ttg.memdesc<2x64x64xf8E4M3FN, #bytes, #smem, mutable>
!ones = !ttg.memdesc<1x64x64xf8E4M3FN, #bytes, #smem, mutable>
!one = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Two tiles are requested before an iteration starts: one is in flight all the time.
// CHECK-LABEL: @later_tiles
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
tt.func @later_tiles(%p: !ptrs, %q: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !three
  %sum, %at_end, %to_end, %next_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %next = %c1, %to = %c2) -> (!acc, i32, i32, i32) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %k = ttg.memdesc_index %ks[%at] : !three -> !one
    %d = ttng.warp_group_dot %q, %k, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !one -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %k_to = ttg.memdesc_index %ks[%to] : !three -> !one
    %copy = ttg.async_copy_global_to_local %p, %k_to {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #bytes, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done, %next, %to, %at : !acc, i32, i32, i32
  }
  tt.return %sum : !acc
}

// COM: The dot is still in flight when the next iteration starts.
// CHECK-LABEL: @dot_in_flight
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
tt.func @dot_in_flight(%p: !ptrs, %q: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: A dot in a branch may be in flight as well. This iteration's load writes another buffer than the dot reads, the
// COM: next iteration's load the same one.
// CHECK-LABEL: @dot_in_flight_in_a_branch
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
tt.func @dot_in_flight_in_a_branch(%p: !ptrs, %q: !a, %n: i32, %flag: i1) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %two = ttg.local_alloc : () -> !two
  %at = ttg.memdesc_index %two[%c0] : !two -> !one
  %to = ttg.memdesc_index %two[%c1] : !two -> !one
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %more = scf.if %flag -> (!acc) {
      %e = ttng.warp_group_dot %q, %at, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !one -> !acc
      scf.yield %e : !acc
    } else {
      scf.yield %zero : !acc
    }
    %copy = ttg.async_copy_global_to_local %p, %to {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #bytes, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: The tile is read after the only dot.
// CHECK-LABEL: @no_dot_behind_the_read
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
tt.func @no_dot_behind_the_read(%p: !ptrs, %q: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %again = ttg.local_load %k : !raw -> !runs
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: In a branch, the tile is read after the only dot.
// CHECK-LABEL: @read_in_a_branch
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
tt.func @read_in_a_branch(%p: !ptrs, %q: !a, %n: i32, %flag: i1) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %again = scf.if %flag -> (!runs) {
      %read = ttg.local_load %k : !raw -> !runs
      scf.yield %read : !runs
    } else {
      scf.yield %k8 : !runs
    }
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: The load writes a view of the buffer, and the read selects the buffer by another op.
// CHECK-LABEL: @written_through_a_view
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
tt.func @written_through_a_view(%p: !ptrs, %q: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %view = ttg.memdesc_subslice %k[0, 0] : !raw -> !raw
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %same = ttg.memdesc_index %ks[%c0] : !raws -> !raw
    %again = ttg.local_load %same : !raw -> !runs
    %copy = ttg.async_copy_global_to_local %p, %view {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: The dot itself reads the only buffer, and is done with it only after its wait.
// CHECK-LABEL: @read_by_the_dot
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
tt.func @read_by_the_dot(%p: !ptrs, %q: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %ones = ttg.local_alloc : () -> !ones
  %b = ttg.memdesc_index %ones[%c0] : !ones -> !one
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !one -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %copy = ttg.async_copy_global_to_local %p, %b {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #bytes, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: The first load stays because its tile is read after the dot; the second load stays to keep their order.
// CHECK-LABEL: @behind_one_that_stays
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
// CHECK:         ttg.async_copy_global_to_local
tt.func @behind_one_that_stays(%p: !ptrs, %q: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %others = ttg.local_alloc : () -> !raws
  %other = ttg.memdesc_index %others[%c0] : !raws -> !raw
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %read = ttg.local_load %other : !raw -> !runs
    %first = ttg.async_copy_global_to_local %p, %other {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %first_group = ttg.async_commit_group tokens %first
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: The only dot comes before the wait for the tile.
// CHECK-LABEL: @dot_above_the_wait
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_wait
// CHECK:         ttg.async_copy_global_to_local
tt.func @dot_above_the_wait(%p: !ptrs, %q: !a, %n: i32, %b: !bytes) -> (!acc, !runs) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %none = arith.constant dense<0.0> : !runs
  %ks = ttg.local_alloc : () -> !two
  %k = ttg.memdesc_index %ks[%c0] : !two -> !one
  %to = ttg.memdesc_index %ks[%c1] : !two -> !one
  %sum, %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %x = %none) -> (!acc, !runs) : i32 {
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %there = ttg.async_wait {num = 0 : i32}
    %read = ttg.local_load %k : !one -> !runs
    %copy = ttg.async_copy_global_to_local %p, %to {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #bytes, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done, %read : !acc, !runs
  }
  tt.return %sum, %last : !acc, !runs
}

// COM: Tiles also come by TMA, and the loop waits for them at an mbarrier.
// CHECK-LABEL: @loads_by_tma_as_well
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
tt.func @loads_by_tma_as_well(%p: !ptrs, %q: !a, %n: i32, %mbar: !ttg.memdesc<1xi64, #vector, #smem, mutable>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    ttng.wait_barrier %mbar, %c0 : !ttg.memdesc<1xi64, #vector, #smem, mutable>
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}
}
