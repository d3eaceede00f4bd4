// RUN: dotload-opt %s --convert-staged-operands-to-llvm | FileCheck %s

// COM: Tiles that TMA has written, read in place. Eight rows of k lie in different banks if they differ in k mod 8,
// COM: which the rows of one ldmatrix do not.

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

// COM: Lanes with bit 1 hold the two words of a permutation in exchanged order: their selectors take the bytes of the
// COM: other word.
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

// COM: Fragments are stored for wgmma by stmatrix. Its eight rows are two apart, and the upper four fall into the banks
// COM: of the lower four. So lanes with bit 4 permute the words of the other x of a pair.
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

// COM: Each warp waits for TMA by itself and then reads. Other warps may still read the previous contents of the buffer
// COM: that is stored to.
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

// COM: No op of the loop writes to the tile: the barrier comes after the loop.
// CHECK-LABEL: @a_tile_that_the_loop_only_reads
// CHECK:         scf.for
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.yield
// CHECK:         gpu.barrier
// CHECK-NEXT:    ttng.async_tma_copy_global_to_local
tt.func @a_tile_that_the_loop_only_reads(%desc: !tt.tensordesc<128x64xi8, #raw>, %start: tensor<128x64xi8, #copied>, %i: i32) -> tensor<128x64xi8, #copied> {
  %true = arith.constant true
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>
  %bars = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #bar, #smem, mutable>
  %tile = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %bar = ttg.memdesc_index %bars[%i] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %desc[%i, %i] %tile, %bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %j = %c0 to %i step %c1 iter_args(%acc = %start) -> (tensor<128x64xi8, #copied>) : i32 {
    ttng.wait_barrier %bar, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %v = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #copied>
    %sum = arith.addi %v, %acc : tensor<128x64xi8, #copied>
    scf.yield %sum : tensor<128x64xi8, #copied>
  }
  ttng.async_tma_copy_global_to_local %desc[%i, %i] %tile, %bar, %true : !tt.tensordesc<128x64xi8, #raw>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  tt.return %r : tensor<128x64xi8, #copied>
}

// COM: The mbarrier of another operand does not say that all warps have stored their copy.
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

// COM: Freed memory may be reused by the next op while other warps still read it.
// CHECK-LABEL: @freed_tile
// CHECK:         llvm.nvvm.ldmatrix
// CHECK:         ttg.local_dealloc
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttg.convert_layout
tt.func @freed_tile(%b: !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32, %o: tensor<128x64xi8, #blocked>) -> (tensor<64x64xi32, #mma>, tensor<128x64xi8, #blocked1>) {
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

// COM: Reads without the attribute stay Triton's: of a K-major operand, and of a tile with another use.
// CHECK-LABEL: @reads_of_tritons_own
// CHECK:         ttg.local_load {{.*}} -> tensor<64x128xi8, #ttg.dot_op
// CHECK:         ttg.local_load {{.*}} -> tensor<128x64xi8, #blocked
// CHECK-NOT:     llvm.
// CHECK:         tt.return
tt.func @reads_of_tritons_own(%ring: !ttg.memdesc<3x64x128xi8, #k_first, #smem, mutable>, %other: !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>, %i: i32) -> (tensor<64x128xi8, #fragments>, tensor<128x64xi8, #blocked>) {
  %t = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x64x128xi8, #k_first, #smem, mutable> -> !ttg.memdesc<64x128xi8, #k_first, #smem, mutable>
  %v = ttg.local_load %t : !ttg.memdesc<64x128xi8, #k_first, #smem, mutable> -> tensor<64x128xi8, #fragments>
  %u = ttg.memdesc_index %other[%i] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %w = ttg.local_load %u : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #blocked>
  tt.return %v, %w : tensor<64x128xi8, #fragments>, tensor<128x64xi8, #blocked>
}
}
