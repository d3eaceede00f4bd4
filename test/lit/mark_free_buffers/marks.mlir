// RUN: dotload-opt %s --mark-free-buffers --remarks 2>&1 | FileCheck %s --check-prefixes=CHECK,FENCED
// RUN: dotload-opt %s --mark-free-buffers=fenced=false | FileCheck %s --check-prefixes=CHECK,UNFENCED

// COM: Two tiles are in flight when an iteration starts.

#columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!pointers = tensor<64x64x!tt.ptr<f8E4M3FN>, #columns>
!mask = tensor<64x64xi1, #columns>
!acc = tensor<64x64xf32, #mma>
!a = !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
!as = !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
!as3 = !ttg.memdesc<3x64x64xf8E4M3FN, #raw, #smem, mutable>
!bs = !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
!fragments = tensor<64x64xf8E4M3FN, #dot>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Three buffers each, and the dot is over before the next iteration: both loads write the buffer of the previous
// COM: iteration's tile.
// FENCED:       remark: mark-free-buffers: the next tiles are loaded without a CTA barrier before them
// CHECK-LABEL:  @free
// CHECK-COUNT-2:  ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
// CHECK:          scf.yield
tt.func @free(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c3 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}

// COM: A CTA barrier stands before the loads. A load without a mask gains nothing by being marked.
// CHECK-LABEL: @masked
// CHECK:         ttg.async_copy_global_to_local
// CHECK-NOT:     dotload.free_buffer
// CHECK:         ttg.async_commit_group
// CHECK:         ttg.async_copy_global_to_local {{.*}} mask {{.*}}dotload.free_buffer
tt.func @masked(%p: !pointers, %m: !mask, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c3 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    gpu.barrier
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 mask %m {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}

// COM: A has two buffers: its load overwrites what other warps may still read.
// CHECK-LABEL: @this_iterations_tile
// CHECK:         ttg.async_copy_global_to_local
// CHECK-NOT:     dotload.free_buffer
// CHECK:         ttg.async_commit_group
// CHECK:         ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
tt.func @this_iterations_tile(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c2 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c2 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}

// COM: The previous iteration's dot may still read the buffer of B.
// CHECK-LABEL: @dot_in_flight
// CHECK:         ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
// CHECK:         ttg.async_copy_global_to_local
// CHECK-NOT:     dotload.free_buffer
// CHECK:         scf.yield
tt.func @dot_in_flight(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c3 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}

// COM: No fence stands between the wait and the dot: from version 3.7 on, Triton would place one if it saw the load of B.
// CHECK-LABEL:  @not_fenced
// CHECK:          ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
// UNFENCED:       ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
// FENCED:         ttg.async_copy_global_to_local
// FENCED-NOT:     dotload.free_buffer
// CHECK:          scf.yield
tt.func @not_fenced(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c3 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}

// COM: Nothing waits for the last loads: the memory may hold something else by the time that they arrive.
// CHECK-LABEL: @not_awaited
// CHECK-NOT:     dotload.free_buffer
// CHECK:         tt.return
tt.func @not_awaited(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c3 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  tt.return %out#0 : !acc
}

// COM: Masked elements are not zero, as cp.async fills them.
// CHECK-LABEL: @filled_with_ones
// CHECK:         ttg.async_copy_global_to_local
// CHECK-NOT:     dotload.free_buffer
// CHECK:         ttg.async_commit_group
// CHECK:         ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
tt.func @filled_with_ones(%p: !pointers, %m: tensor<64x64xi1, #columns>, %ones: tensor<64x64xf8E4M3FN, #columns>, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c3 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 mask %m other %ones {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}

// COM: Masked elements become zero, in any layout.
// CHECK-LABEL:  @filled_with_zeros
// CHECK-COUNT-2:  ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
// CHECK:          scf.yield
tt.func @filled_with_zeros(%p: !pointers, %m: tensor<64x64xi1, #columns>, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %rows = arith.constant dense<0.0> : tensor<64x64xf8E4M3FN, #rows>
  %zeros = tt.trans %rows {order = array<i32: 1, 0>} : tensor<64x64xf8E4M3FN, #rows> -> tensor<64x64xf8E4M3FN, #columns>
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c3 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 mask %m other %zeros {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}

// COM: Two groups may still be in flight behind the wait.
// CHECK-LABEL: @awaited_in_part
// CHECK-NOT:     dotload.free_buffer
// CHECK:         tt.return
tt.func @awaited_in_part(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c3 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 2 : i32}
  tt.return %out#0 : !acc
}

// COM: A tile is stored before the last loads have arrived, perhaps to their memory.
// CHECK-LABEL: @awaited_late
// CHECK-NOT:     dotload.free_buffer
// CHECK:         tt.return
tt.func @awaited_late(%p: !pointers, %stored: tensor<64x64xf8E4M3FN, #columns>, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c3 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %tile = ttg.local_alloc %stored : (tensor<64x64xf8E4M3FN, #columns>) -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem>
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}

// COM: An op outside the loop takes the address of all buffers of A.
// CHECK-LABEL: @seen_as_a_whole
// CHECK:         ttg.async_copy_global_to_local
// CHECK-NOT:     dotload.free_buffer
// CHECK:         ttg.async_commit_group
// CHECK:         ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
tt.func @seen_as_a_whole(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %address = builtin.unrealized_conversion_cast %as : !as3 to !llvm.struct<(ptr<3>, i32, i32, i32)>
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c3 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}

// COM: The buffers of A are counted by the iteration, which never repeats: a comparison of some iterations proves nothing.
// CHECK-LABEL: @by_iteration
// CHECK:         ttg.async_copy_global_to_local
// CHECK-NOT:     dotload.free_buffer
// CHECK:         ttg.async_commit_group
// CHECK:         ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
tt.func @by_iteration(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %at_a = arith.remsi %i, %c3 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %later = arith.addi %i, %c2 : i32
    %to_a = arith.remsi %later, %c3 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}

// COM: Nor does a counter that is never reset.
// CHECK-LABEL: @counted_on
// CHECK:         ttg.async_copy_global_to_local
// CHECK-NOT:     dotload.free_buffer
// CHECK:         ttg.async_commit_group
// CHECK:         ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
tt.func @counted_on(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %at_a = arith.remsi %ra1, %c3 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %ra1, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}

// COM: A program that no compiler makes.
// CHECK-LABEL: @divided_by_zero
// CHECK:         ttg.async_copy_global_to_local
// CHECK-NOT:     dotload.free_buffer
// CHECK:         ttg.async_commit_group
// CHECK:         ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
tt.func @divided_by_zero(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as3
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %at_a = arith.remsi %ra1, %c0 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as3 -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi sge, %wa1, %c3 : i32
    %to_a = arith.select %wa_in, %c0, %wa1 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi sge, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %c0, %wb1 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as3 -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %last = ttg.async_wait {num = 0 : i32}
  tt.return %out#0 : !acc
}
}
