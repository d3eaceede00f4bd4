// RUN: dotload-opt %s --drop-redundant-wgmma-waits | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: No dot is in flight behind the first wait: the second one waits for nothing.
// CHECK-LABEL: @second_wait_for_all
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %
// CHECK-NEXT:      %[[W:.*]]:2 = ttng.warp_group_dot_wait %[[D]], %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:      %[[E:.*]] = arith.addf %[[W]]#0,
// CHECK:           scf.yield %[[E]]
tt.func @second_wait_for_all(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %more: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
    %once:2 = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #shared, #smem>
    %twice = ttng.warp_group_dot_wait %once#0 {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    %e = arith.addf %twice, %more : tensor<64x64xf32, #mma>
    scf.yield %e : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: Behind a wait that leaves a dot in flight, the next one has something to wait for.
// CHECK-LABEL: @first_wait_leaves_a_dot_in_flight
// CHECK:           ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
// CHECK-NEXT:      ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
tt.func @first_wait_leaves_a_dot_in_flight(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %more: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
    %early = ttng.warp_group_dot_wait %acc {pendings = 1 : i32} : tensor<64x64xf32, #mma>
    %late = ttng.warp_group_dot_wait %early {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    %e = arith.addf %d, %late : tensor<64x64xf32, #mma>
    scf.yield %e : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: The second wait forwards another accumulator: what uses that has to stay behind it.
// CHECK-LABEL: @forwards_what_the_first_wait_does_not
// CHECK:           ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:      ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
tt.func @forwards_what_the_first_wait_does_not(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %more: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %more {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
    %one = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    %other = ttng.warp_group_dot_wait %acc {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    %e = arith.addf %one, %other : tensor<64x64xf32, #mma>
    scf.yield %e : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}
}
