// RUN: dotload-opt %s --stage-dot-operands --remarks 2>&1 >%t | FileCheck %s

#columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#k = #ttg.slice<{dim = 1, parent = #columns}>
#n = #ttg.slice<{dim = 0, parent = #columns}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#a32 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#b32 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#m1 = #ttg.slice<{dim = 1, parent = #rows}>
#k1 = #ttg.slice<{dim = 0, parent = #rows}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A stride along k that is known only at run time; the tile is loaded in a branch.
// CHECK:      loaded_by_elements.mlir:[[@LINE+11]]:{{.*}} kept tt.load: the tile is not known to be contiguous and aligned, so threads may load it element by element; {{.*}}: B (8 bits, tile 64x128) [LOADED_BY_ELEMENTS]
tt.func @any_stride(%x: tensor<16x64xi8, #a>, %p: !tt.ptr<i8>, %stride: i32, %more: i1, %c: tensor<16x128xi32, #mma>) -> tensor<16x128xi32, #mma> {
  %none = arith.constant dense<0> : tensor<64x128xi8, #columns>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #k>
  %s = tt.splat %stride : i32 -> tensor<64xi32, #k>
  %o = arith.muli %r, %s : tensor<64xi32, #k>
  %o1 = tt.expand_dims %o {axis = 1 : i32} : tensor<64xi32, #k> -> tensor<64x1xi32, #columns>
  %o2 = tt.broadcast %o1 : tensor<64x1xi32, #columns> -> tensor<64x128xi32, #columns>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #columns>
  %at = tt.addptr %ps, %o2 : tensor<64x128x!tt.ptr<i8>, #columns>, tensor<64x128xi32, #columns>
  %w = scf.if %more -> (tensor<64x128xi8, #columns>) {
    %v = tt.load %at : tensor<64x128x!tt.ptr<i8>, #columns>
    scf.yield %v : tensor<64x128xi8, #columns>
  } else {
    scf.yield %none : tensor<64x128xi8, #columns>
  }
  %wo = ttg.convert_layout %w : tensor<64x128xi8, #columns> -> tensor<64x128xi8, #b>
  %d = tt.dot %x, %wo, %c : tensor<16x64xi8, #a> * tensor<64x128xi8, #b> -> tensor<16x128xi32, #mma>
  tt.return %d : tensor<16x128xi32, #mma>
}

// COM: A stride of 1: no remark.
tt.func @one_after_the_other(%x: tensor<16x64xi8, #a>, %p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %more: i1, %c: tensor<16x128xi32, #mma>) -> tensor<16x128xi32, #mma> {
  %none = arith.constant dense<0> : tensor<64x128xi8, #columns>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #k>
  %o1 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #k> -> tensor<64x1xi32, #columns>
  %o2 = tt.broadcast %o1 : tensor<64x1xi32, #columns> -> tensor<64x128xi32, #columns>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #columns>
  %at = tt.addptr %ps, %o2 : tensor<64x128x!tt.ptr<i8>, #columns>, tensor<64x128xi32, #columns>
  %w = scf.if %more -> (tensor<64x128xi8, #columns>) {
    %v = tt.load %at : tensor<64x128x!tt.ptr<i8>, #columns>
    scf.yield %v : tensor<64x128xi8, #columns>
  } else {
    scf.yield %none : tensor<64x128xi8, #columns>
  }
  %wo = ttg.convert_layout %w : tensor<64x128xi8, #columns> -> tensor<64x128xi8, #b>
  %d = tt.dot %x, %wo, %c : tensor<16x64xi8, #a> * tensor<64x128xi8, #b> -> tensor<16x128xi32, #mma>
  tt.return %d : tensor<16x128xi32, #mma>
}

// COM: A loop that asks at its begin carries the tile.
// CHECK-NEXT: kept tt.load: {{.*}} element by element; {{.*}}: B (8 bits, tile 64x128) [LOADED_BY_ELEMENTS]
tt.func @while(%x: tensor<16x64xi8, #a>, %p: !tt.ptr<i8>, %stride: i32, %more: i1, %c: tensor<16x128xi32, #mma>) -> tensor<16x128xi32, #mma> {
  %none = arith.constant dense<0> : tensor<64x128xi8, #columns>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #k>
  %s = tt.splat %stride : i32 -> tensor<64xi32, #k>
  %o = arith.muli %r, %s : tensor<64xi32, #k>
  %o1 = tt.expand_dims %o {axis = 1 : i32} : tensor<64xi32, #k> -> tensor<64x1xi32, #columns>
  %o2 = tt.broadcast %o1 : tensor<64x1xi32, #columns> -> tensor<64x128xi32, #columns>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #columns>
  %at = tt.addptr %ps, %o2 : tensor<64x128x!tt.ptr<i8>, #columns>, tensor<64x128xi32, #columns>
  %d = scf.while (%acc = %c, %w = %none) : (tensor<16x128xi32, #mma>, tensor<64x128xi8, #columns>) -> tensor<16x128xi32, #mma> {
    %wo = ttg.convert_layout %w : tensor<64x128xi8, #columns> -> tensor<64x128xi8, #b>
    %sum = tt.dot %x, %wo, %acc : tensor<16x64xi8, #a> * tensor<64x128xi8, #b> -> tensor<16x128xi32, #mma>
    scf.condition(%more) %sum : tensor<16x128xi32, #mma>
  } do {
  ^bb0(%sum: tensor<16x128xi32, #mma>):
    %v = tt.load %at : tensor<64x128x!tt.ptr<i8>, #columns>
    scf.yield %sum, %v : tensor<16x128xi32, #mma>, tensor<64x128xi8, #columns>
  }
  tt.return %d : tensor<16x128xi32, #mma>
}

// COM: 32-bit words of tf32; rows of A have no known alignment.
// CHECK-NEXT: kept tt.load: {{.*}} element by element; {{.*}}: A (32 bits, tile 32x32) [LOADED_BY_ELEMENTS]
// CHECK-NOT:  remark
tt.func @words(%p: !tt.ptr<f32>, %stride: i32, %y: tensor<32x16xf32, #b32>, %c: tensor<32x16xf32, #mma>) -> tensor<32x16xf32, #mma> {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #m1>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k1>
  %s = tt.splat %stride : i32 -> tensor<32xi32, #m1>
  %o = arith.muli %r, %s : tensor<32xi32, #m1>
  %o1 = tt.expand_dims %o {axis = 1 : i32} : tensor<32xi32, #m1> -> tensor<32x1xi32, #rows>
  %o2 = tt.broadcast %o1 : tensor<32x1xi32, #rows> -> tensor<32x32xi32, #rows>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k1> -> tensor<1x32xi32, #rows>
  %k2 = tt.broadcast %k1 : tensor<1x32xi32, #rows> -> tensor<32x32xi32, #rows>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #rows>
  %q = tt.addptr %ps, %o2 : tensor<32x32x!tt.ptr<f32>, #rows>, tensor<32x32xi32, #rows>
  %at = tt.addptr %q, %k2 : tensor<32x32x!tt.ptr<f32>, #rows>, tensor<32x32xi32, #rows>
  %v = tt.load %at : tensor<32x32x!tt.ptr<f32>, #rows>
  %x = ttg.convert_layout %v : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #a32>
  %d = tt.dot %x, %y, %c, inputPrecision = tf32 : tensor<32x32xf32, #a32> * tensor<32x16xf32, #b32> -> tensor<32x16xf32, #mma>
  tt.return %d : tensor<32x16xf32, #mma>
}
}
