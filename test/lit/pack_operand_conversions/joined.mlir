// RUN: dotload-opt %s --pack-operand-conversions | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#bytes = #ttg.linear<{register = [[0, 1], [0, 8], [0, 16], [32, 0], [64, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#pairs = #ttg.linear<{register = [[0, 0, 1], [0, 1, 0], [0, 8, 0], [0, 16, 0], [32, 0, 0], [64, 0, 0]], lane = [[0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[8, 0, 0], [16, 0, 0]], block = []}>
#rows = #ttg.linear<{register = [[0, 1], [0, 2], [0, 16], [0, 32], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#linear_b = #ttg.linear<{register = [[1, 0], [2, 0], [16, 0], [32, 0], [0, 32], [0, 64]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Both halves of each byte are converted, less 8, and then joined; views and casts follow in 16 bits.
// CHECK-LABEL: @interleaved
// CHECK-SAME:  %[[V:[a-z0-9]*]]: tensor<128x32xi8
// CHECK:       %[[L:.*]] = tt.elementwise_inline_asm "{{.*}}lop3.b32 u, u, 0x0f0f0f0f, 0x08080808, 0x6a;{{.*}}mov.b32 c, 0x64106410;{{.*}} %[[V]] :
// CHECK-NEXT:  %[[H:.*]] = tt.elementwise_inline_asm "{{.*}}shr.b32 u, $2, 4;{{.*}}mov.b32 c, 0x64106410;{{.*}} %[[V]] :
// CHECK-NEXT:  %[[J:.*]] = tt.join %[[L]], %[[H]] : tensor<128x32xf16, {{.*}}> -> tensor<128x32x2xf16,
// CHECK-NEXT:  %[[R:.*]] = tt.reshape %[[J]] : tensor<128x32x2xf16, {{.*}}> -> tensor<128x64xf16,
// CHECK-NEXT:  %[[T:.*]] = tt.trans %[[R]] {order = array<i32: 1, 0>} : tensor<128x64xf16, {{.*}}> -> tensor<64x128xf16,
// CHECK-NEXT:  %[[W:.*]] = builtin.unrealized_conversion_cast %[[T]] : tensor<64x128xf16, {{.*}}> to tensor<64x128xf16,
// CHECK-NEXT:  tt.dot %{{.*}}, %[[W]]
tt.func @interleaved(%v: tensor<128x32xi8, #bytes>, %p: tensor<16x64xf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %four = arith.constant dense<4> : tensor<128x32xi8, #bytes>
  %eight = arith.constant dense<8.0> : tensor<64x128xf16, #b>
  %t = arith.shli %v, %four : tensor<128x32xi8, #bytes>
  %low = arith.shrsi %t, %four : tensor<128x32xi8, #bytes>
  %high = arith.shrsi %v, %four : tensor<128x32xi8, #bytes>
  %j = tt.join %low, %high : tensor<128x32xi8, #bytes> -> tensor<128x32x2xi8, #pairs>
  %r = tt.reshape %j : tensor<128x32x2xi8, #pairs> -> tensor<128x64xi8, #rows>
  %s = tt.trans %r {order = array<i32: 1, 0>} : tensor<128x64xi8, #rows> -> tensor<64x128xi8, #linear_b>
  %x = builtin.unrealized_conversion_cast %s : tensor<64x128xi8, #linear_b> to tensor<64x128xi8, #b>
  %w = arith.sitofp %x : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
  %y = arith.subf %w, %eight : tensor<64x128xf16, #b>
  %d = tt.dot %p, %y, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: Not before the join: whole bytes, and joined bytes that have another use.
// CHECK-LABEL: @joined_bytes
// CHECK:       tt.join %{{.*}} : tensor<128x32xi8,
// CHECK:       tt.elementwise_inline_asm
// CHECK:       tt.join %{{.*}} : tensor<128x32xi8,
// CHECK:       tt.elementwise_inline_asm
tt.func @joined_bytes(%v: tensor<128x32xi8, #bytes>, %u: tensor<128x32xi8, #bytes>, %p: tensor<16x64xf16, #a>, %c: tensor<16x128xf32, #mma>) -> (tensor<16x128xf32, #mma>, tensor<128x64xi8, #rows>) {
  %low = arith.constant dense<15> : tensor<128x32xi8, #bytes>
  %j = tt.join %v, %u : tensor<128x32xi8, #bytes> -> tensor<128x32x2xi8, #pairs>
  %r = tt.reshape %j : tensor<128x32x2xi8, #pairs> -> tensor<128x64xi8, #rows>
  %w = arith.sitofp %r : tensor<128x64xi8, #rows> to tensor<128x64xf16, #rows>
  %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<128x64xf16, #rows> -> tensor<64x128xf16, #b>
  %d = tt.dot %p, %t, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  %v1 = arith.andi %v, %low : tensor<128x32xi8, #bytes>
  %u1 = arith.andi %u, %low : tensor<128x32xi8, #bytes>
  %j1 = tt.join %v1, %u1 : tensor<128x32xi8, #bytes> -> tensor<128x32x2xi8, #pairs>
  %r1 = tt.reshape %j1 : tensor<128x32x2xi8, #pairs> -> tensor<128x64xi8, #rows>
  %w1 = arith.sitofp %r1 : tensor<128x64xi8, #rows> to tensor<128x64xf16, #rows>
  %t1 = tt.trans %w1 {order = array<i32: 1, 0>} : tensor<128x64xf16, #rows> -> tensor<64x128xf16, #b>
  %d1 = tt.dot %p, %t1, %d : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d1, %r1 : tensor<16x128xf32, #mma>, tensor<128x64xi8, #rows>
}

// COM: Two conversions of bytes are one. 1024 + 128 is subtracted from signed bytes in f16; Triton packs those to bf16.
// CHECK-LABEL: @twice
// CHECK-SAME:  %[[V:[a-z0-9]*]]: tensor<64x128xi8
// CHECK:       %[[W:.*]] = arith.sitofp %[[V]] : tensor<64x128xi8, {{.*}}> to tensor<64x128xbf16,
// CHECK-NEXT:  tt.dot %{{.*}}, %[[W]]
// CHECK-NEXT:  %[[X:.*]] = tt.elementwise_inline_asm "{{.*}}mov.b32 c, 0x64806480;{{.*}} %[[V]] :
// CHECK-NEXT:  tt.dot %{{.*}}, %[[X]]
tt.func @twice(%v: tensor<64x128xi8, #b>, %p: tensor<16x64xbf16, #a>, %q: tensor<16x64xf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %h = arith.sitofp %v : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
  %w = tt.fp_to_fp %h, rounding = rtne : tensor<64x128xf16, #b> -> tensor<64x128xbf16, #b>
  %d = tt.dot %p, %w, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  %f = arith.sitofp %v : tensor<64x128xi8, #b> to tensor<64x128xf32, #b>
  %x = arith.truncf %f : tensor<64x128xf32, #b> to tensor<64x128xf16, #b>
  %e = tt.dot %q, %x, %d : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %e : tensor<16x128xf32, #mma>
}

// COM: Larger integers may round, and a value between the two may have another use.
// CHECK-LABEL: @in_two_steps
// CHECK:       arith.sitofp %{{.*}} : tensor<64x128xi16, {{.*}}> to tensor<64x128xf32,
// CHECK:       arith.truncf
// CHECK:       arith.uitofp %{{.*}} : tensor<64x128xi8, {{.*}}> to tensor<64x128xf32,
// CHECK:       arith.truncf
tt.func @in_two_steps(%v: tensor<64x128xi16, #b>, %u: tensor<64x128xi8, #b>, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> (tensor<16x128xf32, #mma>, tensor<64x128xf32, #b>) {
  %f = arith.sitofp %v : tensor<64x128xi16, #b> to tensor<64x128xf32, #b>
  %w = arith.truncf %f : tensor<64x128xf32, #b> to tensor<64x128xbf16, #b>
  %d = tt.dot %p, %w, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  %g = arith.uitofp %u : tensor<64x128xi8, #b> to tensor<64x128xf32, #b>
  %x = arith.truncf %g : tensor<64x128xf32, #b> to tensor<64x128xbf16, #b>
  %e = tt.dot %p, %x, %d : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %e, %g : tensor<16x128xf32, #mma>, tensor<64x128xf32, #b>
}
}
