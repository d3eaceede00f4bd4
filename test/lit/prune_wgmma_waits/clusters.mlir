// RUN: dotload-opt %s --prune-wgmma-waits | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[1, 0]], instrShape = [16, 64, 8]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], block = [[64, 0]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Dots that are spread over a cluster are not modelled: their waits stay.
// CHECK-LABEL: @two_ctas_share_a_dot
// CHECK-NOT:     tensor<2xi32
// CHECK:         %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT:    ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
tt.func @two_ctas_share_a_dot(%b: !ttg.memdesc<32x64xf32, #shared, #smem>, %n: i32) -> tensor<128x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x128x32xf32, #raw, #smem, mutable>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x128x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<128x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<128x32xf32, #raw, #smem, mutable> -> tensor<128x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<128x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<128x64xf32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<128x64xf32, #mma>
    scf.yield %done : tensor<128x64xf32, #mma>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<128x64xf32, #mma>
  tt.return %all : tensor<128x64xf32, #mma>
}
}
