// RUN: dotload-opt %s --deduplicate-scale-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Places for the load and for its layout conversion.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {


// COM: The scales are used before the dot, so their layout is converted right after the load.
// CHECK-LABEL: @used_before_the_dot
// CHECK:           %[[LOADED:.*]] = tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #blocked
// CHECK-NEXT:      %[[SCALES:.*]] = ttg.convert_layout %[[LOADED]]
// CHECK-NEXT:      tt.expand_dims %[[SCALES]]
// CHECK:           ttng.warp_group_dot %
// REMARK:      remark: deduplicate-scale-loads: each element is loaded once instead of 16 loads per thread
tt.func @used_before_the_dot(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %columns = arith.addi %firsts, %range : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
  %ptrs = tt.addptr %bases, %columns : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %steps = tt.splat %i : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %p = tt.addptr %ptrs, %steps : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %scales = tt.load %p : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
    %row = tt.expand_dims %scales {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %scaled = arith.mulf %done, %all : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: The store may write to the scales: the load stays after it.
// CHECK-LABEL: @store_above_the_load
// CHECK:           ttng.warp_group_dot %
// CHECK:           tt.store
// CHECK:           %[[LOADED:.*]] = tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #blocked
// CHECK-NEXT:      ttg.convert_layout %[[LOADED]]
// CHECK-NEXT:      ttng.warp_group_dot_wait
// REMARK:      remark: deduplicate-scale-loads: each element is loaded once
tt.func @store_above_the_load(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32, %out: !tt.ptr<f32>, %x: f32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %columns = arith.addi %firsts, %range : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
  %ptrs = tt.addptr %bases, %columns : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.store %out, %x : !tt.ptr<f32>
    %steps = tt.splat %i : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %p = tt.addptr %ptrs, %steps : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %scales = tt.load %p : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %row = tt.expand_dims %scales {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %scaled = arith.mulf %done, %all : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: The address depends on a scalar load, which stays in place.
// CHECK-LABEL: @loaded_group
// CHECK:           ttng.warp_group_dot %
// CHECK:           tt.load %{{.*}} : !tt.ptr<i32>
// CHECK:           tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #blocked
// REMARK:      remark: deduplicate-scale-loads: each element is loaded once
tt.func @loaded_group(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32, %table: !tt.ptr<i32>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %columns = arith.addi %firsts, %range : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
  %ptrs = tt.addptr %bases, %columns : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %group = tt.load %table : !tt.ptr<i32>
    %steps = tt.splat %group : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %p = tt.addptr %ptrs, %steps : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %scales = tt.load %p : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %row = tt.expand_dims %scales {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %scaled = arith.mulf %done, %all : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: A volatile load stays.
// CHECK-LABEL: @volatile_load
// CHECK:           tt.load %{{.*}} {isVolatile = true} : tensor<64x!tt.ptr<f32>, #ttg.slice<
// REMARK-NOT:  remark
tt.func @volatile_load(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %columns = arith.addi %firsts, %range : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
  %ptrs = tt.addptr %bases, %columns : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %steps = tt.splat %i : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %p = tt.addptr %ptrs, %steps : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %scales = tt.load %p {isVolatile = true} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %row = tt.expand_dims %scales {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %scaled = arith.mulf %done, %all : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: The tiles take all but 4 KB of a CTA's shared memory, then all of it.
// CHECK-LABEL: @no_room
// CHECK:           tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<
// REMARK:      remark: deduplicate-scale-loads: kept scf.for: shared memory has no room for 256 bytes of scales; use smaller tiles or a smaller num_stages [NO_ROOM]
tt.func @no_room(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %more = ttg.local_alloc : () -> !ttg.memdesc<52x64x64xf8E4M3FN, #raw, #smem, mutable>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %columns = arith.addi %firsts, %range : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
  %ptrs = tt.addptr %bases, %columns : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %steps = tt.splat %i : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %p = tt.addptr %ptrs, %steps : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %scales = tt.load %p : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %row = tt.expand_dims %scales {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %scaled = arith.mulf %done, %all : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  ttg.local_dealloc %more : !ttg.memdesc<52x64x64xf8E4M3FN, #raw, #smem, mutable>
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: As little room, but no scales to load: no remark.
// CHECK-LABEL: @no_scales
// REMARK-NOT:  NO_ROOM
tt.func @no_scales(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %more = ttg.local_alloc : () -> !ttg.memdesc<52x64x64xf8E4M3FN, #raw, #smem, mutable>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %columns = arith.addi %firsts, %range : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
  %ptrs = tt.addptr %bases, %columns : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %scales = arith.constant dense<2.0> : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %row = tt.expand_dims %scales {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %scaled = arith.mulf %done, %all : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  ttg.local_dealloc %more : !ttg.memdesc<52x64x64xf8E4M3FN, #raw, #smem, mutable>
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: The same memory, but freed before the loop: there is room.
// CHECK-LABEL: @room_of_another_time
// CHECK:           tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #blocked
// REMARK-NEXT: {{.*}}remark: deduplicate-scale-loads: each element is loaded once instead of 16 loads per thread
tt.func @room_of_another_time(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %more = ttg.local_alloc : () -> !ttg.memdesc<52x64x64xf8E4M3FN, #raw, #smem, mutable>
  ttg.local_dealloc %more : !ttg.memdesc<52x64x64xf8E4M3FN, #raw, #smem, mutable>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %columns = arith.addi %firsts, %range : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
  %ptrs = tt.addptr %bases, %columns : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %steps = tt.splat %i : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %p = tt.addptr %ptrs, %steps : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %scales = tt.load %p : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %row = tt.expand_dims %scales {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %scaled = arith.mulf %done, %all : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}
}
