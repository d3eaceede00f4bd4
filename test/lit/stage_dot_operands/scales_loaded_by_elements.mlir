// RUN: dotload-opt %s --stage-dot-operands --remarks 2>&1 >%t | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#rows = #ttg.slice<{dim = 0, parent = #blocked}>
#groups = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 1, 4], order = [2, 1, 0]}>
#scales = #ttg.slice<{dim = 1, parent = #groups}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: One scale for 32 numbers along k. Their stride along n is known only at run time.
// CHECK: kept tt.load: the tile is not known to be contiguous and aligned, so threads may load it element by element; {{.*}}: scales of B (8 bits, tile 4x128) [LOADED_BY_ELEMENTS]
tt.func @groups_of_k(%x: tensor<16x128xf16, #a>, %w: tensor<128x128xf16, #b>, %p: !tt.ptr<i8>, %stride: i32, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %n = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #rows>
  %s = tt.splat %stride : i32 -> tensor<128xi32, #rows>
  %o = arith.muli %n, %s : tensor<128xi32, #rows>
  %o1 = tt.expand_dims %o {axis = 0 : i32} : tensor<128xi32, #rows> -> tensor<1x128xi32, #blocked>
  %o2 = tt.broadcast %o1 : tensor<1x128xi32, #blocked> -> tensor<4x128xi32, #blocked>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<4x128x!tt.ptr<i8>, #blocked>
  %at = tt.addptr %ps, %o2 : tensor<4x128x!tt.ptr<i8>, #blocked>, tensor<4x128xi32, #blocked>
  %v = tt.load %at : tensor<4x128x!tt.ptr<i8>, #blocked>
  %f = arith.sitofp %v : tensor<4x128xi8, #blocked> to tensor<4x128xf16, #blocked>
  %m = ttg.convert_layout %f : tensor<4x128xf16, #blocked> -> tensor<4x128xf16, #scales>
  %e = tt.expand_dims %m {axis = 1 : i32} : tensor<4x128xf16, #scales> -> tensor<4x1x128xf16, #groups>
  %g = tt.broadcast %e : tensor<4x1x128xf16, #groups> -> tensor<4x32x128xf16, #groups>
  %all = tt.reshape %g : tensor<4x32x128xf16, #groups> -> tensor<128x128xf16, #blocked>
  %to = ttg.convert_layout %all : tensor<128x128xf16, #blocked> -> tensor<128x128xf16, #b>
  %y = arith.mulf %w, %to : tensor<128x128xf16, #b>
  %d = tt.dot %x, %y, %c : tensor<16x128xf16, #a> * tensor<128x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}
}
