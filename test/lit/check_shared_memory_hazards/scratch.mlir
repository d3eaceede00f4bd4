// RUN: dotload-opt %s --check-shared-memory-hazards --verify-diagnostics --split-input-file

// COM: The scratch memory of an op may take the place of a dot's tile. An op that exchanges values within warps alone has
// COM: none, and neither has an atomic op without a result that is used.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#lanes = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#warps = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @between_warps(%v: !read, %a: tensor<64x64xi8, #dot>, %sum: !acc, %p: !tt.ptr<i32>, %n: i32) -> (!acc, i32) {
  %true = arith.constant true
  %tile = ttg.local_alloc %v : (!read) -> !tile
  ttng.fence_async_shared {bCluster = false}
  // expected-note @below {{read here, by 'ttng.warp_group_dot'}}
  %d = ttng.warp_group_dot %a, %tile, %sum {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !tile -> !acc
  // expected-error @below {{'ttg.convert_layout' writes shared memory that wgmma may still be reading [STILL_READ]}}
  %x = ttg.convert_layout %v : !read -> tensor<64x64xi8, #warps>
  %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
  tt.return %w, %n : !acc, i32
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#lanes = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#warps = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @within_warps(%v: !read, %a: tensor<64x64xi8, #dot>, %sum: !acc, %p: !tt.ptr<i32>, %n: i32) -> (!acc, i32) {
  %true = arith.constant true
  %tile = ttg.local_alloc %v : (!read) -> !tile
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %tile, %sum {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !tile -> !acc
  %x = ttg.convert_layout %v : !read -> tensor<64x64xi8, #lanes>
  %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
  tt.return %w, %n : !acc, i32
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#lanes = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#warps = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @rows_of_several_warps(%v: !read, %a: tensor<64x64xi8, #dot>, %sum: !acc, %p: !tt.ptr<i32>, %n: i32) -> (!acc, i32) {
  %true = arith.constant true
  %tile = ttg.local_alloc %v : (!read) -> !tile
  ttng.fence_async_shared {bCluster = false}
  // expected-note @below {{read here, by 'ttng.warp_group_dot'}}
  %d = ttng.warp_group_dot %a, %tile, %sum {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !tile -> !acc
  // expected-error @below {{'tt.reduce' writes shared memory that wgmma may still be reading [STILL_READ]}}
  %x = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%one: i8, %other: i8):
    %both = arith.addi %one, %other : i8
    tt.reduce.return %both : i8
  }) : (!read) -> tensor<64xi8, #ttg.slice<{dim = 0, parent = #blocked}>>
  %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
  tt.return %w, %n : !acc, i32
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#lanes = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#warps = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @rows_of_one_warp(%v: !read, %a: tensor<64x64xi8, #dot>, %sum: !acc, %p: !tt.ptr<i32>, %n: i32) -> (!acc, i32) {
  %true = arith.constant true
  %tile = ttg.local_alloc %v : (!read) -> !tile
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %tile, %sum {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !tile -> !acc
  %x = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%one: i8, %other: i8):
    %both = arith.addi %one, %other : i8
    tt.reduce.return %both : i8
  }) : (!read) -> tensor<64xi8, #ttg.slice<{dim = 1, parent = #blocked}>>
  %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
  tt.return %w, %n : !acc, i32
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#lanes = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#warps = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @a_used_result(%v: !read, %a: tensor<64x64xi8, #dot>, %sum: !acc, %p: !tt.ptr<i32>, %n: i32) -> (!acc, i32) {
  %true = arith.constant true
  %tile = ttg.local_alloc %v : (!read) -> !tile
  ttng.fence_async_shared {bCluster = false}
  // expected-note @below {{read here, by 'ttng.warp_group_dot'}}
  %d = ttng.warp_group_dot %a, %tile, %sum {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !tile -> !acc
  // expected-error @below {{'tt.atomic_rmw' writes shared memory that wgmma may still be reading [STILL_READ]}}
  %x = tt.atomic_rmw add, acq_rel, gpu, %p, %n, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
  tt.return %w, %x : !acc, i32
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#lanes = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#warps = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @an_idle_result(%v: !read, %a: tensor<64x64xi8, #dot>, %sum: !acc, %p: !tt.ptr<i32>, %n: i32) -> (!acc, i32) {
  %true = arith.constant true
  %tile = ttg.local_alloc %v : (!read) -> !tile
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %tile, %sum {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !tile -> !acc
  %x = tt.atomic_rmw add, acq_rel, gpu, %p, %n, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
  tt.return %w, %n : !acc, i32
}
}

// -----

// COM: The barrier of the exchange is before the end of the dot. membar takes it for the end of the dot's reads.
#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#warps = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @store_behind_an_exchange(%v: !read, %a: tensor<64x64xi8, #dot>, %sum: !acc) -> !acc {
  %tile = ttg.local_alloc %v : (!read) -> !tile
  ttng.fence_async_shared {bCluster = false}
  // expected-note @below {{read here, by 'ttng.warp_group_dot'}}
  %d = ttng.warp_group_dot %a, %tile, %sum {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !tile -> !acc
  %x = ttg.convert_layout %v : !read -> tensor<64x64xi8, #warps>
  %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
  // expected-error @below {{'ttg.local_store' writes shared memory that other warps may still be reading: no CTA barrier in between [READ_BY_OTHERS]}}
  ttg.local_store %v, %tile : !read -> !tile
  tt.return %w : !acc
}
}
