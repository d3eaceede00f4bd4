// RUN: dotload-opt %s --pipeline-operand-copies --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Loops with TMA whose loads, or the waits for them, do not allow the skew.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#fragments = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#k_major = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#held = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0], [64, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#copied = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0], [64, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A wait with a predicate may not be executed in every iteration.
// REMARK:      kept scf.for: the loop has no asynchronous loads (num_stages=1), or it is not known how they complete [COMPLETION]
// CHECK-LABEL: @wait_under_a_condition
// CHECK:         scf.for
// CHECK-NOT:     dotload.barriers_placed
// CHECK:         scf.yield
tt.func @wait_under_a_condition(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<128x64xi8, #raw>) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable>
  %bars = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bar, #smem, mutable>
  %bar0 = ttg.memdesc_index %bars[%c0] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a0 = ttg.memdesc_index %as[%c0] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c0, %c0] %a0, %bar0, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b0 = ttg.memdesc_index %bs[%c0] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c0, %c0] %b0, %bar0, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %bar1 = ttg.memdesc_index %bars[%c1] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a1 = ttg.memdesc_index %as[%c1] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c1, %c0] %a1, %bar1, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b1 = ttg.memdesc_index %bs[%c1] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c1, %c0] %b1, %bar1, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %bar2 = ttg.memdesc_index %bars[%c2] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a2 = ttg.memdesc_index %as[%c2] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c2, %c0] %a2, %bar2, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b2 = ttg.memdesc_index %bs[%c2] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c2, %c0] %b2, %bar2, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %sum, %end_to, %end_at, %end_phase = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %to = %c2, %at = %before, %old = %c0) -> (tensor<64x64xi32, #mma>, i32, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %other = arith.xori %old, %c1 : i32
    %phase = arith.select %over, %other, %old : i32
    %bar = ttg.memdesc_index %bars[%slot] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.wait_barrier %bar, %phase, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %bt = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %bv = ttg.local_load %bt {dotload.staged = "copy"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #copied>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    ttg.local_store %bv, %k : tensor<128x64xi8, #copied> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    %at_tile = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %avr = ttg.local_load %at_tile {dotload.staged = "fragments"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #held>
    %av = builtin.unrealized_conversion_cast %avr : tensor<128x64xi8, #held> to tensor<64x128xi8, #fragments>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x128xi8, #fragments> * !ttg.memdesc<128x64xi8, #k_major, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %next = arith.select %to_over, %c0, %to_up : i32
    %to_bar = ttg.memdesc_index %bars[%next] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.barrier_expect %to_bar, 16384, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %to_a = ttg.memdesc_index %as[%next] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    ttng.async_tma_copy_global_to_local %a[%i, %c0] %to_a, %to_bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %to_b = ttg.memdesc_index %bs[%next] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    ttng.async_tma_copy_global_to_local %b[%i, %c0] %to_b, %to_bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    scf.yield %done, %next, %slot, %phase : tensor<64x64xi32, #mma>, i32, i32, i32
  }
  ttg.local_dealloc %copies : !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: TMA loads start before the dot. In the skewed loop, no CTA barrier precedes them, and they would overwrite what
// COM: warps still read.
// REMARK:      kept scf.for: the loop starts the next loads before the dot [LOADS_BEFORE_DOT]
// CHECK-LABEL: @loads_before_the_dot
// CHECK:         scf.for
// CHECK-NOT:     dotload.barriers_placed
// CHECK:         scf.yield
tt.func @loads_before_the_dot(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<128x64xi8, #raw>) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable>
  %bars = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bar, #smem, mutable>
  %bar0 = ttg.memdesc_index %bars[%c0] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a0 = ttg.memdesc_index %as[%c0] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c0, %c0] %a0, %bar0, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b0 = ttg.memdesc_index %bs[%c0] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c0, %c0] %b0, %bar0, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %bar1 = ttg.memdesc_index %bars[%c1] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a1 = ttg.memdesc_index %as[%c1] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c1, %c0] %a1, %bar1, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b1 = ttg.memdesc_index %bs[%c1] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c1, %c0] %b1, %bar1, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %bar2 = ttg.memdesc_index %bars[%c2] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a2 = ttg.memdesc_index %as[%c2] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c2, %c0] %a2, %bar2, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b2 = ttg.memdesc_index %bs[%c2] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c2, %c0] %b2, %bar2, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %sum, %end_to, %end_at, %end_phase = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %to = %c2, %at = %before, %old = %c0) -> (tensor<64x64xi32, #mma>, i32, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %other = arith.xori %old, %c1 : i32
    %phase = arith.select %over, %other, %old : i32
    %bar = ttg.memdesc_index %bars[%slot] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.wait_barrier %bar, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %bt = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %bv = ttg.local_load %bt {dotload.staged = "copy"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #copied>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    ttg.local_store %bv, %k : tensor<128x64xi8, #copied> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    %at_tile = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %avr = ttg.local_load %at_tile {dotload.staged = "fragments"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #held>
    %av = builtin.unrealized_conversion_cast %avr : tensor<128x64xi8, #held> to tensor<64x128xi8, #fragments>
    ttng.fence_async_shared {bCluster = false}
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %next = arith.select %to_over, %c0, %to_up : i32
    %to_bar = ttg.memdesc_index %bars[%next] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.barrier_expect %to_bar, 16384, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %to_a = ttg.memdesc_index %as[%next] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    ttng.async_tma_copy_global_to_local %a[%i, %c0] %to_a, %to_bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %to_b = ttg.memdesc_index %bs[%next] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    ttng.async_tma_copy_global_to_local %b[%i, %c0] %to_b, %to_bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x128xi8, #fragments> * !ttg.memdesc<128x64xi8, #k_major, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    scf.yield %done, %next, %slot, %phase : tensor<64x64xi32, #mma>, i32, i32, i32
  }
  ttg.local_dealloc %copies : !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: One more tile of B than of A is in flight: it is not known which tile an iteration may overwrite.
// REMARK:      kept scf.for: {{.*}} [COMPLETION]
// CHECK-LABEL: @more_tiles_of_b_than_of_a
// CHECK:         scf.for
// CHECK-NOT:     dotload.barriers_placed
// CHECK:         scf.yield
tt.func @more_tiles_of_b_than_of_a(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<128x64xi8, #raw>) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable>
  %bars = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bar, #smem, mutable>
  %bar0 = ttg.memdesc_index %bars[%c0] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a0 = ttg.memdesc_index %as[%c0] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c0, %c0] %a0, %bar0, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b0 = ttg.memdesc_index %bs[%c0] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c0, %c0] %b0, %bar0, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %bar1 = ttg.memdesc_index %bars[%c1] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a1 = ttg.memdesc_index %as[%c1] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c1, %c0] %a1, %bar1, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b1 = ttg.memdesc_index %bs[%c1] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c1, %c0] %b1, %bar1, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %bar2 = ttg.memdesc_index %bars[%c2] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a2 = ttg.memdesc_index %as[%c2] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c2, %c0] %a2, %bar2, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b2 = ttg.memdesc_index %bs[%c2] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c2, %c0] %b2, %bar2, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c2, %c0] %b0, %bar0, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %sum, %end_to, %end_at, %end_phase = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %to = %c2, %at = %before, %old = %c0) -> (tensor<64x64xi32, #mma>, i32, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %other = arith.xori %old, %c1 : i32
    %phase = arith.select %over, %other, %old : i32
    %bar = ttg.memdesc_index %bars[%slot] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.wait_barrier %bar, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %bt = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %bv = ttg.local_load %bt {dotload.staged = "copy"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #copied>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    ttg.local_store %bv, %k : tensor<128x64xi8, #copied> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    %at_tile = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %avr = ttg.local_load %at_tile {dotload.staged = "fragments"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #held>
    %av = builtin.unrealized_conversion_cast %avr : tensor<128x64xi8, #held> to tensor<64x128xi8, #fragments>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x128xi8, #fragments> * !ttg.memdesc<128x64xi8, #k_major, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %next = arith.select %to_over, %c0, %to_up : i32
    %to_bar = ttg.memdesc_index %bars[%next] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.barrier_expect %to_bar, 16384, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %to_a = ttg.memdesc_index %as[%next] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    ttng.async_tma_copy_global_to_local %a[%i, %c0] %to_a, %to_bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %to_b = ttg.memdesc_index %bs[%next] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    ttng.async_tma_copy_global_to_local %b[%i, %c0] %to_b, %to_bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    scf.yield %done, %next, %slot, %phase : tensor<64x64xi32, #mma>, i32, i32, i32
  }
  ttg.local_dealloc %copies : !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: The loop waits at an mbarrier at which none of its copies arrives.
// REMARK:      kept scf.for: {{.*}} [COMPLETION]
// CHECK-LABEL: @mbarrier_of_no_copy
// CHECK:         scf.for
// CHECK-NOT:     dotload.barriers_placed
// CHECK:         scf.yield
tt.func @mbarrier_of_no_copy(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<128x64xi8, #raw>) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable>
  %bars = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bar, #smem, mutable>
  %bar0 = ttg.memdesc_index %bars[%c0] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a0 = ttg.memdesc_index %as[%c0] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c0, %c0] %a0, %bar0, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b0 = ttg.memdesc_index %bs[%c0] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c0, %c0] %b0, %bar0, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %bar1 = ttg.memdesc_index %bars[%c1] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a1 = ttg.memdesc_index %as[%c1] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c1, %c0] %a1, %bar1, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b1 = ttg.memdesc_index %bs[%c1] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c1, %c0] %b1, %bar1, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %bar2 = ttg.memdesc_index %bars[%c2] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a2 = ttg.memdesc_index %as[%c2] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c2, %c0] %a2, %bar2, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b2 = ttg.memdesc_index %bs[%c2] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c2, %c0] %b2, %bar2, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %others = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bar, #smem, mutable>
  %sum, %end_to, %end_at, %end_phase = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %to = %c2, %at = %before, %old = %c0) -> (tensor<64x64xi32, #mma>, i32, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %other = arith.xori %old, %c1 : i32
    %phase = arith.select %over, %other, %old : i32
    %bar = ttg.memdesc_index %bars[%slot] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %foreign = ttg.memdesc_index %others[%slot] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.wait_barrier %foreign, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %bt = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %bv = ttg.local_load %bt {dotload.staged = "copy"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #copied>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    ttg.local_store %bv, %k : tensor<128x64xi8, #copied> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    %at_tile = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %avr = ttg.local_load %at_tile {dotload.staged = "fragments"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #held>
    %av = builtin.unrealized_conversion_cast %avr : tensor<128x64xi8, #held> to tensor<64x128xi8, #fragments>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x128xi8, #fragments> * !ttg.memdesc<128x64xi8, #k_major, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %next = arith.select %to_over, %c0, %to_up : i32
    %to_bar = ttg.memdesc_index %bars[%next] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.barrier_expect %to_bar, 16384, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %to_a = ttg.memdesc_index %as[%next] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    ttng.async_tma_copy_global_to_local %a[%i, %c0] %to_a, %to_bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %to_b = ttg.memdesc_index %bs[%next] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    ttng.async_tma_copy_global_to_local %b[%i, %c0] %to_b, %to_bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    scf.yield %done, %next, %slot, %phase : tensor<64x64xi32, #mma>, i32, i32, i32
  }
  ttg.local_dealloc %copies : !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}
}
