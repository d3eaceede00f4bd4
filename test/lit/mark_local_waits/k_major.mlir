// RUN: dotload-opt %s --mark-local-waits | FileCheck %s

// COM: Dots of K-major bytes, of which no operand is staged: the loop changes if sink-wgmma-waits has moved the wait.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked_b = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable>
!as = !ttg.memdesc<2x64x64xf8E4M3FN, #rows, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #columns, #smem, mutable>
!bs = !ttg.memdesc<2x64x64xf8E4M3FN, #columns, #smem, mutable>
!a_ptrs = tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>
!b_ptrs = tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked_b>
!acc = tensor<64x64xf32, #mma>
!row_scales = tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
!row_ptrs = tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @late
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32, warpGroupLocal}
tt.func @late(%ap: !a_ptrs, %bp: !b_ptrs, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%at] : !as -> !a
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %a_to = ttg.memdesc_index %as[%to] : !as -> !a
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : !a_ptrs -> <64x64xf8E4M3FN, #rows, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !bs -> !b
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : !b_ptrs -> <64x64xf8E4M3FN, #columns, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %rows = tt.load %rp : !row_ptrs
    %rows_1 = tt.expand_dims %rows {axis = 1 : i32} : !row_scales -> tensor<64x1xf32, #mma>
    %of_rows = tt.broadcast %rows_1 : tensor<64x1xf32, #mma> -> !acc
    %number = tt.load %fp : !tt.ptr<f32>
    %numbers = tt.splat %number : f32 -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %x = arith.mulf %done, %of_rows : !acc
    %y = arith.mulf %x, %numbers : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s, %to, %at : !acc, i32, i32
  }
  %end = ttg.async_wait {num = 0 : i32}
  tt.return %sum : !acc
}

// COM: The next tiles are loaded after the wait.
// CHECK-LABEL: @early
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
tt.func @early(%ap: !a_ptrs, %bp: !b_ptrs, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%at] : !as -> !a
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %rows = tt.load %rp : !row_ptrs
    %rows_1 = tt.expand_dims %rows {axis = 1 : i32} : !row_scales -> tensor<64x1xf32, #mma>
    %of_rows = tt.broadcast %rows_1 : tensor<64x1xf32, #mma> -> !acc
    %number = tt.load %fp : !tt.ptr<f32>
    %numbers = tt.splat %number : f32 -> !acc
    %x = arith.mulf %done, %of_rows : !acc
    %y = arith.mulf %x, %numbers : !acc
    %s = arith.addf %acc, %y : !acc
    %a_to = ttg.memdesc_index %as[%to] : !as -> !a
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : !a_ptrs -> <64x64xf8E4M3FN, #rows, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !bs -> !b
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : !b_ptrs -> <64x64xf8E4M3FN, #columns, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : !acc, i32, i32
  }
  %end = ttg.async_wait {num = 0 : i32}
  tt.return %sum : !acc
}

// COM: Other warps load the tiles: they wait for an mbarrier, at which one thread arrives for all warps after the wait.
// CHECK-LABEL: @loaded_by_others
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
tt.func @loaded_by_others(%a: !a, %b: !b, %n: i32, %scales: !acc) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %scaled = arith.mulf %done, %scales : !acc
    %s = arith.addf %acc, %scaled : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}
}
