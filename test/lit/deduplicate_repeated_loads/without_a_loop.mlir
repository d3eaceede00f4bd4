// RUN: dotload-opt %s --deduplicate-repeated-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: One program computes one tile, as an indexer that scores the keys of a page does: group scales of 16 numbers.
// CHECK-LABEL: @scores
// CHECK:         %[[S:.*]] = tt.load %{{.*}} : tensor<32x4x!tt.ptr<i8>>
// CHECK-NOT:     tt.load
// CHECK:         %[[ALL:.*]] = tt.reshape %{{.*}} -> tensor<32x64xi8>
// CHECK-NEXT:    arith.sitofp %[[ALL]]
// CHECK:         tt.dot
// REMARK:      remark: deduplicate-repeated-loads: each element is loaded once instead of 16 times
tt.func @scores(%a: tensor<16x32xf16>, %w: tensor<32x64xf16>, %base: !tt.ptr<i8>, %stride: i32) -> tensor<16x64xf32> {
  %c16 = arith.constant dense<16> : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %group = arith.divsi %k, %c16 : tensor<64xi32>
  %group1 = tt.expand_dims %group {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %groups = tt.broadcast %group1 : tensor<1x64xi32> -> tensor<32x64xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<32x1xi32>
  %rows = arith.muli %row1, %strides : tensor<32x1xi32>
  %rows2 = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x64xi32>
  %offsets = arith.addi %rows2, %groups : tensor<32x64xi32>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<32x64x!tt.ptr<i8>>
  %p = tt.addptr %bases, %offsets : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
  %s = tt.load %p : tensor<32x64x!tt.ptr<i8>>
  %f = arith.sitofp %s : tensor<32x64xi8> to tensor<32x64xf16>
  %b = arith.mulf %w, %f : tensor<32x64xf16>
  %d = tt.dot %a, %b, %zero : tensor<16x32xf16> * tensor<32x64xf16> -> tensor<16x64xf32>
  tt.return %d : tensor<16x64xf32>
}
