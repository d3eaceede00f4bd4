// RUN: dotload-opt %s --hoist-invariant-reads | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#plain = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#b2 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Q, of which a lane needs 8 consecutive bytes: 16 x 128 elements of 16 bits are 32 registers of every lane.
// CHECK-LABEL: @wide_fragments
// CHECK:       ttg.local_load
// CHECK:       scf.for
// CHECK-NOT:   ttg.local_load
// CHECK:       tt.return
tt.func @wide_fragments(%q: !ttg.memdesc<16x128xbf16, #shared, #smem>, %k: tensor<128x64xbf16, #b>, %zero: tensor<16x64xf32, #mma>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %a = ttg.local_load %q : !ttg.memdesc<16x128xbf16, #shared, #smem> -> tensor<16x128xbf16, #wide>
    %d = tt.dot %a, %k, %acc : tensor<16x128xbf16, #wide> * tensor<128x64xbf16, #b> -> tensor<16x64xf32, #mma>
    scf.yield %d : tensor<16x64xf32, #mma>
  }
  tt.return %r : tensor<16x64xf32, #mma>
}

// COM: These stay: fragments that ldmatrix reads; 32 rows, which take 64 registers; mutable memory, which the loop may
// COM: change.
// CHECK-LABEL: @left_alone
// CHECK:       scf.for
// CHECK-COUNT-3: ttg.local_load
// CHECK:       scf.yield
tt.func @left_alone(%q: !ttg.memdesc<16x128xbf16, #shared, #smem>, %many: !ttg.memdesc<32x128xbf16, #shared, #smem>, %changing: !ttg.memdesc<16x128xbf16, #shared, #smem, mutable>, %k: tensor<128x64xbf16, #b>, %k2: tensor<128x64xbf16, #b2>, %zero: tensor<16x64xf32, #mma>, %zeros: tensor<32x64xf32, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %accs = %zeros) -> (tensor<16x64xf32, #mma>, tensor<32x64xf32, #mma>) : i32 {
    %a = ttg.local_load %q : !ttg.memdesc<16x128xbf16, #shared, #smem> -> tensor<16x128xbf16, #plain>
    %d = tt.dot %a, %k2, %acc : tensor<16x128xbf16, #plain> * tensor<128x64xbf16, #b2> -> tensor<16x64xf32, #mma>
    %m = ttg.local_load %many : !ttg.memdesc<32x128xbf16, #shared, #smem> -> tensor<32x128xbf16, #wide>
    %e = tt.dot %m, %k, %accs : tensor<32x128xbf16, #wide> * tensor<128x64xbf16, #b> -> tensor<32x64xf32, #mma>
    %c = ttg.local_load %changing : !ttg.memdesc<16x128xbf16, #shared, #smem, mutable> -> tensor<16x128xbf16, #wide>
    %f = tt.dot %c, %k, %d : tensor<16x128xbf16, #wide> * tensor<128x64xbf16, #b> -> tensor<16x64xf32, #mma>
    scf.yield %f, %e : tensor<16x64xf32, #mma>, tensor<32x64xf32, #mma>
  }
  tt.return
}

// COM: Q has two parts, of 32 and 16 registers. Hoisting only one of them would not be worth its registers.
// CHECK-LABEL: @all_or_none
// CHECK-NOT:   ttg.local_load
// CHECK:       scf.for
// CHECK-COUNT-2: ttg.local_load
// CHECK:       scf.yield
tt.func @all_or_none(%q: !ttg.memdesc<16x128xbf16, #shared, #smem>, %rope: !ttg.memdesc<16x64xbf16, #shared, #smem>, %k: tensor<128x64xbf16, #b>, %l: tensor<64x64xbf16, #b>, %zero: tensor<16x64xf32, #mma>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %a = ttg.local_load %q : !ttg.memdesc<16x128xbf16, #shared, #smem> -> tensor<16x128xbf16, #wide>
    %d = tt.dot %a, %k, %acc : tensor<16x128xbf16, #wide> * tensor<128x64xbf16, #b> -> tensor<16x64xf32, #mma>
    %p = ttg.local_load %rope : !ttg.memdesc<16x64xbf16, #shared, #smem> -> tensor<16x64xbf16, #wide>
    %e = tt.dot %p, %l, %d : tensor<16x64xbf16, #wide> * tensor<64x64xbf16, #b> -> tensor<16x64xf32, #mma>
    scf.yield %e : tensor<16x64xf32, #mma>
  }
  tt.return %r : tensor<16x64xf32, #mma>
}
}
