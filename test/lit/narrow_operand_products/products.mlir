// RUN: dotload-opt %s --narrow-operand-products --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

!a = tensor<16x64xbf16>
!n = tensor<64x32xi32>
!f = tensor<64x32xf32>
!b = tensor<64x32xbf16>
!c = tensor<16x32xf32>
module {

// COM: 4-bit weights minus 8, times a scale in bf16: the product is rounded once in either type.
// CHECK-LABEL: @four_bits
// CHECK:       %[[EIGHT:.*]] = arith.constant dense<8.000000e+00> : tensor<64x32xbf16>
// CHECK:       %[[N:.*]] = arith.andi
// CHECK:       %[[X:.*]] = arith.sitofp %[[N]] : tensor<64x32xi32> to tensor<64x32xbf16>
// CHECK:       %[[LESS:.*]] = arith.subf %[[X]], %[[EIGHT]] : tensor<64x32xbf16>
// CHECK:       %[[P:.*]] = arith.mulf %[[LESS]], %arg{{.*}} : tensor<64x32xbf16>
// CHECK-NEXT:  tt.dot %{{.*}}, %[[P]],
// REMARK:      narrow-operand-products: integers are multiplied by their scale in bf16 instead of f32
tt.func @four_bits(%a: !a, %b: !n, %s: !b, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %eight = arith.constant dense<8.0> : !f
  %n = arith.andi %b, %mask : !n
  %x = arith.sitofp %n : !n to !f
  %less = arith.subf %x, %eight : !f
  %w = arith.extf %s : !b to !f
  %p = arith.mulf %less, %w : !f
  %r = arith.truncf %p : !f to !b
  %d = tt.dot %a, %r, %c : !a * !b -> !c
  tt.return %d : !c
}

// COM: Bytes minus zero points of columns, which are bytes as well; the scale is the first factor.
// CHECK-LABEL: @zeros
// CHECK-DAG:   %[[X:.*]] = arith.uitofp %arg1 : tensor<64x32xi8> to tensor<64x32xf16>
// CHECK-DAG:   %[[Z:.*]] = arith.uitofp %arg2 : tensor<1x32xi8> to tensor<1x32xf16>
// CHECK:       %[[ZS:.*]] = tt.broadcast %[[Z]] : tensor<1x32xf16> -> tensor<64x32xf16>
// CHECK:       %[[LESS:.*]] = arith.subf %[[X]], %[[ZS]] : tensor<64x32xf16>
// CHECK:       arith.mulf %[[LESS]], %arg{{.*}} : tensor<64x32xf16>
tt.func @zeros(%a: tensor<16x64xf16>, %b: tensor<64x32xi8>, %z: tensor<1x32xi8>, %s: tensor<64x32xf16>, %c: !c) -> !c {
  %x = arith.uitofp %b : tensor<64x32xi8> to !f
  %y = arith.uitofp %z : tensor<1x32xi8> to tensor<1x32xf32>
  %ys = tt.broadcast %y : tensor<1x32xf32> -> !f
  %less = arith.subf %x, %ys : !f
  %w = arith.extf %s : tensor<64x32xf16> to !f
  %p = arith.mulf %w, %less : !f
  %r = arith.truncf %p : !f to tensor<64x32xf16>
  %d = tt.dot %a, %r, %c : tensor<16x64xf16> * tensor<64x32xf16> -> !c
  tt.return %d : !c
}

// COM: The scales are products themselves, of scales of nested blocks: both products are narrowed.
// CHECK-LABEL: @scales_of_scales
// CHECK:       %[[Q:.*]] = arith.mulf %{{.*}} : tensor<64x32xbf16>
// CHECK:       %[[P:.*]] = arith.mulf %{{.*}}, %[[Q]] : tensor<64x32xbf16>
// CHECK:       tt.dot %{{.*}}, %[[P]],
tt.func @scales_of_scales(%a: !a, %b: tensor<64x32xi8>, %q: tensor<64x32xi8>, %s: !b, %c: !c) -> !c {
  %x = arith.uitofp %q : tensor<64x32xi8> to !f
  %w = arith.extf %s : !b to !f
  %y = arith.mulf %x, %w : !f
  %t = arith.truncf %y : !f to !b
  %u = arith.extf %t : !b to !f
  %v = arith.uitofp %b : tensor<64x32xi8> to !f
  %p = arith.mulf %v, %u : !f
  %r = arith.truncf %p : !f to !b
  %d = tt.dot %a, %r, %c : !a * !b -> !c
  tt.return %d : !c
}

// COM: A minuend of -0 becomes -0 in bf16: for x = 0, -0 - x is -0, and 0 - x is 0.
// CHECK-LABEL: @minus_zero
// CHECK:       arith.constant dense<-0.000000e+00> : tensor<64x32xbf16>
tt.func @minus_zero(%a: !a, %b: tensor<64x32xi8>, %s: !b, %c: !c) -> !c {
  %zero = arith.constant dense<-0.0> : !f
  %x = arith.uitofp %b : tensor<64x32xi8> to !f
  %less = arith.subf %zero, %x : !f
  %w = arith.extf %s : !b to !f
  %p = arith.mulf %less, %w : !f
  %r = arith.truncf %p : !f to !b
  %d = tt.dot %a, %r, %c : !a * !b -> !c
  tt.return %d : !c
}

// COM: A scale for each column: the row is extended, then broadcast.
// CHECK-LABEL: @row_of_scales
// CHECK:       %[[X:.*]] = arith.uitofp %arg1 : tensor<64x32xi8> to tensor<64x32xbf16>
// CHECK:       %[[S:.*]] = tt.broadcast %arg2 : tensor<1x32xbf16> -> tensor<64x32xbf16>
// CHECK:       %[[P:.*]] = arith.mulf %[[X]], %[[S]] : tensor<64x32xbf16>
// CHECK-NEXT:  tt.dot %{{.*}}, %[[P]],
tt.func @row_of_scales(%a: !a, %b: tensor<64x32xi8>, %s: tensor<1x32xbf16>, %c: !c) -> !c {
  %x = arith.uitofp %b : tensor<64x32xi8> to !f
  %w = arith.extf %s : tensor<1x32xbf16> to tensor<1x32xf32>
  %ws = tt.broadcast %w : tensor<1x32xf32> -> !f
  %p = arith.mulf %x, %ws : !f
  %r = arith.truncf %p : !f to !b
  %d = tt.dot %a, %r, %c : !a * !b -> !c
  tt.return %d : !c
}


// COM: A product that is rounded toward zero stays, since one in bf16 is rounded to nearest.
// CHECK-LABEL: @toward_zero
// CHECK:       %[[P:.*]] = arith.mulf {{.*}} : tensor<64x32xf32>
// CHECK:       arith.truncf %[[P]] toward_zero : tensor<64x32xf32> to tensor<64x32xbf16>
tt.func @toward_zero(%a: !a, %b: !n, %s: !b, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %n = arith.andi %b, %mask : !n
  %x = arith.sitofp %n : !n to !f
  %w = arith.extf %s : !b to !f
  %p = arith.mulf %x, %w : !f
  %r = arith.truncf %p toward_zero : !f to !b
  %d = tt.dot %a, %r, %c : !a * !b -> !c
  tt.return %d : !c
}
}
