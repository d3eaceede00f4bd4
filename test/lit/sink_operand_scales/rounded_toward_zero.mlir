// RUN: dotload-opt %s --sink-operand-scales | FileCheck %s

// COM: The kernel sets the rounding mode of its operand: the scale stays.

!k8 = tensor<64x32xf8E4M3FN>
!kw = tensor<64x32xf32>
!kb = tensor<64x32xbf16>
!q = tensor<16x64xbf16>
!s = tensor<16x32xf32>

// CHECK-LABEL: @toward_zero
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]] toward_zero
tt.func @toward_zero(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %p = tt.splat %scale : f32 -> !kw
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %x = arith.mulf %w, %p : !kw
    %kb = arith.truncf %x toward_zero : !kw to !kb
    %o = tt.dot %q, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}
