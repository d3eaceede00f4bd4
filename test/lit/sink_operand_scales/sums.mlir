// RUN: dotload-opt %s --sink-operand-scales --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

!k8 = tensor<64x32xf8E4M3FN>
!s = tensor<16x32xf32>
!o = tensor<16x64xf32>

// COM: One multiplication for all dots that add up to the scores. Keys that are also values are converted once.
// CHECK-LABEL: @latent_attention
// CHECK-SAME:  %[[SCALE:[a-z0-9]+]]: f32
// CHECK:       %[[LOOP:.*]] = scf.for
// CHECK:         %[[K:.*]] = tt.fp_to_fp %{{.*}} : tensor<64x32xf8E4M3FN> -> tensor<64x32xbf16>
// CHECK-NEXT:    %[[FIRST:.*]] = tt.dot %{{.*}}, %[[K]],
// CHECK-NEXT:    %[[ROPE:.*]] = tt.fp_to_fp %{{.*}} : tensor<64x32xf8E4M3FN> -> tensor<64x32xbf16>
// CHECK-NEXT:    %[[T:.*]] = tt.dot %{{.*}}, %[[ROPE]], %[[FIRST]],
// CHECK-NEXT:    %[[SPLAT:.*]] = tt.splat %[[SCALE]] : f32 -> tensor<16x32xf32>
// CHECK-NEXT:    %[[S:.*]] = arith.mulf %[[T]], %[[SPLAT]]
// CHECK-NEXT:    %[[E:.*]] = math.exp2 %[[S]]
// CHECK:         %[[V:.*]] = tt.trans %[[K]]
// CHECK:         %[[NEW:.*]] = tt.dot %{{.*}}, %[[V]],
// CHECK-NEXT:    scf.yield %[[NEW]]
// CHECK:       %[[BEHIND:.*]] = tt.splat %[[SCALE]] : f32 -> tensor<16x64xf32>
// CHECK-NEXT:  %[[R:.*]] = arith.mulf %[[LOOP]], %[[BEHIND]]
// CHECK-NEXT:  tt.return %[[R]]
// REMARK-COUNT-2: sink-operand-scales: the operand's scale is multiplied into the sum of its dots
tt.func @latent_attention(%scale: f32, %q: tensor<16x64xbf16>, %q2: tensor<16x64xbf16>, %k: !k8, %k2: !k8, %n: i32) -> !o {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %none = arith.constant dense<0.0> : !s
  %half = arith.constant dense<0.5> : !o
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!o) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> tensor<64x32xf32>
    %p = tt.splat %scale : f32 -> tensor<64x32xf32>
    %x = arith.mulf %w, %p : tensor<64x32xf32>
    %kb = arith.truncf %x : tensor<64x32xf32> to tensor<64x32xbf16>
    %s = tt.dot %q, %kb, %none, inputPrecision = tf32 : tensor<16x64xbf16> * tensor<64x32xbf16> -> !s
    %w2 = tt.fp_to_fp %k2 : !k8 -> tensor<64x32xf32>
    %x2 = arith.mulf %p, %w2 : tensor<64x32xf32>
    %kb2 = arith.truncf %x2 : tensor<64x32xf32> to tensor<64x32xbf16>
    %t = tt.dot %q2, %kb2, %s, inputPrecision = tf32 : tensor<16x64xbf16> * tensor<64x32xbf16> -> !s
    %e = math.exp2 %t : !s
    %pb = arith.truncf %e : !s to tensor<16x32xbf16>
    %v = tt.trans %kb {order = array<i32: 1, 0>} : tensor<64x32xbf16> -> tensor<32x64xbf16>
    %old = arith.mulf %acc, %half : !o
    %o = tt.dot %pb, %v, %old, inputPrecision = tf32 : tensor<16x32xbf16> * tensor<32x64xbf16> -> !o
    scf.yield %o : !o
  }
  tt.return %r : !o
}

// COM: Weights: A is converted from integers to f16. A product in 16 bits is rounded like one in 32 bits that is then
// COM: rounded.
// CHECK-LABEL: @weights
// CHECK-SAME:  %[[SCALE:[a-z0-9]+]]: f16
// CHECK:       %[[LOOP:.*]] = scf.for
// CHECK-NEXT:    %[[A:.*]] = arith.sitofp %{{.*}} : tensor<16x64xi8> to tensor<16x64xf16>
// CHECK-NEXT:    tt.dot %[[A]],
// CHECK:       %[[BEHIND:.*]] = tt.splat %[[SCALE]] : f16 -> tensor<16x32xf16>
// CHECK-NEXT:  %[[WIDE:.*]] = arith.extf %[[BEHIND]] : tensor<16x32xf16> to tensor<16x32xf32>
// CHECK-NEXT:  arith.mulf %[[LOOP]], %[[WIDE]]
tt.func @weights(%scale: f16, %a: tensor<16x64xi8>, %b: tensor<64x32xf16>, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %p = tt.splat %scale : f16 -> tensor<16x64xf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = arith.sitofp %a : tensor<16x64xi8> to tensor<16x64xf16>
    %x = arith.mulf %w, %p : tensor<16x64xf16>
    %o = tt.dot %x, %b, %acc, inputPrecision = tf32 : tensor<16x64xf16> * tensor<64x32xf16> -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: A constant scale, and a scale that changes in the loop, for a sum that starts from zero in each iteration.
// CHECK-LABEL: @from_zero
// CHECK:       scf.for
// CHECK:         %[[KB:.*]] = tt.fp_to_fp %{{.*}} -> tensor<64x32xbf16>
// CHECK-NEXT:    %[[S:.*]] = tt.dot %{{.*}}, %[[KB]],
// CHECK-NEXT:    %[[C:.*]] = arith.constant dense<7.500000e-01> : tensor<16x32xf32>
// CHECK-NEXT:    arith.mulf %[[S]], %[[C]]
// CHECK:         %[[NOW:.*]] = tt.load
// CHECK:         %[[T:.*]] = tt.dot
// CHECK-NEXT:    %[[P:.*]] = tt.splat %[[NOW]] : f32 -> tensor<16x32xf32>
// CHECK-NEXT:    arith.mulf %[[T]], %[[P]]
tt.func @from_zero(%scales: !tt.ptr<f32>, %q: tensor<16x64xbf16>, %k: !k8, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : !s
  %c = arith.constant dense<0.75> : tensor<64x32xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> tensor<64x32xf32>
    %x = arith.mulf %w, %c : tensor<64x32xf32>
    %kb = arith.truncf %x : tensor<64x32xf32> to tensor<64x32xbf16>
    %s = tt.dot %q, %kb, %none, inputPrecision = tf32 : tensor<16x64xbf16> * tensor<64x32xbf16> -> !s
    %at = tt.addptr %scales, %i : !tt.ptr<f32>, i32
    %now = tt.load %at : !tt.ptr<f32>
    %p = tt.splat %now : f32 -> tensor<64x32xf32>
    %y = arith.mulf %w, %p : tensor<64x32xf32>
    %yb = arith.truncf %y : tensor<64x32xf32> to tensor<64x32xbf16>
    %t = tt.dot %q, %yb, %none, inputPrecision = tf32 : tensor<16x64xbf16> * tensor<64x32xbf16> -> !s
    %u = arith.addf %s, %t : !s
    %v = arith.addf %acc, %u : !s
    scf.yield %v : !s
  }
  tt.return %r : !s
}

// COM: A scale that the loop loads from a fixed address is loaded before it, if the loop runs at all. The loop carries
// COM: the accumulator without any multiplication.
// CHECK-LABEL: @loaded_in_the_loop
// CHECK-SAME:  %[[PTR:[a-z0-9]+]]: !tt.ptr<f32>
// CHECK:       %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:  %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:  %[[SCALE:.*]] = tt.load %[[PTR]], %[[RUNS]], %[[ONE]] : !tt.ptr<f32>
// CHECK:       %[[LOOP:.*]] = scf.for
// CHECK-NOT:     arith.mulf
// CHECK:         scf.yield
// CHECK:       %[[BEHIND:.*]] = tt.splat %[[SCALE]] : f32 -> tensor<16x32xf32>
// CHECK-NEXT:  arith.mulf %[[LOOP]], %[[BEHIND]]
// REMARK: sink-operand-scales: the operand's scale is multiplied into the sum of its dots
tt.func @loaded_in_the_loop(%scales: !tt.ptr<f32>, %q: tensor<16x64xbf16>, %k: !k8, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> tensor<64x32xf32>
    %now = tt.load %scales : !tt.ptr<f32>
    %y = tt.splat %now : f32 -> tensor<64x32xf32>
    %x = arith.mulf %w, %y : tensor<64x32xf32>
    %kb = arith.truncf %x : tensor<64x32xf32> to tensor<64x32xbf16>
    %o = tt.dot %q, %kb, %acc, inputPrecision = tf32 : tensor<16x64xbf16> * tensor<64x32xbf16> -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: The same for a scale that is converted first.
// CHECK-LABEL: @loaded_and_widened
// CHECK:       %[[SCALE:.*]] = tt.load %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<bf16>
// CHECK-NEXT:  %[[WIDE:.*]] = arith.extf %[[SCALE]] : bf16 to f32
// CHECK:       scf.for
// CHECK-NOT:     arith.mulf
// CHECK:         scf.yield
// CHECK:       tt.splat %[[WIDE]] : f32 -> tensor<16x32xf32>
tt.func @loaded_and_widened(%scales: !tt.ptr<bf16>, %q: tensor<16x64xbf16>, %k: !k8, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> tensor<64x32xf32>
    %now = tt.load %scales : !tt.ptr<bf16>
    %wide = arith.extf %now : bf16 to f32
    %y = tt.splat %wide : f32 -> tensor<64x32xf32>
    %x = arith.mulf %w, %y : tensor<64x32xf32>
    %kb = arith.truncf %x : tensor<64x32xf32> to tensor<64x32xbf16>
    %o = tt.dot %q, %kb, %acc, inputPrecision = tf32 : tensor<16x64xbf16> * tensor<64x32xbf16> -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}
