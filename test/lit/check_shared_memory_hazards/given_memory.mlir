// RUN: dotload-opt %s --check-shared-memory-hazards --verify-diagnostics --split-input-file

// COM: Allocations that are not live at the same time may share memory. After this warp has waited for its wgmma,
// COM: another warp's wgmma may still read that memory.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @both_are_live(%a: !ttg.memdesc<64x64xi8, #rows, #smem, mutable>, %c: !acc, %w: i32, %t: !read) -> !acc {
  %one = ttg.local_alloc %t : (!read) -> !tile
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %one, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #rows, #smem, mutable> * !tile -> !acc
  %two = ttg.local_alloc : () -> !tile
  %struct = builtin.unrealized_conversion_cast %two : !tile to !llvm.struct<(ptr<3>, i32, i32)>
  %start = llvm.extractvalue %struct[0] : !llvm.struct<(ptr<3>, i32, i32)>
  llvm.store %w, %start : i32, !llvm.ptr<3>
  ttg.local_dealloc %one : !tile
  tt.return %d : !acc
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
tt.func @the_second_may_be_given_the_memory_of_the_first(%a: !ttg.memdesc<64x64xi8, #rows, #smem, mutable>, %c: !acc, %w: i32, %t: !read) -> !acc {
  %one = ttg.local_alloc %t : (!read) -> !tile
  ttng.fence_async_shared {bCluster = false}
  // expected-note @below {{read here, by 'ttng.warp_group_dot'}}
  %d = ttng.warp_group_dot %a, %one, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #rows, #smem, mutable> * !tile -> !acc
  %two = ttg.local_alloc : () -> !tile
  %struct = builtin.unrealized_conversion_cast %two : !tile to !llvm.struct<(ptr<3>, i32, i32)>
  %start = llvm.extractvalue %struct[0] : !llvm.struct<(ptr<3>, i32, i32)>
  // expected-error @below {{may still be reading: no CTA barrier in between [READ_BY_OTHERS]}}
  llvm.store %w, %start : i32, !llvm.ptr<3>
  tt.return %d : !acc
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
tt.func @a_loop_carries_the_first(%a: !ttg.memdesc<64x64xi8, #rows, #smem, mutable>, %c: !acc, %w: i32, %t: !read, %again: i1) -> !acc {
  %one = ttg.local_alloc %t : (!read) -> !tile
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %one, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #rows, #smem, mutable> * !tile -> !acc
  %carried = scf.while (%before = %one) : (!tile) -> !tile {
    scf.condition(%again) %before : !tile
  } do {
  ^bb0(%behind: !tile):
    scf.yield %behind : !tile
  }
  %two = ttg.local_alloc : () -> !tile
  %struct = builtin.unrealized_conversion_cast %two : !tile to !llvm.struct<(ptr<3>, i32, i32)>
  %start = llvm.extractvalue %struct[0] : !llvm.struct<(ptr<3>, i32, i32)>
  llvm.store %w, %start : i32, !llvm.ptr<3>
  ttg.local_dealloc %carried : !tile
  tt.return %d : !acc
}
}
