// RUN: dotload-opt %s --relayout-converted-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#k_major = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#by_row = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [2, 2], order = [0, 1]}>
#by_column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#groups = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 2, 2], order = [2, 1, 0]}>
#scales = #ttg.slice<{dim = 1, parent = #groups}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The kernel loads the weights as [N, K], and multiplies by `w.T`: the tile is read as it is loaded, and the
// COM: transpose of its registers is stored.
// CHECK-DAG:   #[[READ:.*]] = #ttg.linear<{register = {{\[}}[0, 1], [0, 2], [0, 4], [0, 8]
// CHECK-DAG:   #[[LINEAR:.*]] = #ttg.linear<{register = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0]
// CHECK-DAG:   #[[RAW:.*]] = #ttg.swizzled_shared<{vec = 64, perPhase = 1, maxPhase = 2, order = [1, 0]}>
// CHECK-DAG:   #[[TARGET:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16
// CHECK-LABEL: @scaled
// CHECK:       %[[K:.*]] = tt.load {{.*}}f8E4M3FN
// CHECK:       %[[TILE:.*]] = ttg.local_alloc %[[K]] : {{.*}} -> !ttg.memdesc<64x128xf8E4M3FN, #[[RAW]], #smem>
// CHECK:       %[[R:.*]] = ttg.local_load %[[TILE]] : {{.*}} -> tensor<64x128xf8E4M3FN, #[[READ]]>
// CHECK:       tt.trans %[[R]] {{.*}} -> tensor<128x64xf8E4M3FN, #[[LINEAR]]>
// CHECK:       %[[W:.*]] = arith.mulf {{.*}} : tensor<128x64xbf16, #[[LINEAR]]>
// CHECK:       %[[B:.*]] = ttg.local_alloc %[[W]] : {{.*}} -> !ttg.memdesc<128x64xbf16, #[[TARGET]], #smem>
// CHECK:       ttng.warp_group_dot %{{.*}}, %[[B]]
// REMARK:      remark: relayout-converted-operands: B (8 bits, tile 64x128) is converted in another layout: st.shared.v4.b32, bank-conflict-free
tt.func @scaled(%q: !ttg.memdesc<64x128xbf16, #shared, #smem>, %kp: tensor<64x128x!tt.ptr<f8E4M3FN>, #k_major>, %sp: tensor<4x64x!tt.ptr<bf16>, #scales>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp : tensor<64x128x!tt.ptr<f8E4M3FN>, #k_major>
    %s = tt.load %sp : tensor<4x64x!tt.ptr<bf16>, #scales>
    %moved = ttg.convert_layout %k : tensor<64x128xf8E4M3FN, #k_major> -> tensor<64x128xf8E4M3FN, #by_row>
    %t = tt.trans %moved {order = array<i32: 1, 0>} : tensor<64x128xf8E4M3FN, #by_row> -> tensor<128x64xf8E4M3FN, #by_column>
    %f = tt.fp_to_fp %t : tensor<128x64xf8E4M3FN, #by_column> -> tensor<128x64xbf16, #by_column>
    %e = tt.expand_dims %s {axis = 1 : i32} : tensor<4x64xbf16, #scales> -> tensor<4x1x64xbf16, #groups>
    %g = tt.broadcast %e : tensor<4x1x64xbf16, #groups> -> tensor<4x32x64xbf16, #groups>
    %all = tt.reshape %g : tensor<4x32x64xbf16, #groups> -> tensor<128x64xbf16, #by_column>
    %w = arith.mulf %f, %all : tensor<128x64xbf16, #by_column>
    %b = ttg.local_alloc %w : (tensor<128x64xbf16, #by_column>) -> !ttg.memdesc<128x64xbf16, #shared, #smem>
    %d = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #shared, #smem> * !ttg.memdesc<128x64xbf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}
}
