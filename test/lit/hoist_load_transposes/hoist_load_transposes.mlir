// RUN: dotload-opt %s --hoist-load-transposes --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --hoist-load-transposes='num-stages=1' | FileCheck %s --check-prefix=ONE-STAGE

#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 4], [0, 8], [0, 16], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// COM: Pointers and mask are transposed, and zeros stay a constant: Triton looks for it.
// CHECK-DAG:   #[[COLUMNS:.*]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG:   #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: @row_major(
// CHECK:         scf.for
// CHECK-NEXT:      %[[P:.*]] = tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<64x32x!tt.ptr<f32>, #[[COLUMNS]]> -> tensor<32x64x!tt.ptr<f32>, #[[ROWS]]>
// CHECK-NEXT:      %[[M:.*]] = tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<64x32xi1, #[[COLUMNS]]> -> tensor<32x64xi1, #[[ROWS]]>
// CHECK-NEXT:      %[[Z:.*]] = arith.constant dense<0.{{0+e\+00}}> : tensor<32x64xf32, #[[ROWS]]>
// CHECK-NEXT:      %[[V:.*]] = tt.load %[[P]], %[[M]], %[[Z]] : tensor<32x64x!tt.ptr<f32>, #[[ROWS]]>
// CHECK-NEXT:      %[[B:.*]] = ttg.convert_layout %[[V]] : tensor<32x64xf32, #[[ROWS]]> -> tensor<32x64xf32, #ttg.dot_op<{opIdx = 1
// CHECK-NEXT:      tt.dot %{{.*}}, %[[B]]
// REMARK:      hoist_load_transposes.mlir:[[@LINE+8]]:{{.*}} hoist-load-transposes: the tile is loaded transposed, so that it is copied 16 bytes at a time
// ONE-STAGE-NOT: tt.trans {{.*}} -> tensor<32x64x!tt.ptr<f32>
tt.func @row_major(%x: tensor<64x32xf32, #a>, %p: tensor<64x32x!tt.ptr<f32>, #columns>, %k: tensor<1x32xi1, #columns>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32, #columns>
  %m = tt.broadcast %k : tensor<1x32xi1, #columns> -> tensor<64x32xi1, #columns>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %v = tt.load %p, %m, %zeros : tensor<64x32x!tt.ptr<f32>, #columns>
    %l = ttg.convert_layout %v : tensor<64x32xf32, #columns> -> tensor<64x32xf32, #linear>
    %t = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x32xf32, #linear> -> tensor<32x64xf32, #b>
    %d = tt.dot %x, %t, %acc, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: Neighbours may differ in the mask, so words are copied one by one in either order.
// CHECK-LABEL: @masked_by_words(
// CHECK:         tt.load %{{.*}} : tensor<64x32x!tt.ptr<f32>
// REMARK-NOT:  remark
tt.func @masked_by_words(%x: tensor<64x32xf32, #a>, %p: tensor<64x32x!tt.ptr<f32>, #columns>, %m: tensor<64x32xi1, #columns>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32, #columns>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %v = tt.load %p, %m, %zeros : tensor<64x32x!tt.ptr<f32>, #columns>
    %l = ttg.convert_layout %v : tensor<64x32xf32, #columns> -> tensor<64x32xf32, #linear>
    %t = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x32xf32, #linear> -> tensor<32x64xf32, #b>
    %d = tt.dot %x, %t, %acc, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: Rows start anywhere: their words are copied one by one in either order.
// CHECK-LABEL: @unaligned(
// CHECK:         tt.load %{{.*}} : tensor<64x32x!tt.ptr<f32>
tt.func @unaligned(%x: tensor<64x32xf32, #a>, %base: !tt.ptr<f32>, %stride: i32, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #columns}>>
  %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #columns}>> -> tensor<64x1xi32, #columns>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #columns}>>
  %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #columns}>> -> tensor<1x32xi32, #columns>
  %s = tt.splat %stride : i32 -> tensor<1x32xi32, #columns>
  %row = arith.muli %k2, %s : tensor<1x32xi32, #columns>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>, #columns>
  %q = tt.addptr %bases, %m2 : tensor<64x1x!tt.ptr<f32>, #columns>, tensor<64x1xi32, #columns>
  %q2 = tt.broadcast %q : tensor<64x1x!tt.ptr<f32>, #columns> -> tensor<64x32x!tt.ptr<f32>, #columns>
  %row2 = tt.broadcast %row : tensor<1x32xi32, #columns> -> tensor<64x32xi32, #columns>
  %p = tt.addptr %q2, %row2 : tensor<64x32x!tt.ptr<f32>, #columns>, tensor<64x32xi32, #columns>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %v = tt.load %p : tensor<64x32x!tt.ptr<f32>, #columns>
    %l = ttg.convert_layout %v : tensor<64x32xf32, #columns> -> tensor<64x32xf32, #linear>
    %t = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x32xf32, #linear> -> tensor<32x64xf32, #b>
    %d = tt.dot %x, %t, %acc, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: K is contiguous, as in attention's transposed keys: 16 bytes are copied at a time already.
// CHECK-LABEL: @k_major(
// CHECK:         tt.load %{{.*}} : tensor<64x32x!tt.ptr<f32>
// REMARK-NOT:  remark
tt.func @k_major(%x: tensor<64x32xf32, #a>, %p: tensor<64x32x!tt.ptr<f32>, #rows>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %v = tt.load %p : tensor<64x32x!tt.ptr<f32>, #rows>
    %l = ttg.convert_layout %v : tensor<64x32xf32, #rows> -> tensor<64x32xf32, #linear>
    %t = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x32xf32, #linear> -> tensor<32x64xf32, #b>
    %d = tt.dot %x, %t, %acc, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: Outside of a loop nothing is copied asynchronously.
// CHECK-LABEL: @no_loop(
// CHECK:         tt.load %{{.*}} : tensor<64x32x!tt.ptr<f32>
tt.func @no_loop(%x: tensor<64x32xf32, #a>, %p: tensor<64x32x!tt.ptr<f32>, #columns>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %v = tt.load %p : tensor<64x32x!tt.ptr<f32>, #columns>
  %l = ttg.convert_layout %v : tensor<64x32xf32, #columns> -> tensor<64x32xf32, #linear>
  %t = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x32xf32, #linear> -> tensor<32x64xf32, #b>
  %d = tt.dot %x, %t, %c, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: The tile has another use.
// CHECK-LABEL: @used_too(
// CHECK:         tt.load %{{.*}} : tensor<64x32x!tt.ptr<f32>
tt.func @used_too(%x: tensor<64x32xf32, #a>, %p: tensor<64x32x!tt.ptr<f32>, #columns>, %q: tensor<64x32x!tt.ptr<f32>, #columns>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %v = tt.load %p : tensor<64x32x!tt.ptr<f32>, #columns>
    tt.store %q, %v : tensor<64x32x!tt.ptr<f32>, #columns>
    %l = ttg.convert_layout %v : tensor<64x32xf32, #columns> -> tensor<64x32xf32, #linear>
    %t = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x32xf32, #linear> -> tensor<32x64xf32, #b>
    %d = tt.dot %x, %t, %acc, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}
}
