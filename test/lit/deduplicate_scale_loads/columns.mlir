// RUN: dotload-opt %s --deduplicate-scale-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: A dot's result of 64 columns is scaled by column: a thread has 16 columns in each of its rows.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: One load per thread, before the dot; the address computation takes that layout too.
// CHECK-DAG:   #[[LINE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @columns
// CHECK:         %[[RANGE:.*]] = tt.make_range {{.*}} : tensor<64xi32, #[[LINE]]>
// CHECK:         %[[COLUMNS:.*]] = arith.addi %{{.*}}, %[[RANGE]] : tensor<64xi32, #[[LINE]]>
// CHECK:         %[[PTRS:.*]] = tt.addptr %{{.*}}, %[[COLUMNS]] : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK:         scf.for
// CHECK:           %[[P:.*]] = tt.addptr %[[PTRS]], %{{.*}} : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK-NEXT:      %[[LOADED:.*]] = tt.load %[[P]] : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK-NEXT:      ttng.warp_group_dot %
// CHECK-NOT:       tt.load
// CHECK:           %[[SCALES:.*]] = ttg.convert_layout %[[LOADED]] : tensor<64xf32, #[[LINE]]> -> tensor<64xf32, #ttg.slice<{dim = 0
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      tt.expand_dims %[[SCALES]]
// REMARK:      remark: deduplicate-scale-loads: each element is loaded once instead of 16 loads per thread
tt.func @columns(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32) -> tensor<64x64xf32, #mma> {
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

// COM: The mask and the values for masked elements take that layout too.
// CHECK-LABEL: @masked
// CHECK:           %[[LOADED:.*]] = tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK-NEXT:      ttng.warp_group_dot %
// CHECK:           ttg.convert_layout %[[LOADED]]
// REMARK:      remark: deduplicate-scale-loads: each element is loaded once
tt.func @masked(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32) -> tensor<64x64xf32, #mma> {
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
  %limits = tt.splat %n : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %inside = arith.cmpi slt, %columns, %limits : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %ones = arith.constant dense<1.0> : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %steps = tt.splat %i : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %p = tt.addptr %ptrs, %steps : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %scales = tt.load %p, %inside, %ones : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
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

// COM: Pointers that the loop carries take that layout as well.
// CHECK-LABEL: @carried
// CHECK:         scf.for {{.*}} iter_args({{.*}}%[[OLD:[^ ]*]] = %{{[^ ]*}}, %[[P:[^ ]*]] = %{{[^ ]*}}) -> ({{.*}}, tensor<64x!tt.ptr<f32>, #ttg.slice<{{.*}}>>, tensor<64x!tt.ptr<f32>, #[[LINE]]>)
// CHECK:           %[[LOADED:.*]] = tt.load %[[P]] : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK:           %[[NEXT:.*]] = tt.addptr %[[P]], %{{.*}} : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK:           scf.yield {{.*}}, %[[NEXT]] :
// REMARK:      remark: deduplicate-scale-loads: each element is loaded once
tt.func @carried(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32) -> tensor<64x64xf32, #mma> {
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
  %c1s = arith.constant dense<1> : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %sum, %at_end, %to_end, %p_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1, %p = %ptrs) -> (tensor<64x64xf32, #mma>, i32, i32, tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
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
    %p_next = tt.addptr %p, %c1s : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    scf.yield %s, %to, %at, %p_next : tensor<64x64xf32, #mma>, i32, i32, tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: The tile has two groups of 32.
// CHECK-LABEL: @groups_of_32
// CHECK:           tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// REMARK:      remark: deduplicate-scale-loads: each element is loaded once
tt.func @groups_of_32(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %c64 = arith.constant 64 : i32
  %c128s = arith.constant dense<32> : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %first_64 = arith.muli %first, %c64 : i32
  %firsts = tt.splat %first_64 : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %columns = arith.addi %firsts, %range : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %groups = arith.divsi %columns, %c128s : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
  %ptrs = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
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

// COM: A tile that may begin anywhere may lie in two groups.
// CHECK-LABEL: @unaligned_tile
// CHECK:           tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// REMARK:      remark: deduplicate-scale-loads: each element is loaded once
tt.func @unaligned_tile(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %c64 = arith.constant 64 : i32
  %c128s = arith.constant dense<128> : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %first_64 = arith.muli %first, %c64 : i32
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %columns = arith.addi %firsts, %range : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %groups = arith.divsi %columns, %c128s : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
  %ptrs = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
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

// COM: All columns of an aligned tile are in one group of 128: ptxas makes one load of these.
// CHECK-LABEL: @same_for_all
// CHECK:           ttng.warp_group_dot %
// CHECK:           tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<
// REMARK-NOT:  remark
tt.func @same_for_all(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %c64 = arith.constant 64 : i32
  %c128s = arith.constant dense<128> : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %first_64 = arith.muli %first, %c64 : i32
  %firsts = tt.splat %first_64 : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %columns = arith.addi %firsts, %range : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %groups = arith.divsi %columns, %c128s : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
  %ptrs = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
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

// COM: Addresses that are themselves loaded are not loaded again.
// CHECK-LABEL: @loaded_addresses
// CHECK:           ttng.warp_group_dot %
// CHECK:           tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<
// REMARK:      remark: deduplicate-scale-loads: kept scf.for: each thread loads 16 scales, whose addresses are not computed by arithmetic alone [SCALE_ADDRESSES]
// REMARK-NOT:  remark
tt.func @loaded_addresses(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32, %at_table: !tt.ptr<i32>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %tables = tt.splat %at_table : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 0, parent = #mma}>>
  %table = tt.addptr %tables, %range : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %at_scale = tt.load %table : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 0, parent = #mma}>>
    %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
    %p = tt.addptr %bases, %at_scale : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
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

// COM: A thread has two rows: their scales stay.
// CHECK-LABEL: @rows
// CHECK:           ttng.warp_group_dot %
// CHECK:           tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1
tt.func @rows(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %base: !tt.ptr<f32>, %first: i32, %rp: tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %rs = tt.load %rp : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
    %scales = ttg.convert_layout %rs : tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
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
