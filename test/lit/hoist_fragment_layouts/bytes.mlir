// RUN: dotload-opt %s --hoist-fragment-layouts='num-stages=3' | FileCheck %s

// COM: A byte packs two values, and its columns are contiguous, so a thread reads single bytes: from a copy whose
// COM: swizzle has no bank conflicts for such reads. The pass sets latencies for these loads. The row of scales is not
// COM: such a load.

#bytes = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#three = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 2, 2], order = [2, 1, 0]}>
#flat = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
!c = tensor<16x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK:       #[[COPY:.*]] = #ttg.swizzled_shared<{vec = 16, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK-LABEL: @columns
// CHECK:       tt.load {{.*}} {tt.latency = 2 : i32} : tensor<16x64x!tt.ptr<f16>
// CHECK:       %[[B:.*]] = tt.load {{.*}} {tt.latency = 2 : i32} : tensor<32x64x!tt.ptr<i8>
// CHECK:       %[[M:.*]] = ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<32x64xi8, #[[COPY]]
// CHECK:       %[[P:.*]] = ttg.local_load %[[M]]
// CHECK:       tt.expand_dims %[[P]]
// CHECK:       tt.load %{{[^ ]*}} : tensor<1x64x!tt.ptr<f16>
// CHECK:       tt.dot
tt.func @columns(%ap: tensor<16x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x64x!tt.ptr<i8>, #bytes>, %sp: !tt.ptr<f16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x64xi8, #flat>
  %p = tt.splat %sp : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %al = tt.load %ap : tensor<16x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %al : tensor<16x64xf16, #rows> -> tensor<16x64xf16, #a>
    %b = tt.load %bp : tensor<32x64x!tt.ptr<i8>, #bytes>
    %l = ttg.convert_layout %b : tensor<32x64xi8, #bytes> -> tensor<32x64xi8, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<32x64xi8, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<32x1x64xi8, #three>
    %y = tt.broadcast %x : tensor<32x1x64xi8, #three> -> tensor<32x2x64xi8, #three>
    %f = tt.reshape %y : tensor<32x2x64xi8, #three> -> tensor<64x64xi8, #flat>
    %v = arith.andi %f, %mask : tensor<64x64xi8, #flat>
    %w = arith.uitofp %v : tensor<64x64xi8, #flat> to tensor<64x64xf16, #flat>
    %s = tt.load %p : tensor<1x64x!tt.ptr<f16>, #flat>
    %t = tt.broadcast %s : tensor<1x64xf16, #flat> -> tensor<64x64xf16, #flat>
    %m = arith.mulf %w, %t : tensor<64x64xf16, #flat>
    %o = ttg.convert_layout %m : tensor<64x64xf16, #flat> -> tensor<64x64xf16, #b>
    %d = tt.dot %a, %o, %acc : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}
}
