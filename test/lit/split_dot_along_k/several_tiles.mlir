// RUN: dotload-opt %s --split-dot-along-k | FileCheck %s

#cut4 = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [8, 0, 0], [0, 0, 16], [0, 0, 32], [0, 1, 0]], lane = [[0, 0, 4], [0, 0, 8], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut3 = #ttg.linear<{register = [[0, 1, 0], [0, 2, 0], [8, 0, 0], [0, 16, 0], [0, 32, 0], [0, 0, 1]], lane = [[0, 4, 0], [0, 8, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut2 = #ttg.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16], [0, 32]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 32]}>
#widedot = #ttg.dot_op<{opIdx = 0, parent = #wide, kWidth = 4}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32], [0, 64]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Waits count the parts of all dots of the loop, so all dots are split, whichever tile is their A.
// CHECK-LABEL:   @dots_of_two_tiles
// CHECK-COUNT-8: ttng.warp_group_dot_wait {{.*}} {pendings = 7 : i32}
// CHECK:         scf.yield
tt.func @dots_of_two_tiles(%fresh: i1, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %x = ttg.local_alloc : () -> !ttg.memdesc<3x64x128xf8E4M3FN, #shared, #smem, mutable>
  %z = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  %y = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
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
    %w0, %k0 = ttng.warp_group_dot_wait %d0, %b0 {pendings = 3 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    ttng.fence_async_shared {bCluster = false}
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w1, %k1 = ttng.warp_group_dot_wait %d1, %b1 {pendings = 3 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %tile_2 = ttg.memdesc_index %z[%slot] : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable>
    %v_2 = ttg.local_load %tile_2 {dotload.staged = "fragments"} : !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x128xf8E4M3FN, #dot>
    %r_2 = tt.reshape %v_2 : tensor<64x128xf8E4M3FN, #dot> -> tensor<64x2x64xf8E4M3FN, #cut4>
    %t_2 = tt.trans %r_2 {order = array<i32: 0, 2, 1>} : tensor<64x2x64xf8E4M3FN, #cut4> -> tensor<64x64x2xf8E4M3FN, #cut3>
    %lo_2, %hi_2 = tt.split %t_2 : tensor<64x64x2xf8E4M3FN, #cut3> -> tensor<64x64xf8E4M3FN, #cut2>
    %a0_2 = ttg.convert_layout %lo_2 : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    %a1_2 = ttg.convert_layout %hi_2 : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d0_2 = ttng.warp_group_dot %a0_2, %b0, %gate, %fresh {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w0_2, %k0_2 = ttng.warp_group_dot_wait %d0_2, %b0 {pendings = 3 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    ttng.fence_async_shared {bCluster = false}
    %d1_2 = ttng.warp_group_dot %a1_2, %b1, %w0_2 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w1_2, %k1_2 = ttng.warp_group_dot_wait %d1_2, %b1 {pendings = 3 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    scf.yield %w1, %w1_2 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  ttg.local_dealloc %z : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  ttg.local_dealloc %y : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  ttg.local_dealloc %x : !ttg.memdesc<3x64x128xf8E4M3FN, #shared, #smem, mutable>
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: One of the dots cannot be split, so none is.
// CHECK-LABEL:   @one_is_waited_for_otherwise
// CHECK-COUNT-4: ttng.warp_group_dot %{{.*}} : tensor<64x64xf8E4M3FN
// CHECK-NOT:     ttng.warp_group_dot %
// CHECK:         scf.yield
tt.func @one_is_waited_for_otherwise(%fresh: i1, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %x = ttg.local_alloc : () -> !ttg.memdesc<3x64x128xf8E4M3FN, #shared, #smem, mutable>
  %z = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  %y = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
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
    %w0, %k0 = ttng.warp_group_dot_wait %d0, %b0 {pendings = 3 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    ttng.fence_async_shared {bCluster = false}
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w1, %k1 = ttng.warp_group_dot_wait %d1, %b1 {pendings = 3 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    %tile_2 = ttg.memdesc_index %z[%slot] : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable>
    %v_2 = ttg.local_load %tile_2 {dotload.staged = "fragments"} : !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x128xf8E4M3FN, #dot>
    %r_2 = tt.reshape %v_2 : tensor<64x128xf8E4M3FN, #dot> -> tensor<64x2x64xf8E4M3FN, #cut4>
    %t_2 = tt.trans %r_2 {order = array<i32: 0, 2, 1>} : tensor<64x2x64xf8E4M3FN, #cut4> -> tensor<64x64x2xf8E4M3FN, #cut3>
    %lo_2, %hi_2 = tt.split %t_2 : tensor<64x64x2xf8E4M3FN, #cut3> -> tensor<64x64xf8E4M3FN, #cut2>
    %a0_2 = ttg.convert_layout %lo_2 : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    %a1_2 = ttg.convert_layout %hi_2 : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d0_2 = ttng.warp_group_dot %a0_2, %b0, %gate, %fresh {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w0_2, %k0_2 = ttng.warp_group_dot_wait %d0_2, %b0 {pendings = 3 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    ttng.fence_async_shared {bCluster = false}
    %d1_2 = ttng.warp_group_dot %a1_2, %b1, %w0_2 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64> -> tensor<64x64xf32, #mma>
    %w1_2, %k1_2 = ttng.warp_group_dot_wait %d1_2, %b1 {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem, mutable, 128x64>
    scf.yield %w1, %w1_2 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  ttg.local_dealloc %z : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  ttg.local_dealloc %y : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  ttg.local_dealloc %x : !ttg.memdesc<3x64x128xf8E4M3FN, #shared, #smem, mutable>
  tt.return %out#0, %out#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: No dot is split if two accumulators and the fragments of all tiles need more registers than a thread has.
// CHECK-LABEL:   @no_registers
// CHECK-COUNT-4: ttng.warp_group_dot %{{.*}} : tensor<64x64xf8E4M3FN
// CHECK-NOT:     ttng.warp_group_dot %
// CHECK:         scf.yield
tt.func @no_registers(%fresh: i1, %n: i32) -> (tensor<64x256xf32, #wide>, tensor<64x256xf32, #wide>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32, #wide>
  %x = ttg.local_alloc : () -> !ttg.memdesc<3x256x128xf8E4M3FN, #shared, #smem, mutable>
  %z = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  %y = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  %out:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero) -> (tensor<64x256xf32, #wide>, tensor<64x256xf32, #wide>) : i32 {
    %ready = ttg.async_wait {num = 2 : i32}
    %slot = arith.remsi %i, %c2 : i32
    %k_major = ttg.memdesc_index %x[%slot] : !ttg.memdesc<3x256x128xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<256x128xf8E4M3FN, #shared, #smem, mutable>
    %b = ttg.memdesc_trans %k_major {order = array<i32: 1, 0>} : !ttg.memdesc<256x128xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<128x256xf8E4M3FN, #shared1, #smem, mutable>
    %tile = ttg.memdesc_index %y[%slot] : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable>
    %v = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x128xf8E4M3FN, #widedot>
    %r = tt.reshape %v : tensor<64x128xf8E4M3FN, #widedot> -> tensor<64x2x64xf8E4M3FN, #cut4>
    %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x64xf8E4M3FN, #cut4> -> tensor<64x64x2xf8E4M3FN, #cut3>
    %lo, %hi = tt.split %t : tensor<64x64x2xf8E4M3FN, #cut3> -> tensor<64x64xf8E4M3FN, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #widedot>
    %a1 = ttg.convert_layout %hi : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #widedot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<128x256xf8E4M3FN, #shared1, #smem, mutable> -> !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem, mutable, 128x256>
    %b1 = ttg.memdesc_subslice %b[64, 0] : !ttg.memdesc<128x256xf8E4M3FN, #shared1, #smem, mutable> -> !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem, mutable, 128x256>
    ttng.fence_async_shared {bCluster = false}
    %d0 = ttng.warp_group_dot %a0, %b0, %acc, %fresh {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #widedot> * !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem, mutable, 128x256> -> tensor<64x256xf32, #wide>
    %w0, %k0 = ttng.warp_group_dot_wait %d0, %b0 {pendings = 3 : i32} : tensor<64x256xf32, #wide>, !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem, mutable, 128x256>
    ttng.fence_async_shared {bCluster = false}
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #widedot> * !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem, mutable, 128x256> -> tensor<64x256xf32, #wide>
    %w1, %k1 = ttng.warp_group_dot_wait %d1, %b1 {pendings = 3 : i32} : tensor<64x256xf32, #wide>, !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem, mutable, 128x256>
    %tile_2 = ttg.memdesc_index %z[%slot] : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable>
    %v_2 = ttg.local_load %tile_2 {dotload.staged = "fragments"} : !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x128xf8E4M3FN, #widedot>
    %r_2 = tt.reshape %v_2 : tensor<64x128xf8E4M3FN, #widedot> -> tensor<64x2x64xf8E4M3FN, #cut4>
    %t_2 = tt.trans %r_2 {order = array<i32: 0, 2, 1>} : tensor<64x2x64xf8E4M3FN, #cut4> -> tensor<64x64x2xf8E4M3FN, #cut3>
    %lo_2, %hi_2 = tt.split %t_2 : tensor<64x64x2xf8E4M3FN, #cut3> -> tensor<64x64xf8E4M3FN, #cut2>
    %a0_2 = ttg.convert_layout %lo_2 : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #widedot>
    %a1_2 = ttg.convert_layout %hi_2 : tensor<64x64xf8E4M3FN, #cut2> -> tensor<64x64xf8E4M3FN, #widedot>
    ttng.fence_async_shared {bCluster = false}
    %d0_2 = ttng.warp_group_dot %a0_2, %b0, %gate, %fresh {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #widedot> * !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem, mutable, 128x256> -> tensor<64x256xf32, #wide>
    %w0_2, %k0_2 = ttng.warp_group_dot_wait %d0_2, %b0 {pendings = 3 : i32} : tensor<64x256xf32, #wide>, !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem, mutable, 128x256>
    ttng.fence_async_shared {bCluster = false}
    %d1_2 = ttng.warp_group_dot %a1_2, %b1, %w0_2 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #widedot> * !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem, mutable, 128x256> -> tensor<64x256xf32, #wide>
    %w1_2, %k1_2 = ttng.warp_group_dot_wait %d1_2, %b1 {pendings = 3 : i32} : tensor<64x256xf32, #wide>, !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem, mutable, 128x256>
    scf.yield %w1, %w1_2 : tensor<64x256xf32, #wide>, tensor<64x256xf32, #wide>
  }
  ttg.local_dealloc %z : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  ttg.local_dealloc %y : !ttg.memdesc<2x64x128xf8E4M3FN, #raw, #smem, mutable>
  ttg.local_dealloc %x : !ttg.memdesc<3x256x128xf8E4M3FN, #shared, #smem, mutable>
  tt.return %out#0, %out#1 : tensor<64x256xf32, #wide>, tensor<64x256xf32, #wide>
}
}
