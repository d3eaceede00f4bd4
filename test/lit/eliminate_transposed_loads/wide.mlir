// RUN: dotload-opt %s --eliminate-transposed-loads | FileCheck %s
// RUN: dotload-opt %s --eliminate-transposed-loads='capability=89' | FileCheck %s --check-prefix=OTHER

// COM: Latent attention with enough rows for wgmma: values come from the keys, in the type that the kernel converts
// COM: values to.

!p = !tt.ptr<f8E4M3FN>

// COM: Probabilities are still rounded to 8 bits. The sum that the dot added to is its accumulator now.
// CHECK-LABEL: @many_rows(
// CHECK:         scf.if
// CHECK:           scf.for %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK:             %[[K:.*]] = tt.fp_to_fp %{{.*}} : tensor<64x32xf8E4M3FN> -> tensor<64x32xbf16>
// CHECK-NOT:         tt.load %{{.*}} : tensor<32x64x
// CHECK:             %[[P:.*]] = tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<64x32xf32> -> tensor<64x32xf8E4M3FN>
// CHECK:             %[[WIDE:.*]] = tt.fp_to_fp %[[P]] : tensor<64x32xf8E4M3FN> -> tensor<64x32xbf16>
// CHECK:             %[[V:.*]] = tt.trans %[[K]] {order = array<i32: 1, 0>} : tensor<64x32xbf16> -> tensor<32x64xbf16>
// CHECK:             %[[SUM:.*]] = tt.dot %[[WIDE]], %[[V]], %[[ACC]], inputPrecision = tf32 : tensor<64x32xbf16>
// CHECK-NEXT:        scf.yield %[[SUM]]
// CHECK:         } else {
// CHECK:           tt.load %{{.*}} : tensor<32x64x!tt.ptr<f8E4M3FN>>
// OTHER-LABEL: @many_rows(
// OTHER-NOT:     scf.if
tt.func public @many_rows(%k_ptr: !p, %v_ptr: !p, %stride: i32, %q: tensor<64x64xbf16>, %rd: tensor<64x32xi32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %tokens = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %res = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %stride : i32
    %at = tt.splat %first : i32 -> tensor<32xi32>
    %slots = arith.addi %at, %tokens : tensor<32xi32>
    %kr = tt.expand_dims %slots {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kb = tt.splat %k_ptr : !p -> tensor<1x32x!p>
    %k1 = tt.addptr %kb, %kr : tensor<1x32x!p>, tensor<1x32xi32>
    %k2 = tt.broadcast %k1 : tensor<1x32x!p> -> tensor<64x32x!p>
    %kd = tt.expand_dims %d {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %k3 = tt.broadcast %kd : tensor<64x1xi32> -> tensor<64x32xi32>
    %kp = tt.addptr %k2, %k3 : tensor<64x32x!p>, tensor<64x32xi32>
    %k = tt.load %kp : tensor<64x32x!p>
    %rp = tt.addptr %k2, %rd : tensor<64x32x!p>, tensor<64x32xi32>
    %r = tt.load %rp : tensor<64x32x!p>
    %kc = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN> -> tensor<64x32xbf16>
    %rc = tt.fp_to_fp %r : tensor<64x32xf8E4M3FN> -> tensor<64x32xbf16>
    %s1 = tt.dot %q, %kc, %none, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x32xbf16> -> tensor<64x32xf32>
    %s2 = tt.dot %q, %rc, %s1, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x32xbf16> -> tensor<64x32xf32>
    %vr = tt.expand_dims %slots {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %vb = tt.splat %v_ptr : !p -> tensor<32x1x!p>
    %v1 = tt.addptr %vb, %vr : tensor<32x1x!p>, tensor<32x1xi32>
    %v2 = tt.broadcast %v1 : tensor<32x1x!p> -> tensor<32x64x!p>
    %vd = tt.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v3 = tt.broadcast %vd : tensor<1x64xi32> -> tensor<32x64xi32>
    %vp = tt.addptr %v2, %v3 : tensor<32x64x!p>, tensor<32x64xi32>
    %v = tt.load %vp : tensor<32x64x!p>
    %pb = tt.fp_to_fp %s2, rounding = rtne : tensor<64x32xf32> -> tensor<64x32xf8E4M3FN>
    %o = tt.dot %pb, %v, %zero, inputPrecision = tf32 {maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN> * tensor<32x64xf8E4M3FN> -> tensor<64x64xf32>
    %sum = arith.addf %acc, %o : tensor<64x64xf32>
    scf.yield %sum : tensor<64x64xf32>
  }
  tt.return %res : tensor<64x64xf32>
}

// COM: Values are converted like the keys; so are the probabilities.
// CHECK-LABEL: @values_are_cast(
// CHECK:         scf.if
// CHECK:             %[[K:.*]] = tt.fp_to_fp %{{.*}} : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>
// CHECK:             %[[P:.*]] = arith.truncf
// CHECK-NEXT:        %[[V:.*]] = tt.trans %[[K]]
// CHECK-NEXT:        tt.dot %[[P]], %[[V]],
// CHECK:         } else {
tt.func public @values_are_cast(%k_ptr: !p, %v_ptr: !p, %stride: i32, %q: tensor<64x64xf16>, %rd: tensor<64x32xi32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %tokens = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %res = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %stride : i32
    %at = tt.splat %first : i32 -> tensor<32xi32>
    %slots = arith.addi %at, %tokens : tensor<32xi32>
    %kr = tt.expand_dims %slots {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kb = tt.splat %k_ptr : !p -> tensor<1x32x!p>
    %k1 = tt.addptr %kb, %kr : tensor<1x32x!p>, tensor<1x32xi32>
    %k2 = tt.broadcast %k1 : tensor<1x32x!p> -> tensor<64x32x!p>
    %kd = tt.expand_dims %d {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %k3 = tt.broadcast %kd : tensor<64x1xi32> -> tensor<64x32xi32>
    %kp = tt.addptr %k2, %k3 : tensor<64x32x!p>, tensor<64x32xi32>
    %k = tt.load %kp : tensor<64x32x!p>
    %rp = tt.addptr %k2, %rd : tensor<64x32x!p>, tensor<64x32xi32>
    %r = tt.load %rp : tensor<64x32x!p>
    %kc = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>
    %rc = tt.fp_to_fp %r : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>
    %s1 = tt.dot %q, %kc, %none, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
    %s2 = tt.dot %q, %rc, %s1, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
    %vr = tt.expand_dims %slots {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %vb = tt.splat %v_ptr : !p -> tensor<32x1x!p>
    %v1 = tt.addptr %vb, %vr : tensor<32x1x!p>, tensor<32x1xi32>
    %v2 = tt.broadcast %v1 : tensor<32x1x!p> -> tensor<32x64x!p>
    %vd = tt.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v3 = tt.broadcast %vd : tensor<1x64xi32> -> tensor<32x64xi32>
    %vp = tt.addptr %v2, %v3 : tensor<32x64x!p>, tensor<32x64xi32>
    %v = tt.load %vp : tensor<32x64x!p>
    %vc = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN> -> tensor<32x64xf16>
    %pb = arith.truncf %s2 : tensor<64x32xf32> to tensor<64x32xf16>
    %o = tt.dot %pb, %vc, %acc, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  tt.return %res : tensor<64x64xf32>
}

// COM: Keys are integers, which the kernel itself converts.
// CHECK-LABEL: @integers(
// CHECK:         scf.if
// CHECK:             %[[K:.*]] = arith.sitofp
// CHECK:             %[[V:.*]] = tt.trans %[[K]] {order = array<i32: 1, 0>} : tensor<64x32xbf16>
// CHECK-NEXT:        tt.dot %{{.*}}, %[[V]],
// CHECK:         } else {
tt.func public @integers(%k_ptr: !tt.ptr<i8>, %v_ptr: !tt.ptr<i8>, %stride: i32, %q: tensor<64x64xbf16>, %rd: tensor<64x32xi32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %tokens = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %res = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %stride : i32
    %at = tt.splat %first : i32 -> tensor<32xi32>
    %slots = arith.addi %at, %tokens : tensor<32xi32>
    %kr = tt.expand_dims %slots {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kb = tt.splat %k_ptr : !tt.ptr<i8> -> tensor<1x32x!tt.ptr<i8>>
    %k1 = tt.addptr %kb, %kr : tensor<1x32x!tt.ptr<i8>>, tensor<1x32xi32>
    %k2 = tt.broadcast %k1 : tensor<1x32x!tt.ptr<i8>> -> tensor<64x32x!tt.ptr<i8>>
    %kd = tt.expand_dims %d {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %k3 = tt.broadcast %kd : tensor<64x1xi32> -> tensor<64x32xi32>
    %kp = tt.addptr %k2, %k3 : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
    %k = tt.load %kp : tensor<64x32x!tt.ptr<i8>>
    %rp = tt.addptr %k2, %rd : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
    %r = tt.load %rp : tensor<64x32x!tt.ptr<i8>>
    %kc = arith.sitofp %k : tensor<64x32xi8> to tensor<64x32xbf16>
    %rc = arith.sitofp %r : tensor<64x32xi8> to tensor<64x32xbf16>
    %s1 = tt.dot %q, %kc, %none, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x32xbf16> -> tensor<64x32xf32>
    %s2 = tt.dot %q, %rc, %s1, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x32xbf16> -> tensor<64x32xf32>
    %vr = tt.expand_dims %slots {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %vb = tt.splat %v_ptr : !tt.ptr<i8> -> tensor<32x1x!tt.ptr<i8>>
    %v1 = tt.addptr %vb, %vr : tensor<32x1x!tt.ptr<i8>>, tensor<32x1xi32>
    %v2 = tt.broadcast %v1 : tensor<32x1x!tt.ptr<i8>> -> tensor<32x64x!tt.ptr<i8>>
    %vd = tt.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v3 = tt.broadcast %vd : tensor<1x64xi32> -> tensor<32x64xi32>
    %vp = tt.addptr %v2, %v3 : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
    %v = tt.load %vp : tensor<32x64x!tt.ptr<i8>>
    %vc = arith.sitofp %v : tensor<32x64xi8> to tensor<32x64xbf16>
    %pb = arith.truncf %s2 : tensor<64x32xf32> to tensor<64x32xbf16>
    %o = tt.dot %pb, %vc, %acc, inputPrecision = tf32 : tensor<64x32xbf16> * tensor<32x64xbf16> -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  tt.return %res : tensor<64x64xf32>
}

// COM: Keys are multiplied in 8 bits: as values, wgmma would need a K-major copy of them.
// CHECK-LABEL: @queries_of_8_bits(
// CHECK-NOT:     scf.if
// CHECK:         tt.return
tt.func public @queries_of_8_bits(%k_ptr: !p, %v_ptr: !p, %stride: i32, %q: tensor<64x64xf8E4M3FN>, %rd: tensor<64x32xi32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %tokens = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %res = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %stride : i32
    %at = tt.splat %first : i32 -> tensor<32xi32>
    %slots = arith.addi %at, %tokens : tensor<32xi32>
    %kr = tt.expand_dims %slots {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kb = tt.splat %k_ptr : !p -> tensor<1x32x!p>
    %k1 = tt.addptr %kb, %kr : tensor<1x32x!p>, tensor<1x32xi32>
    %k2 = tt.broadcast %k1 : tensor<1x32x!p> -> tensor<64x32x!p>
    %kd = tt.expand_dims %d {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %k3 = tt.broadcast %kd : tensor<64x1xi32> -> tensor<64x32xi32>
    %kp = tt.addptr %k2, %k3 : tensor<64x32x!p>, tensor<64x32xi32>
    %k = tt.load %kp : tensor<64x32x!p>
    %rp = tt.addptr %k2, %rd : tensor<64x32x!p>, tensor<64x32xi32>
    %r = tt.load %rp : tensor<64x32x!p>
    %s1 = tt.dot %q, %k, %none, inputPrecision = tf32 : tensor<64x64xf8E4M3FN> * tensor<64x32xf8E4M3FN> -> tensor<64x32xf32>
    %s2 = tt.dot %q, %r, %s1, inputPrecision = tf32 : tensor<64x64xf8E4M3FN> * tensor<64x32xf8E4M3FN> -> tensor<64x32xf32>
    %vr = tt.expand_dims %slots {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %vb = tt.splat %v_ptr : !p -> tensor<32x1x!p>
    %v1 = tt.addptr %vb, %vr : tensor<32x1x!p>, tensor<32x1xi32>
    %v2 = tt.broadcast %v1 : tensor<32x1x!p> -> tensor<32x64x!p>
    %vd = tt.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v3 = tt.broadcast %vd : tensor<1x64xi32> -> tensor<32x64xi32>
    %vp = tt.addptr %v2, %v3 : tensor<32x64x!p>, tensor<32x64xi32>
    %v = tt.load %vp : tensor<32x64x!p>
    %pb = tt.fp_to_fp %s2, rounding = rtne : tensor<64x32xf32> -> tensor<64x32xf8E4M3FN>
    %o = tt.dot %pb, %v, %zero, inputPrecision = tf32 {maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN> * tensor<32x64xf8E4M3FN> -> tensor<64x64xf32>
    %sum = arith.addf %acc, %o : tensor<64x64xf32>
    scf.yield %sum : tensor<64x64xf32>
  }
  tt.return %res : tensor<64x64xf32>
}

// COM: Values have another type than the keys.
// CHECK-LABEL: @other_type(
// CHECK-NOT:     scf.if
// CHECK:         tt.return
tt.func public @other_type(%k_ptr: !p, %v_ptr: !p, %stride: i32, %q: tensor<64x64xbf16>, %rd: tensor<64x32xi32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %tokens = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %res = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %stride : i32
    %at = tt.splat %first : i32 -> tensor<32xi32>
    %slots = arith.addi %at, %tokens : tensor<32xi32>
    %kr = tt.expand_dims %slots {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kb = tt.splat %k_ptr : !p -> tensor<1x32x!p>
    %k1 = tt.addptr %kb, %kr : tensor<1x32x!p>, tensor<1x32xi32>
    %k2 = tt.broadcast %k1 : tensor<1x32x!p> -> tensor<64x32x!p>
    %kd = tt.expand_dims %d {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %k3 = tt.broadcast %kd : tensor<64x1xi32> -> tensor<64x32xi32>
    %kp = tt.addptr %k2, %k3 : tensor<64x32x!p>, tensor<64x32xi32>
    %k = tt.load %kp : tensor<64x32x!p>
    %rp = tt.addptr %k2, %rd : tensor<64x32x!p>, tensor<64x32xi32>
    %r = tt.load %rp : tensor<64x32x!p>
    %kc = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN> -> tensor<64x32xbf16>
    %rc = tt.fp_to_fp %r : tensor<64x32xf8E4M3FN> -> tensor<64x32xbf16>
    %s1 = tt.dot %q, %kc, %none, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x32xbf16> -> tensor<64x32xf32>
    %s2 = tt.dot %q, %rc, %s1, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x32xbf16> -> tensor<64x32xf32>
    %vr = tt.expand_dims %slots {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %vb = tt.splat %v_ptr : !p -> tensor<32x1x!p>
    %v1 = tt.addptr %vb, %vr : tensor<32x1x!p>, tensor<32x1xi32>
    %v2 = tt.broadcast %v1 : tensor<32x1x!p> -> tensor<32x64x!p>
    %vd = tt.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v3 = tt.broadcast %vd : tensor<1x64xi32> -> tensor<32x64xi32>
    %vp = tt.addptr %v2, %v3 : tensor<32x64x!p>, tensor<32x64xi32>
    %v = tt.load %vp : tensor<32x64x!p>
    %vc = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN> -> tensor<32x64xf16>
    %pb = arith.truncf %s2 : tensor<64x32xf32> to tensor<64x32xf16>
    %o = tt.dot %pb, %vc, %acc, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  tt.return %res : tensor<64x64xf32>
}

// COM: Queries, keys and converted keys do not fit into shared memory together.
// CHECK-LABEL: @no_room(
// CHECK-NOT:     scf.if
// CHECK:         tt.return
tt.func public @no_room(%k_ptr: !p, %v_ptr: !p, %stride: i32, %q: tensor<64x1024xbf16>, %rd: tensor<1024x32xi32>, %n: i32) -> tensor<64x1024xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x1024xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %tokens = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %res = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x1024xf32>) : i32 {
    %first = arith.muli %i, %stride : i32
    %at = tt.splat %first : i32 -> tensor<32xi32>
    %slots = arith.addi %at, %tokens : tensor<32xi32>
    %kr = tt.expand_dims %slots {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kb = tt.splat %k_ptr : !p -> tensor<1x32x!p>
    %k1 = tt.addptr %kb, %kr : tensor<1x32x!p>, tensor<1x32xi32>
    %k2 = tt.broadcast %k1 : tensor<1x32x!p> -> tensor<1024x32x!p>
    %kd = tt.expand_dims %d {axis = 1 : i32} : tensor<1024xi32> -> tensor<1024x1xi32>
    %k3 = tt.broadcast %kd : tensor<1024x1xi32> -> tensor<1024x32xi32>
    %kp = tt.addptr %k2, %k3 : tensor<1024x32x!p>, tensor<1024x32xi32>
    %k = tt.load %kp : tensor<1024x32x!p>
    %rp = tt.addptr %k2, %rd : tensor<1024x32x!p>, tensor<1024x32xi32>
    %r = tt.load %rp : tensor<1024x32x!p>
    %kc = tt.fp_to_fp %k : tensor<1024x32xf8E4M3FN> -> tensor<1024x32xbf16>
    %rc = tt.fp_to_fp %r : tensor<1024x32xf8E4M3FN> -> tensor<1024x32xbf16>
    %s1 = tt.dot %q, %kc, %none, inputPrecision = tf32 : tensor<64x1024xbf16> * tensor<1024x32xbf16> -> tensor<64x32xf32>
    %s2 = tt.dot %q, %rc, %s1, inputPrecision = tf32 : tensor<64x1024xbf16> * tensor<1024x32xbf16> -> tensor<64x32xf32>
    %vr = tt.expand_dims %slots {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %vb = tt.splat %v_ptr : !p -> tensor<32x1x!p>
    %v1 = tt.addptr %vb, %vr : tensor<32x1x!p>, tensor<32x1xi32>
    %v2 = tt.broadcast %v1 : tensor<32x1x!p> -> tensor<32x1024x!p>
    %vd = tt.expand_dims %d {axis = 0 : i32} : tensor<1024xi32> -> tensor<1x1024xi32>
    %v3 = tt.broadcast %vd : tensor<1x1024xi32> -> tensor<32x1024xi32>
    %vp = tt.addptr %v2, %v3 : tensor<32x1024x!p>, tensor<32x1024xi32>
    %v = tt.load %vp : tensor<32x1024x!p>
    %pb = tt.fp_to_fp %s2, rounding = rtne : tensor<64x32xf32> -> tensor<64x32xf8E4M3FN>
    %o = tt.dot %pb, %v, %zero, inputPrecision = tf32 {maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN> * tensor<32x1024xf8E4M3FN> -> tensor<64x1024xf32>
    %sum = arith.addf %acc, %o : tensor<64x1024xf32>
    scf.yield %sum : tensor<64x1024xf32>
  }
  tt.return %res : tensor<64x1024xf32>
}

// COM: The converted values have another use, for which they are still loaded.
// CHECK-LABEL: @used_twice(
// CHECK-NOT:     scf.if
// CHECK:         tt.return
tt.func public @used_twice(%k_ptr: !p, %v_ptr: !p, %stride: i32, %q: tensor<64x64xf16>, %rd: tensor<64x32xi32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %tokens = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %res = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %stride : i32
    %at = tt.splat %first : i32 -> tensor<32xi32>
    %slots = arith.addi %at, %tokens : tensor<32xi32>
    %kr = tt.expand_dims %slots {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kb = tt.splat %k_ptr : !p -> tensor<1x32x!p>
    %k1 = tt.addptr %kb, %kr : tensor<1x32x!p>, tensor<1x32xi32>
    %k2 = tt.broadcast %k1 : tensor<1x32x!p> -> tensor<64x32x!p>
    %kd = tt.expand_dims %d {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %k3 = tt.broadcast %kd : tensor<64x1xi32> -> tensor<64x32xi32>
    %kp = tt.addptr %k2, %k3 : tensor<64x32x!p>, tensor<64x32xi32>
    %k = tt.load %kp : tensor<64x32x!p>
    %rp = tt.addptr %k2, %rd : tensor<64x32x!p>, tensor<64x32xi32>
    %r = tt.load %rp : tensor<64x32x!p>
    %kc = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>
    %rc = tt.fp_to_fp %r : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>
    %s1 = tt.dot %q, %kc, %none, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
    %s2 = tt.dot %q, %rc, %s1, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
    %vr = tt.expand_dims %slots {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %vb = tt.splat %v_ptr : !p -> tensor<32x1x!p>
    %v1 = tt.addptr %vb, %vr : tensor<32x1x!p>, tensor<32x1xi32>
    %v2 = tt.broadcast %v1 : tensor<32x1x!p> -> tensor<32x64x!p>
    %vd = tt.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v3 = tt.broadcast %vd : tensor<1x64xi32> -> tensor<32x64xi32>
    %vp = tt.addptr %v2, %v3 : tensor<32x64x!p>, tensor<32x64xi32>
    %v = tt.load %vp : tensor<32x64x!p>
    %vc = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN> -> tensor<32x64xf16>
    %pb = arith.truncf %s2 : tensor<64x32xf32> to tensor<64x32xf16>
    %first_o = tt.dot %pb, %vc, %acc, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %o = tt.dot %pb, %vc, %first_o, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  tt.return %res : tensor<64x64xf32>
}

// COM: Bytes are signed as keys, and unsigned as values.
// CHECK-LABEL: @signs(
// CHECK-NOT:     scf.if
// CHECK:         tt.return
tt.func public @signs(%k_ptr: !tt.ptr<i8>, %v_ptr: !tt.ptr<i8>, %stride: i32, %q: tensor<64x64xf16>, %rd: tensor<64x32xi32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %tokens = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %res = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %stride : i32
    %at = tt.splat %first : i32 -> tensor<32xi32>
    %slots = arith.addi %at, %tokens : tensor<32xi32>
    %kr = tt.expand_dims %slots {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kb = tt.splat %k_ptr : !tt.ptr<i8> -> tensor<1x32x!tt.ptr<i8>>
    %k1 = tt.addptr %kb, %kr : tensor<1x32x!tt.ptr<i8>>, tensor<1x32xi32>
    %k2 = tt.broadcast %k1 : tensor<1x32x!tt.ptr<i8>> -> tensor<64x32x!tt.ptr<i8>>
    %kd = tt.expand_dims %d {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %k3 = tt.broadcast %kd : tensor<64x1xi32> -> tensor<64x32xi32>
    %kp = tt.addptr %k2, %k3 : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
    %k = tt.load %kp : tensor<64x32x!tt.ptr<i8>>
    %rp = tt.addptr %k2, %rd : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
    %r = tt.load %rp : tensor<64x32x!tt.ptr<i8>>
    %kc = arith.sitofp %k : tensor<64x32xi8> to tensor<64x32xf16>
    %rc = arith.sitofp %r : tensor<64x32xi8> to tensor<64x32xf16>
    %s1 = tt.dot %q, %kc, %none, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
    %s2 = tt.dot %q, %rc, %s1, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
    %vr = tt.expand_dims %slots {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %vb = tt.splat %v_ptr : !tt.ptr<i8> -> tensor<32x1x!tt.ptr<i8>>
    %v1 = tt.addptr %vb, %vr : tensor<32x1x!tt.ptr<i8>>, tensor<32x1xi32>
    %v2 = tt.broadcast %v1 : tensor<32x1x!tt.ptr<i8>> -> tensor<32x64x!tt.ptr<i8>>
    %vd = tt.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v3 = tt.broadcast %vd : tensor<1x64xi32> -> tensor<32x64xi32>
    %vp = tt.addptr %v2, %v3 : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
    %v = tt.load %vp : tensor<32x64x!tt.ptr<i8>>
    %vc = arith.uitofp %v : tensor<32x64xi8> to tensor<32x64xf16>
    %pb = arith.truncf %s2 : tensor<64x32xf32> to tensor<64x32xf16>
    %o = tt.dot %pb, %vc, %acc, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  tt.return %res : tensor<64x64xf32>
}

// COM: Values are rounded to another 8-bit type, which has fewer bits of mantissa.
// CHECK-LABEL: @rounded(
// CHECK-NOT:     scf.if
// CHECK:         tt.return
tt.func public @rounded(%k_ptr: !p, %v_ptr: !p, %stride: i32, %q: tensor<64x64xf16>, %rd: tensor<64x32xi32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %tokens = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %res = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %stride : i32
    %at = tt.splat %first : i32 -> tensor<32xi32>
    %slots = arith.addi %at, %tokens : tensor<32xi32>
    %kr = tt.expand_dims %slots {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %kb = tt.splat %k_ptr : !p -> tensor<1x32x!p>
    %k1 = tt.addptr %kb, %kr : tensor<1x32x!p>, tensor<1x32xi32>
    %k2 = tt.broadcast %k1 : tensor<1x32x!p> -> tensor<64x32x!p>
    %kd = tt.expand_dims %d {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %k3 = tt.broadcast %kd : tensor<64x1xi32> -> tensor<64x32xi32>
    %kp = tt.addptr %k2, %k3 : tensor<64x32x!p>, tensor<64x32xi32>
    %k = tt.load %kp : tensor<64x32x!p>
    %rp = tt.addptr %k2, %rd : tensor<64x32x!p>, tensor<64x32xi32>
    %r = tt.load %rp : tensor<64x32x!p>
    %kc = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>
    %rc = tt.fp_to_fp %r : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>
    %s1 = tt.dot %q, %kc, %none, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
    %s2 = tt.dot %q, %rc, %s1, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
    %vr = tt.expand_dims %slots {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %vb = tt.splat %v_ptr : !p -> tensor<32x1x!p>
    %v1 = tt.addptr %vb, %vr : tensor<32x1x!p>, tensor<32x1xi32>
    %v2 = tt.broadcast %v1 : tensor<32x1x!p> -> tensor<32x64x!p>
    %vd = tt.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v3 = tt.broadcast %vd : tensor<1x64xi32> -> tensor<32x64xi32>
    %vp = tt.addptr %v2, %v3 : tensor<32x64x!p>, tensor<32x64xi32>
    %v = tt.load %vp : tensor<32x64x!p>
    %v8 = tt.fp_to_fp %v, rounding = rtne : tensor<32x64xf8E4M3FN> -> tensor<32x64xf8E5M2>
    %vc = tt.fp_to_fp %v8 : tensor<32x64xf8E5M2> -> tensor<32x64xf16>
    %pb = arith.truncf %s2 : tensor<64x32xf32> to tensor<64x32xf16>
    %o = tt.dot %pb, %vc, %acc, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  tt.return %res : tensor<64x64xf32>
}
