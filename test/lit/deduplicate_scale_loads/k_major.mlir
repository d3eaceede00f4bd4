// RUN: dotload-opt %s --deduplicate-scale-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

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
!column_ptrs = tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-DAG:   #[[LINE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @columns
// CHECK:         scf.for
// CHECK:           %[[LOADED:.*]] = tt.load {{.*}} : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK-NEXT:      ttng.warp_group_dot %
// CHECK:           %[[SCALES:.*]] = ttg.convert_layout %[[LOADED]]
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      tt.expand_dims %[[SCALES]]
// REMARK:      remark: deduplicate-scale-loads: each element is loaded once instead of 16 loads per thread
tt.func @columns(%ap: !a_ptrs, %bp: !b_ptrs, %n: i32, %base: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %bases = tt.splat %base : !tt.ptr<f32> -> !column_ptrs
  %cp = tt.addptr %bases, %range : !column_ptrs, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%at] : !as -> !a
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %scales = tt.load %cp : !column_ptrs
    %a_to = ttg.memdesc_index %as[%to] : !as -> !a
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : !a_ptrs -> <64x64xf8E4M3FN, #rows, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !bs -> !b
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : !b_ptrs -> <64x64xf8E4M3FN, #columns, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %row = tt.expand_dims %scales {axis = 0 : i32} : !column_scales -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> !acc
    %scaled = arith.mulf %done, %all : !acc
    %s = arith.addf %acc, %scaled : !acc
    scf.yield %s, %to, %at : !acc, i32, i32
  }
  tt.return %sum : !acc
}

// COM: All columns of a tile have one scale, in an array of which each scale is for 64 columns: one load a thread, and
// COM: no exchange.
// CHECK-LABEL: @one_number
// CHECK:         scf.for
// CHECK-NOT:       ttg.convert_layout
// CHECK:           %[[SCALES:.*]] = tt.load {{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0
// CHECK-NOT:       ttg.convert_layout
// CHECK:           tt.expand_dims %[[SCALES]]
// REMARK:      remark: deduplicate-scale-loads: one number for all columns is loaded by each thread, not exchanged between threads
tt.func @one_number(%ap: !a_ptrs, %bp: !b_ptrs, %n: i32, %base: !tt.ptr<f32>, %tile: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
  %c64 = arith.constant 64 : i32
  %first = arith.muli %tile, %c64 : i32
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #line>
  %number = arith.addi %firsts, %range : tensor<64xi32, #line>
  %size = arith.constant dense<64> : tensor<64xi32, #line>
  %group = arith.divsi %number, %size : tensor<64xi32, #line>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #line>
  %cp = tt.addptr %bases, %group : tensor<64x!tt.ptr<f32>, #line>, tensor<64xi32, #line>
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%at] : !as -> !a
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %one_each = tt.load %cp : tensor<64x!tt.ptr<f32>, #line>
    %scales = ttg.convert_layout %one_each : tensor<64xf32, #line> -> !column_scales
    %a_to = ttg.memdesc_index %as[%to] : !as -> !a
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : !a_ptrs -> <64x64xf8E4M3FN, #rows, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !bs -> !b
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : !b_ptrs -> <64x64xf8E4M3FN, #columns, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %row = tt.expand_dims %scales {axis = 0 : i32} : !column_scales -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> !acc
    %scaled = arith.mulf %done, %all : !acc
    %s = arith.addf %acc, %scaled : !acc
    scf.yield %s, %to, %at : !acc, i32, i32
  }
  tt.return %sum : !acc
}

// COM: A tile has two scales.
// CHECK-LABEL: @two_numbers
// CHECK:         scf.for
// CHECK:           %[[LOADED:.*]] = tt.load {{.*}} : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK-NEXT:      ttg.convert_layout %[[LOADED]]
// REMARK-NOT:  remark
tt.func @two_numbers(%ap: !a_ptrs, %bp: !b_ptrs, %n: i32, %base: !tt.ptr<f32>, %tile: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
  %c64 = arith.constant 64 : i32
  %first = arith.muli %tile, %c64 : i32
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #line>
  %number = arith.addi %firsts, %range : tensor<64xi32, #line>
  %size = arith.constant dense<32> : tensor<64xi32, #line>
  %group = arith.divsi %number, %size : tensor<64xi32, #line>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #line>
  %cp = tt.addptr %bases, %group : tensor<64x!tt.ptr<f32>, #line>, tensor<64xi32, #line>
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%at] : !as -> !a
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %one_each = tt.load %cp : tensor<64x!tt.ptr<f32>, #line>
    %scales = ttg.convert_layout %one_each : tensor<64xf32, #line> -> !column_scales
    %a_to = ttg.memdesc_index %as[%to] : !as -> !a
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : !a_ptrs -> <64x64xf8E4M3FN, #rows, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !bs -> !b
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : !b_ptrs -> <64x64xf8E4M3FN, #columns, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %row = tt.expand_dims %scales {axis = 0 : i32} : !column_scales -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> !acc
    %scaled = arith.mulf %done, %all : !acc
    %s = arith.addf %acc, %scaled : !acc
    scf.yield %s, %to, %at : !acc, i32, i32
  }
  tt.return %sum : !acc
}
}
