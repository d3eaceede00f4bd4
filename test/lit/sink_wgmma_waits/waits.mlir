// RUN: dotload-opt %s --sink-wgmma-waits --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Loops as Triton's pipeliner leaves them, which scale the result of their dot.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The loads start while the dot runs. The wait, the computation on the result, and ops that only this computation
// COM: uses follow.
// CHECK-LABEL: @loads_under_the_dot
// CHECK:           %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT:      %[[S:.*]] = tt.load
// CHECK-NEXT:      ttg.memdesc_index
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK:           ttg.async_copy_global_to_local
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      %[[W:.*]]:2 = ttng.warp_group_dot_wait %[[D]], %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:      %[[E:.*]] = tt.expand_dims %[[S]]
// CHECK-NEXT:      %[[ALL:.*]] = tt.broadcast %[[E]]
// CHECK-NEXT:      %[[X:.*]] = arith.mulf %[[W]]#0, %[[ALL]]
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %{{.*}}, %[[X]]
// CHECK-NEXT:      scf.yield %[[SUM]]
// REMARK:      remark: sink-wgmma-waits: the next tiles are loaded while the dot runs
tt.func @loads_under_the_dot(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %line: tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>) -> tensor<64x64xf32, #mma> {
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
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %twice = tt.load %line : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
    %row = tt.expand_dims %twice {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
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

// COM: With two stages, the next iteration starts with a wait for the copies, which come before the scales.
// CHECK-LABEL: @copies_before_scales
// CHECK:           ttng.warp_group_dot
// CHECK-NEXT:      ttg.memdesc_index
// CHECK:           ttg.async_commit_group
// CHECK:           ttg.async_commit_group
// CHECK-NEXT:      %[[S:.*]] = tt.load
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      tt.expand_dims %[[S]]
tt.func @copies_before_scales(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %line: tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %twice = tt.load %line : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
    %row = tt.expand_dims %twice {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
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

// COM: Fragments of A are read, and B is copied K-major to one of two buffers. The next loads write raw tiles only.
// CHECK-LABEL: @both_operands_are_read
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %
// CHECK-NEXT:      ttg.memdesc_index
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK:           ttg.async_copy_global_to_local
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      %[[W:.*]]:2 = ttng.warp_group_dot_wait %[[D]], %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:      %[[X:.*]] = arith.mulf %[[W]]#0, %
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %{{.*}}, %[[X]]
// CHECK-NEXT:      scf.yield %[[SUM]]
// REMARK:      remark: sink-wgmma-waits: the next tiles are loaded while the dot runs
tt.func @both_operands_are_read(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %raws = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %raw = ttg.memdesc_index %raws[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #runs>
    %parity = arith.andi %i, %c1 : i32
    %b = ttg.memdesc_index %copies[%parity] {dotload.double_buffer} : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    ttg.local_store %bv, %b : tensor<64x64xf8E4M3FN, #runs> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %scaled = arith.mulf %done, %scale : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %raws[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: With two buffers, the next load may write the tile that the dot reads.
// CHECK-LABEL: @buffer_that_the_dot_reads
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK:           ttg.async_copy_global_to_local
// REMARK:      remark: sink-wgmma-waits: kept scf.for: the next copy may overwrite a buffer that the dot still reads [OVERWRITTEN]
tt.func @buffer_that_the_dot_reads(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %scaled = arith.mulf %done, %scale : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: A store of the result has effects, so the loop stays as it is.
// CHECK-LABEL: @result_is_stored
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK:           ttg.async_copy_global_to_local
// REMARK:      remark: sink-wgmma-waits: kept scf.for: reads or waits cannot move past tt.store, which needs shared memory or has other side effects [EFFECTS]
tt.func @result_is_stored(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %out: tensor<64x64x!tt.ptr<f32>, #mma>) -> tensor<64x64xf32, #mma> {
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
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %s = arith.addf %acc, %done : tensor<64x64xf32, #mma>
    tt.store %out, %s : tensor<64x64x!tt.ptr<f32>, #mma>
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

// COM: It is not known which of two waits is for the tile.
// CHECK-LABEL: @two_waits
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK:           ttg.async_copy_global_to_local
// REMARK:      remark: sink-wgmma-waits: kept scf.for: the loop has no asynchronous loads (num_stages=1), or it is not known how they complete [COMPLETION]
tt.func @two_waits(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %again = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %scaled = arith.mulf %done, %scale : tensor<64x64xf32, #mma>
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

// COM: The result is the accumulator, and the loop does not compute with it: nothing to do, and no remark.
// CHECK-LABEL: @only_adds_up
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK:           ttg.async_copy_global_to_local
// REMARK-NOT:  remark
tt.func @only_adds_up(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
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
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %done, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: No staged operand: the kernel stays as it is, without a remark.
// CHECK-LABEL: @stock
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK:           ttg.async_copy_global_to_local
// REMARK-NOT:  remark
tt.func @stock(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %scaled = arith.mulf %done, %scale : tensor<64x64xf32, #mma>
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
