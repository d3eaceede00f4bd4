// RUN: dotload-opt %s --narrow-operand-products --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --allow-empty --check-prefix=REMARK --input-file=%t
// REMARK-NOT: narrow-operand-products

!a = tensor<16x64xbf16>
!n = tensor<64x32xi32>
!f = tensor<64x32xf32>
!b = tensor<64x32xbf16>
!c = tensor<16x32xf32>
module {

// COM: Integers that bf16 does not represent are rounded before they are multiplied.
// CHECK-LABEL: @large
// CHECK:       arith.mulf {{.*}} : tensor<64x32xf32>
tt.func @large(%a: !a, %b: !n, %s: !b, %c: !c) -> !c {
  %mask = arith.constant dense<1023> : !n
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


// COM: The range of these integers is not known.
// CHECK-LABEL: @unknown
// CHECK:       arith.mulf {{.*}} : tensor<64x32xf32>
tt.func @unknown(%a: !a, %b: !n, %s: !b, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %eight = arith.constant dense<8.0> : !f
  %n = arith.ori %b, %mask : !n
  %x = arith.sitofp %n : !n to !f
  %less = arith.subf %x, %eight : !f
  %w = arith.extf %s : !b to !f
  %p = arith.mulf %less, %w : !f
  %r = arith.truncf %p : !f to !b
  %d = tt.dot %a, %r, %c : !a * !b -> !c
  tt.return %d : !c
}


// COM: 8.5 is not an integer: 15 - 8.5 has half-integers, which do not always fit bf16's 8 bits.
// CHECK-LABEL: @fraction
// CHECK:       arith.mulf {{.*}} : tensor<64x32xf32>
tt.func @fraction(%a: !a, %b: !n, %s: !b, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %eight = arith.constant dense<8.5> : !f
  %n = arith.andi %b, %mask : !n
  %x = arith.sitofp %n : !n to !f
  %less = arith.subf %x, %eight : !f
  %w = arith.extf %s : !b to !f
  %p = arith.mulf %less, %w : !f
  %r = arith.truncf %p : !f to !b
  %d = tt.dot %a, %r, %c : !a * !b -> !c
  tt.return %d : !c
}


// COM: After 500 is subtracted, numbers are too large.
// CHECK-LABEL: @far
// CHECK:       arith.mulf {{.*}} : tensor<64x32xf32>
tt.func @far(%a: !a, %b: !n, %s: !b, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %eight = arith.constant dense<500.0> : !f
  %n = arith.andi %b, %mask : !n
  %x = arith.sitofp %n : !n to !f
  %less = arith.subf %x, %eight : !f
  %w = arith.extf %s : !b to !f
  %p = arith.mulf %less, %w : !f
  %r = arith.truncf %p : !f to !b
  %d = tt.dot %a, %r, %c : !a * !b -> !c
  tt.return %d : !c
}


// COM: A scale in f32 has more bits.
// CHECK-LABEL: @wide_scale
// CHECK:       arith.mulf {{.*}} : tensor<64x32xf32>
tt.func @wide_scale(%a: !a, %b: !n, %s: !f, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %eight = arith.constant dense<8.0> : !f
  %n = arith.andi %b, %mask : !n
  %x = arith.sitofp %n : !n to !f
  %less = arith.subf %x, %eight : !f
  %w = arith.addf %s, %eight : !f
  %p = arith.mulf %less, %w : !f
  %r = arith.truncf %p : !f to !b
  %d = tt.dot %a, %r, %c : !a * !b -> !c
  tt.return %d : !c
}


// COM: A scale in f16 is not a bf16 number.
// CHECK-LABEL: @other_scale
// CHECK:       arith.mulf {{.*}} : tensor<64x32xf32>
tt.func @other_scale(%a: !a, %b: !n, %s: tensor<64x32xf16>, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %eight = arith.constant dense<8.0> : !f
  %n = arith.andi %b, %mask : !n
  %x = arith.sitofp %n : !n to !f
  %less = arith.subf %x, %eight : !f
  %w = arith.extf %s : tensor<64x32xf16> to !f
  %p = arith.mulf %less, %w : !f
  %r = arith.truncf %p : !f to !b
  %d = tt.dot %a, %r, %c : !a * !b -> !c
  tt.return %d : !c
}


// COM: No dot uses the product.
// CHECK-LABEL: @no_operand
// CHECK:       arith.mulf {{.*}} : tensor<64x32xf32>
tt.func @no_operand(%a: !a, %b: !n, %s: !b, %c: !c) -> !b {
  %mask = arith.constant dense<15> : !n
  %eight = arith.constant dense<8.0> : !f
  %n = arith.andi %b, %mask : !n
  %x = arith.sitofp %n : !n to !f
  %less = arith.subf %x, %eight : !f
  %w = arith.extf %s : !b to !f
  %p = arith.mulf %less, %w : !f
  %r = arith.truncf %p : !f to !b
  
  tt.return %r : !b
}

// COM: The product has another use in f32.
// CHECK-LABEL: @product_too
// CHECK:       arith.mulf {{.*}} : tensor<64x32xf32>
tt.func @product_too(%a: !a, %b: !n, %s: !b, %c: !c) -> !f {
  %mask = arith.constant dense<15> : !n
  %eight = arith.constant dense<8.0> : !f
  %n = arith.andi %b, %mask : !n
  %x = arith.sitofp %n : !n to !f
  %less = arith.subf %x, %eight : !f
  %w = arith.extf %s : !b to !f
  %p = arith.mulf %less, %w : !f
  %r = arith.truncf %p : !f to !b
  
  %d = tt.dot %a, %r, %c : !a * !b -> !c
  tt.return %p : !f
}

// COM: In bf16, product and sum might be fused, and so rounded once.
// CHECK-LABEL: @goes_to_a_sum
// CHECK:       arith.mulf {{.*}} : tensor<64x32xf32>
tt.func @goes_to_a_sum(%a: !a, %b: tensor<64x32xi8>, %s: !b, %z: tensor<32x64xbf16>, %c: !c) -> !c {
  %x = arith.uitofp %b : tensor<64x32xi8> to !f
  %w = arith.extf %s : !b to !f
  %p = arith.mulf %x, %w : !f
  %r = arith.truncf %p : !f to !b
  %t = tt.trans %r {order = array<i32: 1, 0>} : !b -> tensor<32x64xbf16>
  %u = arith.addf %t, %z : tensor<32x64xbf16>
  %v = tt.trans %u {order = array<i32: 1, 0>} : tensor<32x64xbf16> -> !b
  %d = tt.dot %a, %v, %c : !a * !b -> !c
  tt.return %d : !c
}

}
