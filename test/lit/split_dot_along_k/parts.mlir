// RUN: dotload-opt %s --split-dot-along-k | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#cut4 = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [8, 0, 0], [0, 0, 16], [0, 0, 32], [0, 1, 0]], lane = [[0, 0, 4], [0, 0, 8], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut3 = #ttg.linear<{register = [[0, 1, 0], [0, 2, 0], [8, 0, 0], [0, 16, 0], [0, 32, 0], [0, 0, 1]], lane = [[0, 4, 0], [0, 8, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut2 = #ttg.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16], [0, 32]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32], [0, 64]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: From 3.7 on, Triton makes parts of 64 bytes of k, so half of a dot is in flight while the bytes of the other
// COM: half are permuted. In parts of one wgmma each, it is three quarters. No data moves: a thread holds its columns
// COM: of each part.
// CHECK-LABEL: @parts_of_two_instructions
// CHECK:         %[[V:.*]] = ttg.local_load
// CHECK:         ttng.fence_async_shared
// CHECK:         tt.split
// CHECK:         %[[B0:.*]] = ttg.memdesc_subslice %[[B:.*]][0, 0] {{.*}} -> !ttg.memdesc<32x64xf8E4M3FN, #{{.*}}, #smem, mutable, 128x64>
// CHECK-NEXT:    %[[D0:.*]] = ttng.warp_group_dot %{{.*}}, %[[B0]], %{{.*}}, %{{.*}} {{{.*}}isAsync = true, maxNumImpreciseAcc = 1073741824 {{.*}} tensor<64x32xf8E4M3FN, #ttg.dot_op
// CHECK-NEXT:    %[[W0:.*]] = ttng.warp_group_dot_wait %[[D0]] {pendings = 3 : i32}
// CHECK:         %[[B1:.*]] = ttg.memdesc_subslice %[[B]][32, 0]
// CHECK-NEXT:    %[[D1:.*]] = ttng.warp_group_dot %{{.*}}, %[[B1]], %[[W0]] {
// CHECK-NEXT:    %[[W1:.*]] = ttng.warp_group_dot_wait %[[D1]] {pendings = 3 : i32}
// CHECK:         %[[B2:.*]] = ttg.memdesc_subslice %[[B]][64, 0]
// CHECK-NEXT:    %[[D2:.*]] = ttng.warp_group_dot %{{.*}}, %[[B2]], %[[W1]] {
// CHECK-NEXT:    %[[W2:.*]] = ttng.warp_group_dot_wait %[[D2]] {pendings = 3 : i32}
// CHECK:         %[[B3:.*]] = ttg.memdesc_subslice %[[B]][96, 0]
// CHECK-NEXT:    %[[D3:.*]] = ttng.warp_group_dot %{{.*}}, %[[B3]], %[[W2]] {
// CHECK-NEXT:    %[[W3:.*]] = ttng.warp_group_dot_wait %[[D3]] {pendings = 3 : i32}
// CHECK-NOT:     ttng.warp_group_dot
// CHECK:         scf.yield %[[W3]]
tt.func @parts_of_two_instructions(%as: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %bs: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>, %fresh: i1, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %x = ttg.local_alloc : () -> !ttg.memdesc<3x64x128xf8E4M3FN, #shared, #smem, mutable>
  %y = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %ready = ttg.async_wait {num = 2 : i32}
    %slot = arith.remsi %i, %c2 : i32
    %k_major = ttg.memdesc_index %x[%slot] : !ttg.memdesc<3x64x128xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem, mutable>
    %b = ttg.memdesc_trans %k_major {order = array<i32: 1, 0>} : !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable>
    %tile = ttg.memdesc_index %y[%slot] : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable>
    %v = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x128xf8E4M3FN, #dot>
    %r = tt.reshape %v : tensor<64x128xf8E4M3FN, #dot> -> tensor<64x2x64xf8E4M3FN, #cut4>
    %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x64xf8E4M3FN, #cut4> -> tensor<64x64x2xf8E4M3FN, #cut3>
    %lo, %hi = tt.split %t : tensor<64x64x2xf8E4M3FN, #cut3> -> tensor<64x64xf8E4M3FN, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %b1 = ttg.memdesc_subslice %b[64, 0] : !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    ttng.fence_async_shared {bCluster = false}
    %d0 = ttng.warp_group_dot %a0, %b0, %acc, %fresh {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w0, %k0 = ttng.warp_group_dot_wait %d0, %b0 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    ttng.fence_async_shared {bCluster = false}
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w1, %k1 = ttng.warp_group_dot_wait %d1, %b1 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %next = ttg.memdesc_index %x[%c2] : !ttg.memdesc<3x64x128xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem, mutable>
    %token = ttg.async_copy_global_to_local %as, %next : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked> -> <64x128xf8E4M3FN, #shared, #smem, mutable>
    %group = ttg.async_commit_group tokens %token
    scf.yield %w1 : tensor<64x64xf32, #mma>
  }
  %finished = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  ttg.local_dealloc %y : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  ttg.local_dealloc %x : !ttg.memdesc<3x64x128xf8E4M3FN, #shared, #smem, mutable>
  tt.return %finished : tensor<64x64xf32, #mma>
}

// COM: The loop waits for each part at once, so smaller parts would not increase the number in flight.
// CHECK-LABEL: @waited_for_at_once
// CHECK-COUNT-2: ttng.warp_group_dot %{{.*}} : tensor<64x64xf8E4M3FN
// CHECK-NOT:     ttng.warp_group_dot %
// CHECK:         tt.return
tt.func @waited_for_at_once(%b: !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable>, %fresh: i1, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %y = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %ready = ttg.async_wait {num = 2 : i32}
    %tile = ttg.memdesc_index %y[%c0] : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable>
    %v = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x128xf8E4M3FN, #dot>
    %r = tt.reshape %v : tensor<64x128xf8E4M3FN, #dot> -> tensor<64x2x64xf8E4M3FN, #cut4>
    %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x64xf8E4M3FN, #cut4> -> tensor<64x64x2xf8E4M3FN, #cut3>
    %lo, %hi = tt.split %t : tensor<64x64x2xf8E4M3FN, #cut3> -> tensor<64x64xf8E4M3FN, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %b1 = ttg.memdesc_subslice %b[64, 0] : !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %d0 = ttng.warp_group_dot %a0, %b0, %acc, %fresh {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w0, %k0 = ttng.warp_group_dot_wait %d0, %b0 {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w1, %k1 = ttng.warp_group_dot_wait %d1, %b1 {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    scf.yield %w1 : tensor<64x64xf32, #mma>
  }
  ttg.local_dealloc %y : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  tt.return %out : tensor<64x64xf32, #mma>
}

// COM: Waits count all dots of a loop, so parts stay if there is another dot.
// CHECK-LABEL: @other_dot_in_the_loop
// CHECK-COUNT-2: ttng.warp_group_dot %{{.*}} : tensor<64x64xf8E4M3FN
// CHECK-NOT:     tensor<64x32xf8E4M3FN
// CHECK:         tt.return
tt.func @other_dot_in_the_loop(%q: !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem, mutable>, %b: !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable>, %fresh: i1, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %y = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %other = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %ready = ttg.async_wait {num = 2 : i32}
    %tile = ttg.memdesc_index %y[%c0] : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable>
    %v = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x128xf8E4M3FN, #dot>
    %r = tt.reshape %v : tensor<64x128xf8E4M3FN, #dot> -> tensor<64x2x64xf8E4M3FN, #cut4>
    %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x64xf8E4M3FN, #cut4> -> tensor<64x64x2xf8E4M3FN, #cut3>
    %lo, %hi = tt.split %t : tensor<64x64x2xf8E4M3FN, #cut3> -> tensor<64x64xf8E4M3FN, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %b1 = ttg.memdesc_subslice %b[64, 0] : !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %d0 = ttng.warp_group_dot %a0, %b0, %acc, %fresh {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w0, %k0 = ttng.warp_group_dot_wait %d0, %b0 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w1, %k1 = ttng.warp_group_dot_wait %d1, %b1 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %e = ttng.warp_group_dot %q, %b, %other {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x128xf8E4M3FN, #shared, #smem, mutable> * !ttg.memdesc<128x64xf8E4M3FN, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
    scf.yield %w1, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  ttg.local_dealloc %y : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  tt.return %out#0 : tensor<64x64xf32, #mma>
}
}
