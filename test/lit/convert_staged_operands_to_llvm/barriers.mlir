// RUN: dotload-opt %s --convert-staged-operands-to-llvm --split-input-file | FileCheck %s

// COM: Triton does not see accesses in the LLVM dialect: the pass places their CTA barriers.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#other = #ttg.linear<{register = [[0, 1], [0, 2], [1, 0], [2, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The tile is written in the same block: a CTA barrier comes before the read.
// CHECK-LABEL: @a_tile_that_was_just_filled
// CHECK:         ttg.local_alloc %{{.*}} : (tensor
// CHECK-NEXT:    gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         llvm.load
// CHECK:         tt.return
tt.func @a_tile_that_was_just_filled(%t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #words>
  tt.return %v : tensor<4x128xi8, #words>
}

// COM: Triton itself places a barrier after the wait for copies.
// CHECK-LABEL: @a_tile_that_was_waited_for
// CHECK:         ttg.async_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         llvm.load
// CHECK:         tt.return
tt.func @a_tile_that_was_waited_for(%ring: !ttg.memdesc<2x4x128xi8, #raw, #smem, mutable>, %i: i32, %p: tensor<4x128x!tt.ptr<i8>, #blocked>) -> tensor<4x128xi8, #words> {
  %slot = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x4x128xi8, #raw, #smem, mutable> -> !ttg.memdesc<4x128xi8, #raw, #smem, mutable>
  %copy = ttg.async_copy_global_to_local %p, %slot : tensor<4x128x!tt.ptr<i8>, #blocked> -> <4x128xi8, #raw, #smem, mutable>
  %group = ttg.async_commit_group tokens %copy
  %done = ttg.async_wait %group {num = 0 : i32}
  %v = ttg.local_load %slot token %done {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem, mutable> -> tensor<4x128xi8, #words>
  tt.return %v : tensor<4x128xi8, #words>
}

// COM: An asynchronous copy in flight writes another buffer; the reader of that buffer waits for it.
// CHECK-LABEL: @another_copy_behind_the_wait
// CHECK:         ttg.async_wait
// CHECK-NEXT:    ttg.async_copy_global_to_local
// CHECK-NOT:     gpu.barrier
// CHECK:         llvm.load
// CHECK:         tt.return
tt.func @another_copy_behind_the_wait(%ring: !ttg.memdesc<2x4x128xi8, #raw, #smem, mutable>, %i: i32, %j: i32, %p: tensor<4x128x!tt.ptr<i8>, #blocked>) -> tensor<4x128xi8, #words> {
  %slot = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x4x128xi8, #raw, #smem, mutable> -> !ttg.memdesc<4x128xi8, #raw, #smem, mutable>
  %other = ttg.memdesc_index %ring[%j] : !ttg.memdesc<2x4x128xi8, #raw, #smem, mutable> -> !ttg.memdesc<4x128xi8, #raw, #smem, mutable>
  %done = ttg.async_wait {num = 0 : i32}
  %copy = ttg.async_copy_global_to_local %p, %other : tensor<4x128x!tt.ptr<i8>, #blocked> -> <4x128xi8, #raw, #smem, mutable>
  %v = ttg.local_load %slot token %done {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem, mutable> -> tensor<4x128xi8, #words>
  tt.return %v : tensor<4x128xi8, #words>
}

// COM: A store after the wait needs a barrier of its own.
// CHECK-LABEL: @a_tile_that_was_waited_for_and_filled
// CHECK:         ttg.async_wait
// CHECK:         ttg.local_store
// CHECK-NEXT:    gpu.barrier
// CHECK:         llvm.load
// CHECK:         tt.return
tt.func @a_tile_that_was_waited_for_and_filled(%ring: !ttg.memdesc<2x4x128xi8, #raw, #smem, mutable>, %i: i32, %t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #words> {
  %slot = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x4x128xi8, #raw, #smem, mutable> -> !ttg.memdesc<4x128xi8, #raw, #smem, mutable>
  %done = ttg.async_wait {num = 0 : i32}
  ttg.local_store %t, %slot : tensor<4x128xi8, #blocked> -> !ttg.memdesc<4x128xi8, #raw, #smem, mutable>
  %v = ttg.local_load %slot {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem, mutable> -> tensor<4x128xi8, #words>
  tt.return %v : tensor<4x128xi8, #words>
}

// COM: The tile may have been stored just before the loop: a barrier is needed in its body. It is stored to again after
// COM: the loop at the earliest.
// CHECK-LABEL: @a_tile_from_outside_of_the_loop
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK:           llvm.load
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.yield
// CHECK:         gpu.barrier
// CHECK-NEXT:    tt.return
tt.func @a_tile_from_outside_of_the_loop(%t: tensor<4x128xi8, #blocked>, %s: tensor<4x128xi8, #words>, %n: i32) -> tensor<4x128xi8, #words> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %s) -> (tensor<4x128xi8, #words>) : i32 {
    %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #words>
    %sum = arith.addi %v, %acc : tensor<4x128xi8, #words>
    scf.yield %sum : tensor<4x128xi8, #words>
  }
  tt.return %r : tensor<4x128xi8, #words>
}

// COM: The next iteration loads before the barrier, and stores behind it. A barrier that Triton needs serves both reads.
// CHECK-LABEL: @next_iteration_loads_before_the_barrier
// CHECK:         scf.for
// CHECK-NEXT:      tt.load
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      ttg.local_alloc
// CHECK-NEXT:      ttg.local_alloc
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      ttg.local_load
// CHECK-NOT:       gpu.barrier
// CHECK:           llvm.load
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
tt.func @next_iteration_loads_before_the_barrier(%p: tensor<4x128x!tt.ptr<i8>, #blocked>, %s: tensor<4x128xi8, #words>, %n: i32) -> tensor<4x128xi8, #words> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %s) -> (tensor<4x128xi8, #words>) : i32 {
    %t = tt.load %p : tensor<4x128x!tt.ptr<i8>, #blocked>
    %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
    %plain = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
    %w = ttg.local_load %plain : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #words>
    %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #words>
    %x = arith.addi %v, %w : tensor<4x128xi8, #words>
    %sum = arith.addi %x, %acc : tensor<4x128xi8, #words>
    scf.yield %sum : tensor<4x128xi8, #words>
  }
  tt.return %r : tensor<4x128xi8, #words>
}

// COM: The next copy may overwrite the buffer that other warps still read: a barrier comes before it.
// CHECK-LABEL: @next_copy_waits_for_all_readers
// CHECK:         ttg.async_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         llvm.load
// CHECK-NOT:     gpu.barrier
// CHECK:         arith.addi
// CHECK:         gpu.barrier
// CHECK-NEXT:    ttg.async_copy_global_to_local
// CHECK-NOT:     gpu.barrier
// CHECK:         tt.return
tt.func @next_copy_waits_for_all_readers(%ring: !ttg.memdesc<2x4x128xi8, #raw, #smem, mutable>, %i: i32, %p: tensor<4x128x!tt.ptr<i8>, #blocked>) -> tensor<4x128xi8, #words> {
  %slot = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x4x128xi8, #raw, #smem, mutable> -> !ttg.memdesc<4x128xi8, #raw, #smem, mutable>
  %done = ttg.async_wait {num = 0 : i32}
  %v = ttg.local_load %slot token %done {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem, mutable> -> tensor<4x128xi8, #words>
  %sum = arith.addi %v, %v : tensor<4x128xi8, #words>
  %copy = ttg.async_copy_global_to_local %p, %slot : tensor<4x128x!tt.ptr<i8>, #blocked> -> <4x128xi8, #raw, #smem, mutable>
  %group = ttg.async_commit_group tokens %copy
  %all = ttg.async_wait %group {num = 0 : i32}
  tt.return %sum : tensor<4x128xi8, #words>
}

// COM: A wait before the next copy is followed by a barrier already: no other one is needed.
// CHECK-LABEL: @a_wait_before_the_next_copy
// CHECK:         llvm.load
// CHECK-NOT:     gpu.barrier
// CHECK:         ttg.async_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         ttg.async_copy_global_to_local
// CHECK-NOT:     gpu.barrier
// CHECK:         tt.return
tt.func @a_wait_before_the_next_copy(%ring: !ttg.memdesc<2x4x128xi8, #raw, #smem, mutable>, %i: i32, %p: tensor<4x128x!tt.ptr<i8>, #blocked>) -> tensor<4x128xi8, #words> {
  %slot = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x4x128xi8, #raw, #smem, mutable> -> !ttg.memdesc<4x128xi8, #raw, #smem, mutable>
  %done = ttg.async_wait {num = 1 : i32}
  %v = ttg.local_load %slot token %done {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem, mutable> -> tensor<4x128xi8, #words>
  %next = ttg.async_wait {num = 0 : i32}
  %copy = ttg.async_copy_global_to_local %p, %slot : tensor<4x128x!tt.ptr<i8>, #blocked> -> <4x128xi8, #raw, #smem, mutable>
  tt.return %v : tensor<4x128xi8, #words>
}

// COM: The memory of a local_alloc may be reused by another one after its last use. So the pass adds a local_dealloc,
// COM: which Triton sees, after the reads, and a barrier before the other. A conversion within a warp takes no memory.
// CHECK-LABEL: @memory_is_alive_until_it_is_read
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor
// CHECK-COUNT-4: llvm.load
// CHECK:         %[[V:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<4x128xi8
// CHECK-NEXT:    ttg.local_dealloc %[[RAW]]
// CHECK-NEXT:    ttg.convert_layout %[[V]]
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttg.local_alloc
// CHECK-NOT:     ttg.local_dealloc
// CHECK:         tt.return
tt.func @memory_is_alive_until_it_is_read(%t: tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #words>
  %w = ttg.convert_layout %v : tensor<4x128xi8, #words> -> tensor<4x128xi8, #other>
  %other = ttg.local_alloc %w : (tensor<4x128xi8, #other>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  tt.return %other : !ttg.memdesc<4x128xi8, #raw, #smem>
}

// CHECK-LABEL: @memory_that_is_given_back_already
// CHECK:         llvm.load
// CHECK-NOT:     ttg.local_dealloc
// CHECK:         "before"
// CHECK:         ttg.local_dealloc
// CHECK-NOT:     ttg.local_dealloc
// CHECK:         tt.return
tt.func @memory_that_is_given_back_already(%t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #words>
  tt.print "before" {hex = false, isSigned = array<i32>} 
  ttg.local_dealloc %raw : !ttg.memdesc<4x128xi8, #raw, #smem>
  tt.return %v : tensor<4x128xi8, #words>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A copy in a loop, as stage-dot-operands and the pipeliner leave it. The barrier at the wait for the raw tile
// COM: says that the buffer's last readers, two dots ago, are done. One more barrier, before the dot, says that the
// COM: copy is complete, and that the raw tile has been read before the next load overwrites it.
// CHECK-LABEL: @one_barrier_for_a_copy_in_a_loop
// CHECK:         scf.for
// CHECK:           ttg.async_wait
// CHECK-NOT:       gpu.barrier
// CHECK:           llvm.store
// CHECK-NOT:       gpu.barrier
// CHECK:           ttng.fence_async_shared
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      ttng.warp_group_dot
// CHECK-NOT:       gpu.barrier
// CHECK:           ttg.async_copy_global_to_local
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.yield
tt.func @one_barrier_for_a_copy_in_a_loop(%a: !ttg.memdesc<64x64xi8, #shared, #smem>, %tiles: !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable>, %slots: !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable>, %p: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xi32, #mma>) : i32 {
    %odd = arith.andi %i, %c1 : i32
    %done = ttg.async_wait {num = 0 : i32}
    %tile = ttg.memdesc_index %tiles[%odd] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
    %v = ttg.local_load %tile token %done {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
    %slot = ttg.memdesc_index %slots[%odd] {dotload.double_buffer} : !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
    ttg.local_store %v, %slot : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %a, %slot, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem, mutable> -> tensor<64x64xi32, #mma>
    %w:3 = ttng.warp_group_dot_wait %d, %a, %slot {pendings = 1 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem>, !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
    %copy = ttg.async_copy_global_to_local %p, %tile : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %w#0 : tensor<64x64xi32, #mma>
  }
  tt.return %r : tensor<64x64xi32, #mma>
}

// COM: The next raw tile is loaded before the dot: a barrier comes right after the reads of the current one.
// CHECK-LABEL: @next_raw_tile_is_loaded_before_the_dot
// CHECK:         ttg.async_wait
// CHECK-NOT:     gpu.barrier
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ldmatrix
// CHECK:         gpu.barrier
// CHECK-NEXT:    ttg.async_copy_global_to_local
// CHECK:         llvm.store
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttng.warp_group_dot
tt.func @next_raw_tile_is_loaded_before_the_dot(%a: !ttg.memdesc<64x64xi8, #shared, #smem>, %tiles: !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable>, %slot: !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>, %p: tensor<64x64x!tt.ptr<i8>, #blocked>, %i: i32) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %done = ttg.async_wait {num = 0 : i32}
  %tile = ttg.memdesc_index %tiles[%i] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  %v = ttg.local_load %tile token %done {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
  %copy = ttg.async_copy_global_to_local %p, %tile : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw, #smem, mutable>
  ttg.local_store %v, %slot : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %slot, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem, mutable> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: The copy has an allocation of its own, which may be the scratch memory of the op before: a barrier before the
// COM: stores.
// CHECK-LABEL: @memory_of_scratch_space
// CHECK:         ttg.async_wait
// CHECK:         ttg.convert_layout
// CHECK:         gpu.barrier
// CHECK:         llvm.store
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttng.warp_group_dot
tt.func @memory_of_scratch_space(%a: !ttg.memdesc<64x64xi8, #shared, #smem>, %tiles: !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable>, %i: i32, %s: tensor<64x64xi32, #blocked>) -> tensor<64x64xi32, #mma> {
  %done = ttg.async_wait {num = 0 : i32}
  %start = ttg.convert_layout %s : tensor<64x64xi32, #blocked> -> tensor<64x64xi32, #mma>
  %tile = ttg.memdesc_index %tiles[%i] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  %v = ttg.local_load %tile token %done {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
  %b = ttg.local_alloc %v : (tensor<64x64xi8, #runs>) -> !ttg.memdesc<64x64xi8, #shared1, #smem>
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %b, %start {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: No op has used shared memory since the wait; a local_alloc without contents does not use it.
// CHECK-LABEL: @memory_not_used_since_the_wait
// CHECK:         ttg.async_wait
// CHECK-NOT:     gpu.barrier
// CHECK-COUNT-2: llvm.store
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttng.warp_group_dot
tt.func @memory_not_used_since_the_wait(%a: !ttg.memdesc<64x64xi8, #shared, #smem>, %tiles: !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable>, %i: i32) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %done = ttg.async_wait {num = 0 : i32}
  %tile = ttg.memdesc_index %tiles[%i] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  %v = ttg.local_load %tile token %done {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
  %b = ttg.local_alloc %v : (tensor<64x64xi8, #runs>) -> !ttg.memdesc<64x64xi8, #shared1, #smem>
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: A dot that reads the buffer through a view waits for the barrier; a dot that reads another buffer does not.
// CHECK-LABEL: @dot_reads_a_view
// CHECK:         llvm.store
// CHECK-NOT:     gpu.barrier
// CHECK:         %[[FIRST:.*]] = ttng.warp_group_dot %[[A:.*]], %[[B:.*]], %{{.*}} {
// CHECK:         %[[VIEW:.*]] = ttg.memdesc_trans
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttng.warp_group_dot %[[VIEW]], %[[B]], %[[FIRST]]
// CHECK-NOT:     gpu.barrier
// CHECK:         tt.return
tt.func @dot_reads_a_view(%a: !ttg.memdesc<64x64xi8, #shared, #smem>, %b: !ttg.memdesc<64x64xi8, #shared1, #smem>, %tiles: !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable>, %slot: !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>, %i: i32) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %done = ttg.async_wait {num = 0 : i32}
  %tile = ttg.memdesc_index %tiles[%i] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  %v = ttg.local_load %tile token %done {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
  ttg.local_store %v, %slot : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
  %view = ttg.memdesc_trans %slot {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xi8, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
  %e = ttng.warp_group_dot %view, %b, %d {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem, mutable> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
  tt.return %e : tensor<64x64xi32, #mma>
}

// COM: Loads come between that dot and the reader. A barrier before them would be one between the dot and its wait, and
// COM: hide from membar that the dot is still reading: it stands before the dot.
// CHECK-LABEL: @dot_of_another_tile_before_loads
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttng.warp_group_dot
// CHECK-NOT:     gpu.barrier
// CHECK:         tt.return
tt.func @dot_of_another_tile_before_loads(%a: !ttg.memdesc<64x64xi8, #shared, #smem>, %b: !ttg.memdesc<64x64xi8, #shared1, #smem>, %tiles: !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable>, %slot: !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>, %p: tensor<64x64x!tt.ptr<i8>, #blocked>, %i: i32, %j: i32) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %done = ttg.async_wait {num = 0 : i32}
  %tile = ttg.memdesc_index %tiles[%i] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  %v = ttg.local_load %tile token %done {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
  ttg.local_store %v, %slot : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
  %other = ttg.memdesc_index %tiles[%j] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  %copy = ttg.async_copy_global_to_local %p, %other : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw, #smem, mutable>
  %e = ttng.warp_group_dot %a, %slot, %d {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem, mutable> -> tensor<64x64xi32, #mma>
  tt.return %e : tensor<64x64xi32, #mma>
}

// COM: Copies come first: the barrier between a copy and its dot also says that the other tile has been read.
// CHECK-LABEL: @one_barrier_for_two_tiles
// CHECK:         ttg.async_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         to tensor<64x64xi8
// CHECK-NOT:     gpu.barrier
// CHECK:         llvm.store
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttng.warp_group_dot
// CHECK-NOT:     gpu.barrier
// CHECK:         ttg.async_copy_global_to_local
// CHECK-NOT:     gpu.barrier
// CHECK:         tt.return
tt.func @one_barrier_for_two_tiles(%a: !ttg.memdesc<64x64xi8, #shared, #smem>, %tiles: !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable>, %slots: !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable>, %p: tensor<64x64x!tt.ptr<i8>, #blocked>, %i: i32, %j: i32) -> (tensor<64x64xi32, #mma>, tensor<64x64xi8, #runs>) {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %done = ttg.async_wait {num = 0 : i32}
  %other = ttg.memdesc_index %tiles[%j] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  %u = ttg.local_load %other token %done {dotload.staged = "fragments"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
  %tile = ttg.memdesc_index %tiles[%i] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  %v = ttg.local_load %tile token %done {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
  %slot = ttg.memdesc_index %slots[%i] {dotload.double_buffer} : !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttg.local_store %v, %slot : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %slot, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem, mutable> -> tensor<64x64xi32, #mma>
  %copy = ttg.async_copy_global_to_local %p, %other : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw, #smem, mutable>
  tt.return %d, %u : tensor<64x64xi32, #mma>, tensor<64x64xi8, #runs>
}

// COM: The barrier of a tile that wgmma takes comes after the wait for the dot, which prune-wgmma-waits relies on.
// CHECK-LABEL: @a_barrier_after_the_wait_for_the_dot
// CHECK:         scf.for
// CHECK-NEXT:      tt.load
// CHECK-NEXT:      ttg.local_alloc
// CHECK-NEXT:      gpu.barrier
// CHECK-NOT:       gpu.barrier
// CHECK:           ttng.warp_group_dot_wait
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      scf.yield
tt.func @a_barrier_after_the_wait_for_the_dot(%p: tensor<64x64x!tt.ptr<i8>, #blocked>, %b: !ttg.memdesc<64x64xi8, #shared1, #smem>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xi32, #mma>) : i32 {
    %t = tt.load %p : tensor<64x64x!tt.ptr<i8>, #blocked>
    %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #raw, #smem>
    %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<64x64xi8, #raw, #smem> -> tensor<64x64xi8, #runs>
    %a = builtin.unrealized_conversion_cast %v : tensor<64x64xi8, #runs> to tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xi32, #mma>
    scf.yield %w : tensor<64x64xi32, #mma>
  }
  tt.return %r : tensor<64x64xi32, #mma>
}

// COM: The raw tile stays allocated until its copy is stored, since otherwise both might share memory.
// CHECK-LABEL: @a_raw_tile_is_alive_until_it_is_copied
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor
// CHECK-NOT:     ttg.local_dealloc
// CHECK-COUNT-2: llvm.store
// CHECK:         ttg.local_dealloc %[[RAW]]
// CHECK:         ttng.warp_group_dot
tt.func @a_raw_tile_is_alive_until_it_is_copied(%t: tensor<64x64xi8, #blocked>, %a: !ttg.memdesc<64x64xi8, #shared, #smem>) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem> -> tensor<64x64xi8, #runs>
  %b = ttg.local_alloc %v : (tensor<64x64xi8, #runs>) -> !ttg.memdesc<64x64xi8, #shared1, #smem>
  %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

}
