// RUN: dotload-opt %s --check-shared-memory-hazards --verify-diagnostics --split-input-file

// COM: Triton's flattened loops select between zeros and a result in flight. The result of the select is in flight as
// COM: well.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#cols = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xi8, #cols, #smem, mutable>
!read = tensor<64x64xi8, #blocked>
!acc = tensor<64x64xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @the_choice_is_waited_for(%a: !ttg.memdesc<64x64xi8, #rows, #smem, mutable>, %b: !tile, %c: !acc, %is_last: i1) -> !acc {
  %zero = arith.constant dense<0> : !acc
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #rows, #smem, mutable> * !tile -> !acc
  %s = arith.select %is_last, %zero, %d : !acc
  %w = ttng.warp_group_dot_wait %s {pendings = 0 : i32} : !acc
  %e = arith.addi %w, %w : !acc
  tt.return %e : !acc
}
tt.func @the_choice_is_used_behind_no_wait(%a: !ttg.memdesc<64x64xi8, #rows, #smem, mutable>, %b: !tile, %c: !acc, %is_last: i1) -> !acc {
  %zero = arith.constant dense<0> : !acc
  // expected-note @below {{the wgmma, by 'ttng.warp_group_dot'}}
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #rows, #smem, mutable> * !tile -> !acc
  %s = arith.select %is_last, %zero, %d : !acc
  // expected-error @below {{'arith.addi' uses the result of a wgmma without waiting for it [RESULT_IN_FLIGHT]}}
  %e = arith.addi %s, %s : !acc
  %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
  tt.return %e : !acc
}
}
