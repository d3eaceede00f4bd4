// RUN: dotload-opt %s --add-wait-barriers | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#k_major = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!pointers = tensor<64x64x!tt.ptr<f8E4M3FN>, #rows>
!acc = tensor<128x64xf32, #mma>
!a = !ttg.memdesc<128x64xf8E4M3FN, #raw, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
!bs = !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
!x = !ttg.memdesc<128x64xf8E4M3FN, #k_major, #smem, mutable>
!fragments = tensor<128x64xf8E4M3FN, #dot>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The last dot is in flight where membar may place a barrier, and over behind the loop.
// CHECK-LABEL: @finished_behind_the_loop
// CHECK:         scf.yield
// CHECK:         ttng.warp_group_dot_wait
// CHECK-NEXT:    gpu.barrier
tt.func @finished_behind_the_loop(%p: !pointers, %x: !x, %a: !a, %b: !b, %o: !b, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %t = ttg.local_load %o : !b -> tensor<64x64xf8E4M3FN, #rows>
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    scf.yield %w : !acc
  }
  %done = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  tt.return %done : !acc
}

// COM: It is over in the loop, behind that place.
// CHECK-LABEL: @finished_in_the_loop
// CHECK:         scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
tt.func @finished_in_the_loop(%p: !pointers, %x: !x, %a: !a, %b: !b, %o: !b, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %t = ttg.local_load %o : !b -> tensor<64x64xf8E4M3FN, #rows>
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w : !acc
  }
  tt.return %out : !acc
}

// COM: A barrier follows the loop: membar places one at the wait.
// CHECK-LABEL: @barrier_behind_the_loop
// CHECK:         scf.yield
// CHECK-NOT:     gpu.barrier
// CHECK:         tt.return
tt.func @barrier_behind_the_loop(%p: !pointers, %x: !x, %a: !a, %b: !b, %o: !b, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %t = ttg.local_load %o : !b -> tensor<64x64xf8E4M3FN, #rows>
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    scf.yield %w : !acc
  }
  %done = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  %all = ttg.async_wait {num = 0 : i32}
  tt.return %done : !acc
}

// COM: No barrier comes before the wait for the dot.
// CHECK-LABEL: @finished_at_once
// CHECK:         scf.yield
// CHECK-NOT:     gpu.barrier
// CHECK:         tt.return
tt.func @finished_at_once(%p: !pointers, %x: !x, %a: !a, %b: !b, %o: !b, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %next = arith.addi %i, %c1 : i32
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w : !acc
  }
  %done = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  tt.return %done : !acc
}

// COM: A barrier stands behind the wait.
// CHECK-LABEL: @barrier_in_the_loop
// CHECK:         scf.yield
// CHECK-NOT:     gpu.barrier
// CHECK:         tt.return
tt.func @barrier_in_the_loop(%p: !pointers, %x: !x, %a: !a, %b: !b, %o: !b, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %t = ttg.local_load %o : !b -> tensor<64x64xf8E4M3FN, #rows>
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %there = ttg.async_wait {num = 1 : i32}
    scf.yield %w : !acc
  }
  %done = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  tt.return %done : !acc
}

// COM: The first wait leaves it in flight.
// CHECK-LABEL: @finished_by_a_later_wait
// CHECK:         scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
tt.func @finished_by_a_later_wait(%p: !pointers, %x: !x, %a: !a, %b: !b, %o: !b, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !x * !b -> !acc
    %v = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %t = ttg.local_load %o : !b -> tensor<64x64xf8E4M3FN, #rows>
    %w = ttng.warp_group_dot_wait %v {pendings = 0 : i32} : !acc
    scf.yield %w : !acc
  }
  tt.return %out : !acc
}
}
