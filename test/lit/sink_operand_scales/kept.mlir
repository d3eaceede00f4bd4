// RUN: dotload-opt %s --sink-operand-scales --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Scales that stay with their operand, for one reason each.

!k8 = tensor<64x32xf8E4M3FN>
!kw = tensor<64x32xf32>
!kb = tensor<64x32xbf16>
!q = tensor<16x64xbf16>
!s = tensor<16x32xf32>

// COM: The accumulator does not start from zero.
// CHECK-LABEL: @start
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]]
// REMARK: kept arith.mulf: the accumulator of the scaled tile's dot does not start from zero, or adds more than dots; {{.*}} {{\[SUM\]}}
tt.func @start(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %start: !s, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %p = tt.splat %scale : f32 -> !kw
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %x = arith.mulf %w, %p : !kw
    %kb = arith.truncf %x : !kw to !kb
    %o = tt.dot %q, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: The loop adds something else to the accumulator.
// CHECK-LABEL: @added_to
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]]
// REMARK: kept arith.mulf: the accumulator of the scaled tile's dot does not start from zero, or adds more than dots; {{.*}} {{\[SUM\]}}
tt.func @added_to(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %start: !s, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %p = tt.splat %scale : f32 -> !kw
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %x = arith.mulf %w, %p : !kw
    %kb = arith.truncf %x : !kw to !kb
    %old = arith.addf %acc, %start : !s
    %o = tt.dot %q, %kb, %old, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: The loop reads the accumulator.
// CHECK-LABEL: @looked_at
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]]
// REMARK: kept arith.mulf: the accumulator of the scaled tile's dot does not start from zero, or adds more than dots; {{.*}} {{\[SUM\]}}
tt.func @looked_at(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %start: !s, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %p = tt.splat %scale : f32 -> !kw
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %x = arith.mulf %w, %p : !kw
    %kb = arith.truncf %x : !kw to !kb
    %t = tt.dot %q, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    %o = math.exp2 %t : !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: The scale changes in the loop.
// CHECK-LABEL: @varies
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]]
// REMARK: kept arith.mulf: the scale may change in the loop that carries the accumulator {{\[VARIES\]}}
tt.func @varies(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %start: !s, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %p = tt.splat %scale : f32 -> !kw
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %at = tt.addptr %scales, %i : !tt.ptr<f32>, i32
    %now = tt.load %at : !tt.ptr<f32>
    %y = tt.splat %now : f32 -> !kw
    %x = arith.mulf %w, %y : !kw
    %kb = arith.truncf %x : !kw to !kb
    %o = tt.dot %q, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: The loop writes memory, which may hold the scale.
// CHECK-LABEL: @written
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]]
// REMARK: kept arith.mulf: the scale may change in the loop that carries the accumulator {{\[VARIES\]}}
tt.func @written(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %start: !s, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %now = tt.load %scales : !tt.ptr<f32>
    tt.store %scales, %other : !tt.ptr<f32>
    %y = tt.splat %now : f32 -> !kw
    %x = arith.mulf %w, %y : !kw
    %kb = arith.truncf %x : !kw to !kb
    %o = tt.dot %q, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: A masked load of the scale may return another number.
// CHECK-LABEL: @masked
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]]
// REMARK: kept arith.mulf: the scale may change in the loop that carries the accumulator {{\[VARIES\]}}
tt.func @masked(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %start: !s, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %first = arith.cmpi eq, %n, %c0 : i32
    %now = tt.load %scales, %first, %other : !tt.ptr<f32>
    %y = tt.splat %now : f32 -> !kw
    %x = arith.mulf %w, %y : !kw
    %kb = arith.truncf %x : !kw to !kb
    %o = tt.dot %q, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: A volatile load of the scale has to stay in each iteration.
// CHECK-LABEL: @volatile
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]]
// REMARK: kept arith.mulf: the scale may change in the loop that carries the accumulator {{\[VARIES\]}}
tt.func @volatile(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %start: !s, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %now = tt.load %scales {isVolatile = true} : !tt.ptr<f32>
    %y = tt.splat %now : f32 -> !kw
    %x = arith.mulf %w, %y : !kw
    %kb = arith.truncf %x : !kw to !kb
    %o = tt.dot %q, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: What a branch computes is left there.
// CHECK-LABEL: @in_a_branch
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]]
// REMARK: kept arith.mulf: the scale may change in the loop that carries the accumulator {{\[VARIES\]}}
tt.func @in_a_branch(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %start: !s, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %is = arith.cmpi eq, %n, %c1 : i32
    %now = scf.if %is -> (f32) {
      scf.yield %scale : f32
    } else {
      scf.yield %other : f32
    }
    %y = tt.splat %now : f32 -> !kw
    %x = arith.mulf %w, %y : !kw
    %kb = arith.truncf %x : !kw to !kb
    %o = tt.dot %q, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: Another dot of the accumulator has another scale.
// CHECK-LABEL: @other_scale
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]]
// REMARK: kept arith.mulf: the dots of one accumulator have different scales, or one has no scale, or two {{\[OTHER_SCALES\]}}
tt.func @other_scale(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %start: !s, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %p = tt.splat %scale : f32 -> !kw
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %x = arith.mulf %w, %p : !kw
    %kb = arith.truncf %x : !kw to !kb
    %y = tt.splat %other : f32 -> !kw
    %z = arith.mulf %w, %y : !kw
    %zb = arith.truncf %z : !kw to !kb
    %t = tt.dot %q, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    %o = tt.dot %q, %zb, %t, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: Another dot of the accumulator has no scale.
// CHECK-LABEL: @no_scale
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]]
// REMARK: kept arith.mulf: the dots of one accumulator have different scales, or one has no scale, or two {{\[OTHER_SCALES\]}}
tt.func @no_scale(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %start: !s, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %p = tt.splat %scale : f32 -> !kw
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %x = arith.mulf %w, %p : !kw
    %kb = arith.truncf %x : !kw to !kb
    %zb = tt.fp_to_fp %k : !k8 -> !kb
    %t = tt.dot %q, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    %o = tt.dot %q, %zb, %t, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: The scale of another dot stays, since that dot's tile has another use.
// CHECK-LABEL: @stays
// CHECK:       %[[X:.*]] = arith.mulf
// CHECK-NEXT:  arith.truncf %[[X]]
// REMARK: kept arith.mulf: the dots of one accumulator have different scales, or one has no scale, or two {{\[OTHER_SCALES\]}}
tt.func @stays(%scale: f32, %other: f32, %scales: !tt.ptr<f32>, %q: !q, %k: !k8, %start: !s, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %p = tt.splat %scale : f32 -> !kw
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %x = arith.mulf %w, %p : !kw
    %kb = arith.truncf %x : !kw to !kb
    %z = arith.mulf %p, %w : !kw
    %zb = arith.truncf %z : !kw to !kb
    %t = tt.dot %q, %kb, %zero, inputPrecision = tf32 : !q * !kb -> !s
    %u = tt.dot %q, %zb, %t, inputPrecision = tf32 : !q * !kb -> !s
    %sum = "tt.reduce"(%zb) <{axis = 0 : i32}> ({
    ^bb0(%a: bf16, %b: bf16):
      %c = arith.addf %a, %b : bf16
      tt.reduce.return %c : bf16
    }) : (!kb) -> tensor<32xbf16>
    %e = tt.expand_dims %sum {axis = 0 : i32} : tensor<32xbf16> -> tensor<1x32xbf16>
    %f = arith.extf %e : tensor<1x32xbf16> to tensor<1x32xf32>
    %g = tt.broadcast %f : tensor<1x32xf32> -> !s
    %o = arith.addf %u, %g : !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: The first dot has two scales, the second one has none.
// CHECK-LABEL: @two_scales
// CHECK-COUNT-2: arith.mulf
// CHECK-NOT:   arith.mulf
// CHECK:       tt.return
// REMARK: kept arith.mulf: the dots of one accumulator have different scales, or one has no scale, or two {{\[OTHER_SCALES\]}}
tt.func @two_scales(%scale: f32, %a: tensor<16x64xi8>, %q: !q, %k: !k8, %other: !kb, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %p = tt.splat %scale : f32 -> !kw
  %pa = tt.splat %scale : f32 -> tensor<16x64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %w = tt.fp_to_fp %k : !k8 -> !kw
    %x = arith.mulf %w, %p : !kw
    %kb = arith.truncf %x : !kw to !kb
    %wa = arith.sitofp %a : tensor<16x64xi8> to tensor<16x64xf32>
    %xa = arith.mulf %wa, %pa : tensor<16x64xf32>
    %ab = arith.truncf %xa : tensor<16x64xf32> to !q
    %t = tt.dot %ab, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    %o = tt.dot %q, %other, %t, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o : !s
  }
  tt.return %r : !s
}

// COM: A scale in f64, and a product of scalars that the loop itself computes.
// CHECK-LABEL: @wide
// CHECK:       arith.mulf {{.*}} : f32
// CHECK:       %[[X:.*]] = arith.mulf {{.*}} : tensor<64x32xf64>
// CHECK-NEXT:  arith.truncf %[[X]]
// CHECK-NOT:   arith.mulf
// CHECK:       tt.return
tt.func @wide(%scale: f64, %number: f32, %q: !q, %k: tensor<64x32xi8>, %n: i32) -> (!s, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %p = tt.splat %scale : f64 -> tensor<64x32xf64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %power = %number) -> (!s, f32) : i32 {
    %next = arith.mulf %power, %number : f32
    %w = arith.sitofp %k : tensor<64x32xi8> to tensor<64x32xf64>
    %x = arith.mulf %w, %p : tensor<64x32xf64>
    %kb = arith.truncf %x : tensor<64x32xf64> to !kb
    %o = tt.dot %q, %kb, %acc, inputPrecision = tf32 : !q * !kb -> !s
    scf.yield %o, %next : !s, f32
  }
  tt.return %r#0, %r#1 : !s, f32
}
