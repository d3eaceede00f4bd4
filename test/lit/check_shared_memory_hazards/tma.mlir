// RUN: dotload-opt %s --check-shared-memory-hazards --verify-diagnostics --split-input-file

// COM: Data from TMA may be read after a wait for the phase of its mbarrier.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!bar = !ttg.memdesc<1xi64, #bar, #smem, mutable>
!row = !ttg.memdesc<64x64xi8, #rows, #smem, mutable>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @the_phase_is_waited_for(%desc: !tt.tensordesc<64x64xi8, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #rows, #smem, mutable>
  %bars = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  %bar0 = ttg.memdesc_index %bars[%c0] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !bar
  %bar1 = ttg.memdesc_index %bars[%c1] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !bar
  ttng.init_barrier %bar0, 1 : !bar
  ttng.init_barrier %bar1, 1 : !bar
  %first = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<2x64x64xi8, #rows, #smem, mutable> -> !row
  ttng.barrier_expect %bar0, 4096, %true : !bar
  ttng.async_tma_copy_global_to_local %desc[%c0, %c0] %first, %bar0, %true : !tt.tensordesc<64x64xi8, #rows>, !bar -> !row
  ttng.wait_barrier %bar0, %c0 : !bar
  %v = ttg.local_load %first : !row -> !read
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!bar = !ttg.memdesc<1xi64, #bar, #smem, mutable>
!row = !ttg.memdesc<64x64xi8, #rows, #smem, mutable>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @another_mbarrier(%desc: !tt.tensordesc<64x64xi8, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #rows, #smem, mutable>
  %bars = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  %bar0 = ttg.memdesc_index %bars[%c0] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !bar
  %bar1 = ttg.memdesc_index %bars[%c1] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !bar
  ttng.init_barrier %bar0, 1 : !bar
  ttng.init_barrier %bar1, 1 : !bar
  %first = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<2x64x64xi8, #rows, #smem, mutable> -> !row
  ttng.barrier_expect %bar0, 4096, %true : !bar
  // expected-note @below {{written here, by 'ttng.async_tma_copy_global_to_local'}}
  ttng.async_tma_copy_global_to_local %desc[%c0, %c0] %first, %bar0, %true : !tt.tensordesc<64x64xi8, #rows>, !bar -> !row
  ttng.wait_barrier %bar1, %c0 : !bar
  // expected-error @below {{'ttg.local_load' reads shared memory that TMA may still be writing [NOT_ARRIVED]}}
  %v = ttg.local_load %first : !row -> !read
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!bar = !ttg.memdesc<1xi64, #bar, #smem, mutable>
!row = !ttg.memdesc<64x64xi8, #rows, #smem, mutable>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @a_phase_that_is_over(%desc: !tt.tensordesc<64x64xi8, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #rows, #smem, mutable>
  %bars = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  %bar0 = ttg.memdesc_index %bars[%c0] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !bar
  %bar1 = ttg.memdesc_index %bars[%c1] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !bar
  ttng.init_barrier %bar0, 1 : !bar
  ttng.init_barrier %bar1, 1 : !bar
  %first = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<2x64x64xi8, #rows, #smem, mutable> -> !row
  ttng.barrier_expect %bar0, 4096, %true : !bar
  // expected-note @below {{written here, by 'ttng.async_tma_copy_global_to_local'}}
  ttng.async_tma_copy_global_to_local %desc[%c0, %c0] %first, %bar0, %true : !tt.tensordesc<64x64xi8, #rows>, !bar -> !row
  ttng.wait_barrier %bar0, %c1 : !bar
  // expected-error @below {{'ttg.local_load' reads shared memory that TMA may still be writing [NOT_ARRIVED]}}
  %v = ttg.local_load %first : !row -> !read
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!bar = !ttg.memdesc<1xi64, #bar, #smem, mutable>
!row = !ttg.memdesc<64x64xi8, #rows, #smem, mutable>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @a_load_that_is_not_issued(%desc: !tt.tensordesc<64x64xi8, #rows>, %v: !read) {
  %c0 = arith.constant 0 : i32
  %false = arith.constant false
  %bar = ttg.local_alloc : () -> !bar
  ttng.init_barrier %bar, 1 : !bar
  %tile = ttg.local_alloc : () -> !row
  ttng.async_tma_copy_global_to_local %desc[%c0, %c0] %tile, %bar, %false : !tt.tensordesc<64x64xi8, #rows>, !bar -> !row
  ttg.local_store %v, %tile : !read -> !row
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!bar = !ttg.memdesc<1xi64, #bar, #smem, mutable>
!row = !ttg.memdesc<64x64xi8, #rows, #smem, mutable>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @a_load_that_may_be_issued(%desc: !tt.tensordesc<64x64xi8, #rows>, %v: !read, %is_issued: i1) {
  %c0 = arith.constant 0 : i32
  %bar = ttg.local_alloc : () -> !bar
  ttng.init_barrier %bar, 1 : !bar
  %tile = ttg.local_alloc : () -> !row
  // expected-note @below {{written here, by 'ttng.async_tma_copy_global_to_local'}}
  ttng.async_tma_copy_global_to_local %desc[%c0, %c0] %tile, %bar, %is_issued : !tt.tensordesc<64x64xi8, #rows>, !bar -> !row
  // expected-error @below {{'ttg.local_store' writes shared memory that TMA may still be writing [STILL_WRITTEN]}}
  ttg.local_store %v, %tile : !read -> !row
  tt.return
}
}

// -----

// COM: The end of the inner loop says nothing about a load that the loop does not wait for.
#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!bar = !ttg.memdesc<1xi64, #bar, #smem, mutable>
!row = !ttg.memdesc<64x64xi8, #rows, #smem, mutable>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @a_load_across_a_loop(%desc: !tt.tensordesc<64x64xi8, #rows>, %is_issued: i1, %n: i32) -> !read {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bar = ttg.local_alloc : () -> !bar
  ttng.init_barrier %bar, 1 : !bar
  %tile = ttg.local_alloc : () -> !row
  // expected-note @below {{written here, by 'ttng.async_tma_copy_global_to_local'}}
  ttng.async_tma_copy_global_to_local %desc[%c0, %c0] %tile, %bar, %is_issued : !tt.tensordesc<64x64xi8, #rows>, !bar -> !row
  scf.for %i = %c0 to %n step %c1 : i32 {
  }
  // expected-error @below {{'ttg.local_load' reads shared memory that TMA may still be writing [NOT_ARRIVED]}}
  %v = ttg.local_load %tile : !row -> !read
  tt.return %v : !read
}
}
