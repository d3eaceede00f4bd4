// RUN: dotload-opt %s --await-overwritten-tiles | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#raw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!tile = !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Tile i + 2 comes into the buffer of tile i, which the dot may still read.
// CHECK-LABEL: @two_buffers
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %
// CHECK-NEXT:      %[[W:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           scf.yield %[[W]]
tt.func @two_buffers(%rings: !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable>, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %cm1 = arith.constant -1 : i32
  %count = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
  %out:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %c1, %now = %cm1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %1 = arith.addi %now, %c1 : i32
    %2 = arith.cmpi sge, %1, %count : i32
    %at = arith.select %2, %c0, %1 : i32
    %there = ttg.async_wait {num = 1 : i32}
    %slot = arith.andi %i, %c1 : i32
    %raw = ttg.memdesc_index %rings[%slot] : !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf16, #raw, #smem, mutable>
    %a = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf16, #raw, #smem, mutable> -> tensor<64x64xf16, #dot>
    %b = ttg.memdesc_index %ring[%at] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !tile
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xf16, #dot> * !tile -> tensor<64x64xf32, #mma>
    %3 = arith.addi %last, %c1 : i32
    %4 = arith.cmpi sge, %3, %count : i32
    %next = arith.select %4, %c0, %3 : i32
    %free = ttg.memdesc_index %ring[%next] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !tile
    %copy = ttg.async_copy_global_to_local %p, %free : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %d, %next, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  %all = ttng.warp_group_dot_wait %out#0 {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}

// COM: There is a wait in between, which leaves the dot in flight: it leaves none now.
// CHECK-LABEL: @two_buffers_and_a_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           scf.yield
tt.func @two_buffers_and_a_wait(%rings: !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable>, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %cm1 = arith.constant -1 : i32
  %count = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
  %out:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %c1, %now = %cm1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %1 = arith.addi %now, %c1 : i32
    %2 = arith.cmpi sge, %1, %count : i32
    %at = arith.select %2, %c0, %1 : i32
    %there = ttg.async_wait {num = 1 : i32}
    %slot = arith.andi %i, %c1 : i32
    %raw = ttg.memdesc_index %rings[%slot] : !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf16, #raw, #smem, mutable>
    %a = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf16, #raw, #smem, mutable> -> tensor<64x64xf16, #dot>
    %b = ttg.memdesc_index %ring[%at] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !tile
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xf16, #dot> * !tile -> tensor<64x64xf32, #mma>
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : tensor<64x64xf32, #mma>
    %3 = arith.addi %last, %c1 : i32
    %4 = arith.cmpi sge, %3, %count : i32
    %next = arith.select %4, %c0, %3 : i32
    %free = ttg.memdesc_index %ring[%next] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !tile
    %copy = ttg.async_copy_global_to_local %p, %free : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %w, %next, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  %all = ttng.warp_group_dot_wait %out#0 {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}

// COM: A third buffer is free, once the dot of the iteration before is over.
// CHECK-LABEL: @three_buffers
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           scf.yield
tt.func @three_buffers(%rings: !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable>, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %cm1 = arith.constant -1 : i32
  %count = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
  %out:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %c1, %now = %cm1) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %1 = arith.addi %now, %c1 : i32
    %2 = arith.cmpi sge, %1, %count : i32
    %at = arith.select %2, %c0, %1 : i32
    %there = ttg.async_wait {num = 1 : i32}
    %slot = arith.andi %i, %c1 : i32
    %raw = ttg.memdesc_index %rings[%slot] : !ttg.memdesc<2x64x64xf16, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf16, #raw, #smem, mutable>
    %a = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf16, #raw, #smem, mutable> -> tensor<64x64xf16, #dot>
    %b = ttg.memdesc_index %ring[%at] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !tile
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xf16, #dot> * !tile -> tensor<64x64xf32, #mma>
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : tensor<64x64xf32, #mma>
    %3 = arith.addi %last, %c1 : i32
    %4 = arith.cmpi sge, %3, %count : i32
    %next = arith.select %4, %c0, %3 : i32
    %free = ttg.memdesc_index %ring[%next] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !tile
    %copy = ttg.async_copy_global_to_local %p, %free : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %w, %next, %at : tensor<64x64xf32, #mma>, i32, i32
  }
  %all = ttng.warp_group_dot_wait %out#0 {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %all : tensor<64x64xf32, #mma>
}
}
