// RUN: dotload-opt %s --hoist-load-bitcasts --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

!bytes = tensor<64x128xi8>
!pointers = tensor<64x128x!tt.ptr<i8>>
!a = tensor<64x64xf8E4M3FN>
!b = tensor<64x128xf8E4M3FN>
!c = tensor<64x128xf32>
module {

// COM: The pointers are cast, and zeros stay zeros; the cast of what is loaded is gone.
// REMARK:      remark: hoist-load-bitcasts: the tile is loaded in the type of its cast
// CHECK-LABEL: @cast
// CHECK:         %[[POINTERS:.*]] = tt.bitcast %arg1 : tensor<64x128x!tt.ptr<i8>> -> tensor<64x128x!tt.ptr<f8E4M3FN>>
// CHECK:         %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64x128xf8E4M3FN>
// CHECK:         %[[B:.*]] = tt.load %[[POINTERS]], %arg2, %[[ZEROS]] {last_use} : tensor<64x128x!tt.ptr<f8E4M3FN>>
// CHECK-NOT:     tt.bitcast
// CHECK:         tt.dot %arg0, %[[B]]
tt.func @cast(%a: !a, %p: !pointers, %mask: tensor<64x128xi1>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %zeros = arith.constant dense<0> : !bytes
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %v = tt.load %p, %mask, %zeros {last_use} : !pointers
    %b = tt.bitcast %v : !bytes -> !b
    %d = tt.dot %a, %b, %acc : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %sum : !c
}

// COM: Through a conversion too.
// CHECK-LABEL: @converted
// CHECK:         tt.load %{{.*}} : tensor<64x128x!tt.ptr<f8E4M3FN>>
// CHECK-NEXT:    tt.fp_to_fp
tt.func @converted(%a: tensor<64x64xbf16>, %p: !pointers, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %v = tt.load %p : !pointers
    %b = tt.bitcast %v : !bytes -> !b
    %w = tt.fp_to_fp %b : !b -> tensor<64x128xbf16>
    %d = tt.dot %a, %w, %acc : tensor<64x64xbf16> * tensor<64x128xbf16> -> !c
    scf.yield %d : !c
  }
  tt.return %sum : !c
}

// COM: Masked elements are ones, the bits of another number.
// CHECK-LABEL: @ones
// CHECK:         tt.load %{{.*}} : tensor<64x128x!tt.ptr<i8>>
tt.func @ones(%a: !a, %p: !pointers, %mask: tensor<64x128xi1>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %ones = arith.constant dense<1> : !bytes
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %v = tt.load %p, %mask, %ones : !pointers
    %b = tt.bitcast %v : !bytes -> !b
    %d = tt.dot %a, %b, %acc : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %sum : !c
}

// COM: The bytes have another use.
// CHECK-LABEL: @used_as_bytes
// CHECK:         tt.load %{{.*}} : tensor<64x128x!tt.ptr<i8>>
tt.func @used_as_bytes(%a: !a, %p: !pointers, %n: i32) -> (!c, !bytes) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %zeros = arith.constant dense<0> : !bytes
  %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %zeros) -> (!c, !bytes) : i32 {
    %v = tt.load %p : !pointers
    %b = tt.bitcast %v : !bytes -> !b
    %d = tt.dot %a, %b, %acc : !a * !b -> !c
    %s = arith.addi %sum, %v : !bytes
    scf.yield %d, %s : !c, !bytes
  }
  tt.return %sums#0, %sums#1 : !c, !bytes
}

// COM: No dot.
// CHECK-LABEL: @summed
// CHECK:         tt.load %{{.*}} : tensor<64x128x!tt.ptr<i8>>
tt.func @summed(%p: !pointers, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %v = tt.load %p : !pointers
    %b = tt.bitcast %v : !bytes -> !b
    %w = tt.fp_to_fp %b : !b -> !c
    %d = arith.addf %acc, %w : !c
    scf.yield %d : !c
  }
  tt.return %sum : !c
}
}
