// RUN: dotload-opt %s --await-register-operands | FileCheck %s

#mma_words = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#dot_words = #ttg.dot_op<{opIdx = 0, parent = #mma_words, kWidth = 1}>
#raw_words = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]}, alignment = 16>
#shared_words = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#k_major = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: ptxas reads 32-bit fragments into registers that the previous dot may still read: the loop waits for the whole
// COM: dot.
// CHECK-LABEL: @words_of_a_dot_in_flight
// CHECK:         scf.for
// CHECK:           ttg.local_load
// CHECK:           %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT:      ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
// CHECK:           scf.yield
tt.func @words_of_a_dot_in_flight(%as: !ttg.memdesc<2x64x32xf32, #raw_words, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared_words, #smem>, %n: i32) -> tensor<64x64xf32, #mma_words> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma_words>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma_words>) : i32 {
    %slot = arith.andi %i, %c1 : i32
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<2x64x32xf32, #raw_words, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw_words, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x32xf32, #raw_words, #smem, mutable> -> tensor<64x32xf32, #dot_words>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot_words> * !ttg.memdesc<32x64xf32, #shared_words, #smem> -> tensor<64x64xf32, #mma_words>
    %done = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : tensor<64x64xf32, #mma_words>
    scf.yield %done : tensor<64x64xf32, #mma_words>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma_words>
  tt.return %all : tensor<64x64xf32, #mma_words>
}

// COM: Two dots read the same registers, so only the wait for the second one changes.
// CHECK-LABEL: @words_of_two_dots
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK:           scf.yield
tt.func @words_of_two_dots(%as: !ttg.memdesc<2x64x32xf32, #raw_words, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared_words, #smem>, %n: i32) -> (tensor<64x64xf32, #mma_words>, tensor<64x64xf32, #mma_words>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma_words>
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero) -> (tensor<64x64xf32, #mma_words>, tensor<64x64xf32, #mma_words>) : i32 {
    %slot = arith.andi %i, %c1 : i32
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<2x64x32xf32, #raw_words, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw_words, #smem, mutable>
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x32xf32, #raw_words, #smem, mutable> -> tensor<64x32xf32, #dot_words>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot_words> * !ttg.memdesc<32x64xf32, #shared_words, #smem> -> tensor<64x64xf32, #mma_words>
    %one = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : tensor<64x64xf32, #mma_words>
    %e = ttng.warp_group_dot %av, %b, %gate {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot_words> * !ttg.memdesc<32x64xf32, #shared_words, #smem> -> tensor<64x64xf32, #mma_words>
    %two = ttng.warp_group_dot_wait %e {pendings = 1 : i32} : tensor<64x64xf32, #mma_words>
    scf.yield %one, %two : tensor<64x64xf32, #mma_words>, tensor<64x64xf32, #mma_words>
  }
  %all:2 = ttng.warp_group_dot_wait %sum#0, %sum#1 {pendings = 0 : i32} : tensor<64x64xf32, #mma_words>, tensor<64x64xf32, #mma_words>
  tt.return %all#0, %all#1 : tensor<64x64xf32, #mma_words>, tensor<64x64xf32, #mma_words>
}

// COM: A in shared memory is not read into registers: no wait changes.
// CHECK-LABEL: @a_in_shared_memory
// CHECK-COUNT-2:   ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK:           scf.yield
tt.func @a_in_shared_memory(%a: !ttg.memdesc<64x32xf32, #k_major, #smem>, %b: !ttg.memdesc<32x64xf32, #shared_words, #smem>, %n: i32) -> tensor<64x64xf32, #mma_words> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma_words>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma_words>) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x32xf32, #k_major, #smem> * !ttg.memdesc<32x64xf32, #shared_words, #smem> -> tensor<64x64xf32, #mma_words>
    %one = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : tensor<64x64xf32, #mma_words>
    %e = ttng.warp_group_dot %a, %b, %one {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x32xf32, #k_major, #smem> * !ttg.memdesc<32x64xf32, #shared_words, #smem> -> tensor<64x64xf32, #mma_words>
    %two = ttng.warp_group_dot_wait %e {pendings = 1 : i32} : tensor<64x64xf32, #mma_words>
    scf.yield %two : tensor<64x64xf32, #mma_words>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma_words>
  tt.return %all : tensor<64x64xf32, #mma_words>
}
}
