// RUN: dotload-opt %s --interleave-dots-and-loads=operands-stay=true --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: The option operands-stay: loads of tiles that dots read in shared memory are not moved.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Tiles that are read into registers are loaded between the dots, the other tile after them.
// CHECK-LABEL: @raw_tiles_only
// CHECK:           %[[XS:.*]] = ttg.local_alloc
// CHECK-NEXT:      %[[YS:.*]] = ttg.local_alloc
// CHECK-NEXT:      %[[BS:.*]] = ttg.local_alloc
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK-NEXT:      %[[X:.*]] = ttg.memdesc_index %[[XS]]
// CHECK-NEXT:      ttg.async_copy_global_to_local %{{.*}}, %[[X]]
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      %[[Y:.*]] = ttg.memdesc_index %[[YS]]
// CHECK-NEXT:      ttg.async_copy_global_to_local %{{.*}}, %[[Y]]
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait {{.*}} {pendings = 3 : i32}
// CHECK-NEXT:      %[[B:.*]] = ttg.memdesc_index %[[BS]]
// CHECK-NEXT:      ttg.async_copy_global_to_local %{{.*}}, %[[B]]
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      scf.yield
// REMARK:      remark: interleave-dots-and-loads: the next tiles are loaded between the dots of the loop
tt.func @raw_tiles_only(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
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
    scf.yield %d_done, %e_done, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: Tiles whose loads stay may be read from any buffer, and have any number of buffers.
// CHECK-LABEL: @tiles_that_stay_may_have_few_buffers
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           scf.yield
// REMARK:      remark: interleave-dots-and-loads: the next tiles are loaded between the dots of the loop
tt.func @tiles_that_stay_may_have_few_buffers(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
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
    %c = ttg.memdesc_index %bs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %e = ttng.warp_group_dot %yv, %c, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
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

// COM: Nothing moves, nor do the reads.
// CHECK-LABEL: @nothing_else_is_loaded
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait {{.*}} {pendings = 3 : i32}
// CHECK-NEXT:      ttg.local_load
// CHECK-NEXT:      ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// REMARK-NOT:  remark
tt.func @nothing_else_is_loaded(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %out:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %x = ttg.memdesc_index %xs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %d_done = ttng.warp_group_dot_wait %d {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    scf.yield %d_done, %e_done, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}
}
