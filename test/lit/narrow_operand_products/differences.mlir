// RUN: dotload-opt %s --narrow-operand-products --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

!a = tensor<16x64xf16>
!n = tensor<64x32xi32>
!f = tensor<64x32xf16>
!c = tensor<16x32xf32>
module {

// COM: A zero is subtracted from each weight in 32 bits. f16 represents both, and their difference.
// CHECK-LABEL: @weights_less_zeros
// CHECK:       %[[N:.*]] = arith.andi %arg1
// CHECK:       %[[Z:.*]] = arith.andi %arg2
// CHECK-NOT:   arith.subi
// CHECK:       %[[F:.*]] = arith.sitofp %[[N]]
// CHECK:       %[[G:.*]] = arith.sitofp %[[Z]]
// CHECK:       %[[D:.*]] = arith.subf %[[F]], %[[G]]
// CHECK:       arith.mulf %[[D]]
// REMARK:      differences.mlir:[[#@LINE+7]]:{{.*}} remark: narrow-operand-products: integers are subtracted in f16, two at a time
// REMARK-NOT:  remark
tt.func @weights_less_zeros(%a: !a, %w: !n, %z: !n, %s: !f, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %n = arith.andi %w, %mask : !n
  %m = arith.andi %z, %mask : !n
  %l = arith.subi %n, %m : !n
  %f = arith.sitofp %l : !n to !f
  %b = arith.mulf %f, %s : !f
  %d = tt.dot %a, %b, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: A constant is subtracted by the packed conversion.
// CHECK-LABEL: @less_eight
// CHECK:       arith.subi
tt.func @less_eight(%a: !a, %w: !n, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %eight = arith.constant dense<8> : !n
  %n = arith.andi %w, %mask : !n
  %l = arith.subi %n, %eight : !n
  %f = arith.sitofp %l : !n to !f
  %d = tt.dot %a, %f, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: No packed conversion of numbers above 8 bits.
// CHECK-LABEL: @large
// CHECK:       arith.subi
tt.func @large(%a: !a, %w: !n, %z: !n, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %more = arith.constant dense<511> : !n
  %n = arith.andi %w, %more : !n
  %m = arith.andi %z, %mask : !n
  %l = arith.subi %n, %m : !n
  %f = arith.sitofp %l : !n to !f
  %d = tt.dot %a, %f, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: The difference has another use.
// CHECK-LABEL: @stored_too
// CHECK:       arith.subi
tt.func @stored_too(%a: !a, %w: !n, %z: !n, %p: tensor<64x32x!tt.ptr<i32>>, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %n = arith.andi %w, %mask : !n
  %m = arith.andi %z, %mask : !n
  %l = arith.subi %n, %m : !n
  tt.store %p, %l : tensor<64x32x!tt.ptr<i32>>
  %f = arith.sitofp %l : !n to !f
  %d = tt.dot %a, %f, %c : !a * !f -> !c
  tt.return %d : !c
}
}
