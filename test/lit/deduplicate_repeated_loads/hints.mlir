// RUN: dotload-opt %s --deduplicate-repeated-loads | FileCheck %s

// COM: Hints say that 128 rows are consecutive and start at a multiple of 128. Neither holds for every eighth row:
// COM: Triton would load vectors under the mask of the first, out of bounds. The hints for columns remain.
// CHECK-LABEL: @hinted
// CHECK-DAG:     %[[EVERY:.*]] = arith.muli %{{.*}}, %{{.*}} : tensor<16xi32>
// CHECK-DAG:     arith.addi %[[EVERY]], %{{[^ ]*}} : tensor<16xi32>
// CHECK-DAG:     arith.addi %{{.*}}, %{{.*}} {tt.contiguity = dense<64> : tensor<1xi32>} : tensor<64xi32>
// CHECK:         scf.for
// CHECK:           tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x64x!tt.ptr<i32>>
tt.func @hinted(%a: tensor<16x128xf16>, %base: !tt.ptr<i32>, %stride: i32, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<128xi32>
  %c16 = arith.constant dense<16> : tensor<128x64xi32>
  %none = arith.constant dense<0> : tensor<128x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %begin = arith.constant dense<128> : tensor<128xi32>
  %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %column0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %none1 = arith.constant dense<0> : tensor<64xi32>
  %column = arith.addi %column0, %none1 {tt.contiguity = dense<64> : tensor<1xi32>} : tensor<64xi32>
  %at_k = arith.addi %k, %begin {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility = dense<128> : tensor<1xi32>} : tensor<128xi32>
  %row = arith.divsi %at_k, %c8 : tensor<128xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<128x1xi32>
  %rows = arith.muli %row1, %strides : tensor<128x1xi32>
  %rows2 = tt.broadcast %rows : tensor<128x1xi32> -> tensor<128x64xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %offsets = arith.addi %rows2, %columns : tensor<128x64xi32>
  %bases = tt.splat %base : !tt.ptr<i32> -> tensor<128x64x!tt.ptr<i32>>
  %p = tt.addptr %bases, %offsets : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>) : i32 {
    %at_k1 = tt.expand_dims %at_k {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %limits = tt.splat %n : i32 -> tensor<128x1xi32>
    %in1 = arith.cmpi slt, %at_k1, %limits : tensor<128x1xi32>
    %mask = tt.broadcast %in1 : tensor<128x1xi1> -> tensor<128x64xi1>
    %b = tt.load %at, %mask, %none : tensor<128x64x!tt.ptr<i32>>
    %f = arith.sitofp %b : tensor<128x64xi32> to tensor<128x64xf16>
    %d = tt.dot %a, %f, %acc : tensor<16x128xf16> * tensor<128x64xf16> -> tensor<16x64xf32>
    %next = tt.addptr %at, %c16 : tensor<128x64x!tt.ptr<i32>>, tensor<128x64xi32>
    scf.yield %d, %next : tensor<16x64xf32>, tensor<128x64x!tt.ptr<i32>>
  }
  tt.return %r#0 : tensor<16x64xf32>
}
