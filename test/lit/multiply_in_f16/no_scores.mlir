// RUN: dotload-opt %s --allow-unregistered-dialect --multiply-in-f16 | FileCheck %s

// COM: What could be scores in f16, but for one thing.

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows3 = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 4, 8], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#mma3 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1, 2], instrShape = [1, 16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#a3 = #ttg.dot_op<{opIdx = 0, parent = #mma3, kWidth = 4}>
#b3 = #ttg.dot_op<{opIdx = 1, parent = #mma3, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A sum that does not start from zero would have to be scaled in each iteration.
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

// COM: The second part of the queries comes from the loop.
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

// COM: So do these queries.
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

// COM: Keys that are converted before the loop cost nothing in it.
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

// COM: Another use of the converted keys wants them in bf16.
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

// COM: Triton makes numbers of the infinities of e5m2.
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

// COM: Three dims: with as many columns as k, no type would tell these axes apart.
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
