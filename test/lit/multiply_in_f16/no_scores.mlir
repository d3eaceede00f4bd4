// RUN: dotload-opt %s --allow-unregistered-dialect --multiply-in-f16 | FileCheck %s

// COM: Dots that might compute scores in f16, each case with one obstacle.

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows3 = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 4, 8], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#mma3 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1, 2], instrShape = [1, 16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#a3 = #ttg.dot_op<{opIdx = 0, parent = #mma3, kWidth = 4}>
#b3 = #ttg.dot_op<{opIdx = 1, parent = #mma3, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The sum does not start from zero: it would have to be scaled in each iteration.
// CHECK-LABEL: @accumulated
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @accumulated(%q: tensor<16x64xbf16, #rows>, %k: tensor<64x64xf8E4M3FN, #b>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %a = ttg.convert_layout %q : tensor<16x64xbf16, #rows> -> tensor<16x64xbf16, #a>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %kb = tt.fp_to_fp %k : tensor<64x64xf8E4M3FN, #b> -> tensor<64x64xbf16, #b>
    %s = tt.dot %a, %kb, %acc : tensor<16x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<16x64xf32, #mma>
    scf.yield %s : tensor<16x64xf32, #mma>
  }
  tt.return %sum : tensor<16x64xf32, #mma>
}

// COM: The second part of the queries is computed in the loop.
// CHECK-LABEL: @part_from_the_loop
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @part_from_the_loop(%q: tensor<16x64xbf16, #rows>, %k: tensor<64x64xf8E4M3FN, #b>, %p: tensor<16x64xbf16, #a>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %a = ttg.convert_layout %q : tensor<16x64xbf16, #rows> -> tensor<16x64xbf16, #a>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %kb = tt.fp_to_fp %k : tensor<64x64xf8E4M3FN, #b> -> tensor<64x64xbf16, #b>
    %s = tt.dot %a, %kb, %zero : tensor<16x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<16x64xf32, #mma>
    %pb = tt.bitcast %p : tensor<16x64xbf16, #a> -> tensor<16x64xbf16, #a>
    %lb = tt.fp_to_fp %k : tensor<64x64xf8E4M3FN, #b> -> tensor<64x64xbf16, #b>
    %t = tt.dot %pb, %lb, %s : tensor<16x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<16x64xf32, #mma>
    %u = arith.addf %acc, %t : tensor<16x64xf32, #mma>
    scf.yield %u : tensor<16x64xf32, #mma>
  }
  tt.return %sum : tensor<16x64xf32, #mma>
}

// COM: The queries are computed in the loop.
// CHECK-LABEL: @queries_from_the_loop
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @queries_from_the_loop(%q: tensor<16x64xbf16, #rows>, %k: tensor<64x64xf8E4M3FN, #b>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %a = ttg.convert_layout %q : tensor<16x64xbf16, #rows> -> tensor<16x64xbf16, #a>
    %kb = tt.fp_to_fp %k : tensor<64x64xf8E4M3FN, #b> -> tensor<64x64xbf16, #b>
    %s = tt.dot %a, %kb, %zero : tensor<16x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<16x64xf32, #mma>
    %u = arith.addf %acc, %s : tensor<16x64xf32, #mma>
    scf.yield %u : tensor<16x64xf32, #mma>
  }
  tt.return %sum : tensor<16x64xf32, #mma>
}

// COM: Keys are converted before the loop, where it costs nothing.
// CHECK-LABEL: @keys_from_before
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @keys_from_before(%q: tensor<16x64xbf16, #rows>, %k: tensor<64x64xf8E4M3FN, #b>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %a = ttg.convert_layout %q : tensor<16x64xbf16, #rows> -> tensor<16x64xbf16, #a>
  %kb = tt.fp_to_fp %k : tensor<64x64xf8E4M3FN, #b> -> tensor<64x64xbf16, #b>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %s = tt.dot %a, %kb, %zero : tensor<16x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<16x64xf32, #mma>
    %u = arith.addf %acc, %s : tensor<16x64xf32, #mma>
    scf.yield %u : tensor<16x64xf32, #mma>
  }
  tt.return %sum : tensor<16x64xf32, #mma>
}

// COM: The converted keys have another use in bf16.
// CHECK-LABEL: @keys_for_two
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @keys_for_two(%q: tensor<16x64xbf16, #rows>, %k: tensor<64x64xf8E4M3FN, #b>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %a = ttg.convert_layout %q : tensor<16x64xbf16, #rows> -> tensor<16x64xbf16, #a>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %kb = tt.fp_to_fp %k : tensor<64x64xf8E4M3FN, #b> -> tensor<64x64xbf16, #b>
    %s = tt.dot %a, %kb, %zero : tensor<16x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<16x64xf32, #mma>
    "test.use"(%kb) : (tensor<64x64xbf16, #b>) -> ()
    %u = arith.addf %acc, %s : tensor<16x64xf32, #mma>
    scf.yield %u : tensor<16x64xf32, #mma>
  }
  tt.return %sum : tensor<16x64xf32, #mma>
}

// COM: Triton converts the infinities of e5m2 to numbers.
// CHECK-LABEL: @e5m2
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @e5m2(%q: tensor<16x64xbf16, #rows>, %k: tensor<64x64xf8E5M2, #b>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %a = ttg.convert_layout %q : tensor<16x64xbf16, #rows> -> tensor<16x64xbf16, #a>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %kb = tt.fp_to_fp %k : tensor<64x64xf8E5M2, #b> -> tensor<64x64xbf16, #b>
    %s = tt.dot %a, %kb, %zero : tensor<16x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<16x64xf32, #mma>
    %u = arith.addf %acc, %s : tensor<16x64xf32, #mma>
    scf.yield %u : tensor<16x64xf32, #mma>
  }
  tt.return %sum : tensor<16x64xf32, #mma>
}

// COM: Three dims: with as many columns as k, no type tells the dims apart.
// CHECK-LABEL: @batch
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @batch(%q: tensor<2x16x64xbf16, #rows3>, %k: tensor<2x64x64xf8E4M3FN, #b3>, %n: i32) -> tensor<2x16x64xf32, #mma3> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<2x16x64xf32, #mma3>
  %a = ttg.convert_layout %q : tensor<2x16x64xbf16, #rows3> -> tensor<2x16x64xbf16, #a3>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<2x16x64xf32, #mma3>) : i32 {
    %kb = tt.fp_to_fp %k : tensor<2x64x64xf8E4M3FN, #b3> -> tensor<2x64x64xbf16, #b3>
    %s = tt.dot %a, %kb, %zero : tensor<2x16x64xbf16, #a3> * tensor<2x64x64xbf16, #b3> -> tensor<2x16x64xf32, #mma3>
    %u = arith.addf %acc, %s : tensor<2x16x64xf32, #mma3>
    scf.yield %u : tensor<2x16x64xf32, #mma3>
  }
  tt.return %sum : tensor<2x16x64xf32, #mma3>
}
}
