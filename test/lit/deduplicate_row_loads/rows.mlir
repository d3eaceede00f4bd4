// RUN: dotload-opt %s --deduplicate-row-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#blocked = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#lines = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: All 64 rows of a tile belong to one group of 128: one row of scales is loaded, in the layout of the tile. Rows
// COM: after the last one still get zeros.
// CHECK-LABEL: @one_group
// CHECK:         %[[INSIDE:.*]] = tt.broadcast %{{.*}} : tensor<64x1xi1, #[[B:.*]]> -> tensor<64x128xi1, #[[B]]>
// CHECK:         %[[S:.*]] = tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x128x!tt.ptr<f16>, #[[B]]>
// CHECK-NEXT:    %[[ALL:.*]] = tt.broadcast %[[S]] : tensor<1x128xf16, #[[B]]> -> tensor<64x128xf16, #[[B]]>
// CHECK-NEXT:    %[[R:.*]] = arith.select %[[INSIDE]], %[[ALL]], %{{.*}} : tensor<64x128xi1, #[[B]]>, tensor<64x128xf16, #[[B]]>
// CHECK-NEXT:    arith.mulf %{{.*}}, %[[R]]
// REMARK:      remark: deduplicate-row-loads: one row is loaded instead of 64
tt.func @one_group(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %w: tensor<64x128xf16, #blocked>, %scales: !tt.ptr<f16>, %stride: i32, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %group = arith.constant dense<128> : tensor<64x1xi32, #blocked>
  %none = arith.constant dense<0.0> : tensor<64x128xf16, #blocked>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
  %column = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #blocked>
  %bases = tt.splat %scales : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #blocked>
  %ps = tt.addptr %bases, %column1 : tensor<1x128x!tt.ptr<f16>, #blocked>, tensor<1x128xi32, #blocked>
  %ps2 = tt.broadcast %ps : tensor<1x128x!tt.ptr<f16>, #blocked> -> tensor<64x128x!tt.ptr<f16>, #blocked>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %done = arith.muli %i, %c64 : i32
    %left = arith.subi %n, %done : i32
    %lefts = tt.splat %left : i32 -> tensor<64x1xi32, #blocked>
    %inside1 = arith.cmpi slt, %k1, %lefts : tensor<64x1xi32, #blocked>
    %inside = tt.broadcast %inside1 : tensor<64x1xi1, #blocked> -> tensor<64x128xi1, #blocked>
    %dones = tt.splat %done : i32 -> tensor<64x1xi32, #blocked>
    %all = arith.addi %k1, %dones : tensor<64x1xi32, #blocked>
    %g = arith.divsi %all, %group : tensor<64x1xi32, #blocked>
    %row = arith.muli %g, %strides : tensor<64x1xi32, #blocked>
    %rows = tt.broadcast %row : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %p = tt.addptr %ps2, %rows : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
    %s = tt.load %p, %inside, %none : tensor<64x128x!tt.ptr<f16>, #blocked>
    %b = arith.mulf %w, %s : tensor<64x128xf16, #blocked>
    %o = ttg.convert_layout %b : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    %d = tt.dot %a, %o, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: The same for scales that are converted to the layout of the weights.
// CHECK-LABEL: @converted
// CHECK:         tt.load %{{.*}} : tensor<1x128x!tt.ptr<f16>, #
tt.func @converted(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %w: tensor<64x128xf16, #lines>, %scales: !tt.ptr<f16>, %stride: i32, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %group = arith.constant dense<128> : tensor<64x1xi32, #blocked>
  %none = arith.constant dense<0.0> : tensor<64x128xf16, #blocked>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
  %column = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #blocked>
  %bases = tt.splat %scales : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #blocked>
  %ps = tt.addptr %bases, %column1 : tensor<1x128x!tt.ptr<f16>, #blocked>, tensor<1x128xi32, #blocked>
  %ps2 = tt.broadcast %ps : tensor<1x128x!tt.ptr<f16>, #blocked> -> tensor<64x128x!tt.ptr<f16>, #blocked>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %done = arith.muli %i, %c64 : i32
    %left = arith.subi %n, %done : i32
    %lefts = tt.splat %left : i32 -> tensor<64x1xi32, #blocked>
    %inside1 = arith.cmpi slt, %k1, %lefts : tensor<64x1xi32, #blocked>
    %inside = tt.broadcast %inside1 : tensor<64x1xi1, #blocked> -> tensor<64x128xi1, #blocked>
    %dones = tt.splat %done : i32 -> tensor<64x1xi32, #blocked>
    %all = arith.addi %k1, %dones : tensor<64x1xi32, #blocked>
    %g = arith.divsi %all, %group : tensor<64x1xi32, #blocked>
    %row = arith.muli %g, %strides : tensor<64x1xi32, #blocked>
    %rows = tt.broadcast %row : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %p = tt.addptr %ps2, %rows : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
    %s = tt.load %p, %inside, %none : tensor<64x128x!tt.ptr<f16>, #blocked>
    %t = ttg.convert_layout %s : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #lines>
    %b = arith.mulf %w, %t : tensor<64x128xf16, #lines>
    %o = ttg.convert_layout %b : tensor<64x128xf16, #lines> -> tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    %d = tt.dot %a, %o, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: Groups of 32: the tile has rows of two groups, so the loads stay.
// CHECK-LABEL: @two_groups
// CHECK:         tt.load %{{.*}} : tensor<64x128x!tt.ptr<f16>, #
// REMARK:      remark: deduplicate-row-loads
// REMARK-NOT:  remark
tt.func @two_groups(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %w: tensor<64x128xf16, #blocked>, %scales: !tt.ptr<f16>, %stride: i32, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %group = arith.constant dense<32> : tensor<64x1xi32, #blocked>
  %none = arith.constant dense<0.0> : tensor<64x128xf16, #blocked>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
  %column = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #blocked>
  %bases = tt.splat %scales : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #blocked>
  %ps = tt.addptr %bases, %column1 : tensor<1x128x!tt.ptr<f16>, #blocked>, tensor<1x128xi32, #blocked>
  %ps2 = tt.broadcast %ps : tensor<1x128x!tt.ptr<f16>, #blocked> -> tensor<64x128x!tt.ptr<f16>, #blocked>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %done = arith.muli %i, %c64 : i32
    %left = arith.subi %n, %done : i32
    %lefts = tt.splat %left : i32 -> tensor<64x1xi32, #blocked>
    %inside1 = arith.cmpi slt, %k1, %lefts : tensor<64x1xi32, #blocked>
    %inside = tt.broadcast %inside1 : tensor<64x1xi1, #blocked> -> tensor<64x128xi1, #blocked>
    %dones = tt.splat %done : i32 -> tensor<64x1xi32, #blocked>
    %all = arith.addi %k1, %dones : tensor<64x1xi32, #blocked>
    %g = arith.divsi %all, %group : tensor<64x1xi32, #blocked>
    %row = arith.muli %g, %strides : tensor<64x1xi32, #blocked>
    %rows = tt.broadcast %row : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %p = tt.addptr %ps2, %rows : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
    %s = tt.load %p, %inside, %none : tensor<64x128x!tt.ptr<f16>, #blocked>
    %b = arith.mulf %w, %s : tensor<64x128xf16, #blocked>
    %o = ttg.convert_layout %b : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    %d = tt.dot %a, %o, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

}
