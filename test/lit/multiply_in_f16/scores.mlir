// RUN: dotload-opt %s --multiply-in-f16 --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: sed 's/cuda:90/cuda:100/' %s | dotload-opt --multiply-in-f16 | FileCheck %s --check-prefix=BLACKWELL

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Dots with two parts of the queries add up to one tensor: rows of both parts are scaled by that of the larger
// COM: element.
// CHECK-LABEL: @parts
// CHECK:       %[[BITS:.*]] = tt.bitcast %arg0 : tensor<16x64xbf16, #{{.*}}> -> tensor<16x64xi16,
// CHECK-NEXT:  %[[WIDE:.*]] = arith.extui %[[BITS]]
// CHECK:       dense<32640>
// CHECK:       arith.andi %[[WIDE]]
// CHECK:       "tt.reduce"
// CHECK-SAME:  axis = 1
// CHECK:       arith.maxsi
// CHECK:       "tt.reduce"
// CHECK:       %[[LARGEST:.*]] = arith.maxsi %{{.*}} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #mma}>>
// CHECK:       dense<269>
// CHECK-NEXT:  %[[RAISED:.*]] = arith.subi %{{.*}}, %[[LARGEST]]
// CHECK:       dense<253>
// CHECK-NEXT:  %[[UP:.*]] = arith.minsi %[[RAISED]]
// CHECK:       arith.shli %[[UP]]
// CHECK:       dense<254>
// CHECK-NEXT:  %[[DOWN:.*]] = arith.subi %{{.*}}, %[[UP]]
// CHECK:       arith.shli %[[DOWN]]
// CHECK:       %[[BACK:.*]] = tt.broadcast {{.*}} -> tensor<16x32xf32, #mma>
// CHECK:       arith.extf %arg0 : {{.*}} to tensor<16x64xf32,
// CHECK:       arith.truncf {{.*}} to tensor<16x64xf16,
// CHECK-NEXT:  %[[Q:.*]] = ttg.convert_layout {{.*}} -> tensor<16x64xf16, #ttg.dot_op
// CHECK:       arith.extf %arg1
// CHECK:       %[[ROPE:.*]] = ttg.convert_layout {{.*}} -> tensor<16x32xf16, #ttg.dot_op
// CHECK:       scf.for
// CHECK-NOT:   bf16
// CHECK:       tt.fp_to_fp %arg2 : {{.*}} -> tensor<64x32xf16,
// CHECK-NEXT:  %[[S:.*]] = tt.dot %[[Q]], %{{.*}} : tensor<16x64xf16, {{.*}}> * tensor<64x32xf16,
// CHECK:       %[[T:.*]] = tt.dot %[[ROPE]], %{{.*}}, %[[S]]
// CHECK-NEXT:  %[[SCORES:.*]] = arith.mulf %[[T]], %[[BACK]]
// CHECK-NEXT:  arith.addf %{{.*}}, %[[SCORES]]
// REMARK:      multiply-in-f16: the dot of bf16 and converted e4m3 is computed in f16: each row
// BLACKWELL-LABEL: @parts
// BLACKWELL:   scf.for
// BLACKWELL:   tt.fp_to_fp {{.*}} -> tensor<64x32xbf16,
tt.func @parts(%q: tensor<16x64xbf16, #rows>, %rope: tensor<16x32xbf16, #rows>, %k: tensor<64x32xf8E4M3FN, #b>, %l: tensor<32x32xf8E4M3FN, #b>, %n: i32) -> tensor<16x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %a = ttg.convert_layout %q : tensor<16x64xbf16, #rows> -> tensor<16x64xbf16, #a>
  %r = ttg.convert_layout %rope : tensor<16x32xbf16, #rows> -> tensor<16x32xbf16, #a>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %kb = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN, #b> -> tensor<64x32xbf16, #b>
    %s = tt.dot %a, %kb, %zero : tensor<16x64xbf16, #a> * tensor<64x32xbf16, #b> -> tensor<16x32xf32, #mma>
    %lb = tt.fp_to_fp %l : tensor<32x32xf8E4M3FN, #b> -> tensor<32x32xbf16, #b>
    %t = tt.dot %r, %lb, %s : tensor<16x32xbf16, #a> * tensor<32x32xbf16, #b> -> tensor<16x32xf32, #mma>
    %u = arith.addf %acc, %t : tensor<16x32xf32, #mma>
    scf.yield %u : tensor<16x32xf32, #mma>
  }
  tt.return %sum : tensor<16x32xf32, #mma>
}

// COM: The keys are the first operand: columns of the queries are scaled.
// CHECK-LABEL: @second_operand
// CHECK:       "tt.reduce"
// CHECK-SAME:  axis = 0
// CHECK:       tt.broadcast {{.*}} : tensor<1x16xf32, #mma> -> tensor<32x16xf32, #mma>
// CHECK:       scf.for
// CHECK:       tt.dot {{.*}} : tensor<32x64xf16, {{.*}}> * tensor<64x16xf16,
// CHECK-NEXT:  arith.mulf
tt.func @second_operand(%q: tensor<64x16xbf16, #rows>, %k: tensor<32x64xf8E4M3FN, #a>, %n: i32) -> tensor<32x16xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x16xf32, #mma>
  %b = ttg.convert_layout %q : tensor<64x16xbf16, #rows> -> tensor<64x16xbf16, #b>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x16xf32, #mma>) : i32 {
    %ka = tt.fp_to_fp %k : tensor<32x64xf8E4M3FN, #a> -> tensor<32x64xbf16, #a>
    %s = tt.dot %ka, %b, %zero : tensor<32x64xbf16, #a> * tensor<64x16xbf16, #b> -> tensor<32x16xf32, #mma>
    %u = arith.addf %acc, %s : tensor<32x16xf32, #mma>
    scf.yield %u : tensor<32x16xf32, #mma>
  }
  tt.return %sum : tensor<32x16xf32, #mma>
}

// COM: Queries that are computed before both loops are scaled before both.
// CHECK-LABEL: @nested
// CHECK:       "tt.reduce"
// CHECK:       ttg.convert_layout {{.*}} -> tensor<16x64xf16,
// CHECK:       scf.for
// CHECK-NOT:   ttg.convert_layout
// CHECK:       scf.for
// CHECK-NOT:   ttg.convert_layout
// CHECK:       tt.dot {{.*}} : tensor<16x64xf16,
// CHECK-NEXT:  arith.mulf
tt.func @nested(%q: tensor<16x64xbf16, #rows>, %k: tensor<64x32xf8E4M3FN, #b>, %n: i32) -> tensor<16x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %a = ttg.convert_layout %q : tensor<16x64xbf16, #rows> -> tensor<16x64xbf16, #a>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%outer = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %outer) -> (tensor<16x32xf32, #mma>) : i32 {
      %kb = tt.fp_to_fp %k : tensor<64x32xf8E4M3FN, #b> -> tensor<64x32xbf16, #b>
      %s = tt.dot %a, %kb, %zero : tensor<16x64xbf16, #a> * tensor<64x32xbf16, #b> -> tensor<16x32xf32, #mma>
      %u = arith.addf %acc, %s : tensor<16x32xf32, #mma>
      scf.yield %u : tensor<16x32xf32, #mma>
    }
    scf.yield %sum : tensor<16x32xf32, #mma>
  }
  tt.return %r : tensor<16x32xf32, #mma>
}
}
