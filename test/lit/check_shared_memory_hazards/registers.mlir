// RUN: dotload-opt %s --check-shared-memory-hazards --verify-diagnostics --split-input-file

// COM: Until a wait completes it, a wgmma writes its result and reads A in registers.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @the_sum_is_used_behind_no_wait(%a: !ttg.memdesc<64x64xi8, #rows, #smem, mutable>, %b: !tile, %c: !acc) -> !acc {
  // expected-note @below {{the wgmma, by 'ttng.warp_group_dot'}}
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #rows, #smem, mutable> * !tile -> !acc
  %w = ttng.warp_group_dot_wait %c {pendings = 0 : i32} : !acc
  // expected-error @below {{'arith.addi' uses the result of a wgmma without waiting for it [RESULT_IN_FLIGHT]}}
  %e = arith.addi %d, %d : !acc
  tt.return %e : !acc
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
tt.func @the_wait_leaves_it_in_flight(%a: !ttg.memdesc<64x64xi8, #rows, #smem, mutable>, %b: !tile, %c: !acc) -> !acc {
  // expected-note @below {{the wgmma}}
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #rows, #smem, mutable> * !tile -> !acc
  %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
  // expected-error @below {{'arith.addi' uses the result of a wgmma without waiting for it [RESULT_IN_FLIGHT]}}
  %e = arith.addi %w, %w : !acc
  tt.return %e : !acc
}
tt.func @the_wait_hands_the_sum_on(%a: !ttg.memdesc<64x64xi8, #rows, #smem, mutable>, %b: !tile, %c: !acc) -> !acc {
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #rows, #smem, mutable> * !tile -> !acc
  %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
  %e = arith.addi %w, %w : !acc
  tt.return %e : !acc
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
!a = tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @a_is_loaded_into_registers_in_use(%m: !tile, %b: !tile, %c: !acc, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (!acc) : i32 {
    // expected-error @below {{'ttg.local_load' writes registers from which a wgmma may still be reading its A [REGISTERS_IN_FLIGHT]}}
    %a = ttg.local_load %m : !tile -> !a
    // expected-note @below {{the wgmma}}
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !a * !tile -> !acc
    scf.yield %d : !acc
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : !acc
  tt.return %all : !acc
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
!a = tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @a_is_loaded_behind_the_wait(%m: !tile, %b: !tile, %c: !acc, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (!acc) : i32 {
    %a = ttg.local_load %m : !tile -> !a
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !a * !tile -> !acc
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w : !acc
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : !acc
  tt.return %all : !acc
}
}
