// RUN: dotload-opt %s --prune-wgmma-waits | FileCheck %s

// COM: Each register that a wait for wgmma forwards is an operand and a result of inline assembly. Accumulators that
// COM: pass from dot to dot need not be forwarded.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The wait keeps its place. The wait after the loop forwards the whole accumulator.
// CHECK-LABEL: @only_dots_use_the_accumulator
// CHECK:         %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[ACC:[^ ]*]] =
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ACC]] {
// CHECK-NEXT:      %[[TOKEN:.*]] = arith.constant dense<0> : tensor<2xi32, #[[ONE:.*]]>
// CHECK-NEXT:      ttng.warp_group_dot_wait %[[TOKEN]] {pendings = 0 : i32} : tensor<2xi32, #[[ONE]]>
// CHECK:           scf.yield %[[D]]
// CHECK:         ttng.warp_group_dot_wait %[[SUM]] {pendings = 0 : i32} : tensor<64x64xf32
tt.func @only_dots_use_the_accumulator(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}

// COM: Memory that a wait forwards counts as used until the wait; the option `memory` changes that.
// CHECK-LABEL: @memory_is_forwarded
// CHECK:         scf.for
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %[[B:[^ ]*]] {pendings = 0 : i32} : tensor<2xi32, #{{.*}}>, !ttg.memdesc<32x64xf32
tt.func @memory_is_forwarded(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #shared, #smem>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @carried_memory_is_forwarded
// CHECK:         scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[TILE:[^ ]*]] =
// CHECK:           %[[ON:[^:]*]]:2 = ttng.warp_group_dot_wait %{{.*}}, %[[TILE]] {pendings = 0 : i32} : tensor<2xi32
// CHECK:           scf.yield %{{.*}}, %[[ON]]#1
tt.func @carried_memory_is_forwarded(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum, %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %tile = %b) -> (tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #shared, #smem>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %tile, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %tile {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #shared, #smem>
    scf.yield %done, %free : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #shared, #smem>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}

// COM: Of the remaining operands, registers come first, whatever their order was: Triton 3.6 fails if the first result
// COM: is memory.
// CHECK-LABEL: @registers_come_first
// CHECK:         scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[OTHER:[^ ]*]] =
// CHECK:           %[[ON:[^:]*]]:2 = ttng.warp_group_dot_wait %[[OTHER]], %{{.*}} {pendings = 0 : i32} : tensor<64x64xf32, #{{.*}}>, !ttg.memdesc<32x64xf32
// CHECK:           arith.addf %[[ON]]#0, %[[ON]]#0
tt.func @registers_come_first(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum, %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %other = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
    %done, %free, %on = ttng.warp_group_dot_wait %d, %b, %other {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #shared, #smem>, tensor<64x64xf32, #mma>
    %twice = arith.addf %on, %on : tensor<64x64xf32, #mma>
    scf.yield %done, %twice : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}

// COM: Computation on an accumulator must stay after the wait.
// CHECK-LABEL: @loop_computes_with_the_accumulator
// CHECK-NOT:     tensor<2xi32
// CHECK:         scf.for
// CHECK:           %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT:      %[[DONE:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
// CHECK-NEXT:      arith.addf %[[DONE]], %[[DONE]]
tt.func @loop_computes_with_the_accumulator(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    %twice = arith.addf %done, %done : tensor<64x64xf32, #mma>
    scf.yield %twice : tensor<64x64xf32, #mma>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}

// COM: So must uses after the loop, where there is no other wait.
// CHECK-LABEL: @no_wait_behind_the_loop
// CHECK-NOT:     tensor<2xi32
// CHECK:         scf.for
// CHECK:           %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT:      %[[DONE:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
// CHECK:           scf.yield %[[DONE]]
tt.func @no_wait_behind_the_loop(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @next_iteration_computes_with_the_accumulator
// CHECK-NOT:     tensor<2xi32
// CHECK:           %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT:      %[[DONE:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
// CHECK:           scf.yield %[[DONE]]
tt.func @next_iteration_computes_with_the_accumulator(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %twice = arith.addf %acc, %acc : tensor<64x64xf32, #mma>
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %twice {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}

// COM: A synchronous dot may read its accumulator by other instructions than wgmma.
// CHECK-LABEL: @dot_is_not_asynchronous
// CHECK-NOT:     tensor<2xi32
// CHECK:         scf.for
// CHECK:           %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT:      ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
tt.func @dot_is_not_asynchronous(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}

// COM: The dot may not have run, so the accumulator comes from one of two places.
// CHECK-LABEL: @dot_under_a_condition
// CHECK-NOT:     tensor<2xi32
// CHECK:           %[[D:.*]] = scf.if
// CHECK:           ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
tt.func @dot_under_a_condition(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %more = arith.cmpi sgt, %n, %c1 : i32
    %d = scf.if %more -> (tensor<64x64xf32, #mma>) {
      %dot = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %dot : tensor<64x64xf32, #mma>
    } else {
      scf.yield %zero : tensor<64x64xf32, #mma>
    }
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}
}
