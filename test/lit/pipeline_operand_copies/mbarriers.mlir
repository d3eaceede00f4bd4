// RUN: dotload-opt %s --pipeline-operand-copies | FileCheck %s
// RUN: dotload-opt %s --pipeline-operand-copies=barrier-at-end=true | FileCheck %s --check-prefix=END

// COM: Loops whose tiles come by TMA: each warp waits at the mbarrier for itself.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#fragments = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#k_major = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#held = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0], [64, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#copied = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0], [64, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#k_first = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The loop waits at the next tile's mbarrier, under the condition that there is a next tile. CTA barriers are
// COM: placed while the dot runs: before the stores over the previous tile's copy, and before TMA overwrites what the
// COM: warps have read; at the end of the iteration, where membar has one between TMA and the next wait. Before the
// COM: loop, the first tile is waited for if the loop runs at all.
// CHECK-LABEL: @next_copy_under_the_dot
// CHECK-SAME:    %[[N:[^ ]*]]: i32
// CHECK:         gpu.barrier
// CHECK:         %[[SOME:.*]] = arith.cmpi slt, %[[START:.*]], %[[N]]
// CHECK:         ttng.wait_barrier %{{.*}}, %{{.*}}, %[[SOME]]
// CHECK:         ttg.local_store
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    scf.for %[[I:.*]] = %[[START]] to %[[N]] step %[[STEP:.*]] iter_args(%[[ACC:[^ ]*]] =
// CHECK:           %[[SLOT:.*]] = arith.select
// CHECK:           %[[FINISHED:.*]] = ttng.warp_group_dot_wait %[[ACC]] {pendings = 0 : i32}
// CHECK-NOT:       gpu.barrier
// CHECK:           ttg.local_load {{.*}} {dotload.barriers_placed, dotload.staged = "fragments"}
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK:           %[[UP:.*]] = arith.addi %[[SLOT]]
// CHECK:           %[[LATER:.*]] = arith.select %{{.*}}, %[[UP]]
// CHECK:           %[[BAR:.*]] = ttg.memdesc_index %{{.*}}[%[[LATER]]] : !ttg.memdesc<3x1xi64
// CHECK:           %[[THERE:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
// CHECK-NEXT:      ttng.wait_barrier %[[BAR]], %{{.*}}, %[[THERE]]
// CHECK-NOT:       ttng.wait_barrier
// CHECK-NOT:       gpu.barrier
// CHECK:           ttg.local_load {{.*}} {dotload.barriers_placed, dotload.staged = "copy"}
// CHECK-NOT:       gpu.barrier
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[FINISHED]] {{.*}}isAsync = true
// CHECK-NEXT:      gpu.barrier
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK-NOT:       gpu.barrier
// CHECK:           ttg.local_store
// CHECK-NOT:       gpu.barrier
// CHECK:           ttng.barrier_expect
// CHECK:           ttng.fence_async_shared
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      ttng.async_tma_copy_global_to_local
// CHECK-NOT:       ttg.local_
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.yield %[[D]],
// END-LABEL:     @next_copy_under_the_dot
// END:             ttng.barrier_expect
// END:             gpu.barrier
// END-NEXT:        ttng.async_tma_copy_global_to_local
// END:             gpu.barrier
// END-NEXT:        scf.yield
tt.func @next_copy_under_the_dot(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<128x64xi8, #raw>) -> tensor<64x64xi32, #mma> {
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

// COM: A loop without a copy has CTA barriers as well, since TMA overwrites tiles that warps read. It waits for the next
// COM: tile last, so that only the reads of fragments stand between two dots. A barrier before the loop keeps membar from
// COM: placing one there. The code after the loop has a barrier too, before the memory is reused: Triton would place it
// COM: only if it saw none after the start of the dot.
// CHECK-LABEL: @k_major_operand_in_place
// CHECK:         ttng.wait_barrier
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      arith.addi
// CHECK:           ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NOT:       gpu.barrier
// CHECK-NOT:       ttng.wait_barrier
// CHECK:           ttg.local_load {{.*}} {dotload.barriers_placed, dotload.staged = "fragments"}
// CHECK-NOT:       gpu.barrier
// CHECK-NOT:       ttng.wait_barrier
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       gpu.barrier
// CHECK-NOT:       ttg.local_
// CHECK:           ttng.barrier_expect
// CHECK:           gpu.barrier
// CHECK-NEXT:      ttng.async_tma_copy_global_to_local
// CHECK:           gpu.barrier
// CHECK-NEXT:      ttng.wait_barrier
// CHECK-NEXT:      scf.yield
// CHECK:         ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tt.return
tt.func @k_major_operand_in_place(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<64x128xi8, #k_first>) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %slots = arith.constant 4 : i32
  %before = arith.constant -1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<4x128x64xi8, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<4x64x128xi8, #k_first, #smem, mutable>
  %bars = ttg.local_alloc : () -> !ttg.memdesc<4x1xi64, #bar, #smem, mutable>
  %bar0 = ttg.memdesc_index %bars[%c0] : !ttg.memdesc<4x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a0 = ttg.memdesc_index %as[%c0] : !ttg.memdesc<4x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c0, %c0] %a0, %bar0, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b0 = ttg.memdesc_index %bs[%c0] : !ttg.memdesc<4x64x128xi8, #k_first, #smem, mutable> -> !ttg.memdesc<64x128xi8, #k_first, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c0, %c0] %b0, %bar0, %true : !tt.tensordesc<64x128xi8, #k_first>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x128xi8, #k_first, #smem, mutable>
  %bar1 = ttg.memdesc_index %bars[%c1] : !ttg.memdesc<4x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a1 = ttg.memdesc_index %as[%c1] : !ttg.memdesc<4x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c1, %c0] %a1, %bar1, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b1 = ttg.memdesc_index %bs[%c1] : !ttg.memdesc<4x64x128xi8, #k_first, #smem, mutable> -> !ttg.memdesc<64x128xi8, #k_first, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c1, %c0] %b1, %bar1, %true : !tt.tensordesc<64x128xi8, #k_first>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x128xi8, #k_first, #smem, mutable>
  %bar2 = ttg.memdesc_index %bars[%c2] : !ttg.memdesc<4x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %a2 = ttg.memdesc_index %as[%c2] : !ttg.memdesc<4x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.async_tma_copy_global_to_local %a[%c2, %c0] %a2, %bar2, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %b2 = ttg.memdesc_index %bs[%c2] : !ttg.memdesc<4x64x128xi8, #k_first, #smem, mutable> -> !ttg.memdesc<64x128xi8, #k_first, #smem, mutable>
  ttng.async_tma_copy_global_to_local %b[%c2, %c0] %b2, %bar2, %true : !tt.tensordesc<64x128xi8, #k_first>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x128xi8, #k_first, #smem, mutable>
  %sum, %end_to, %end_at, %end_phase = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %to = %c2, %at = %before, %old = %c0) -> (tensor<64x64xi32, #mma>, i32, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %other = arith.xori %old, %c1 : i32
    %phase = arith.select %over, %other, %old : i32
    %bar = ttg.memdesc_index %bars[%slot] : !ttg.memdesc<4x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.wait_barrier %bar, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %bt = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<4x64x128xi8, #k_first, #smem, mutable> -> !ttg.memdesc<64x128xi8, #k_first, #smem, mutable>
    %k = ttg.memdesc_trans %bt {order = array<i32: 1, 0>} : !ttg.memdesc<64x128xi8, #k_first, #smem, mutable> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    %at_tile = ttg.memdesc_index %as[%slot] : !ttg.memdesc<4x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %avr = ttg.local_load %at_tile {dotload.staged = "fragments"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #held>
    %av = builtin.unrealized_conversion_cast %avr : tensor<128x64xi8, #held> to tensor<64x128xi8, #fragments>
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x128xi8, #fragments> * !ttg.memdesc<128x64xi8, #k_major, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %next = arith.select %to_over, %c0, %to_up : i32
    %to_bar = ttg.memdesc_index %bars[%next] : !ttg.memdesc<4x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.barrier_expect %to_bar, 16384, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %to_a = ttg.memdesc_index %as[%next] : !ttg.memdesc<4x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    ttng.async_tma_copy_global_to_local %a[%i, %c0] %to_a, %to_bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
    %to_b = ttg.memdesc_index %bs[%next] : !ttg.memdesc<4x64x128xi8, #k_first, #smem, mutable> -> !ttg.memdesc<64x128xi8, #k_first, #smem, mutable>
    ttng.async_tma_copy_global_to_local %b[%i, %c0] %to_b, %to_bar, %true : !tt.tensordesc<64x128xi8, #k_first>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x128xi8, #k_first, #smem, mutable>
    scf.yield %done, %next, %slot, %phase : tensor<64x64xi32, #mma>, i32, i32, i32
  }
  tt.return %sum : tensor<64x64xi32, #mma>
}
}
