// RUN: dotload-opt %s --pipeline-operand-copies --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t --allow-empty

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#parts = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [8, 0, 0], [0, 0, 16], [0, 1, 0]], lane = [[0, 0, 4], [0, 0, 8], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#turned = #ttg.linear<{register = [[0, 1, 0], [0, 2, 0], [8, 0, 0], [0, 16, 0], [0, 0, 1]], lane = [[0, 4, 0], [0, 8, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#part = #ttg.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#raw_a = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: B is read in place, and a part of the dot stays in flight when the iteration ends: nothing to gain.
// REMARK-NOT:  missed
// CHECK-LABEL: @part_in_flight
// CHECK-NOT:     dotload.barriers_placed
// CHECK:         scf.for
// CHECK:           ttg.async_wait {num = 4 : i32}
// CHECK-COUNT-2:   ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK:           scf.yield
tt.func @part_in_flight(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<4x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<4x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %cut = tt.reshape %av : tensor<64x64xf8E4M3FN, #dot> -> tensor<64x2x32xf8E4M3FN, #parts>
    %turned = tt.trans %cut {order = array<i32: 0, 2, 1>} : tensor<64x2x32xf8E4M3FN, #parts> -> tensor<64x32x2xf8E4M3FN, #turned>
    %h0, %h1 = tt.split %turned : tensor<64x32x2xf8E4M3FN, #turned> -> tensor<64x32xf8E4M3FN, #part>
    %a0 = ttg.convert_layout %h0 : tensor<64x32xf8E4M3FN, #part> -> tensor<64x32xf8E4M3FN, #dot>
    %k0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %a1 = ttg.convert_layout %h1 : tensor<64x32xf8E4M3FN, #part> -> tensor<64x32xf8E4M3FN, #dot>
    %k1 = ttg.memdesc_subslice %b[32, 0] : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %d0 = ttng.warp_group_dot %a0, %k0, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #dot> * !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64> -> tensor<64x64xf32, #mma>
    %w0, %w0_k = ttng.warp_group_dot_wait %d0, %k0 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %d1 = ttng.warp_group_dot %a1, %k1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #dot> * !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64> -> tensor<64x64xf32, #mma>
    %done, %done_k = ttng.warp_group_dot_wait %d1, %k1 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<4x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xf32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  tt.return %sum : tensor<64x64xf32, #mma>
}
}
