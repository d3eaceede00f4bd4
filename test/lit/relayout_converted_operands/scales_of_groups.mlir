// RUN: dotload-opt %s --relayout-converted-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#k_major = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#row_major = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#by_column = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#groups = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 2, 2], order = [2, 1, 0]}>
#scales = #ttg.slice<{dim = 1, parent = #groups}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Triton converts the tile in the layout of the scales, which have one row for 32 of the tile: single bytes in
// COM: shared memory. A thread with runs of K has one scale for a run, and stores it if the stored tile is K-major too.
// CHECK-DAG:   #[[LINEAR:.*]] = #ttg.linear<{register = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0]
// CHECK-DAG:   #[[TARGET:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16
// CHECK-LABEL: @k_major
// CHECK:       %[[K:.*]] = tt.load {{.*}}f8E4M3FN
// CHECK:       %[[TILE:.*]] = ttg.local_alloc %[[K]]
// CHECK:       ttg.local_load %[[TILE]] : {{.*}} -> tensor<128x64xf8E4M3FN, #[[LINEAR]]>
// CHECK:       %[[S:.*]] = tt.reshape {{.*}} -> tensor<128x64xbf16, #[[LINEAR]]>
// CHECK:       %[[W:.*]] = arith.mulf %{{.*}}, %[[S]] : tensor<128x64xbf16, #[[LINEAR]]>
// CHECK:       %[[B:.*]] = ttg.local_alloc %[[W]] : {{.*}} -> !ttg.memdesc<128x64xbf16, #[[TARGET]], #smem>
// CHECK:       ttng.warp_group_dot %{{.*}}, %[[B]]
// REMARK:      remark: relayout-converted-operands: B (8 bits, tile 128x64) is converted in another layout: st.shared.v4.b32, bank-conflict-free
tt.func @k_major(%q: !ttg.memdesc<64x128xbf16, #shared, #smem>, %kp: tensor<128x64x!tt.ptr<f8E4M3FN>, #k_major>, %sp: tensor<4x64x!tt.ptr<bf16>, #scales>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp : tensor<128x64x!tt.ptr<f8E4M3FN>, #k_major>
    %s = tt.load %sp : tensor<4x64x!tt.ptr<bf16>, #scales>
    %moved = ttg.convert_layout %k : tensor<128x64xf8E4M3FN, #k_major> -> tensor<128x64xf8E4M3FN, #by_column>
    %f = tt.fp_to_fp %moved : tensor<128x64xf8E4M3FN, #by_column> -> tensor<128x64xbf16, #by_column>
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

// COM: A thread with runs of N would take as many scales as elements.
// CHECK-LABEL: @row_major
// CHECK-NOT:   ttg.local_load
// CHECK:       tt.return
// REMARK-NOT:  tile 128x64
tt.func @row_major(%q: !ttg.memdesc<64x128xbf16, #shared, #smem>, %kp: tensor<128x64x!tt.ptr<f8E4M3FN>, #row_major>, %sp: tensor<4x64x!tt.ptr<bf16>, #scales>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.load %kp : tensor<128x64x!tt.ptr<f8E4M3FN>, #row_major>
    %s = tt.load %sp : tensor<4x64x!tt.ptr<bf16>, #scales>
    %moved = ttg.convert_layout %k : tensor<128x64xf8E4M3FN, #row_major> -> tensor<128x64xf8E4M3FN, #by_column>
    %f = tt.fp_to_fp %moved : tensor<128x64xf8E4M3FN, #by_column> -> tensor<128x64xbf16, #by_column>
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
