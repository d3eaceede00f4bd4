// RUN: dotload-opt %s --prune-wgmma-waits=memory=true | FileCheck %s
// RUN: dotload-opt %s --prune-wgmma-waits | FileCheck %s --check-prefix=DEFAULT

// COM: Triton 3.9 walks through all addresses of each alias of shared memory, so a wait forwards no memory without a
// COM: later use.

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]}, alignment = 16>
#trans = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The tile stays allocated up to the next CTA barrier.
// CHECK-LABEL: @tile_is_not_used_behind_the_wait
// CHECK:         scf.for
// CHECK:           %[[B:.*]] = ttg.local_alloc
// CHECK:           ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32} : tensor<64x64xf32
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      ttg.local_dealloc %[[B]]
// DEFAULT-LABEL: @tile_is_not_used_behind_the_wait
// DEFAULT:         ttng.warp_group_dot %
// DEFAULT-NEXT:    ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
tt.func @tile_is_not_used_behind_the_wait(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #trans, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #trans, #smem>
    gpu.barrier
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: An op takes scratch memory before the CTA barrier, and must not get this tile's.
// CHECK-LABEL: @scratch_before_the_barrier
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
tt.func @scratch_before_the_barrier(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #trans, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #trans, #smem>
    %scratch = ttg.convert_layout %x : tensor<32x64xf32, #blocked> -> tensor<32x64xf32, #mma>
    gpu.barrier
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: Memory that is allocated here and written after the CTA barrier must not be this tile's either.
// CHECK-LABEL: @alloc_before_the_barrier
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
tt.func @alloc_before_the_barrier(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #trans, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #trans, #smem>
    %later = ttg.local_alloc : () -> !ttg.memdesc<32x64xf32, #trans, #smem, mutable>
    gpu.barrier
    ttg.local_store %x, %later : tensor<32x64xf32, #blocked> -> !ttg.memdesc<32x64xf32, #trans, #smem, mutable>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: At a barrier of some warps, the dots of other warps may still run.
// CHECK-LABEL: @barrier_of_a_warp
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:      gpu.barrier scope <subgroup>
tt.func @barrier_of_a_warp(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #trans, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #trans, #smem>
    gpu.barrier scope <subgroup>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: After a barrier that fences global memory only, warps do not see stores of others to shared memory.
// CHECK-LABEL: @barrier_for_global_memory
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:      gpu.barrier memfence
tt.func @barrier_for_global_memory(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #trans, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #trans, #smem>
    gpu.barrier memfence [#gpu.address_space<global>]
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: A wait that leaves a dot in flight does not free its tiles.
// CHECK-LABEL: @dot_in_flight_behind_the_wait
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 1 : i32}
tt.func @dot_in_flight_behind_the_wait(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #trans, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %acc, %b {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #trans, #smem>
    gpu.barrier
    %late = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    scf.yield %late : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: A tile that a later wait also forwards stays allocated up to that wait.
// CHECK-LABEL: @later_wait_forwards_the_tile
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %[[B:[^ ]*]] {pendings = 0 : i32}
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %[[B]] {pendings = 0 : i32}
// CHECK-NOT:       ttg.local_dealloc
// CHECK:           scf.yield
tt.func @later_wait_forwards_the_tile(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #trans, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #trans, #smem>
    gpu.barrier
    %d2 = ttng.warp_group_dot %av, %b, %done {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
    %done2, %free2 = ttng.warp_group_dot_wait %d2, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #trans, #smem>
    scf.yield %done2 : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: The wait has no register to forward, so it stays.
// CHECK-LABEL: @wait_forwards_memory_alone
// CHECK:           ttng.warp_group_dot_wait %{{[^,]*}} {pendings = 0 : i32} : !ttg.memdesc
tt.func @wait_forwards_memory_alone(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #trans, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
    %free = ttng.warp_group_dot_wait %b {pendings = 0 : i32} : !ttg.memdesc<32x64xf32, #trans, #smem>
    gpu.barrier
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: The buffers of a loop stay allocated throughout the loop.
// CHECK-LABEL: @buffers_of_a_loop
// CHECK:         %[[BUFFERS:.*]] = ttg.local_alloc
// CHECK:           ttng.warp_group_dot_wait %{{[^,]*}} {pendings = 0 : i32}
// CHECK-NOT:       ttg.local_dealloc
// CHECK:           scf.yield
// CHECK:         ttg.local_dealloc %[[BUFFERS]]
tt.func @buffers_of_a_loop(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x32x64xf32, #trans, #smem, mutable>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x32x64xf32, #trans, #smem, mutable> -> !ttg.memdesc<32x64xf32, #trans, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #trans, #smem, mutable>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  ttg.local_dealloc %ring : !ttg.memdesc<2x32x64xf32, #trans, #smem, mutable>
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: Buffers that are allocated in the loop are free after their last use.
// CHECK-LABEL: @buffers_of_an_iteration
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
tt.func @buffers_of_an_iteration(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %ring = ttg.local_alloc : () -> !ttg.memdesc<2x32x64xf32, #trans, #smem, mutable>
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x32x64xf32, #trans, #smem, mutable> -> !ttg.memdesc<32x64xf32, #trans, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #trans, #smem, mutable>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: A use of the buffer after the wait must not move above it.
// CHECK-LABEL: @buffer_is_used_behind_the_wait
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:      ttg.local_store %{{.*}}, %[[W]]#1
tt.func @buffer_is_used_behind_the_wait(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x32x64xf32, #trans, #smem, mutable>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x32x64xf32, #trans, #smem, mutable> -> !ttg.memdesc<32x64xf32, #trans, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #trans, #smem, mutable>
    ttg.local_store %x, %free : tensor<32x64xf32, #blocked> -> !ttg.memdesc<32x64xf32, #trans, #smem, mutable>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  ttg.local_dealloc %ring : !ttg.memdesc<2x32x64xf32, #trans, #smem, mutable>
  tt.return %sum : tensor<64x64xf32, #mma>
}
}
