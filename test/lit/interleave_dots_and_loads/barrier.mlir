// RUN: dotload-opt %s --interleave-dots-and-loads | FileCheck %s
// RUN: dotload-opt %s --interleave-dots-and-loads --convert-staged-operands-to-llvm --check-shared-memory-hazards | FileCheck %s --check-prefix=LLVM

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The first load overwrites a tile that only the second dot reads. Each warpgroup has waited for its own dots of
// COM: the previous iteration, but not for those of others. No other op between the wait for tiles and the load would
// COM: make Triton place a CTA barrier, so the pass places one.
// CHECK-LABEL: @second_dots_tile_first
// CHECK:         scf.for
// CHECK:           ttng.warp_group_dot_wait
// CHECK:           gpu.barrier
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.yield
// COM: The CTA barrier also orders the reads of raw tiles.
// LLVM-LABEL:  @second_dots_tile_first
// LLVM:          scf.for
// LLVM:            ttng.warp_group_dot %
// LLVM:            gpu.barrier
// LLVM-NEXT:       ttg.async_copy_global_to_local
// LLVM-NOT:        gpu.barrier
// LLVM:            scf.yield
tt.func @second_dots_tile_first(%p: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %xs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %ys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %ds = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %p0dl_to = ttg.memdesc_index %ds[%c0] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
  %p0dl_copy = ttg.async_copy_global_to_local %p, %p0dl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %p0dl_g = ttg.async_commit_group tokens %p0dl_copy
  %p0xl_to = ttg.memdesc_index %xs[%c0] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
  %p0xl_copy = ttg.async_copy_global_to_local %p, %p0xl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
  %p0xl_g = ttg.async_commit_group tokens %p0xl_copy
  %p0yl_to = ttg.memdesc_index %ys[%c0] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
  %p0yl_copy = ttg.async_copy_global_to_local %p, %p0yl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
  %p0yl_g = ttg.async_commit_group tokens %p0yl_copy
  %p0bl_to = ttg.memdesc_index %bs[%c0] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
  %p0bl_copy = ttg.async_copy_global_to_local %p, %p0bl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %p0bl_g = ttg.async_commit_group tokens %p0bl_copy
  %p1dl_to = ttg.memdesc_index %ds[%c1] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
  %p1dl_copy = ttg.async_copy_global_to_local %p, %p1dl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %p1dl_g = ttg.async_commit_group tokens %p1dl_copy
  %p1xl_to = ttg.memdesc_index %xs[%c1] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
  %p1xl_copy = ttg.async_copy_global_to_local %p, %p1xl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
  %p1xl_g = ttg.async_commit_group tokens %p1xl_copy
  %p1yl_to = ttg.memdesc_index %ys[%c1] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
  %p1yl_copy = ttg.async_copy_global_to_local %p, %p1yl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
  %p1yl_g = ttg.async_commit_group tokens %p1yl_copy
  %p1bl_to = ttg.memdesc_index %bs[%c1] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
  %p1bl_copy = ttg.async_copy_global_to_local %p, %p1bl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %p1bl_g = ttg.async_commit_group tokens %p1bl_copy
  %out:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero, %q = %c0) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32) : i32 {
    %at = arith.remsi %i, %c3 : i32
    %i2 = arith.addi %i, %c2 : i32
    %to = arith.remsi %i2, %c3 : i32
    %at2 = arith.remsi %i, %c2 : i32
    %there = ttg.async_wait {num = 4 : i32}
    ttng.fence_async_shared {bCluster = false}
    %x = ttg.memdesc_index %xs[%at2] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %y = ttg.memdesc_index %ys[%at2] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %b = ttg.memdesc_index %bs[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %db = ttg.memdesc_index %ds[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %xv = ttg.local_load %x {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %d = ttng.warp_group_dot %xv, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %dd = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : tensor<64x64xf32, #mma>
    %yv = ttg.local_load %y {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %e = ttng.warp_group_dot %yv, %db, %gate {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %ee = ttng.warp_group_dot_wait %e {pendings = 1 : i32} : tensor<64x64xf32, #mma>
    %dl_to = ttg.memdesc_index %ds[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %dl_copy = ttg.async_copy_global_to_local %p, %dl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %dl_g = ttg.async_commit_group tokens %dl_copy
    %xl_to = ttg.memdesc_index %xs[%at2] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %xl_copy = ttg.async_copy_global_to_local %p, %xl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %xl_g = ttg.async_commit_group tokens %xl_copy
    %yl_to = ttg.memdesc_index %ys[%at2] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %yl_copy = ttg.async_copy_global_to_local %p, %yl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %yl_g = ttg.async_commit_group tokens %yl_copy
    %bl_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %bl_copy = ttg.async_copy_global_to_local %p, %bl_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %bl_g = ttg.async_commit_group tokens %bl_copy
    scf.yield %dd, %ee, %q : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, i32
}
  %fin:2 = ttng.warp_group_dot_wait %out#0, %out#1 {pendings = 0 : i32} : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  %fin_w = ttg.async_wait {num = 0 : i32}
  tt.return %fin#0, %fin#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}
}
