// RUN: dotload-opt %s --add-load-buffers --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --add-load-buffers --mark-free-buffers | FileCheck %s --check-prefix=MARK

// COM: Loops of one dot, as Triton's pipeliner leaves them. A is read into registers, B from shared memory.
// COM: Another allocation of 96 KB leaves room for one block only.

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

// COM: Two tiles are in flight. A has two buffers, so its load overwrites what this iteration reads. B has three: the
// COM: dot of the previous iteration, which reads the third, may still be in flight. Both get one more.
// CHECK-LABEL: @both
// CHECK-DAG:     ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared,
// CHECK-DAG:     ttg.local_alloc : () -> !ttg.memdesc<4x64x64xf8E4M3FN, #shared1,
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : i32
// CHECK-DAG:     %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK:         scf.for
// CHECK:           arith.cmpi slt, %{{.*}}, %[[THREE]]
// CHECK:           arith.cmpi slt, %{{.*}}, %[[FOUR]]
// CHECK:           ttg.async_wait
// CHECK:           arith.cmpi slt, %{{.*}}, %[[THREE]]
// CHECK:           arith.cmpi slt, %{{.*}}, %[[FOUR]]
// REMARK:        remark: add-load-buffers: tiles get one more buffer, 3, 4 now: their loads do not wait for reads
// MARK-LABEL:  @both
// MARK:          scf.for
// MARK-COUNT-2:    ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
tt.func @both(%p: !pointers, %n: i32) -> !acc {
  %c-1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %other = ttg.local_alloc : () -> !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %a0 = ttg.memdesc_index %as[%c0] : !as -> !a
  %ca0 = ttg.async_copy_global_to_local %p, %a0 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
  %ga0 = ttg.async_commit_group tokens %ca0
  %b0 = ttg.memdesc_index %bs[%c0] : !bs -> !b
  %cb0 = ttg.async_copy_global_to_local %p, %b0 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %gb0 = ttg.async_commit_group tokens %cb0
  %a1 = ttg.memdesc_index %as[%c1] : !as -> !a
  %ca1 = ttg.async_copy_global_to_local %p, %a1 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
  %ga1 = ttg.async_commit_group tokens %ca1
  %b1 = ttg.memdesc_index %bs[%c1] : !bs -> !b
  %cb1 = ttg.async_copy_global_to_local %p, %b1 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %gb1 = ttg.async_commit_group tokens %cb1
  %out:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ra = %c-1, %rb = %c-1, %wa = %c1, %wb = %c1) -> (!acc, i32, i32, i32, i32) : i32 {
    %ra1 = arith.addi %ra, %c1 : i32
    %ra_in = arith.cmpi slt, %ra1, %c2 : i32
    %at_a = arith.select %ra_in, %ra1, %c0 : i32
    %rb1 = arith.addi %rb, %c1 : i32
    %rb_in = arith.cmpi slt, %rb1, %c3 : i32
    %at_b = arith.select %rb_in, %rb1, %c0 : i32
    %there = ttg.async_wait {num = 2 : i32}
    ttng.fence_async_shared {bCluster = false}
    %a = ttg.memdesc_index %as[%at_a] : !as -> !a
    %b = ttg.memdesc_index %bs[%at_b] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %wa1 = arith.addi %wa, %c1 : i32
    %wa_in = arith.cmpi slt, %wa1, %c2 : i32
    %to_a = arith.select %wa_in, %wa1, %c0 : i32
    %wb1 = arith.addi %wb, %c1 : i32
    %wb_in = arith.cmpi slt, %wb1, %c3 : i32
    %to_b = arith.select %wb_in, %wb1, %c0 : i32
    %a2 = ttg.memdesc_index %as[%to_a] : !as -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to_b] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    scf.yield %w, %at_a, %at_b, %to_a, %to_b : !acc, i32, i32, i32, i32
  }
  %fin = ttng.warp_group_dot_wait %out#0 {pendings = 0 : i32} : !acc
  %last = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %other : !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
  tt.return %fin : !acc
}

// COM: The dot is over before the next iteration: B, with three buffers, needs no more. A gets one.
// CHECK-LABEL: @only_fragments
// CHECK-DAG:     ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared,
// CHECK-DAG:     ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared1,
// CHECK:         scf.for
// MARK-LABEL:  @only_fragments
// MARK:          scf.for
// MARK-COUNT-2:    ttg.async_copy_global_to_local {{.*}}dotload.free_buffer
tt.func @only_fragments(%p: !pointers, %n: i32) -> !acc {
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
  %last = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %other : !ttg.memdesc<24x64x64xf8E4M3FN, #raw, #smem, mutable>
  tt.return %out#0 : !acc
}

// COM: An op of the loop takes a little scratch memory: there is room for both.
// CHECK-LABEL: @with_scratch
// CHECK-DAG:     ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared,
// CHECK-DAG:     ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared1,
tt.func @with_scratch(%p: !pointers, %sum: !tt.ptr<f32>, %one: f32, %true: i1, %n: i32) -> !acc {
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
    %old = tt.atomic_rmw fadd, relaxed, gpu, %sum, %one, %true : (!tt.ptr<f32>, f32, i1) -> f32
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
}
