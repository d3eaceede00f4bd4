// RUN: dotload-opt %s --interleave-dots-and-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Loops of two dots, as Triton's pipeliner leaves them; the next tiles are loaded after the second dot.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#halves = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#half_tiles = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The second dot's fragments are read before the first dot starts. After the first dot's wait, no dot of the
// COM: previous iteration is in flight. The loads follow, and keep their order.
// CHECK-LABEL: @loads_between_the_dots
// CHECK:           %[[X:.*]] = ttg.local_load
// CHECK-NEXT:      %[[Y:.*]] = ttg.local_load
// CHECK-NEXT:      %[[D:.*]] = ttng.warp_group_dot %[[X]],
// CHECK-NEXT:      ttng.warp_group_dot_wait %[[D]] {pendings = 1 : i32}
// CHECK-NEXT:      ttg.memdesc_index %[[XS:.*]][
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttg.memdesc_index
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttg.memdesc_index
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      %[[E:.*]] = ttng.warp_group_dot %[[Y]],
// CHECK-NEXT:      ttng.warp_group_dot_wait %[[E]] {pendings = 3 : i32}
// CHECK-NEXT:      scf.yield
// REMARK:      remark: interleave-dots-and-loads: the next tiles are loaded between the dots of the loop
tt.func @loads_between_the_dots(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
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

// COM: After the first dot there is nothing left to read.
// CHECK-LABEL: @dots_of_one_a
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      scf.yield
// REMARK:      remark: interleave-dots-and-loads: the next tiles are loaded between the dots of the loop
tt.func @dots_of_one_a(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
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
    %e = ttng.warp_group_dot %xv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
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

// COM: A wait that leaves fewer dots in flight stays as it is.
// CHECK-LABEL: @fewer_in_flight
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// REMARK:      remark: interleave-dots-and-loads: the next tiles are loaded between the dots of the loop
tt.func @fewer_in_flight(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
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
    %d_done = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 1 : i32} : tensor<64x64xf32, #mma>
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

// COM: The first dot completes before the second starts: nothing to gain, and no remark.
// CHECK-LABEL: @waited_for_at_once
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK-NEXT:      ttg.local_load
// CHECK-NEXT:      ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
tt.func @waited_for_at_once(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
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
    %d_done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 0 : i32} : tensor<64x64xf32, #mma>
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

// COM: A loop of one dot has its loads after the dot: nothing to do, and no remark.
// CHECK-LABEL: @one_dot
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait {{.*}} {pendings = 3 : i32}
// CHECK:           ttg.async_copy_global_to_local
// CHECK-NOT:       ttng.warp_group_dot
// CHECK:           scf.yield
tt.func @one_dot(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
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
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group tokens %x_copy
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group tokens %y_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    scf.yield %d_done, %gate, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: Attention: the loop uses the result of one dot before the other one starts.
// CHECK-LABEL: @goes_on_with_a_result
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait {{.*}} {pendings = 3 : i32}
// CHECK-NOT:       ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           scf.yield
// REMARK-NOT:  remark
tt.func @goes_on_with_a_result(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
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
    %sum = arith.addf %d_done, %e_done : tensor<64x64xf32, #mma>
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group tokens %x_copy
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group tokens %y_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    scf.yield %d_done, %sum, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: Elements wider than 8 bits have not been measured: they stay, without a remark.
// CHECK-LABEL: @wider_elements
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 3 : i32}
// CHECK-NOT:       ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// REMARK-NOT:  remark
tt.func @wider_elements(%p: tensor<64x64x!tt.ptr<f16>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #half_tiles, #smem, mutable>
  %out:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 3 : i32}
    %x = ttg.memdesc_index %xs[%at] : !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf16, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at] : !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf16, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf16, #half_tiles, #smem, mutable> -> !ttg.memdesc<64x64xf16, #half_tiles, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf16, #raw, #smem, mutable> -> tensor<64x64xf16, #halves>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 0 : i32} : tensor<64x64xf16, #halves> * !ttg.memdesc<64x64xf16, #half_tiles, #smem, mutable> -> tensor<64x64xf32, #mma>
    %d_done = ttng.warp_group_dot_wait %d {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf16, #raw, #smem, mutable> -> tensor<64x64xf16, #halves>
    %e = ttng.warp_group_dot %yv, %b, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 0 : i32} : tensor<64x64xf16, #halves> * !ttg.memdesc<64x64xf16, #half_tiles, #smem, mutable> -> tensor<64x64xf32, #mma>
    %e_done = ttng.warp_group_dot_wait %e {pendings = 3 : i32} : tensor<64x64xf32, #mma>
    %x_to = ttg.memdesc_index %xs[%to] : !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf16, #raw, #smem, mutable>
    %x_copy = ttg.async_copy_global_to_local %p, %x_to {contiguity = 8 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #raw, #smem, mutable>
    %x_copy_group = ttg.async_commit_group tokens %x_copy
    %y_to = ttg.memdesc_index %ys[%to] : !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf16, #raw, #smem, mutable>
    %y_copy = ttg.async_copy_global_to_local %p, %y_to {contiguity = 8 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #raw, #smem, mutable>
    %y_copy_group = ttg.async_commit_group tokens %y_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf16, #half_tiles, #smem, mutable> -> !ttg.memdesc<64x64xf16, #half_tiles, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %p, %b_to {contiguity = 8 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #half_tiles, #smem, mutable>
    %b_copy_group = ttg.async_commit_group tokens %b_copy
    scf.yield %d_done, %e_done, %to, %at : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}
}
