// RUN: dotload-opt %s --multiply-in-f16 | FileCheck %s

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

// COM: The kernel sets the rounding mode of probabilities, which the pass would round to nearest.
// CHECK-LABEL: @toward_zero
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @toward_zero(%scores: !s, %v: tensor<64x32xf8E4M3FN, #values>, %n: i32) -> !o {
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
    %pb = arith.truncf %p toward_zero : !s to tensor<16x32xbf16, #mma>
    %vb = tt.fp_to_fp %v : tensor<64x32xf8E4M3FN, #values> -> tensor<64x32xbf16, #values>
    %vt = tt.trans %vb {order = array<i32: 1, 0>} : tensor<64x32xbf16, #values> -> tensor<32x64xbf16, #turned>
    %vf = ttg.convert_layout %vt : tensor<32x64xbf16, #turned> -> tensor<32x64xbf16, #b>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %o = tt.dot %pa, %vf, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}
}
