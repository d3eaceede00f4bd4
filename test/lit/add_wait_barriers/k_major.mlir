// RUN: dotload-opt %s --add-wait-barriers | FileCheck %s

// COM: Dots of K-major bytes, of which no operand is staged.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked_b = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
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
!column_scales = tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: membar takes the barrier of the exchange for the end of the dot, which reads what the next load overwrites.
// CHECK-LABEL: @exchanged_before_the_wait
// CHECK:           ttng.warp_group_dot_wait
// CHECK-NEXT:      gpu.barrier
// CHECK:           scf.yield
tt.func @exchanged_before_the_wait(%ap: !a_ptrs, %bp: !b_ptrs, %n: i32, %one_each: tensor<64xf32, #line>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !as -> !a
    %b = ttg.memdesc_index %bs[%c0] : !bs -> !b
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %scales = ttg.convert_layout %one_each : tensor<64xf32, #line> -> !column_scales
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %row = tt.expand_dims %scales {axis = 0 : i32} : !column_scales -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> !acc
    %scaled = arith.mulf %done, %all : !acc
    %s = arith.addf %acc, %scaled : !acc
    %a_copy = ttg.async_copy_global_to_local %ap, %a {contiguity = 16 : i32} : !a_ptrs -> <64x64xf8E4M3FN, #rows, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b {contiguity = 16 : i32} : !b_ptrs -> <64x64xf8E4M3FN, #columns, #smem, mutable>
    %group = ttg.async_commit_group tokens %a_copy, %b_copy
    scf.yield %s : !acc
  }
  %end = ttg.async_wait {num = 0 : i32}
  tt.return %sum : !acc
}

// COM: The dot is over at once.
// CHECK-LABEL: @in_step
// CHECK-NOT:     gpu.barrier
tt.func @in_step(%a: !a, %b: !b, %n: i32, %one_each: tensor<64xf32, #line>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = false, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %scales = ttg.convert_layout %one_each : tensor<64xf32, #line> -> !column_scales
    %row = tt.expand_dims %scales {axis = 0 : i32} : !column_scales -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> !acc
    %scaled = arith.mulf %d, %all : !acc
    %s = arith.addf %acc, %scaled : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}
}
