// RUN: dotload-opt %s --hoist-fragment-layouts --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#keys = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#square = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#sharedt = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
!q = tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!p = tensor<16x32xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!s = tensor<16x32xf32, #mma>
!o = tensor<16x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// COM: A tile of an fp8 cache with a scale is brought to the layout of fragments as bytes.
// CHECK-LABEL: @scaled
// CHECK:       %[[K:.*]] = tt.load
// CHECK:       %[[R:.*]] = ttg.convert_layout %[[K]] : {{.*}} -> tensor<64x32xf8E4M3FN, #ttg.dot_op
// CHECK-NEXT:  %[[F:.*]] = tt.fp_to_fp %[[R]] : {{.*}} -> tensor<64x32xf32, #ttg.dot_op
// CHECK-NEXT:  %[[U:.*]] = tt.splat {{.*}} -> tensor<64x32xf32, #ttg.dot_op
// CHECK-NEXT:  %[[M:.*]] = arith.mulf %[[F]], %[[U]]
// CHECK-NEXT:  %[[H:.*]] = arith.truncf %[[M]] : {{.*}} to tensor<64x32xbf16, #ttg.dot_op
// CHECK-NEXT:  tt.dot %{{.*}}, %[[H]],
// REMARK:      tile 64x32 is converted in the layout of fragments
tt.func @scaled(%q: !q, %keys: tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>, %scale: f32, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %k = tt.load %keys : tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>
    %f = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN, #keys> -> tensor<64x32xf32, #keys>
    %u = tt.splat %scale : f32 -> tensor<64x32xf32, #keys>
    %m = arith.mulf %f, %u : tensor<64x32xf32, #keys>
    %h = arith.truncf %m : tensor<64x32xf32, #keys> to tensor<64x32xbf16, #keys>
    %b = ttg.convert_layout %h : tensor<64x32xbf16, #keys> -> tensor<64x32xbf16, #b>
    %d = tt.dot %q, %b, %acc : !q * tensor<64x32xbf16, #b> -> !s
    scf.yield %d : !s
  }
  tt.return %r : !s
}
// COM: Weights with one zero point and a scale for each column. Triton multiplies by these scales in the layout of
// COM: fragments.
// CHECK-LABEL: @scaled_by_column
// CHECK:       %[[K:.*]] = tt.load
// CHECK:       %[[R:.*]] = ttg.convert_layout %[[K]] : {{.*}} -> tensor<64x32xi8, #ttg.dot_op
// CHECK-NEXT:  %[[F:.*]] = arith.sitofp %[[R]]
// CHECK:       %[[Z:.*]] = arith.subf %[[F]]
// CHECK:       %[[M:.*]] = arith.mulf %[[Z]]
// CHECK-NEXT:  tt.dot %{{.*}}, %[[M]],
// REMARK-NEXT: tile 64x32 is converted in the layout of fragments
tt.func @scaled_by_column(%q: !q, %keys: tensor<64x32x!tt.ptr<i8>, #keys>, %zero: bf16, %scales: tensor<1x32xbf16, #b>, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> (!s) : i32 {
    %k = tt.load %keys : tensor<64x32x!tt.ptr<i8>, #keys>
    %f = arith.sitofp %k : tensor<64x32xi8, #keys> to tensor<64x32xbf16, #keys>
    %u = tt.splat %zero : bf16 -> tensor<64x32xbf16, #keys>
    %z = arith.subf %f, %u : tensor<64x32xbf16, #keys>
    %b = ttg.convert_layout %z : tensor<64x32xbf16, #keys> -> tensor<64x32xbf16, #b>
    %t = tt.broadcast %scales : tensor<1x32xbf16, #b> -> tensor<64x32xbf16, #b>
    %m = arith.mulf %b, %t : tensor<64x32xbf16, #b>
    %d = tt.dot %q, %m, %acc : !q * tensor<64x32xbf16, #b> -> !s
    scf.yield %d : !s
  }
  tt.return %r : !s
}
// COM: Latent attention: the tile is an operand of the scores, its transpose an operand of the output.
// CHECK-LABEL: @both_orders
// CHECK:       %[[K:.*]] = tt.load
// CHECK-NOT:   ttg.local_alloc
// CHECK:       ttg.convert_layout %[[K]] : {{.*}} -> tensor<64x32xf8E4M3FN, #ttg.dot_op
// CHECK:       tt.dot
// CHECK:       %[[T:.*]] = tt.trans %[[K]]
// CHECK:       %[[R:.*]] = ttg.convert_layout %[[T]] : {{.*}} -> tensor<32x64xf8E4M3FN, #ttg.dot_op
// CHECK:       %[[F:.*]] = tt.fp_to_fp %[[R]] : {{.*}} -> tensor<32x64xf32, #ttg.dot_op
// CHECK:       arith.constant dense<5.000000e-01> : tensor<32x64xf32, #ttg.dot_op
// CHECK:       %[[H:.*]] = arith.truncf {{.*}} to tensor<32x64xbf16, #ttg.dot_op
// CHECK:       tt.dot %{{.*}}, %[[H]],
// REMARK:      tile 64x32 is converted in the layout of fragments
tt.func @both_orders(%q: !q, %p: !p, %keys: tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>, %none: !s, %n: i32) -> !o {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!o) : i32 {
    %k = tt.load %keys : tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>
    %f = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN, #keys> -> tensor<64x32xf32, #keys>
    %u = arith.constant dense<5.000000e-01> : tensor<64x32xf32, #keys>
    %m = arith.mulf %f, %u : tensor<64x32xf32, #keys>
    %h = arith.truncf %m : tensor<64x32xf32, #keys> to tensor<64x32xbf16, #keys>
    %b = ttg.convert_layout %h : tensor<64x32xbf16, #keys> -> tensor<64x32xbf16, #b>
    %scores = tt.dot %q, %b, %none : !q * tensor<64x32xbf16, #b> -> !s
    %x = ttg.local_alloc %h : (tensor<64x32xbf16, #keys>) -> !ttg.memdesc<64x32xbf16, #shared, #smem>
    %xt = ttg.memdesc_trans %x {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xbf16, #shared, #smem> -> !ttg.memdesc<32x64xbf16, #sharedt, #smem>
    %v = ttg.local_load %xt : !ttg.memdesc<32x64xbf16, #sharedt, #smem> -> tensor<32x64xbf16, #b>
    %d = tt.dot %p, %v, %acc : !p * tensor<32x64xbf16, #b> -> !o
    scf.yield %d : !o
  }
  tt.return %r : !o
}
// COM: Each row has its own scale, which is not in the layout of fragments.
// CHECK-LABEL: @scaled_by_row
// CHECK:       tt.fp_to_fp {{.*}} -> tensor<64x32xf32, #blocked
// CHECK:       tt.return
tt.func @scaled_by_row(%q: !q, %keys: tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>, %scales: tensor<64x1xf32, #keys>, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %k = tt.load %keys : tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>
    %f = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN, #keys> -> tensor<64x32xf32, #keys>
    %u = tt.broadcast %scales : tensor<64x1xf32, #keys> -> tensor<64x32xf32, #keys>
    %m = arith.mulf %f, %u : tensor<64x32xf32, #keys>
    %h = arith.truncf %m : tensor<64x32xf32, #keys> to tensor<64x32xbf16, #keys>
    %b = ttg.convert_layout %h : tensor<64x32xbf16, #keys> -> tensor<64x32xbf16, #b>
    %d = tt.dot %q, %b, %acc : !q * tensor<64x32xbf16, #b> -> !s
    scf.yield %d : !s
  }
  tt.return %r : !s
}
// COM: Two warps hold the same fragments of B, so each of them would convert all of these.
// CHECK-LABEL: @fragments_twice
// CHECK:       tt.fp_to_fp {{.*}} -> tensor<64x32xf32, #blocked
// CHECK:       tt.return
tt.func @fragments_twice(%q: tensor<32x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #square, kWidth = 4}>>, %keys: tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>, %scale: f32, %n: i32) -> tensor<32x32xf32, #square> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #square>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32, #square>) : i32 {
    %k = tt.load %keys : tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>
    %f = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN, #keys> -> tensor<64x32xf32, #keys>
    %u = tt.splat %scale : f32 -> tensor<64x32xf32, #keys>
    %m = arith.mulf %f, %u : tensor<64x32xf32, #keys>
    %h = arith.truncf %m : tensor<64x32xf32, #keys> to tensor<64x32xbf16, #keys>
    %b = ttg.convert_layout %h : tensor<64x32xbf16, #keys> -> tensor<64x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #square, kWidth = 4}>>
    %d = tt.dot %q, %b, %acc : tensor<32x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #square, kWidth = 4}>> * tensor<64x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #square, kWidth = 4}>> -> tensor<32x32xf32, #square>
    scf.yield %d : tensor<32x32xf32, #square>
  }
  tt.return %r : tensor<32x32xf32, #square>
}
// COM: Without a loop, nothing is copied ahead.
// CHECK-LABEL: @once
// CHECK:       tt.fp_to_fp {{.*}} -> tensor<64x32xf32, #blocked
// CHECK:       tt.return
tt.func @once(%q: !q, %keys: tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>, %scale: f32, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %k = tt.load %keys : tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>
  %f = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN, #keys> -> tensor<64x32xf32, #keys>
  %u = tt.splat %scale : f32 -> tensor<64x32xf32, #keys>
  %m = arith.mulf %f, %u : tensor<64x32xf32, #keys>
  %h = arith.truncf %m : tensor<64x32xf32, #keys> to tensor<64x32xbf16, #keys>
  %b = ttg.convert_layout %h : tensor<64x32xbf16, #keys> -> tensor<64x32xbf16, #b>
  %d = tt.dot %q, %b, %zero : !q * tensor<64x32xbf16, #b> -> !s
  tt.return %d : !s
}
// COM: The converted tile is also stored, so it is needed in the layout of the load.
// CHECK-LABEL: @stored_too
// CHECK:       tt.fp_to_fp {{.*}} -> tensor<64x32xf32, #blocked
// CHECK:       tt.return
tt.func @stored_too(%q: !q, %keys: tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>, %scale: f32, %n: i32, %copy: tensor<64x32x!tt.ptr<bf16>, #keys>) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %k = tt.load %keys : tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>
    %f = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN, #keys> -> tensor<64x32xf32, #keys>
    %u = tt.splat %scale : f32 -> tensor<64x32xf32, #keys>
    %m = arith.mulf %f, %u : tensor<64x32xf32, #keys>
    %h = arith.truncf %m : tensor<64x32xf32, #keys> to tensor<64x32xbf16, #keys>
    tt.store %copy, %h : tensor<64x32x!tt.ptr<bf16>, #keys>
    %b = ttg.convert_layout %h : tensor<64x32xbf16, #keys> -> tensor<64x32xbf16, #b>
    %d = tt.dot %q, %b, %acc : !q * tensor<64x32xbf16, #b> -> !s
    scf.yield %d : !s
  }
  tt.return %r : !s
}
// COM: A word of these fragments is not four bytes of a row.
// CHECK-LABEL: @narrow_words
// CHECK:       tt.fp_to_fp {{.*}} -> tensor<64x32xf32, #blocked
// CHECK:       tt.return
tt.func @narrow_words(%q: tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %keys: tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>, %scale: f32, %n: i32) -> !s {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !s
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!s) : i32 {
    %k = tt.load %keys : tensor<64x32x!tt.ptr<f8E4M3FN>, #keys>
    %f = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN, #keys> -> tensor<64x32xf32, #keys>
    %u = tt.splat %scale : f32 -> tensor<64x32xf32, #keys>
    %m = arith.mulf %f, %u : tensor<64x32xf32, #keys>
    %h = arith.truncf %m : tensor<64x32xf32, #keys> to tensor<64x32xbf16, #keys>
    %b = ttg.convert_layout %h : tensor<64x32xbf16, #keys> -> tensor<64x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    %d = tt.dot %q, %b, %acc : tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> !s
    scf.yield %d : !s
  }
  tt.return %r : !s
}
// REMARK-NOT: hoist-fragment-layouts
}
