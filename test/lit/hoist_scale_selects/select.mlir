// RUN: dotload-opt %s --hoist-scale-selects --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#op = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#group = #ttg.linear<{register = [[0, 0, 1], [8, 0, 0], [0, 0, 8], [0, 0, 16], [0, 1, 0]], lane = [[0, 0, 2], [0, 0, 4], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#scale = #ttg.slice<{dim = 2, parent = #group}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: NaN is selected among the scales. The product comes last and can be packed again, two per instruction.
// CHECK-LABEL: @nan
// CHECK:         %[[NAN:.*]] = arith.constant dense<0x7FC0> : tensor<64x2xbf16, #
// CHECK:         %[[S:.*]] = arith.select %{{.*}}, %[[NAN]], %arg1 : tensor<64x2xi1, #
// CHECK-NEXT:    %[[E:.*]] = tt.expand_dims %[[S]] {axis = 2 : i32}
// CHECK-NEXT:    %[[B:.*]] = tt.broadcast %[[E]] : tensor<64x2x1xbf16, #{{.*}}> -> tensor<64x2x32xbf16, #
// CHECK-NEXT:    %[[R:.*]] = tt.reshape %[[B]]
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %arg0, %[[R]] : tensor<64x64xbf16, #
// CHECK-NEXT:    tt.return %[[P]]
// REMARK:      remark: hoist-scale-selects: the select of NaN is applied to 128 scales before the product
// REMARK-NOT:  remark
tt.func @nan(%x: tensor<64x64xbf16, #op>, %scale: tensor<64x2xbf16, #scale>, %is_nan: tensor<64x2xi1, #scale>) -> tensor<64x64xbf16, #op> {
  %nan = arith.constant dense<0x7FC0> : tensor<64x64xbf16, #op>
  %s1 = tt.expand_dims %scale {axis = 2 : i32} : tensor<64x2xbf16, #scale> -> tensor<64x2x1xbf16, #group>
  %s2 = tt.broadcast %s1 : tensor<64x2x1xbf16, #group> -> tensor<64x2x32xbf16, #group>
  %s = tt.reshape %s2 : tensor<64x2x32xbf16, #group> -> tensor<64x64xbf16, #op>
  %p = arith.mulf %x, %s : tensor<64x64xbf16, #op>
  %m1 = tt.expand_dims %is_nan {axis = 2 : i32} : tensor<64x2xi1, #scale> -> tensor<64x2x1xi1, #group>
  %m2 = tt.broadcast %m1 : tensor<64x2x1xi1, #group> -> tensor<64x2x32xi1, #group>
  %m = tt.reshape %m2 : tensor<64x2x32xi1, #group> -> tensor<64x64xi1, #op>
  %r = arith.select %m, %nan, %p : tensor<64x64xi1, #op>, tensor<64x64xbf16, #op>
  tt.return %r : tensor<64x64xbf16, #op>
}

// COM: Zero times NaN is NaN, so a select of zero stays.
// CHECK-LABEL: @zero
// CHECK:         %[[P:.*]] = arith.mulf %arg0, %
// CHECK:         arith.select %{{.*}}, %{{.*}}, %[[P]] : tensor<64x64xi1
tt.func @zero(%x: tensor<64x64xbf16, #op>, %scale: tensor<64x2xbf16, #scale>, %is_nan: tensor<64x2xi1, #scale>) -> tensor<64x64xbf16, #op> {
  %zero = arith.constant dense<0.0> : tensor<64x64xbf16, #op>
  %s1 = tt.expand_dims %scale {axis = 2 : i32} : tensor<64x2xbf16, #scale> -> tensor<64x2x1xbf16, #group>
  %s2 = tt.broadcast %s1 : tensor<64x2x1xbf16, #group> -> tensor<64x2x32xbf16, #group>
  %s = tt.reshape %s2 : tensor<64x2x32xbf16, #group> -> tensor<64x64xbf16, #op>
  %p = arith.mulf %x, %s : tensor<64x64xbf16, #op>
  %m1 = tt.expand_dims %is_nan {axis = 2 : i32} : tensor<64x2xi1, #scale> -> tensor<64x2x1xi1, #group>
  %m2 = tt.broadcast %m1 : tensor<64x2x1xi1, #group> -> tensor<64x2x32xi1, #group>
  %m = tt.reshape %m2 : tensor<64x2x32xi1, #group> -> tensor<64x64xi1, #op>
  %r = arith.select %m, %zero, %p : tensor<64x64xi1, #op>, tensor<64x64xbf16, #op>
  tt.return %r : tensor<64x64xbf16, #op>
}

// COM: The condition differs from element to element, the scale does not.
// CHECK-LABEL: @elements
// CHECK:         %[[P:.*]] = arith.mulf %arg0, %
// CHECK:         arith.select %arg2, %{{.*}}, %[[P]] : tensor<64x64xi1
tt.func @elements(%x: tensor<64x64xbf16, #op>, %scale: tensor<64x2xbf16, #scale>, %m: tensor<64x64xi1, #op>) -> tensor<64x64xbf16, #op> {
  %nan = arith.constant dense<0x7FC0> : tensor<64x64xbf16, #op>
  %s1 = tt.expand_dims %scale {axis = 2 : i32} : tensor<64x2xbf16, #scale> -> tensor<64x2x1xbf16, #group>
  %s2 = tt.broadcast %s1 : tensor<64x2x1xbf16, #group> -> tensor<64x2x32xbf16, #group>
  %s = tt.reshape %s2 : tensor<64x2x32xbf16, #group> -> tensor<64x64xbf16, #op>
  %p = arith.mulf %x, %s : tensor<64x64xbf16, #op>
  %r = arith.select %m, %nan, %p : tensor<64x64xi1, #op>, tensor<64x64xbf16, #op>
  tt.return %r : tensor<64x64xbf16, #op>
}

// COM: There is one condition per row, but one scale per column.
// CHECK-LABEL: @other_groups
// CHECK:         %[[P:.*]] = arith.mulf %arg0, %
// CHECK:         arith.select %{{.*}}, %{{.*}}, %[[P]] : tensor<64x64xi1
tt.func @other_groups(%x: tensor<64x64xbf16, #op>, %row: tensor<1x64xbf16, #op>, %column: tensor<64x1xi1, #op>) -> tensor<64x64xbf16, #op> {
  %nan = arith.constant dense<0x7FC0> : tensor<64x64xbf16, #op>
  %s = tt.broadcast %row : tensor<1x64xbf16, #op> -> tensor<64x64xbf16, #op>
  %p = arith.mulf %x, %s : tensor<64x64xbf16, #op>
  %m = tt.broadcast %column : tensor<64x1xi1, #op> -> tensor<64x64xi1, #op>
  %r = arith.select %m, %nan, %p : tensor<64x64xi1, #op>, tensor<64x64xbf16, #op>
  tt.return %r : tensor<64x64xbf16, #op>
}
}
