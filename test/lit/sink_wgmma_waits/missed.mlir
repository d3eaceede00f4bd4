// RUN: dotload-opt %s --sink-wgmma-waits --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Loops in which the wait for the dot stays where it is.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#mbar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The next iteration may store to the operand's memory while other warps' dots read it.
// CHECK-LABEL: @operand_stored_in_the_loop
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK:           ttg.async_copy_global_to_local
// REMARK:      remark: sink-wgmma-waits: kept scf.for: an operand of the dot is not one of the loop's buffers, whole or split along k [OPERANDS]
tt.func @operand_stored_in_the_loop(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %bv: tensor<64x64xf8E4M3FN, #blocked>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.local_alloc %bv : (tensor<64x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %scaled = arith.mulf %done, %scale : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: It is not known what a barrier after the wait orders.
// CHECK-LABEL: @barrier_behind_the_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// REMARK:      remark: sink-wgmma-waits: kept scf.for: reads or waits cannot move past gpu.barrier, which needs shared memory or has other side effects [EFFECTS]
tt.func @barrier_behind_the_wait(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
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
    %scaled = arith.mulf %done, %scale : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    gpu.barrier
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

// COM: A branch uses the result, as when a persistent kernel stores a tile in its last step: the remark names the branch.
// CHECK-LABEL: @used_in_a_branch
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// REMARK:      remark: sink-wgmma-waits: kept scf.for: reads or waits cannot move past scf.if, which needs shared memory or has other side effects [EFFECTS]
tt.func @used_in_a_branch(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %out: tensor<64x64x!tt.ptr<f16>, #mma>) -> tensor<64x64xf32, #mma> {
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
    %scaled = arith.mulf %done, %scale : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %is_last = arith.cmpi eq, %i, %c1 : i32
    scf.if %is_last {
      %narrow = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      tt.store %out, %narrow : tensor<64x64x!tt.ptr<f16>, #mma>
    }
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

// COM: TMA loads start at barriers after the wait.
// CHECK-LABEL: @loads_by_tma
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// REMARK:      remark: sink-wgmma-waits: kept scf.for: the loop's TMA loads start at CTA barriers that follow the wait for the dot [MBARRIERS]
tt.func @loads_by_tma(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %desc: !tt.tensordesc<64x64xf8E4M3FN, #rows>, %mbar: !ttg.memdesc<1xi64, #mbar, #smem, mutable>, %tile: !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable>) -> tensor<64x64xf32, #mma> {
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
    %scaled = arith.mulf %done, %scale : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %true = arith.constant true
    ttng.async_tma_copy_global_to_local %desc[%c0, %c0] %tile, %mbar, %true : !tt.tensordesc<64x64xf8E4M3FN, #rows>, !ttg.memdesc<1xi64, #mbar, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable>
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: A load to memory that is not one of several buffers may write any of them.
// CHECK-LABEL: @unknown_buffer
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK:           ttg.async_copy_global_to_local
// REMARK:      remark: sink-wgmma-waits: kept scf.for: the buffer of a staged tile is not known, or its index is not computed by arithmetic alone [ADDRESS]
tt.func @unknown_buffer(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<64x64xf32, #mma>, %n: i32, %b_to: !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>) -> tensor<64x64xf32, #mma> {
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
    %scaled = arith.mulf %done, %scale : tensor<64x64xf32, #mma>
    %s = arith.addf %acc, %scaled : tensor<64x64xf32, #mma>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}
}
