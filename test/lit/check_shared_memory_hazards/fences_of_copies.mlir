// RUN: dotload-opt %s --check-shared-memory-hazards='fence-copies=false' | FileCheck %s

// COM: Triton 3.6 places no fence between cp.async and the wgmma that reads the tile; `fence-copies=false` accepts
// COM: this.
// CHECK-LABEL: @copies_without_a_fence

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @copies_without_a_fence(%c: !acc, %p: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xi8, #rows, #smem, mutable>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable>
  %first = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable> -> !tile
  %t0 = ttg.async_copy_global_to_local %p, %first : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #cols, #smem, mutable>
  %g0 = ttg.async_commit_group tokens %t0
  %last:3 = scf.for %i = %c0 to %n step %c1 iter_args(%read_at = %before, %write_at = %c0, %acc = %c) -> (i32, i32, !acc) : i32 {
    %at_1 = arith.addi %read_at, %c1 : i32
    %at_over = arith.cmpi sge, %at_1, %c3 : i32
    %at = arith.select %at_over, %c0, %at_1 : i32
    %at_tile = ttg.memdesc_index %ring[%at] : !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable> -> !tile
    %to_1 = arith.addi %write_at, %c1 : i32
    %to_over = arith.cmpi sge, %to_1, %c3 : i32
    %to = arith.select %to_over, %c0, %to_1 : i32
    %to_tile = ttg.memdesc_index %ring[%to] : !ttg.memdesc<3x64x64xi8, #cols, #smem, mutable> -> !tile
    %there = ttg.async_wait {num = 0 : i32}
    %d = ttng.warp_group_dot %a, %at_tile, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #rows, #smem, mutable> * !tile -> !acc
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %t = ttg.async_copy_global_to_local %p, %to_tile : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #cols, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    scf.yield %at, %to, %w : i32, i32, !acc
  }
  %sum = ttng.warp_group_dot_wait %last#2 {pendings = 0 : i32} : !acc
  %all = ttg.async_wait {num = 0 : i32}
  tt.return
}
}
