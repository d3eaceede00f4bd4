// RUN: dotload-opt %s --pipeline-operand-copies | FileCheck %s

// COM: Loops as Triton's pipeliner leaves them: both operands are raw tiles, A is read into registers, B is copied
// COM: K-major into one of two buffers. If one tile fewer may be in flight, the copy is made one iteration ahead.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#parts = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [8, 0, 0], [0, 0, 16], [0, 1, 0]], lane = [[0, 0, 4], [0, 0, 8], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#turned = #ttg.linear<{register = [[0, 1, 0], [0, 2, 0], [8, 0, 0], [0, 16, 0], [0, 0, 1]], lane = [[0, 4, 0], [0, 8, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#part = #ttg.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#raw_a = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#raw_b = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#partner = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The first copy is made before the loop. In the loop, the only CTA barrier is at the wait for the next tile.
// COM: Before it, the dot and the stores of the last iteration complete, and this tile's fragments are read (after the
// COM: previous dot, which reads the same registers while it is in flight). This dot and the next copy follow it.
// CHECK-LABEL: @next_copy_under_the_dot
// CHECK:         ttg.async_wait {num = 4 : i32}
// CHECK:         ttg.local_load {{.*}} {dotload.barriers_placed, dotload.staged = "copy"}
// CHECK:         ttg.local_store {{.*}} {dotload.barriers_placed}
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %[[STEP:.*]] iter_args(%[[ACC:[^ ]*]] =
// CHECK:           %[[SLOT:.*]] = arith.select
// CHECK:           %[[FINISHED:.*]] = ttng.warp_group_dot_wait %[[ACC]] {pendings = 0 : i32} : tensor<64x64xi32
// CHECK:           ttng.fence_async_shared
// CHECK:           %[[RAW_A:.*]] = ttg.memdesc_index %{{.*}}[%[[SLOT]]]
// CHECK-NEXT:      %[[A:.*]] = ttg.local_load %[[RAW_A]] {dotload.barriers_placed, dotload.staged = "fragments"}
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK:           ttg.async_wait {num = 2 : i32}
// CHECK:           %[[UP:.*]] = arith.addi %[[SLOT]]
// CHECK:           %[[LATER:.*]] = arith.select %{{.*}}, %[[UP]]
// CHECK:           %[[RAW_B:.*]] = ttg.memdesc_index %{{.*}}[%[[LATER]]]
// CHECK-NEXT:      %[[B:.*]] = ttg.local_load %[[RAW_B]] {dotload.barriers_placed, dotload.staged = "copy"}
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %[[A]], %{{.*}}, %[[FINISHED]] {{.*}}isAsync = true
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           %[[PARITY:.*]] = arith.andi %[[NEXT]]
// CHECK:           %[[COPY:.*]] = ttg.memdesc_index %{{.*}}[%[[PARITY]]] {dotload.double_buffer}
// CHECK-NEXT:      ttg.local_store %[[B]], %[[COPY]] {dotload.barriers_placed}
// CHECK-NOT:       gpu.barrier
// CHECK:           ttg.async_copy_global_to_local
// CHECK-NOT:       ttg.local_load
// CHECK:           scf.yield %[[D]],
// CHECK:         ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:    ttg.async_wait {num = 0 : i32}
tt.func @next_copy_under_the_dot(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: A loop that uses the result has no dot in flight when an iteration starts, so it need not wait for one. Its
// COM: fragments are still read above the wait for the next tile.
// CHECK-LABEL: @scaled_dot
// CHECK:         scf.for
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           ttng.fence_async_shared
// CHECK:           %[[A:.*]] = ttg.local_load %{{.*}} {dotload.barriers_placed, dotload.staged = "fragments"}
// CHECK:           ttg.async_wait {num = 2 : i32}
// CHECK:           %[[B:.*]] = ttg.local_load %{{.*}} {dotload.barriers_placed, dotload.staged = "copy"}
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %[[A]], %{{.*}}, %{{.*}} {{.*}}isAsync = true
// CHECK:           ttg.local_store %[[B]], %{{.*}} {dotload.barriers_placed}
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait %[[D]], %{{.*}} {pendings = 0 : i32}
// CHECK:           %[[X:.*]] = arith.muli %[[W]]#0
// CHECK:           %[[SUM:.*]] = arith.addi %{{.*}}, %[[X]]
// CHECK:           scf.yield %[[SUM]],
tt.func @scaled_dot(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32, %scale: tensor<64x64xi32, #mma>) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %av, %k, %zero {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %scaled = arith.muli %done, %scale : tensor<64x64xi32, #mma>
    %s = arith.addi %acc, %scaled : tensor<64x64xi32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %s, %slot, %to_next : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: Triton has split the dot in two along k. The pass merges the parts, since nothing is read or permuted between
// COM: them. After the loop, Triton's own wait is enough.
// CHECK-LABEL: @parts_along_k_are_joined
// CHECK:         scf.for
// CHECK-NOT:       tt.split
// CHECK-NOT:       ttg.memdesc_subslice
// CHECK:           ttng.warp_group_dot %{{.*}} : tensor<64x64xf8E4M3FN, {{.*}} * !ttg.memdesc<64x64xf8E4M3FN
// CHECK-NOT:       ttng.warp_group_dot
// CHECK:           scf.yield
// CHECK:         %[[ALL:.*]] = ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NOT:     ttng.warp_group_dot_wait
// CHECK:         tt.return %[[ALL]]
tt.func @parts_along_k_are_joined(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b {dotload.staged = "copy"} : !ttg.memdesc<64x64xf8E4M3FN, #raw_b, #smem, mutable> -> tensor<64x64xf8E4M3FN, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xf8E4M3FN, #runs> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    ttng.fence_async_shared {bCluster = false}
    %cut = tt.reshape %av : tensor<64x64xf8E4M3FN, #dot> -> tensor<64x2x32xf8E4M3FN, #parts>
    %turned = tt.trans %cut {order = array<i32: 0, 2, 1>} : tensor<64x2x32xf8E4M3FN, #parts> -> tensor<64x32x2xf8E4M3FN, #turned>
    %h0, %h1 = tt.split %turned : tensor<64x32x2xf8E4M3FN, #turned> -> tensor<64x32xf8E4M3FN, #part>
    %a0 = ttg.convert_layout %h0 : tensor<64x32xf8E4M3FN, #part> -> tensor<64x32xf8E4M3FN, #dot>
    %k0 = ttg.memdesc_subslice %k[0, 0] : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %a1 = ttg.convert_layout %h1 : tensor<64x32xf8E4M3FN, #part> -> tensor<64x32xf8E4M3FN, #dot>
    %k1 = ttg.memdesc_subslice %k[32, 0] : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %d0 = ttng.warp_group_dot %a0, %k0, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #dot> * !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64> -> tensor<64x64xf32, #mma>
    %w0, %w0_k = ttng.warp_group_dot_wait %d0, %k0 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %d1 = ttng.warp_group_dot %a1, %k1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #dot> * !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64> -> tensor<64x64xf32, #mma>
    %done, %done_k = ttng.warp_group_dot_wait %d1, %k1 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xf32, #mma>, i32, i32
  }
  %finished = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  tt.return %finished : tensor<64x64xf32, #mma>
}

// COM: B is K-major in global memory, and wgmma reads it where cp.async has written it. It has one more buffer than
// COM: tiles in flight, so no load overwrites the buffer that the dot reads.
// CHECK-LABEL: @k_major_operand_in_place
// CHECK:         scf.for
// CHECK:           ttng.warp_group_dot_wait
// CHECK:           ttg.local_load {{.*}} {dotload.barriers_placed, dotload.staged = "fragments"}
// CHECK:           ttg.async_wait {num = 2 : i32}
// CHECK:           ttng.warp_group_dot
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           scf.yield
tt.func @k_major_operand_in_place(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<4x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<4x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<4x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: The dot starts from zero in each iteration, which waits for it and uses the result. The next copy is read before
// COM: the dot starts, and stored while it runs. The stores are fenced at the start of the next iteration, above the
// COM: CTA barrier.
// CHECK-LABEL: @dot_completes_in_its_iteration
// CHECK:         ttg.async_wait {num = 4 : i32}
// CHECK:         ttg.local_load
// CHECK:         ttg.local_store
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %[[STEP:.*]] iter_args
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           ttng.fence_async_shared
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK-NEXT:      ttg.async_wait {num = 2 : i32}
// CHECK:           %[[PARITY:.*]] = arith.andi %[[I]]
// CHECK:           %[[K:.*]] = ttg.memdesc_index %{{.*}}[%[[PARITY]]]
// CHECK:           %[[V:.*]] = ttg.local_load
// CHECK-NOT:       ttg.local_store
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %[[K]],
// CHECK:           %[[OTHER:.*]] = arith.andi %[[NEXT]]
// CHECK:           %[[COPY:.*]] = ttg.memdesc_index %{{.*}}[%[[OTHER]]]
// CHECK:           ttg.local_store %[[V]], %[[COPY]]
// CHECK-NOT:       gpu.barrier
// CHECK:           %[[DONE:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
// CHECK-NEXT:      arith.muli %[[DONE]]
// CHECK-NOT:       ttg.local_load
// CHECK:           scf.yield
// CHECK:         ttg.async_wait {num = 0 : i32}
tt.func @dot_completes_in_its_iteration(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %scale: tensor<64x64xi32, #mma>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a_slots = arith.constant 4 : i32
  %b_slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %a_end, %b_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %a_at = %before, %b_at = %before) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %a_up = arith.addi %a_at, %c1 : i32
    %a_over = arith.cmpi sge, %a_up, %a_slots : i32
    %a_slot = arith.select %a_over, %c0, %a_up : i32
    %b_up = arith.addi %b_at, %c1 : i32
    %b_over = arith.cmpi sge, %b_up, %b_slots : i32
    %b_slot = arith.select %b_over, %c0, %b_up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%b_slot] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%a_slot] : !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %a, %k, %zero {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #partner, #smem, mutable> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xi32, #mma>
    %scaled = arith.muli %done, %scale : tensor<64x64xi32, #mma>
    %next = arith.addi %acc, %scaled : tensor<64x64xi32, #mma>
    %a_to = ttg.memdesc_index %as[%a_at] : !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #partner, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%b_at] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %next, %a_slot, %b_slot : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}
}
