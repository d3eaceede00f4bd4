// RUN: dotload-opt %s --check-shared-memory-hazards --verify-diagnostics --split-input-file

// COM: Membar places barriers between Triton's own ops; it does not see ops of the LLVM dialect.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @all_have_read(%t: !read, %w: i32) -> !read {
  %tile = ttg.local_alloc %t : (!read) -> !tile
  %v = ttg.local_load %tile : !tile -> !read
  %struct = builtin.unrealized_conversion_cast %tile : !tile to !llvm.struct<(ptr<3>, i32, i32)>
  %start = llvm.extractvalue %struct[0] : !llvm.struct<(ptr<3>, i32, i32)>
  gpu.barrier
  llvm.store %w, %start : i32, !llvm.ptr<3>
  tt.return %v : !read
}
}

// -----

// COM: The barrier of Triton 3.9.
#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @all_have_met(%t: !read, %w: i32) -> !read {
  %tile = ttg.local_alloc %t : (!read) -> !tile
  %v = ttg.local_load %tile : !tile -> !read
  %struct = builtin.unrealized_conversion_cast %tile : !tile to !llvm.struct<(ptr<3>, i32, i32)>
  %start = llvm.extractvalue %struct[0] : !llvm.struct<(ptr<3>, i32, i32)>
  ttg.barrier local
  llvm.store %w, %start : i32, !llvm.ptr<3>
  tt.return %v : !read
}
}

// -----

// COM: It does not order shared memory if it names other memory.
#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @met_for_global_memory(%t: !read, %w: i32) -> !read {
  %tile = ttg.local_alloc %t : (!read) -> !tile
  // expected-note @below {{read here, by 'ttg.local_load'}}
  %v = ttg.local_load %tile : !tile -> !read
  %struct = builtin.unrealized_conversion_cast %tile : !tile to !llvm.struct<(ptr<3>, i32, i32)>
  %start = llvm.extractvalue %struct[0] : !llvm.struct<(ptr<3>, i32, i32)>
  ttg.barrier global_read
  // expected-error @below {{'llvm.store' writes shared memory that other warps may still be reading: no CTA barrier in between [READ_BY_OTHERS]}}
  llvm.store %w, %start : i32, !llvm.ptr<3>
  tt.return %v : !read
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
tt.func @others_may_still_read(%t: !read, %w: i32) -> !read {
  %tile = ttg.local_alloc %t : (!read) -> !tile
  // expected-note @below {{read here, by 'ttg.local_load'}}
  %v = ttg.local_load %tile : !tile -> !read
  %struct = builtin.unrealized_conversion_cast %tile : !tile to !llvm.struct<(ptr<3>, i32, i32)>
  %start = llvm.extractvalue %struct[0] : !llvm.struct<(ptr<3>, i32, i32)>
  // expected-error @below {{'llvm.store' writes shared memory that other warps may still be reading: no CTA barrier in between [READ_BY_OTHERS]}}
  llvm.store %w, %start : i32, !llvm.ptr<3>
  tt.return %v : !read
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
tt.func @others_may_not_have_written(%t: !read, %w: i32) -> !read {
  %tile = ttg.local_alloc %t : (!read) -> !tile
  %v = ttg.local_load %tile : !tile -> !read
  %struct = builtin.unrealized_conversion_cast %tile : !tile to !llvm.struct<(ptr<3>, i32, i32)>
  %start = llvm.extractvalue %struct[0] : !llvm.struct<(ptr<3>, i32, i32)>
  gpu.barrier
  // expected-note @below {{written here, by 'llvm.store'}}
  llvm.store %w, %start : i32, !llvm.ptr<3>
  // expected-error @below {{reads shared memory that other warps may not have written yet: no CTA barrier in between [NOT_SYNCED]}}
  %u = llvm.load %start : !llvm.ptr<3> -> i32
  tt.return %v : !read
}
}
