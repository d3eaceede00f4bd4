// RUN: dotload-opt %s --sink-operand-conversions --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: If cp.async is one tile ahead, an early load of the next tile is worth more than parts.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 16], [4, 32], [8, 0], [16, 0]]}, alignment = 16>
#held = #ttg.linear<{register = [[1, 0], [0, 1], [8, 0], [16, 0]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#cut4 = #ttg.linear<{register = [[0, 0, 1], [8, 0, 0], [0, 0, 8], [0, 1, 0]], lane = [[0, 0, 2], [0, 0, 4], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut3 = #ttg.linear<{register = [[0, 1, 0], [8, 0, 0], [0, 8, 0], [0, 0, 1]], lane = [[0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut2 = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @one_ahead
// CHECK:       %[[A:.*]] = arith.sitofp {{.*}} to tensor<64x32xf16
// CHECK:       tt.reshape %[[A]]
// REMARK:      remark: sink-operand-conversions: kept arith.sitofp: 1 tiles are in flight when an iteration starts, 2 are needed; use a larger num_stages, or smaller tiles [FEW_TILES]
tt.func @one_ahead(%ptrs: tensor<32x64x!tt.ptr<i8>, #blocked>, %tiles: !ttg.memdesc<3x32x64xi8, #raw, #smem, mutable>, %b: !ttg.memdesc<32x128xf16, #shared, #smem, mutable>, %p: !tt.ptr<i32>, %init: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %at = arith.remsi %i, %c3 : i32
    %tile = ttg.memdesc_index %tiles[%at] : !ttg.memdesc<3x32x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<32x64xi8, #raw, #smem, mutable>
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<32x64xi8, #raw, #smem, mutable> -> tensor<32x64xi8, #held>
    %bytes = builtin.unrealized_conversion_cast %read : tensor<32x64xi8, #held> to tensor<64x32xi8, #dot>
    %a = arith.sitofp %bytes : tensor<64x32xi8, #dot> to tensor<64x32xf16, #dot>
    %s = tt.reshape %a : tensor<64x32xf16, #dot> -> tensor<64x2x16xf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xf16, #cut4> -> tensor<64x16x2xf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xf16, #cut3> -> tensor<64x16xf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %b1 = ttg.memdesc_subslice %b[16, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    %next = arith.addi %i, %c2 : i32
    %to = arith.remsi %next, %c3 : i32
    %free = ttg.memdesc_index %tiles[%to] : !ttg.memdesc<3x32x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<32x64xi8, #raw, #smem, mutable>
    %copy = ttg.async_copy_global_to_local %ptrs, %free {contiguity = 16 : i32} : tensor<32x64x!tt.ptr<i8>, #blocked> -> <32x64xi8, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %w1 : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// CHECK-LABEL:   @two_ahead
// CHECK-COUNT-2: arith.sitofp {{.*}} to tensor<64x16xf16
// REMARK-NEXT:   remark: sink-operand-conversions: each part of the operand is converted right before its dot
tt.func @two_ahead(%ptrs: tensor<32x64x!tt.ptr<i8>, #blocked>, %tiles: !ttg.memdesc<3x32x64xi8, #raw, #smem, mutable>, %b: !ttg.memdesc<32x128xf16, #shared, #smem, mutable>, %p: !tt.ptr<i32>, %init: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32, #mma>) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %at = arith.remsi %i, %c3 : i32
    %tile = ttg.memdesc_index %tiles[%at] : !ttg.memdesc<3x32x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<32x64xi8, #raw, #smem, mutable>
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<32x64xi8, #raw, #smem, mutable> -> tensor<32x64xi8, #held>
    %bytes = builtin.unrealized_conversion_cast %read : tensor<32x64xi8, #held> to tensor<64x32xi8, #dot>
    %a = arith.sitofp %bytes : tensor<64x32xi8, #dot> to tensor<64x32xf16, #dot>
    %s = tt.reshape %a : tensor<64x32xf16, #dot> -> tensor<64x2x16xf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xf16, #cut4> -> tensor<64x16x2xf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xf16, #cut3> -> tensor<64x16xf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %b1 = ttg.memdesc_subslice %b[16, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    %next = arith.addi %i, %c2 : i32
    %to = arith.remsi %next, %c3 : i32
    %free = ttg.memdesc_index %tiles[%to] : !ttg.memdesc<3x32x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<32x64xi8, #raw, #smem, mutable>
    %copy = ttg.async_copy_global_to_local %ptrs, %free {contiguity = 16 : i32} : tensor<32x64x!tt.ptr<i8>, #blocked> -> <32x64xi8, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %w1 : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}
}
