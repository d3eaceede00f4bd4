// RUN: dotload-opt %s --pipeline-operand-copies --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Loops with too few tiles in flight, or too few buffers.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw_a = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#raw_b = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#partner = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: With one tile in flight besides the present one, no load would be left to wait for while the dot runs.
// REMARK:      kept scf.for: 2 tiles are in flight when an iteration starts, 3 are needed; use a larger num_stages, or smaller tiles [FEW_TILES]
// CHECK-LABEL: @two_tiles_under_way
// CHECK:         scf.for
// CHECK-NOT:     dotload.barriers_placed
// CHECK:         scf.yield
tt.func @two_tiles_under_way(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 2 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 2 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<2x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<2x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<2x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
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

// COM: The next load writes the buffer that the dot reads.
// REMARK:      kept scf.for: the next copy may overwrite a buffer that the dot still reads [OVERWRITTEN]
// CHECK-LABEL: @k_major_operand_is_overwritten
// CHECK:         scf.for
// CHECK-NOT:     dotload.barriers_placed
// CHECK:         scf.yield
tt.func @k_major_operand_is_overwritten(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
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

// COM: As above, for a dot that completes in its iteration.
// REMARK:      kept scf.for: {{.*}} [OVERWRITTEN]
// CHECK-LABEL: @other_operand_is_overwritten
// CHECK:         scf.for
// CHECK-NOT:     dotload.barriers_placed
// CHECK:         scf.yield
tt.func @other_operand_is_overwritten(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %scale: tensor<64x64xi32, #mma>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a_slots = arith.constant 3 : i32
  %b_slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #partner, #smem, mutable>
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
    %a = ttg.memdesc_index %as[%a_slot] : !ttg.memdesc<3x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %a, %k, %zero {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #partner, #smem, mutable> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xi32, #mma>
    %scaled = arith.muli %done, %scale : tensor<64x64xi32, #mma>
    %next = arith.addi %acc, %scaled : tensor<64x64xi32, #mma>
    %a_to = ttg.memdesc_index %as[%a_at] : !ttg.memdesc<3x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
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
