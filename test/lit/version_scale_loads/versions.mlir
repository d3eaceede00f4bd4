// RUN: dotload-opt %s --version-scale-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

module {

// COM: Columns modulo N: in a tile that lies within N, 64 columns have one scale.
// CHECK-LABEL: @columns_modulo
// CHECK:         %[[PTRS:.*]] = tt.addptr
// CHECK:         %[[ADDRESSES:.*]] = tt.ptr_to_int %[[PTRS]] : tensor<64x!tt.ptr<f32>> -> tensor<64xi64>
// CHECK:         %[[ALL:.*]] = "tt.reduce"(%[[ADDRESSES]]) <{axis = 0 : i32}>
// CHECK:           %[[SAME:.*]] = arith.cmpi eq, %[[X:.*]], %{{.*}} : i64
// CHECK-NEXT:      %[[KEPT:.*]] = arith.select %[[SAME]], %[[X]], %
// CHECK-NEXT:      tt.reduce.return %[[KEPT]]
// CHECK:         %[[ONE:.*]] = arith.cmpi ne, %[[ALL]], %
// CHECK:         %[[MIDDLE:.*]] = arith.select %[[ONE]], %[[UB:.*]], %[[LB:.*]] : i32
// CHECK:         %[[FIRST:.*]] = scf.for {{.*}} = %[[LB]] to %[[MIDDLE]]
// CHECK:           %[[POINTER:.*]] = tt.int_to_ptr %[[ALL]] : i64 -> !tt.ptr<f32>
// CHECK:           %[[AT:.*]] = tt.addptr %[[POINTER]], %
// CHECK:           %[[NUMBER:.*]] = tt.load %[[AT]] : !tt.ptr<f32>
// CHECK:           %[[SCALES:.*]] = tt.splat %[[NUMBER]] : f32 -> tensor<64xf32>
// CHECK:           tt.expand_dims %[[SCALES]]
// CHECK:         %[[SECOND:.*]] = scf.for {{.*}} = %[[MIDDLE]] to %[[UB]] {{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK:           tt.load %{{.*}} : tensor<64x!tt.ptr<f32>>
// CHECK:         tt.return %[[SECOND]]
// REMARK:      versions.mlir:[[# @LINE + 22]]:{{[0-9]+}}: remark: version-scale-loads: if all columns of the tile have one scale, a version of the loop loads it once
tt.func @columns_modulo(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>>, %scales: !tt.ptr<f32>, %tile: i32, %n: i32, %k: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<64> : tensor<64xi32>
  %first = arith.muli %tile, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %numbers = arith.addi %firsts, %range : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %columns = arith.remsi %numbers, %ns : tensor<64xi32>
  %groups = arith.divsi %columns, %size : tensor<64xi32>
  %bases = tt.splat %scales : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %base = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %zero : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %steps = tt.splat %i : i32 -> tensor<64xi32>
    %p = tt.addptr %base, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %s = tt.load %p : tensor<64x!tt.ptr<f32>>
    %row = tt.expand_dims %s {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %all = tt.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
    %y = arith.mulf %d, %all : tensor<64x64xf32>
    %next = arith.addf %acc, %y : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.return %sum : tensor<64x64xf32>
}
}
