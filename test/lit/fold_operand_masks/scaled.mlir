// RUN: dotload-opt %s --fold-operand-masks | FileCheck %s

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Whole columns are set to zero: a scale that is not finite would make NaN of these zeros.
// CHECK-LABEL: @scaled_columns
// CHECK:         arith.select
tt.func @scaled_columns(%p: tensor<16x32xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %inside: tensor<32x128xi1>, %n_cols: i32, %scale: bf16, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %nothing = arith.constant dense<0.0> : tensor<32x128xbf16>
  %scales = tt.splat %scale : bf16 -> tensor<32x128xbf16>
  %cols = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %limit = tt.splat %n_cols : i32 -> tensor<128xi32>
  %in = arith.cmpi slt, %cols, %limit : tensor<128xi32>
  %in1 = tt.expand_dims %in {axis = 0 : i32} : tensor<128xi1> -> tensor<1x128xi1>
  %window = tt.broadcast %in1 : tensor<1x128xi1> -> tensor<32x128xi1>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %h = arith.mulf %w, %scales : tensor<32x128xbf16>
    %m = arith.select %window, %h, %nothing : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: The same without a scale.
// CHECK-LABEL: @columns
// CHECK:         %[[BOTH:.*]] = arith.andi
// CHECK:         tt.load %{{.*}}, %[[BOTH]]
// CHECK-NOT:     arith.select
tt.func @columns(%p: tensor<16x32xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %inside: tensor<32x128xi1>, %n_cols: i32, %n: i32) -> tensor<16x128xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %nothing = arith.constant dense<0.0> : tensor<32x128xbf16>
  %cols = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %limit = tt.splat %n_cols : i32 -> tensor<128xi32>
  %in = arith.cmpi slt, %cols, %limit : tensor<128xi32>
  %in1 = tt.expand_dims %in {axis = 0 : i32} : tensor<128xi1> -> tensor<1x128xi1>
  %window = tt.broadcast %in1 : tensor<1x128xi1> -> tensor<32x128xi1>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %m = arith.select %window, %w, %nothing : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %p, %m, %acc : tensor<16x32xbf16> * tensor<32x128xbf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  tt.return %r : tensor<16x128xf32>
}

// COM: The columns of A are along K: columns that are zero add to every row.
// CHECK-LABEL: @scaled_a
// CHECK:         tt.load
// CHECK-NOT:     arith.select
tt.func @scaled_a(%b: tensor<128x16xbf16>, %vp: tensor<32x128x!tt.ptr<i8>>, %inside: tensor<32x128xi1>, %n_cols: i32, %scale: bf16, %n: i32) -> tensor<32x16xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %none = arith.constant dense<0> : tensor<32x128xi8>
  %nothing = arith.constant dense<0.0> : tensor<32x128xbf16>
  %scales = tt.splat %scale : bf16 -> tensor<32x128xbf16>
  %cols = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %limit = tt.splat %n_cols : i32 -> tensor<128xi32>
  %in = arith.cmpi slt, %cols, %limit : tensor<128xi32>
  %in1 = tt.expand_dims %in {axis = 0 : i32} : tensor<128xi1> -> tensor<1x128xi1>
  %window = tt.broadcast %in1 : tensor<1x128xi1> -> tensor<32x128xi1>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<32x16xf32>) : i32 {
    %v = tt.load %vp, %inside, %none : tensor<32x128x!tt.ptr<i8>>
    %w = arith.sitofp %v : tensor<32x128xi8> to tensor<32x128xbf16>
    %h = arith.mulf %w, %scales : tensor<32x128xbf16>
    %m = arith.select %window, %h, %nothing : tensor<32x128xi1>, tensor<32x128xbf16>
    %d = tt.dot %m, %b, %acc : tensor<32x128xbf16> * tensor<128x16xbf16> -> tensor<32x16xf32>
    scf.yield %d : tensor<32x16xf32>
  }
  tt.return %r : tensor<32x16xf32>
}
}
