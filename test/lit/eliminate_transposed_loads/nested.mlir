// RUN: dotload-opt %s --eliminate-transposed-loads | FileCheck %s

// COM: Triton pipelines no loop around another, but does not see those behind a condition. So the outer loop, which has
// COM: its own number of stages, is told to have one.

!p = !tt.ptr<f8E4M3FN>

// CHECK-LABEL: @nested
// CHECK:       scf.for
// CHECK:         scf.if
// CHECK:       {tt.num_stages = 1 : i32}
// CHECK-NEXT:  tt.return
tt.func public @nested(%k_ptr: !p, %v_ptr: !p, %k_stride: i32, %v_stride: i32, %index: !tt.ptr<i32>, %out: tensor<64x32x!p>, %q: tensor<16x64xbf16>, %rd: tensor<64x32xi32>, %m: tensor<32xi1>, %n: i32) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %none = arith.constant dense<0.0> : tensor<16x32xf32>
  %zero8 = arith.constant dense<0.0> : tensor<64x32xf8E4M3FN>
  %zero8t = arith.constant dense<0.0> : tensor<32x64xf8E4M3FN>
  %one8t = arith.constant dense<1.0> : tensor<32x64xf8E4M3FN>
  %d = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %later = arith.addi %d, %d : tensor<64xi32>
  %c96 = arith.constant dense<96> : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %c48 = arith.constant dense<48> : tensor<64xi32>
  %in_keys = arith.cmpi slt, %d, %c96 : tensor<64xi32>
  %in_values = arith.cmpi slt, %d, %c64 : tensor<64xi32>
  %in_part = arith.cmpi slt, %d, %c48 : tensor<64xi32>
  %in_k1 = tt.expand_dims %in_keys {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
  %in_k = tt.broadcast %in_k1 : tensor<64x1xi1> -> tensor<64x32xi1>
  %in_v1 = tt.expand_dims %in_values {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
  %in_v = tt.broadcast %in_v1 : tensor<1x64xi1> -> tensor<32x64xi1>
  %in_p1 = tt.expand_dims %in_part {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
  %in_p = tt.broadcast %in_p1 : tensor<1x64xi1> -> tensor<32x64xi1>
  %m0 = tt.expand_dims %m {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
  %mk = tt.broadcast %m0 : tensor<1x32xi1> -> tensor<64x32xi1>
  %mv = tt.broadcast %m1 : tensor<32x1xi1> -> tensor<32x64xi1>
  %all = arith.andi %mk, %in_k : tensor<64x32xi1>
  %all_t = arith.andi %mv, %in_v : tensor<32x64xi1>
  %part_t = arith.andi %mv, %in_p : tensor<32x64xi1>
  %tokens = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %all_tiles = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x64xf32>) : i32 {
    %res = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) : i32 {
      %ib = tt.splat %index : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
      %ip = tt.addptr %ib, %tokens : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
      %slots = tt.load %ip : tensor<32x!tt.ptr<i32>>
      %kr = tt.expand_dims %slots {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %ks = tt.splat %k_stride : i32 -> tensor<1x32xi32>
      %ko = arith.muli %kr, %ks : tensor<1x32xi32>
      %kb = tt.splat %k_ptr : !p -> tensor<1x32x!p>
      %k1 = tt.addptr %kb, %ko : tensor<1x32x!p>, tensor<1x32xi32>
      %k2 = tt.broadcast %k1 : tensor<1x32x!p> -> tensor<64x32x!p>
      %kd = tt.expand_dims %d {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %k3 = tt.broadcast %kd : tensor<64x1xi32> -> tensor<64x32xi32>
      %kp = tt.addptr %k2, %k3 : tensor<64x32x!p>, tensor<64x32xi32>
      %k = tt.load %kp, %all, %zero8 : tensor<64x32x!p>
      %kc = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN> -> tensor<64x32xbf16>
      %s1 = tt.dot %q, %kc, %none, inputPrecision = tf32 : tensor<16x64xbf16> * tensor<64x32xbf16> -> tensor<16x32xf32>
      %rp = tt.addptr %k2, %rd : tensor<64x32x!p>, tensor<64x32xi32>
      %r = tt.load %rp : tensor<64x32x!p>
      %rc = tt.fp_to_fp %r : tensor<64x32xf8E4M3FN> -> tensor<64x32xbf16>
      %s2 = tt.dot %q, %rc, %s1, inputPrecision = tf32 : tensor<16x64xbf16> * tensor<64x32xbf16> -> tensor<16x32xf32>
      %vr = tt.expand_dims %slots {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %vs = tt.splat %v_stride : i32 -> tensor<32x1xi32>
      %vo = arith.muli %vr, %vs : tensor<32x1xi32>
      %vb = tt.splat %v_ptr : !p -> tensor<32x1x!p>
      %v1 = tt.addptr %vb, %vo : tensor<32x1x!p>, tensor<32x1xi32>
      %v2 = tt.broadcast %v1 : tensor<32x1x!p> -> tensor<32x64x!p>
      %vd = tt.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %v3 = tt.broadcast %vd : tensor<1x64xi32> -> tensor<32x64xi32>
      %vp = tt.addptr %v2, %v3 : tensor<32x64x!p>, tensor<32x64xi32>
      %v = tt.load %vp, %all_t, %zero8t : tensor<32x64x!p>
      %pb = tt.fp_to_fp %s2, rounding = rtne : tensor<16x32xf32> -> tensor<16x32xf8E4M3FN>
      %o = tt.dot %pb, %v, %acc, inputPrecision = tf32 : tensor<16x32xf8E4M3FN> * tensor<32x64xf8E4M3FN> -> tensor<16x64xf32>
      scf.yield %o : tensor<16x64xf32>
    }
    scf.yield %res : tensor<16x64xf32>
  } {tt.num_stages = 3 : i32}
  tt.return %all_tiles : tensor<16x64xf32>
}
