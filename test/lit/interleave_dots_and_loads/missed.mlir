// RUN: dotload-opt %s --interleave-dots-and-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Loops of two dots whose loads stay after the second dot.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 32]}>
#widedot = #ttg.dot_op<{opIdx = 0, parent = #wide, kWidth = 4}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: With two buffers, the next load may write the tile that the second dot reads.
// CHECK-LABEL: @buffer_that_a_dot_reads
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           scf.yield
// REMARK:      remark: interleave-dots-and-loads: kept scf.for: the next copy may overwrite a buffer that the dot still reads [OVERWRITTEN]
tt.func @buffer_that_a_dot_reads(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %out:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 3 : i32}
    %x = ttg.memdesc_index %xs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %d_done = ttng.warp_group_dot_wait %d {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group tokens %x_copy
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group tokens %y_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    scf.yield %d_done, %e_done, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: The second dot reads another buffer than the first, maybe the one that a load writes.
// CHECK-LABEL: @tiles_of_two_iterations
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           scf.yield
// REMARK:      remark: interleave-dots-and-loads: kept scf.for: the dots read tiles of different iterations, and the next copy may overwrite one of them [ITERATIONS]
tt.func @tiles_of_two_iterations(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %out:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 3 : i32}
    %x = ttg.memdesc_index %xs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %d_done = ttng.warp_group_dot_wait %d {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %c = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %e = ttng.warp_group_dot %yv, %c, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group tokens %x_copy
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group tokens %y_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    scf.yield %d_done, %e_done, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: The loads would move above a store, which may write what they read.
// CHECK-LABEL: @store_in_between
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           scf.yield
// REMARK:      remark: interleave-dots-and-loads: kept scf.for: reads or waits cannot move past tt.store, which needs shared memory or has other side effects [EFFECTS]
tt.func @store_in_between(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32, %q: !tt.ptr<i32>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %out:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 3 : i32}
    %x = ttg.memdesc_index %xs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %d_done = ttng.warp_group_dot_wait %d {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    tt.store %q, %i : !tt.ptr<i32>
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group tokens %x_copy
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group tokens %y_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    scf.yield %d_done, %e_done, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: The wait leaves two groups in flight, and an iteration has three.
// CHECK-LABEL: @groups_that_do_not_fit
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           scf.yield
// REMARK:      remark: interleave-dots-and-loads: kept scf.for: the loop has no asynchronous loads (num_stages=1), or it is not known how they complete [COMPLETION]
tt.func @groups_that_do_not_fit(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %out:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %x = ttg.memdesc_index %xs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %d_done = ttng.warp_group_dot_wait %d {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group tokens %x_copy
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group tokens %y_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    scf.yield %d_done, %e_done, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: A commit group does not name the copies that it completes.
// CHECK-LABEL: @groups_of_unknown_copies
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           scf.yield
// REMARK:      remark: interleave-dots-and-loads: kept scf.for: the loop has no asynchronous loads (num_stages=1), or it is not known how they complete [COMPLETION]
tt.func @groups_of_unknown_copies(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %out:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 3 : i32}
    %x = ttg.memdesc_index %xs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %d_done = ttng.warp_group_dot_wait %d {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy_group = ttg.async_commit_group
    scf.yield %d_done, %e_done, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: A copy above the second dot cannot move either, since it is committed after that dot.
// CHECK-LABEL: @copy_between_the_dots
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK-NOT:       ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           scf.yield
// REMARK:      remark: interleave-dots-and-loads: kept scf.for: the loop has no asynchronous loads (num_stages=1), or it is not known how they complete [COMPLETION]
tt.func @copy_between_the_dots(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %out:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 3 : i32}
    %x = ttg.memdesc_index %xs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %d_done = ttng.warp_group_dot_wait %d {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group tokens %x_copy
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group tokens %y_copy
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    scf.yield %d_done, %e_done, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: TMA loads start at barriers that membar places.
// CHECK-LABEL: @loads_by_tma
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           scf.yield
// REMARK:      remark: interleave-dots-and-loads: kept scf.for: the loop's TMA loads start at CTA barriers that follow the wait for the dot [MBARRIERS]
tt.func @loads_by_tma(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32, %desc: !tt.tensordesc<64x64xf8E4M3FN, #rows>, %mbar: !ttg.memdesc<1xi64, #line, #smem, mutable>, %tile: !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable>, %yes: i1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %out:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 3 : i32}
    %x = ttg.memdesc_index %xs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %d_done = ttng.warp_group_dot_wait %d {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group tokens %x_copy
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group tokens %y_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    ttng.async_tma_copy_global_to_local %desc[%c0, %c0] %tile, %mbar, %yes : !tt.tensordesc<64x64xf8E4M3FN, #rows>, !ttg.memdesc<1xi64, #line, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable>
    scf.yield %d_done, %e_done, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: Two accumulators already take 256 registers of a thread.
// CHECK-LABEL: @no_registers
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           scf.yield
// REMARK:      remark: interleave-dots-and-loads: kept scf.for: accumulators and fragments would take 320 registers per thread; use more warps or smaller tiles [FRAGMENTS]
tt.func @no_registers(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32, %q: tensor<64x256x!tt.ptr<f8E4M3FN>, #blocked>) -> (tensor<64x256xf32, #wide>, tensor<64x256xf32, #wide>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32, #wide>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x256xf8E4M3FN, #shared, #smem, mutable>
  %out:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %at = %c0, %to = %c1) -> (tensor<64x256xf32, #wide>, tensor<64x256xf32, #wide>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 3 : i32}
    %x = ttg.memdesc_index %xs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x256xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x256xf8E4M3FN, #shared, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #widedot>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #widedot> * !ttg.memdesc<64x256xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x256xf32, #wide>
    %d_done = ttng.warp_group_dot_wait %d {pendings = 3 : i32} : tensor<64x256xf32, #wide>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #widedot>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #widedot> * !ttg.memdesc<64x256xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x256xf32, #wide>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 3 : i32} : tensor<64x256xf32, #wide>
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group tokens %x_copy
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group tokens %y_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x256xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x256xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %q, %b_to {contiguity = 16 : i32} : tensor<64x256x!tt.ptr<f8E4M3FN>, #blocked> -> <64x256xf8E4M3FN, #shared, #smem, mutable>
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    scf.yield %d_done, %e_done, %to, %at : tensor<64x256xf32, #wide>, tensor<64x256xf32, #wide>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x256xf32, #wide>, tensor<64x256xf32, #wide>
}

// COM: The wait for the first dot comes after the second dot, so it does not protect what the loads overwrite. No
// COM: remark.
// CHECK-LABEL: @waits_behind_both
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           scf.yield
// REMARK-NOT:  remark
tt.func @waits_behind_both(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %out:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 3 : i32}
    %x = ttg.memdesc_index %xs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %d_done = ttng.warp_group_dot_wait %d {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group tokens %x_copy
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group tokens %y_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    scf.yield %d_done, %e_done, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}
}
