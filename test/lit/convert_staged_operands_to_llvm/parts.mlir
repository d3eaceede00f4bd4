// RUN: dotload-opt %s --convert-staged-operands-to-llvm | FileCheck %s

// COM: Triton has split a dot in two along k. The tile is read at once. Each part's bytes are permuted right before the
// COM: part, after the wait for the previous one, since a dot in flight still reads its registers.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#cut4 = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [8, 0, 0], [0, 0, 16], [0, 1, 0]], lane = [[0, 0, 4], [0, 0, 8], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut3 = #ttg.linear<{register = [[0, 1, 0], [0, 2, 0], [8, 0, 0], [0, 16, 0], [0, 0, 1]], lane = [[0, 4, 0], [0, 8, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut2 = #ttg.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @each_part_right_before_its_dot
// CHECK-COUNT-2:  llvm.nvvm.ldmatrix
// CHECK-NOT:      tt.split
// CHECK-NOT:      llvm.shufflevector
// CHECK:          ttg.memdesc_subslice
// CHECK-COUNT-4:  llvm.shufflevector
// CHECK-NOT:      llvm.shufflevector
// CHECK:          %[[A0:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x32xf8E4M3FN, #ttg.dot_op
// CHECK-NEXT:     %[[D0:.*]] = ttng.warp_group_dot %[[A0]]
// CHECK-NEXT:     %[[W0:.*]]:2 = ttng.warp_group_dot_wait %[[D0]]
// CHECK-COUNT-4:  llvm.shufflevector
// CHECK-NOT:      llvm.shufflevector
// CHECK:          %[[A1:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x32xf8E4M3FN, #ttg.dot_op
// CHECK-NEXT:     ttng.warp_group_dot %[[A1]], %{{.*}}, %[[W0]]#0
tt.func @each_part_right_before_its_dot(%ring: !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>, %i: i32, %b: !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>, %acc: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %tile = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
  %v = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
  %r = tt.reshape %v : tensor<64x64xf8E4M3FN, #dot> -> tensor<64x2x32xf8E4M3FN, #cut4>
  %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x32xf8E4M3FN, #cut4> -> tensor<64x32x2xf8E4M3FN, #cut3>
  %lo, %hi = tt.split %t : tensor<64x32x2xf8E4M3FN, #cut3> -> tensor<64x32xf8E4M3FN, #cut2>
  %a0 = ttg.convert_layout %lo : tensor<64x32xf8E4M3FN, #cut2> -> tensor<64x32xf8E4M3FN, #dot>
  %a1 = ttg.convert_layout %hi : tensor<64x32xf8E4M3FN, #cut2> -> tensor<64x32xf8E4M3FN, #dot>
  %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
  %b1 = ttg.memdesc_subslice %b[32, 0] : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
  %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #dot> * !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64> -> tensor<64x64xf32, #mma>
  %w0, %k0 = ttng.warp_group_dot_wait %d0, %b0 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
  %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #dot> * !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64> -> tensor<64x64xf32, #mma>
  %w1, %k1 = ttng.warp_group_dot_wait %d1, %b1 {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
  tt.return %w1 : tensor<64x64xf32, #mma>
}

// COM: A part has another use, so the whole tile is permuted where it is read.
// CHECK-LABEL: @part_with_another_use
// CHECK-COUNT-8:  llvm.shufflevector
// CHECK:          %[[V:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x64xf8E4M3FN, #ttg.dot_op
// CHECK-NEXT:     tt.reshape %[[V]]
// CHECK:          tt.split
// CHECK-NOT:      llvm.shufflevector
// CHECK:          tt.return
tt.func @part_with_another_use(%ring: !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>, %i: i32, %b: !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>, %acc: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x32xf8E4M3FN, #cut2>) {
  %tile = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
  %v = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
  %r = tt.reshape %v : tensor<64x64xf8E4M3FN, #dot> -> tensor<64x2x32xf8E4M3FN, #cut4>
  %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x32xf8E4M3FN, #cut4> -> tensor<64x32x2xf8E4M3FN, #cut3>
  %lo, %hi = tt.split %t : tensor<64x32x2xf8E4M3FN, #cut3> -> tensor<64x32xf8E4M3FN, #cut2>
  %a0 = ttg.convert_layout %lo : tensor<64x32xf8E4M3FN, #cut2> -> tensor<64x32xf8E4M3FN, #dot>
  %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
  %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #dot> * !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64> -> tensor<64x64xf32, #mma>
  tt.return %d0, %hi : tensor<64x64xf32, #mma>, tensor<64x32xf8E4M3FN, #cut2>
}
}
