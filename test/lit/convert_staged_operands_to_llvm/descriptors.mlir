// RUN: dotload-opt %s --convert-staged-operands-to-llvm | FileCheck %s

// COM: Tiles that TMA has written, read where they lie. Eight rows of k lie in different banks if they differ in k mod 8,
// COM: which those of one ldmatrix do not.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#fragments = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#k_major = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#held = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0], [64, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#copied = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0], [64, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#k_first = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Lanes with bit 1 take the two words of a permutation the other way round: their selectors turn to the other word.
// CHECK-LABEL: @fragments_of_a_tile_of_tma
// CHECK:         %[[TILE:.*]] = ttg.memdesc_index
// CHECK:         builtin.unrealized_conversion_cast %[[TILE]]
// CHECK:         %[[FIRST:.*]] = llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"
// CHECK-DAG:     %[[W0:.*]] = llvm.extractvalue %[[FIRST]][0]
// CHECK-DAG:     %[[W1:.*]] = llvm.extractvalue %[[FIRST]][1]
// CHECK:         %[[THREAD:.*]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"
// CHECK:         %[[HIGH:.*]] = arith.shrui %[[THREAD]], %c1_i32
// CHECK:         %[[BIT:.*]] = arith.andi %[[HIGH]], %c1_i32
// CHECK:         %[[TURN:.*]] = arith.muli %[[BIT]], %c17476_i32
// CHECK:         %[[EVEN:.*]] = arith.xori %[[TURN]], %c25632_i32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.prmt"(%[[W0]], %[[W1]], %[[EVEN]])
// CHECK:         %[[ODD:.*]] = arith.xori %[[TURN]], %c30001_i32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.prmt"(%[[W0]], %[[W1]], %[[ODD]])
// CHECK-COUNT-14: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK-NOT:     llvm.nvvm.prmt
// CHECK-NOT:     llvm.shufflevector
// CHECK:         %[[V:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x128xi8
// CHECK:         ttng.warp_group_dot %[[V]]
tt.func @fragments_of_a_tile_of_tma(%ring: !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>, %i: i32, %b: !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>) -> tensor<64x64xi32, #mma> {
  %tile = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %vr = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #held>
  %v = builtin.unrealized_conversion_cast %vr : tensor<128x64xi8, #held> to tensor<64x128xi8, #fragments>
  %d = ttng.warp_group_dot %v, %b, %zero {inputPrecision = 0 : i32} : tensor<64x128xi8, #fragments> * !ttg.memdesc<128x64xi8, #k_major, #smem, mutable> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: To wgmma's memory by stmatrix. Its eight rows lie two apart, and the upper four in the banks of the lower ones: for
// COM: them, lanes with bit 4 make the words of the other x of a pair.
// CHECK-LABEL: @a_copy_by_matrices
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"
// CHECK-NOT:     ldmatrix
// CHECK:         arith.muli %{{.*}}, %c17476_i32
// CHECK:         %[[UPPER:.*]] = arith.shrui %{{.*}}, %c4_i32
// CHECK:         %[[BIT:.*]] = arith.andi %[[UPPER]], %c1_i32
// CHECK:         arith.muli %[[BIT]], %c4369_i32
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3"
// CHECK-NOT:     stmatrix
// CHECK-NOT:     ttg.local_store
// CHECK-NOT:     to tensor<
// CHECK:         tt.return
tt.func @a_copy_by_matrices(%ring: !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>, %copies: !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable>, %i: i32) {
  %tile = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %slot = ttg.memdesc_index %copies[%i] {dotload.double_buffer} : !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
  %v = ttg.local_load %tile {dotload.staged = "copy"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #copied>
  ttg.local_store %v, %slot : tensor<128x64xi8, #copied> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
  tt.return
}

// COM: The loop waits for the mbarrier of the next tile, where there is one. Warps meet while the product runs: before they
// COM: store over the copy of the tile before, before TMA loads over what they have read, and before the next wait. Before
// COM: the loop the first tile is waited for if the loop runs at all.
// CHECK-LABEL: @a_loop_is_rotated
// CHECK-SAME:    %[[N:[^ ]*]]: i32
// CHECK:         gpu.barrier
// CHECK:         %[[SOME:.*]] = arith.cmpi slt, %[[START:.*]], %[[N]]
// CHECK:         ttng.wait_barrier %{{.*}}, %{{.*}}, %[[SOME]]
// CHECK:         llvm.nvvm.stmatrix
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    scf.for %[[I:.*]] = %[[START]] to %[[N]] step %[[STEP:.*]] iter_args(%[[ACC:[^ ]*]] =
// CHECK:           %[[SLOT:.*]] = arith.select
// CHECK:           ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32} : tensor<2xi32
// CHECK-NOT:       gpu.barrier
// CHECK:           llvm.nvvm.ldmatrix
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK:           %[[UP:.*]] = arith.addi %[[SLOT]]
// CHECK:           %[[LATER:.*]] = arith.select %{{.*}}, %[[UP]]
// CHECK:           %[[BAR:.*]] = ttg.memdesc_index %{{.*}}[%[[LATER]]] : !ttg.memdesc<3x1xi64
// CHECK:           %[[THERE:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
// CHECK-NEXT:      ttng.wait_barrier %[[BAR]], %{{.*}}, %[[THERE]]
// CHECK-NOT:       ttng.wait_barrier
// CHECK-NOT:       gpu.barrier
// CHECK:           llvm.nvvm.ldmatrix
// CHECK-NOT:       gpu.barrier
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ACC]] {{.*}}isAsync = true
// CHECK-NEXT:      gpu.barrier
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK-NOT:       gpu.barrier
// CHECK:           llvm.nvvm.stmatrix
// CHECK-NOT:       gpu.barrier
// CHECK:           ttng.barrier_expect
// CHECK:           ttng.fence_async_shared
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      ttng.async_tma_copy_global_to_local
// CHECK-NOT:       llvm.nvvm
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.yield %[[D]],
tt.func @a_loop_is_rotated(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<128x64xi8, #raw>) -> tensor<64x64xi32, #mma> {
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

// COM: A loop without a copy meets as well: TMA may load over tiles that all have read. Behind the loop, warps meet before
// COM: the memory serves another op, which Triton would see to if it saw no barrier behind the start of the last product.
// CHECK-LABEL: @the_partner_lies_right
// CHECK:         scf.for
// CHECK-NEXT:      arith.addi
// CHECK:           ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NOT:       gpu.barrier
// CHECK:           ttng.wait_barrier
// CHECK-NOT:       gpu.barrier
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      gpu.barrier
// CHECK-NOT:       llvm.nvvm
// CHECK:           ttng.barrier_expect
// CHECK:           gpu.barrier
// CHECK-NEXT:      ttng.async_tma_copy_global_to_local
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.yield
// CHECK:         ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tt.return
tt.func @the_partner_lies_right(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<64x128xi8, #k_first>) -> tensor<64x64xi32, #mma> {
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

// COM: A wait that has a condition already is not known to be for every iteration.
// CHECK-LABEL: @a_conditional_wait_stays
// CHECK:         scf.for %{{.*}} iter_args(%[[ACC:[^ ]*]] =
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           ttng.wait_barrier
// CHECK:           llvm.nvvm.stmatrix
// CHECK:           ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ACC]]
tt.func @a_conditional_wait_stays(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<128x64xi8, #raw>) -> tensor<64x64xi32, #mma> {
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

// COM: Loads that start before the product would overwrite what warps still read: there is no meeting in front of them.
// CHECK-LABEL: @loads_before_the_product_stay
// CHECK:         scf.for %{{.*}} iter_args(%[[ACC:[^ ]*]] =
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           ttng.wait_barrier
// CHECK:           llvm.nvvm.stmatrix
// CHECK:           ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ACC]]
tt.func @loads_before_the_product_stay(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<128x64xi8, #raw>) -> tensor<64x64xi32, #mma> {
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

// COM: One more tile of B than of A has been asked for: it is not known which of them an iteration may overwrite.
// CHECK-LABEL: @unequal_rings_stay
// CHECK:         scf.for %{{.*}} iter_args(%[[ACC:[^ ]*]] =
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           llvm.nvvm.stmatrix
// CHECK:           ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ACC]]
tt.func @unequal_rings_stay(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<128x64xi8, #raw>) -> tensor<64x64xi32, #mma> {
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

// COM: The loop waits for what none of its copies tells.
// CHECK-LABEL: @a_foreign_mbarrier_stays
// CHECK:         scf.for %{{.*}} iter_args(%[[ACC:[^ ]*]] =
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           llvm.nvvm.stmatrix
// CHECK:           ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ACC]]
tt.func @a_foreign_mbarrier_stays(%n: i32, %a: !tt.tensordesc<128x64xi8, #raw>, %b: !tt.tensordesc<128x64xi8, #raw>) -> tensor<64x64xi32, #mma> {
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

// COM: Each warp waits for what TMA writes, and reads it then. Others may not be done yet with what the tile to be stored to
// COM: held before.
// CHECK-LABEL: @a_wait_for_tma_is_enough
// CHECK:         ttng.wait_barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         llvm.nvvm.ldmatrix
// CHECK:         gpu.barrier
// CHECK:         llvm.nvvm.stmatrix
tt.func @a_wait_for_tma_is_enough(%desc: !tt.tensordesc<128x64xi8, #raw>, %copies: !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable>, %i: i32) {
  %true = arith.constant true
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %bars = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bar, #smem, mutable>
  %slot = ttg.memdesc_index %copies[%i] {dotload.double_buffer} : !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
  %tile = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %bar = ttg.memdesc_index %bars[%i] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %desc[%i, %i] %tile, %bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  ttng.wait_barrier %bar, %i : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %v = ttg.local_load %tile {dotload.staged = "copy"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #copied>
  ttg.local_store %v, %slot : tensor<128x64xi8, #copied> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
  tt.return
}

// COM: What all warps have stored is not there when another operand's mbarrier says that TMA is done.
// CHECK-LABEL: @a_wait_for_something_else
// CHECK:         ttg.local_alloc %
// CHECK:         ttng.wait_barrier
// CHECK-NEXT:    gpu.barrier
// CHECK:         llvm.nvvm.ldmatrix
tt.func @a_wait_for_something_else(%x: tensor<128x64xi8, #blocked>, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %copies: !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable>, %i: i32) {
  %slot = ttg.memdesc_index %copies[%i] {dotload.double_buffer} : !ttg.memdesc<2x128x64xi8, #k_major, #smem, mutable> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
  %tile = ttg.local_alloc %x : (tensor<128x64xi8, #blocked>) -> !ttg.memdesc<128x64xi8, #raw, #smem>
  ttng.wait_barrier %bar, %i : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %v = ttg.local_load %tile {dotload.staged = "copy"} : !ttg.memdesc<128x64xi8, #raw, #smem> -> tensor<128x64xi8, #copied>
  ttg.local_store %v, %slot : tensor<128x64xi8, #copied> -> !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>
  tt.return
}

// COM: Memory that is given back may serve the next op while other warps still read.
// CHECK-LABEL: @a_tile_that_is_given_back
// CHECK:         llvm.nvvm.ldmatrix
// CHECK:         ttg.local_dealloc
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttg.convert_layout
tt.func @a_tile_that_is_given_back(%b: !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32, %o: tensor<128x64xi8, #blocked>) -> (tensor<64x64xi32, #mma>, tensor<128x64xi8, #blocked1>) {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %tile = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %vr = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #held>
  %v = builtin.unrealized_conversion_cast %vr : tensor<128x64xi8, #held> to tensor<64x128xi8, #fragments>
  ttg.local_dealloc %ring : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %c = ttg.convert_layout %o : tensor<128x64xi8, #blocked> -> tensor<128x64xi8, #blocked1>
  %d = ttng.warp_group_dot %v, %b, %zero {inputPrecision = 0 : i32} : tensor<64x128xi8, #fragments> * !ttg.memdesc<128x64xi8, #k_major, #smem, mutable> -> tensor<64x64xi32, #mma>
  tt.return %d, %c : tensor<64x64xi32, #mma>, tensor<128x64xi8, #blocked1>
}

// COM: Reads that no plan has made stay Triton's: of a K-major operand, of a tile that goes elsewhere.
// CHECK-LABEL: @reads_of_tritons_own
// CHECK:         ttg.local_load {{.*}} -> tensor<64x128xi8, #ttg.dot_op
// CHECK:         ttg.local_load {{.*}} -> tensor<128x64xi8, #blocked
// CHECK-NOT:     llvm.
// CHECK:         tt.return
tt.func @reads_of_tritons_own(%ring: !ttg.memdesc<3x64x128xi8, #k_first, #smem, mutable>, %other: !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>, %i: i32) -> (tensor<64x128xi8, #fragments>, tensor<128x64xi8, #blocked>) {
  %t = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x64x128xi8, #k_first, #smem, mutable> -> !ttg.memdesc<64x128xi8, #k_first, #smem, mutable>
  %v = ttg.local_load %t : !ttg.memdesc<64x128xi8, #k_first, #smem, mutable> -> tensor<64x128xi8, #fragments>
  %u = ttg.memdesc_index %other[%i] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %w = ttg.local_load %u {dotload.staged = "fragments"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #blocked>
  tt.return %v, %w : tensor<64x128xi8, #fragments>, tensor<128x64xi8, #blocked>
}
}
