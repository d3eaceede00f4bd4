// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#row = #ttg.slice<{dim = 0, parent = #blocked}>
#scale = #ttg.slice<{dim = 0, parent = #b}>
#groups = #ttg.linear<{register = [[1, 0], [0, 32], [0, 64]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = []}>
#spread = #ttg.linear<{register = [[0, 1, 0], [0, 2, 0], [0, 16, 0], [1, 0, 0], [0, 0, 32], [0, 0, 64]], lane = [[0, 4, 0], [0, 8, 0], [0, 0, 1], [0, 0, 2], [0, 0, 4]], warp = [[0, 0, 8], [0, 0, 16]], block = []}>
#square = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#rows = #ttg.dot_op<{opIdx = 0, parent = #square, kWidth = 4}>
#columns = #ttg.dot_op<{opIdx = 1, parent = #square, kWidth = 4}>
#half = #ttg.slice<{dim = 1, parent = #rows}>
#down = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The scales of columns are permuted like the columns, before they are converted to the layout of the fragments.
// COM: Those of k stay.
// CHECK-LABEL: @scaled_columns
// CHECK-DAG:     %[[V1:.*]] = tt.reshape %{{.*}} : tensor<128xf16, #{{.*}}> -> tensor<2x32x2xf16
// CHECK-DAG:     %[[V2:.*]] = tt.trans %[[V1]]
// CHECK-DAG:     %[[V3:.*]] = tt.reshape %[[V2]] : tensor<2x2x32xf16, #{{.*}}> -> tensor<128xf16
// CHECK-DAG:     %[[S:.*]] = ttg.convert_layout %[[V3]]
// CHECK-DAG:     %[[E:.*]] = tt.expand_dims %[[S]]
// CHECK-DAG:     %[[B:.*]] = tt.broadcast %[[E]]
// CHECK-DAG:     %[[K:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf16, #{{.*}}> -> tensor<64x128xf16
// CHECK:         %[[F:.*]] = arith.sitofp %{{.*}}
// CHECK:         %[[M:.*]] = arith.mulf %[[F]], %[[B]]
// CHECK:         %[[W:.*]] = arith.mulf %[[M]], %[[K]]
// CHECK:         tt.dot %{{.*}}, %[[W]]
// REMARK:      row-major B (not K-major, 8 bits, tile 64x128) is staged
tt.func @scaled_columns(%x: tensor<16x64xf16, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #blocked>, %s: tensor<128xf16, #row>, %t: tensor<64x1xf16, #b>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %wo = ttg.convert_layout %w : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
  %so = ttg.convert_layout %s : tensor<128xf16, #row> -> tensor<128xf16, #scale>
  %se = tt.expand_dims %so {axis = 0 : i32} : tensor<128xf16, #scale> -> tensor<1x128xf16, #b>
  %sb = tt.broadcast %se : tensor<1x128xf16, #b> -> tensor<64x128xf16, #b>
  %tb = tt.broadcast %t : tensor<64x1xf16, #b> -> tensor<64x128xf16, #b>
  %f = arith.sitofp %wo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
  %g = arith.mulf %f, %sb : tensor<64x128xf16, #b>
  %h = arith.mulf %g, %tb : tensor<64x128xf16, #b>
  %d = tt.dot %x, %h, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: Likewise if they are spread over groups of k by a reshape, as those of tl.dot_scaled: the dim of columns is kept,
// COM: whatever dims are in front of it. Permuted in the tile, Triton would carry that to another layout.
// CHECK-LABEL: @scaled_groups
// CHECK-DAG:     %[[V:.*]] = tt.reshape %{{.*}} : tensor<2x2x2x32xf16, #{{.*}}> -> tensor<2x128xf16
// CHECK-DAG:     %[[S:.*]] = ttg.convert_layout %[[V]] : tensor<2x128xf16, #{{.*}}> -> tensor<2x128xf16
// CHECK-DAG:     %[[E:.*]] = tt.reshape %[[S]] : tensor<2x128xf16, #{{.*}}> -> tensor<2x1x128xf16
// CHECK-DAG:     %[[B:.*]] = tt.broadcast %[[E]]
// CHECK-DAG:     %[[T:.*]] = tt.reshape %[[B]] : tensor<2x32x128xf16, #{{.*}}> -> tensor<64x128xf16
// CHECK:         arith.mulf %{{.*}}, %[[T]]
tt.func @scaled_groups(%x: tensor<16x64xf16, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #blocked>, %s: tensor<2x128xf16, #blocked>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %wo = ttg.convert_layout %w : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
  %so = ttg.convert_layout %s : tensor<2x128xf16, #blocked> -> tensor<2x128xf16, #groups>
  %se = tt.reshape %so : tensor<2x128xf16, #groups> -> tensor<2x1x128xf16, #spread>
  %sb = tt.broadcast %se : tensor<2x1x128xf16, #spread> -> tensor<2x32x128xf16, #spread>
  %st = tt.reshape %sb : tensor<2x32x128xf16, #spread> -> tensor<64x128xf16, #b>
  %f = arith.sitofp %wo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
  %g = arith.mulf %f, %st : tensor<64x128xf16, #b>
  %d = tt.dot %x, %g, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: Hints about columns do not hold for permuted columns: the pass drops them.
// CHECK-LABEL: @hinted_columns
// CHECK-DAG:     arith.mulf %{{.*}}, %{{.*}} {tt.constancy = dense<4> : tensor<1xi32>} : tensor<128xf16
// CHECK-DAG:     %[[S:.*]] = arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : tensor<128xf16
// CHECK-DAG:     tt.expand_dims %[[S]] {axis = 0 : i32} :
// CHECK:         tt.dot
tt.func @hinted_columns(%x: tensor<16x64xf16, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #blocked>, %s: tensor<128xf16, #row>, %c: tensor<16x128xf32, #mma>) -> (tensor<16x128xf32, #mma>, tensor<128xf16, #scale>) {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %wo = ttg.convert_layout %w : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
  %so = ttg.convert_layout %s : tensor<128xf16, #row> -> tensor<128xf16, #scale>
  %sm = arith.mulf %so, %so {tt.constancy = dense<4> : tensor<1xi32>} : tensor<128xf16, #scale>
  %se = tt.expand_dims %sm {axis = 0 : i32} : tensor<128xf16, #scale> -> tensor<1x128xf16, #b>
  %sb = tt.broadcast %se : tensor<1x128xf16, #b> -> tensor<64x128xf16, #b>
  %f = arith.sitofp %wo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
  %g = arith.mulf %f, %sb : tensor<64x128xf16, #b>
  %d = tt.dot %x, %g, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d, %sm : tensor<16x128xf32, #mma>, tensor<128xf16, #scale>
}

// COM: A byte packs two 4-bit values: the tile is read once for both dots, whose results are permuted back once.
// CHECK-LABEL: @halves_of_bytes
// CHECK:       scf.for
// CHECK:         %[[T:.*]] = builtin.unrealized_conversion_cast
// CHECK-NOT:     ttg.local_load
// CHECK:         arith.andi %[[T]]
// CHECK:         arith.shrui %[[T]]
// CHECK:         %[[FIRST:.*]] = tt.dot
// CHECK:         tt.dot %{{.*}}, %{{.*}}, %[[FIRST]]
// CHECK:       tt.reshape
// CHECK-NOT:   tt.dot
// CHECK:       tt.return
tt.func @halves_of_bytes(%x: tensor<16x64xf16, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %low = arith.constant dense<15> : tensor<64x128xi8, #b>
  %four = arith.constant dense<4> : tensor<64x128xi8, #b>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %wo = ttg.convert_layout %w : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %l = arith.andi %wo, %low : tensor<64x128xi8, #b>
    %lf = arith.uitofp %l : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %h = arith.shrui %wo, %four : tensor<64x128xi8, #b>
    %hf = arith.uitofp %h : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %x, %lf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    %e = tt.dot %x, %hf, %d : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %e : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: The scales of two dots are the halves of pairs. Each half is permuted for its own dot.
// CHECK-LABEL: @halves_of_scales
// CHECK:         %[[L:[^,]*]], %[[H:.*]] = tt.split
// CHECK-DAG:     %[[L1:.*]] = tt.reshape %[[L]] : tensor<64xf16, #{{.*}}> -> tensor<4x8x2xf16
// CHECK-DAG:     %[[H1:.*]] = tt.reshape %[[H]] : tensor<64xf16, #{{.*}}> -> tensor<4x8x2xf16
// CHECK-DAG:     tt.trans %[[L1]]
// CHECK-DAG:     tt.trans %[[H1]]
// REMARK:      remark: stage-dot-operands: column-major A
tt.func @halves_of_scales(%x: tensor<64x32xf16, #columns>, %wp: tensor<64x64x!tt.ptr<i8>, #down>, %pairs: tensor<64x2xf16, #rows>, %n: i32) -> tensor<64x32xf32, #square> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #square>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32, #square>) : i32 {
    %w = tt.load %wp : tensor<64x64x!tt.ptr<i8>, #down>
    %wo = ttg.convert_layout %w : tensor<64x64xi8, #down> -> tensor<64x64xi8, #rows>
    %f = arith.sitofp %wo : tensor<64x64xi8, #rows> to tensor<64x64xf16, #rows>
    %l, %h = tt.split %pairs : tensor<64x2xf16, #rows> -> tensor<64xf16, #half>
    %le = tt.expand_dims %l {axis = 1 : i32} : tensor<64xf16, #half> -> tensor<64x1xf16, #rows>
    %lb = tt.broadcast %le : tensor<64x1xf16, #rows> -> tensor<64x64xf16, #rows>
    %lw = arith.mulf %f, %lb : tensor<64x64xf16, #rows>
    %he = tt.expand_dims %h {axis = 1 : i32} : tensor<64xf16, #half> -> tensor<64x1xf16, #rows>
    %hb = tt.broadcast %he : tensor<64x1xf16, #rows> -> tensor<64x64xf16, #rows>
    %hw = arith.mulf %f, %hb : tensor<64x64xf16, #rows>
    %d = tt.dot %lw, %x, %acc : tensor<64x64xf16, #rows> * tensor<64x32xf16, #columns> -> tensor<64x32xf32, #square>
    %e = tt.dot %hw, %x, %d : tensor<64x64xf16, #rows> * tensor<64x32xf16, #columns> -> tensor<64x32xf32, #square>
    scf.yield %e : tensor<64x32xf32, #square>
  }
  tt.return %r : tensor<64x32xf32, #square>
}
}
