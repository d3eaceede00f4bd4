// RUN: dotload-opt %s --deduplicate-repeated-loads | FileCheck %s

// COM: A byte packs two values, which the mask treats alike. The loaded bytes are masked by their own indices, so that
// COM: Triton sees which neighbours are masked alike, and loads vectors: k // 2 < 24, not k // 2 * 2 < 48.
// CHECK-LABEL: @multiple
// CHECK:         %[[K:.*]] = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
// CHECK:         %[[LIMIT:.*]] = arith.constant dense<24> : tensor<32xi32>
// CHECK:         arith.cmpi slt, %{{.*}}, %[[LIMIT]] : tensor<32xi32>
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x32x!tt.ptr<i8>>
tt.func @multiple(%a: tensor<16x32xf16>, %base: !tt.ptr<i8>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant dense<2> : tensor<64xi32>
  %limit = arith.constant dense<48> : tensor<64xi32>
  %none = arith.constant dense<0> : tensor<32x64xi8>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %half = arith.divsi %k, %c2 : tensor<64xi32>
  %half1 = tt.expand_dims %half {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %halves = tt.broadcast %half1 : tensor<1x64xi32> -> tensor<32x64xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<32x1xi32>
  %rows = arith.muli %row1, %strides : tensor<32x1xi32>
  %rows2 = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x64xi32>
  %offsets = arith.addi %rows2, %halves : tensor<32x64xi32>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<32x64x!tt.ptr<i8>>
  %p = tt.addptr %bases, %offsets : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
  %in = arith.cmpi slt, %k, %limit : tensor<64xi32>
  %in1 = tt.expand_dims %in {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
  %mask = tt.broadcast %in1 : tensor<1x64xi1> -> tensor<32x64xi1>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) : i32 {
    %b = tt.load %p, %mask, %none : tensor<32x64x!tt.ptr<i8>>
    %f = arith.sitofp %b : tensor<32x64xi8> to tensor<32x64xf16>
    %d = tt.dot %a, %f, %acc : tensor<16x32xf16> * tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  tt.return %r : tensor<16x64xf32>
}

// COM: The same from a tile on that is found by a division by the number of tiles, which is taken to be positive.
// CHECK-LABEL: @of_a_tile_found_by_division
// CHECK:         %[[LIMIT:.*]] = arith.constant dense<24> : tensor<32xi32>
// CHECK:         arith.cmpi slt, %{{.*}}, %[[LIMIT]] : tensor<32xi32>
// CHECK:         tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x32x!tt.ptr<i8>>
tt.func @of_a_tile_found_by_division(%a: tensor<16x32xf16>, %base: !tt.ptr<i8>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant dense<2> : tensor<64xi32>
  %limit = arith.constant dense<48> : tensor<64xi32>
  %none = arith.constant dense<0> : tensor<32x64xi8>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %c64 = arith.constant 64 : i32
  %program = tt.get_program_id x : i32
  %tile = arith.divsi %program, %n : i32
  %begin = arith.muli %tile, %c64 : i32
  %begins = tt.splat %begin : i32 -> tensor<64xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %k = arith.addi %begins, %range : tensor<64xi32>
  %row = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %half = arith.divsi %k, %c2 : tensor<64xi32>
  %half1 = tt.expand_dims %half {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %halves = tt.broadcast %half1 : tensor<1x64xi32> -> tensor<32x64xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<32x1xi32>
  %rows = arith.muli %row1, %strides : tensor<32x1xi32>
  %rows2 = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x64xi32>
  %offsets = arith.addi %rows2, %halves : tensor<32x64xi32>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<32x64x!tt.ptr<i8>>
  %p = tt.addptr %bases, %offsets : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
  %in = arith.cmpi slt, %k, %limit : tensor<64xi32>
  %in1 = tt.expand_dims %in {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
  %mask = tt.broadcast %in1 : tensor<1x64xi1> -> tensor<32x64xi1>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) : i32 {
    %b = tt.load %p, %mask, %none : tensor<32x64x!tt.ptr<i8>>
    %f = arith.sitofp %b : tensor<32x64xi8> to tensor<32x64xf16>
    %d = tt.dot %a, %f, %acc : tensor<16x32xf16> * tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  tt.return %r : tensor<16x64xf32>
}
