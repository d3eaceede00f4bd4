// RUN: dotload-opt %s --deduplicate-repeated-loads='num-warps=4' | FileCheck %s
// RUN: dotload-opt %s --deduplicate-repeated-loads='num-warps=2' | FileCheck %s --check-prefix=TWO
// RUN: dotload-opt %s --deduplicate-row-loads | FileCheck %s --check-prefix=LAYOUTS

// COM: Tensors without layouts. A row has 64 elements, which is fewer than the threads of 4 warps, but not of 2 warps.
// LAYOUTS-NOT: tt.load {{.*}} tensor<1x

// CHECK-LABEL: @small_row
// CHECK:         %[[S:.*]] = tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x64x!tt.ptr<f16>>
// CHECK-NEXT:    tt.broadcast %[[S]] : tensor<1x64xf16> -> tensor<64x64xf16>
// TWO-LABEL:   @small_row
// TWO:           tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>>
tt.func @small_row(%a: tensor<16x64xf16>, %w: tensor<64x64xf16>, %scales: !tt.ptr<f16>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %group = arith.constant dense<128> : tensor<64x1xi32>
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32>
  %bases = tt.splat %scales : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
  %ps = tt.addptr %bases, %column1 : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
  %ps2 = tt.broadcast %ps : tensor<1x64x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) : i32 {
    %done = arith.muli %i, %c64 : i32
    %left = arith.subi %n, %done : i32
    %lefts = tt.splat %left : i32 -> tensor<64x1xi32>
    %inside1 = arith.cmpi slt, %k1, %lefts : tensor<64x1xi32>
    %inside = tt.broadcast %inside1 : tensor<64x1xi1> -> tensor<64x64xi1>
    %dones = tt.splat %done : i32 -> tensor<64x1xi32>
    %all = arith.addi %k1, %dones : tensor<64x1xi32>
    %g = arith.divsi %all, %group : tensor<64x1xi32>
    %row = arith.muli %g, %strides : tensor<64x1xi32>
    %rows = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
    %p = tt.addptr %ps2, %rows : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %s = tt.load %p, %inside, %none : tensor<64x64x!tt.ptr<f16>>
    %b = arith.mulf %w, %s : tensor<64x64xf16>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16> * tensor<64x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  tt.return %r : tensor<16x64xf32>
}

// CHECK-LABEL: @large_row
// CHECK:         tt.load {{.*}} : tensor<64x128x!tt.ptr<f16>>
tt.func @large_row(%a: tensor<16x64xf16>, %w: tensor<64x128xf16>, %scales: !tt.ptr<f16>, %stride: i32, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %group = arith.constant dense<128> : tensor<64x1xi32>
  %none = arith.constant dense<0.0> : tensor<64x128xf16>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32>
  %bases = tt.splat %scales : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>>
  %ps = tt.addptr %bases, %column1 : tensor<1x128x!tt.ptr<f16>>, tensor<1x128xi32>
  %ps2 = tt.broadcast %ps : tensor<1x128x!tt.ptr<f16>> -> tensor<64x128x!tt.ptr<f16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %done = arith.muli %i, %c64 : i32
    %left = arith.subi %n, %done : i32
    %lefts = tt.splat %left : i32 -> tensor<64x1xi32>
    %inside1 = arith.cmpi slt, %k1, %lefts : tensor<64x1xi32>
    %inside = tt.broadcast %inside1 : tensor<64x1xi1> -> tensor<64x128xi1>
    %dones = tt.splat %done : i32 -> tensor<64x1xi32>
    %all = arith.addi %k1, %dones : tensor<64x1xi32>
    %g = arith.divsi %all, %group : tensor<64x1xi32>
    %row = arith.muli %g, %strides : tensor<64x1xi32>
    %rows = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x128xi32>
    %p = tt.addptr %ps2, %rows : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %s = tt.load %p, %inside, %none : tensor<64x128x!tt.ptr<f16>>
    %b = arith.mulf %w, %s : tensor<64x128xf16>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16> * tensor<64x128xf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: Groups of 32 rows: two rows are loaded.
// CHECK-LABEL: @small_groups
// CHECK:         tt.load {{.*}} : tensor<2x128x!tt.ptr<f16>>
tt.func @small_groups(%a: tensor<16x64xf16>, %w: tensor<64x128xf16>, %scales: !tt.ptr<f16>, %stride: i32, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %group = arith.constant dense<32> : tensor<64x1xi32>
  %none = arith.constant dense<0.0> : tensor<64x128xf16>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32>
  %bases = tt.splat %scales : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>>
  %ps = tt.addptr %bases, %column1 : tensor<1x128x!tt.ptr<f16>>, tensor<1x128xi32>
  %ps2 = tt.broadcast %ps : tensor<1x128x!tt.ptr<f16>> -> tensor<64x128x!tt.ptr<f16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %done = arith.muli %i, %c64 : i32
    %left = arith.subi %n, %done : i32
    %lefts = tt.splat %left : i32 -> tensor<64x1xi32>
    %inside1 = arith.cmpi slt, %k1, %lefts : tensor<64x1xi32>
    %inside = tt.broadcast %inside1 : tensor<64x1xi1> -> tensor<64x128xi1>
    %dones = tt.splat %done : i32 -> tensor<64x1xi32>
    %all = arith.addi %k1, %dones : tensor<64x1xi32>
    %g = arith.divsi %all, %group : tensor<64x1xi32>
    %row = arith.muli %g, %strides : tensor<64x1xi32>
    %rows = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x128xi32>
    %p = tt.addptr %ps2, %rows : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %s = tt.load %p, %inside, %none : tensor<64x128x!tt.ptr<f16>>
    %b = arith.mulf %w, %s : tensor<64x128xf16>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16> * tensor<64x128xf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}
