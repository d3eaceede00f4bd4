// RUN: dotload-opt %s --add-load-buffers --remarks 2>&1 | FileCheck %s

// COM: Loops that get no more buffers. Another allocation of 96 KB leaves room for one block only.

#columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!pointers = tensor<64x64x!tt.ptr<f8E4M3FN>, #columns>
!acc = tensor<64x64xf32, #mma>
!a = !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
!as = !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
!as3 = !ttg.memdesc<3x64x64xf8E4M3FN, #raw, #smem, mutable>
!bs = !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
!fragments = tensor<64x64xf8E4M3FN, #dot>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The index is not counted by comparisons with the number of buffers, so the pass could not change the count.
// CHECK-NOT:   remark:
// CHECK-LABEL: @counted_otherwise
// CHECK:         !ttg.memdesc<2x64x64xf8E4M3FN, #shared,
tt.func @counted_otherwise(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %other = ttg.local_alloc : () -> !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %at_a = arith.remsi %ra1, %c2 : i32
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
  ttg.local_dealloc %other : !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
  tt.return %out#0 : !acc
}

// COM: An op after the loop reads the buffer that the loop counted last.
// CHECK-LABEL: @read_behind_the_loop
// CHECK:         !ttg.memdesc<2x64x64xf8E4M3FN, #shared,
tt.func @read_behind_the_loop(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %other = ttg.local_alloc : () -> !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
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
  %next = ttg.memdesc_index %as[%out#1] : !as -> !a
  %rest = ttg.local_load %next : !a -> !fragments
  %last = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %other : !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
  tt.return %out#0 : !acc
}

// COM: A K-major copy is made from the tile: there is a barrier between its read and the dot, which the load follows.
// CHECK-LABEL: @copied_k_major
// CHECK:         !ttg.memdesc<2x64x64xf8E4M3FN, #shared,
tt.func @copied_k_major(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %other = ttg.local_alloc : () -> !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
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
    %f = ttg.local_load %a {dotload.staged = "copy"} : !a -> !fragments
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
  ttg.local_dealloc %other : !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
  tt.return %out#0 : !acc
}

// COM: Another allocation leaves room for these buffers only: 51 + 2 + 3 of 4 KB are 224 KB of 227 KB.
// CHECK-LABEL: @no_room
// CHECK:         !ttg.memdesc<2x64x64xf8E4M3FN, #shared,
tt.func @no_room(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %other = ttg.local_alloc : () -> !ttg.memdesc<51x64x64xf8E4M3FN, #shared, #smem, mutable>
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
  ttg.local_dealloc %other : !ttg.memdesc<51x64x64xf8E4M3FN, #shared, #smem, mutable>
  tt.return %out#0 : !acc
}

// COM: One tile is in flight by the wait, two by the counters: it is not known which tile an iteration reads.
// CHECK-LABEL: @another_distance
// CHECK:         !ttg.memdesc<2x64x64xf8E4M3FN, #shared,
tt.func @another_distance(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %other = ttg.local_alloc : () -> !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi sge, %ra1, %c2 : i32
    %at_a = arith.select %ra_in, %c0, %ra1 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi sge, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %c0, %rb1 : i32
    %there = ttg.async_wait {num = 0 : i32}
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
  ttg.local_dealloc %other : !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
  tt.return %out#0 : !acc
}

// COM: Other buffers, which the loop does not load, are counted with those of A.
// CHECK-LABEL: @counted_together
// CHECK:         !ttg.memdesc<2x64x64xf8E4M3FN, #shared,
tt.func @counted_together(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %other = ttg.local_alloc : () -> !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
  %as = ttg.local_alloc : () -> !as
  %cs = ttg.local_alloc : () -> !as
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
    %c = ttg.memdesc_index %cs[%at_a] : !as -> !a
    %cv = ttg.local_load %c : !a -> !fragments
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
  ttg.local_dealloc %other : !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
  tt.return %out#0 : !acc
}
}
