// RUN: dotload-opt %s --multiply-in-f16 --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#values = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.slice<{dim = 1, parent = #mma}>
!s = tensor<16x32xf32, #mma>
!o = tensor<16x64xf32, #mma>
!m = tensor<16xf32, #rows>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The accumulator is scaled back once, after the loop; the values are transposed.
// CHECK-LABEL: @softmax
// CHECK:       %[[LOOP:.*]]:2 = scf.for
// CHECK:       %[[P:.*]] = math.exp2 %{{.*}} : tensor<16x32xf32, #mma>
// CHECK:       %[[UP:.*]] = arith.constant dense<3.276800e+04> : tensor<16x32xf32, #mma>
// CHECK-NEXT:  %[[SCALED:.*]] = arith.mulf %[[P]], %[[UP]]
// CHECK-NEXT:  %[[ROUNDED:.*]] = arith.truncf %[[SCALED]] : {{.*}} to tensor<16x32xbf16, #mma>
// CHECK-NEXT:  %[[WIDE:.*]] = arith.extf %[[ROUNDED]] : {{.*}} to tensor<16x32xf32, #mma>
// CHECK-NEXT:  %[[HALF:.*]] = arith.truncf %[[WIDE]] : {{.*}} to tensor<16x32xf16, #mma>
// CHECK:       %[[V:.*]] = tt.fp_to_fp %{{.*}} -> tensor<64x32xf16,
// CHECK-NEXT:  %[[VT:.*]] = tt.trans %[[V]] {{.*}} -> tensor<32x64xf16,
// CHECK-NEXT:  %[[VF:.*]] = ttg.convert_layout %[[VT]]
// CHECK-NOT:   bf16
// CHECK:       %[[A:.*]] = ttg.convert_layout %[[HALF]]
// CHECK-NEXT:  tt.dot %[[A]], %[[VF]],
// CHECK:       scf.yield
// CHECK:       %[[BACK:.*]] = arith.constant dense<3.05175781E-5> : tensor<16x64xf32, #mma>
// CHECK-NEXT:  %[[R:.*]] = arith.mulf %[[LOOP]]#0, %[[BACK]]
// CHECK-NEXT:  tt.return %[[R]]
// REMARK:      multiply-in-f16: the dot of bf16 and converted e4m3 is computed in f16: probabilities are scaled by 2^15
tt.func @softmax(%scores: !s, %v: tensor<64x32xf8E4M3FN, #values>, %n: i32) -> !o {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest) -> (!o, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %e = tt.expand_dims %m {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp2 %d : !s
    %f = arith.subf %best, %m : !m
    %g = tt.expand_dims %f {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %h = tt.broadcast %g : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %h : !o
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %vb = tt.fp_to_fp %v : tensor<64x32xf8E4M3FN, #values> -> tensor<64x32xbf16, #values>
    %vt = tt.trans %vb {order = array<i32: 1, 0>} : tensor<64x32xbf16, #values> -> tensor<32x64xbf16, #turned>
    %vf = ttg.convert_layout %vt : tensor<32x64xbf16, #turned> -> tensor<32x64xbf16, #b>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %o = tt.dot %pa, %vf, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: Each tile uses its own maximum. Probabilities are the second operand, and each of their columns adds up to 1.
// CHECK-LABEL: @columns
// CHECK:       %[[LOOP:.*]] = scf.for
// CHECK:       tt.dot {{.*}} : tensor<64x16xf16, {{.*}}> * tensor<16x32xf16,
// CHECK:       arith.mulf %[[LOOP]],
tt.func @columns(%scores: !s, %v: tensor<64x16xf8E4M3FN, #a>, %n: i32) -> tensor<64x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32, #mma>) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 0 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maximumf %y, %x : f32
      tt.reduce.return %z : f32
    }) : (!s) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #mma}>>
    %e = tt.expand_dims %most {axis = 0 : i32} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x32xf32, #mma>
    %w = tt.broadcast %e : tensor<1x32xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pf = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #b>
    %vb = tt.fp_to_fp %v : tensor<64x16xf8E4M3FN, #a> -> tensor<64x16xbf16, #a>
    %o = tt.dot %vb, %pf, %acc : tensor<64x16xbf16, #a> * tensor<16x32xbf16, #b> -> tensor<64x32xf32, #mma>
    scf.yield %o : tensor<64x32xf32, #mma>
  }
  tt.return %r : tensor<64x32xf32, #mma>
}
}
