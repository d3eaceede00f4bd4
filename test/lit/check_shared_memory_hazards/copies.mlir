// RUN: dotload-opt %s --check-shared-memory-hazards --verify-diagnostics --split-input-file

// COM: cp.async fills a ring of buffers one iteration ahead.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @each_tile_is_waited_for(%p: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %before = arith.constant -1 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #cols, #smem, mutable>
  %first = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<2x64x64xi8, #cols, #smem, mutable> -> !tile
  %t0 = ttg.async_copy_global_to_local %p, %first : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #cols, #smem, mutable>
  %g0 = ttg.async_commit_group tokens %t0
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%read_at = %before, %write_at = %c0) -> (i32, i32) : i32 {
    %at_1 = arith.addi %read_at, %c1 : i32
    %at_over = arith.cmpi sge, %at_1, %c2 : i32
    %at = arith.select %at_over, %c0, %at_1 : i32
    %at_tile = ttg.memdesc_index %ring[%at] : !ttg.memdesc<2x64x64xi8, #cols, #smem, mutable> -> !tile
    %to_1 = arith.addi %write_at, %c1 : i32
    %to_over = arith.cmpi sge, %to_1, %c2 : i32
    %to = arith.select %to_over, %c0, %to_1 : i32
    %to_tile = ttg.memdesc_index %ring[%to] : !ttg.memdesc<2x64x64xi8, #cols, #smem, mutable> -> !tile
    %t = ttg.async_copy_global_to_local %p, %to_tile : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #cols, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %there = ttg.async_wait {num = 1 : i32}
    %v = ttg.local_load %at_tile : !tile -> !read
    scf.yield %at, %to : i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @one_group_too_many_in_flight(%p: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable>
  %first = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable> -> !tile
  // expected-note @below {{written here, by 'ttg.async_copy_global_to_local'}}
  %t0 = ttg.async_copy_global_to_local %p, %first : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #cols, #smem, mutable>
  %g0 = ttg.async_commit_group tokens %t0
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%read_at = %before, %write_at = %c0) -> (i32, i32) : i32 {
    %at_1 = arith.addi %read_at, %c1 : i32
    %at_over = arith.cmpi sge, %at_1, %c3 : i32
    %at = arith.select %at_over, %c0, %at_1 : i32
    %at_tile = ttg.memdesc_index %ring[%at] : !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable> -> !tile
    %to_1 = arith.addi %write_at, %c1 : i32
    %to_over = arith.cmpi sge, %to_1, %c3 : i32
    %to = arith.select %to_over, %c0, %to_1 : i32
    %to_tile = ttg.memdesc_index %ring[%to] : !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable> -> !tile
    // expected-note @below {{written here, by 'ttg.async_copy_global_to_local'}}
    %t = ttg.async_copy_global_to_local %p, %to_tile : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #cols, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %there = ttg.async_wait {num = 2 : i32}
    // expected-error @below {{'ttg.local_load' reads shared memory that cp.async may still be writing [NOT_ARRIVED]}}
    // expected-error @below {{'ttg.local_load' reads shared memory that cp.async may still be writing [NOT_ARRIVED]}}
    %v = ttg.local_load %at_tile : !tile -> !read
    scf.yield %at, %to : i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @no_group_is_closed_around_the_copy(%p: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable>
  %first = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable> -> !tile
  %t0 = ttg.async_copy_global_to_local %p, %first : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #cols, #smem, mutable>
  %g0 = ttg.async_commit_group tokens %t0
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%read_at = %before, %write_at = %c0) -> (i32, i32) : i32 {
    %at_1 = arith.addi %read_at, %c1 : i32
    %at_over = arith.cmpi sge, %at_1, %c3 : i32
    %at = arith.select %at_over, %c0, %at_1 : i32
    %at_tile = ttg.memdesc_index %ring[%at] : !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable> -> !tile
    %to_1 = arith.addi %write_at, %c1 : i32
    %to_over = arith.cmpi sge, %to_1, %c3 : i32
    %to = arith.select %to_over, %c0, %to_1 : i32
    %to_tile = ttg.memdesc_index %ring[%to] : !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable> -> !tile
    // expected-note @below {{written here, by 'ttg.async_copy_global_to_local'}}
    %t = ttg.async_copy_global_to_local %p, %to_tile : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #cols, #smem, mutable>
    %there = ttg.async_wait {num = 0 : i32}
    // expected-error @below {{'ttg.local_load' reads shared memory that cp.async may still be writing [NOT_ARRIVED]}}
    %v = ttg.local_load %to_tile : !tile -> !read
    %g = ttg.async_commit_group tokens %t
    scf.yield %at, %to : i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  tt.return
}
}
