// RUN: dotload-opt %s --split-dot-along-k | FileCheck %s

#cut4 = #ttg.linear<{register = [[8, 0, 0], [0, 0, 4], [0, 0, 8], [0, 0, 16], [0, 0, 32], [0, 1, 0]], lane = [[0, 0, 1], [0, 0, 2], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut3 = #ttg.linear<{register = [[8, 0, 0], [0, 4, 0], [0, 8, 0], [0, 16, 0], [0, 32, 0], [0, 0, 1]], lane = [[0, 1, 0], [0, 2, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut2 = #ttg.linear<{register = [[8, 0], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: 32-bit fragments need no permutation, so there is nothing for further parts to overlap with.
// CHECK-LABEL: @parts_of_words
// CHECK-COUNT-2: ttng.warp_group_dot %{{.*}} : tensor<64x64xf32
// CHECK-NOT:     ttng.warp_group_dot %
// CHECK:         tt.return
tt.func @parts_of_words(%as: !ttg.memdesc<2x64x128xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<128x64xf32, #shared, #smem, mutable>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %slot = arith.andi %i, %c1 : i32
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<2x64x128xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x128xf32, #raw, #smem, mutable>
    %v = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x128xf32, #raw, #smem, mutable> -> tensor<64x128xf32, #dot>
    %r = tt.reshape %v : tensor<64x128xf32, #dot> -> tensor<64x2x64xf32, #cut4>
    %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x64xf32, #cut4> -> tensor<64x64x2xf32, #cut3>
    %lo, %hi = tt.split %t : tensor<64x64x2xf32, #cut3> -> tensor<64x64xf32, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x64xf32, #cut2> -> tensor<64x64xf32, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x64xf32, #cut2> -> tensor<64x64xf32, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<128x64xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable, 128x64>
    %b1 = ttg.memdesc_subslice %b[64, 0] : !ttg.memdesc<128x64xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable, 128x64>
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xf32, #dot> * !ttg.memdesc<64x64xf32, #shared, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x64xf32, #mma>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xf32, #dot> * !ttg.memdesc<64x64xf32, #shared, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x64xf32, #mma>
    scf.yield %w1 : tensor<64x64xf32, #mma>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}
}
