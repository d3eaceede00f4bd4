// RUN: dotload-opt %s --stage-dot-operands --remarks 2>&1 >%t | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#m = #ttg.slice<{dim = 1, parent = #rows}>
#k = #ttg.slice<{dim = 0, parent = #rows}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Every second byte; each row is aligned.
// CHECK: loaded_apart.mlir:[[@LINE+15]]:{{.*}} kept tt.load: neighbouring elements of the tile are 2 bytes apart in memory, {{.*}}: A (8 bits, tile 32x32) [APART]
tt.func @low_bytes(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %y: tensor<32x16xi8, #b>, %c: tensor<32x16xi32, #mma>) -> tensor<32x16xi32, #mma> {
  %two = arith.constant dense<2> : tensor<32xi32, #k>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #m>
  %k0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
  %k = arith.muli %k0, %two : tensor<32xi32, #k>
  %s = tt.splat %stride : i32 -> tensor<32xi32, #m>
  %o = arith.muli %r, %s : tensor<32xi32, #m>
  %o1 = tt.expand_dims %o {axis = 1 : i32} : tensor<32xi32, #m> -> tensor<32x1xi32, #rows>
  %o2 = tt.broadcast %o1 : tensor<32x1xi32, #rows> -> tensor<32x32xi32, #rows>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #rows>
  %k2 = tt.broadcast %k1 : tensor<1x32xi32, #rows> -> tensor<32x32xi32, #rows>
  %offsets = arith.addi %o2, %k2 : tensor<32x32xi32, #rows>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<32x32x!tt.ptr<i8>, #rows>
  %at = tt.addptr %ps, %offsets : tensor<32x32x!tt.ptr<i8>, #rows>, tensor<32x32xi32, #rows>
  %v = tt.load %at : tensor<32x32x!tt.ptr<i8>, #rows>
  %x = ttg.convert_layout %v : tensor<32x32xi8, #rows> -> tensor<32x32xi8, #a>
  %d = tt.dot %x, %y, %c : tensor<32x32xi8, #a> * tensor<32x16xi8, #b> -> tensor<32x16xi32, #mma>
  tt.return %d : tensor<32x16xi32, #mma>
}

// COM: An unknown distance.
// CHECK-NEXT: kept tt.load: {{.*}} element by element; {{.*}}: A (8 bits, tile 32x32) [LOADED_BY_ELEMENTS]
tt.func @any_distance(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %apart: i32, %y: tensor<32x16xi8, #b>, %c: tensor<32x16xi32, #mma>) -> tensor<32x16xi32, #mma> {
  %two = tt.splat %apart : i32 -> tensor<32xi32, #k>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #m>
  %k0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
  %k = arith.muli %k0, %two : tensor<32xi32, #k>
  %s = tt.splat %stride : i32 -> tensor<32xi32, #m>
  %o = arith.muli %r, %s : tensor<32xi32, #m>
  %o1 = tt.expand_dims %o {axis = 1 : i32} : tensor<32xi32, #m> -> tensor<32x1xi32, #rows>
  %o2 = tt.broadcast %o1 : tensor<32x1xi32, #rows> -> tensor<32x32xi32, #rows>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #rows>
  %k2 = tt.broadcast %k1 : tensor<1x32xi32, #rows> -> tensor<32x32xi32, #rows>
  %offsets = arith.addi %o2, %k2 : tensor<32x32xi32, #rows>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<32x32x!tt.ptr<i8>, #rows>
  %at = tt.addptr %ps, %offsets : tensor<32x32x!tt.ptr<i8>, #rows>, tensor<32x32xi32, #rows>
  %v = tt.load %at : tensor<32x32x!tt.ptr<i8>, #rows>
  %x = ttg.convert_layout %v : tensor<32x32xi8, #rows> -> tensor<32x32xi8, #a>
  %d = tt.dot %x, %y, %c : tensor<32x32xi8, #a> * tensor<32x16xi8, #b> -> tensor<32x16xi32, #mma>
  tt.return %d : tensor<32x16xi32, #mma>
}
}
