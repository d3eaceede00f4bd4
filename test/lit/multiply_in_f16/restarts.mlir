// RUN: dotload-opt %s --multiply-in-f16 | FileCheck %s

// COM: If all scores of a row are -inf, 0 is subtracted, not -inf. The loop carries the subtracted value.

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#values = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.slice<{dim = 1, parent = #mma}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
!s = tensor<16x32xf32, #mma>
!o = tensor<16x64xf32, #mma>
!m = tensor<16xf32, #rows>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The loop carries the maximum itself instead. After the loop, 0 replaces -inf again, if the loop ran at all.
// CHECK-LABEL: @restarts
// CHECK-DAG:   %[[FROM:.*]] = arith.constant 0 : i32
// CHECK:       %[[LOOP:.*]]:3 = scf.for %{{.*}} = %[[FROM]] to %[[N:.*]] step {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[BEST:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) ->
// CHECK:       %[[M:.*]] = arith.maxnumf %[[BEST]],
// CHECK:       tt.dot {{.*}} : tensor<16x32xf16,
// CHECK:       scf.yield %{{.*}}, %[[M]], %{{.*}}
// CHECK:       %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:  %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT:  %[[RUNS:.*]] = arith.cmpi slt, %[[FROM]], %[[N]] : i32
// CHECK-NEXT:  %[[INSTEAD:.*]] = arith.select %[[RUNS]], %[[ZERO]], %[[LOWEST]] : f32
// CHECK-NEXT:  %[[SPLAT:.*]] = tt.splat %[[INSTEAD]]
// CHECK-NEXT:  %[[INF:.*]] = arith.constant dense<0xFF800000>
// CHECK-NEXT:  %[[IS:.*]] = arith.cmpf ogt, %[[LOOP]]#1, %[[INF]]
// CHECK-NEXT:  %[[KEPT:.*]] = arith.select %[[IS]], %[[LOOP]]#1, %[[SPLAT]]
// CHECK:       tt.return %{{.*}}, %[[KEPT]], %[[LOOP]]#2
tt.func @restarts(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The same for the opposite comparison.
// CHECK-LABEL: @compared_for_equality
// CHECK:       tt.dot {{.*}} : tensor<16x32xf16,
tt.func @compared_for_equality(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf oeq, %m, %lowest : !m
    %s = arith.select %is, %nought, %m : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: A loop that carries the maximum itself keeps doing so.
// CHECK-LABEL: @carries_it
// CHECK:       tt.dot {{.*}} : tensor<16x32xf16,
// CHECK-NOT:   arith.cmpi
// CHECK:       tt.return
tt.func @carries_it(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %m, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: A value other than 0 replaces -inf: exponentials may exceed 1.
// CHECK-LABEL: @other_numbers
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @other_numbers(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %one : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The select is reversed: it keeps -inf, and replaces all other maxima by 0.
// CHECK-LABEL: @of_minus_inf
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @of_minus_inf(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf oeq, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The sum contains more than exponentials, which the correction would no longer scale to 0.
// CHECK-LABEL: @counts
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @counts(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %one : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The correction is added to a sum, not multiplied.
// CHECK-LABEL: @adds_the_maximum
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @adds_the_maximum(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.addf %sum, %f : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The correction multiplies a value that the loop does not carry.
// CHECK-LABEL: @multiplies_another
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @multiplies_another(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %most, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The exponentials of another maximum are stored.
// CHECK-LABEL: @exponentials_are_stored
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @exponentials_are_stored(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32, %at: tensor<16x32x!tt.ptr<f32>, #mma>) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    tt.store %at, %p : tensor<16x32x!tt.ptr<f32>, #mma>
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The correction factor is stored.
// CHECK-LABEL: @corrections_are_stored
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @corrections_are_stored(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32, %at: tensor<16x!tt.ptr<f32>, #rows>) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    tt.store %at, %g : tensor<16x!tt.ptr<f32>, #rows>
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The maximum before the select of 0 is stored.
// CHECK-LABEL: @running_maxima_are_stored
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @running_maxima_are_stored(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32, %at: tensor<16x!tt.ptr<f32>, #rows>) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    tt.store %at, %m : tensor<16x!tt.ptr<f32>, #rows>
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The scores minus the maximum are stored.
// CHECK-LABEL: @differences_are_stored
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @differences_are_stored(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32, %at: tensor<16x32x!tt.ptr<f32>, #mma>) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    tt.store %at, %d : tensor<16x32x!tt.ptr<f32>, #mma>
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The subtracted value is stored.
// CHECK-LABEL: @maxima_are_stored
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @maxima_are_stored(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32, %at: tensor<16x!tt.ptr<f32>, #rows>) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    tt.store %at, %s : tensor<16x!tt.ptr<f32>, #rows>
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: A sum is not corrected: exponentials of each tile count as they are.
// CHECK-LABEL: @not_corrected
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @not_corrected(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %t = arith.addf %sum, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: Each iteration adds 1 to the sum, so it is not 0 while scores are -inf.
// CHECK-LABEL: @one_more
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @one_more(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %u = arith.addf %t, %one : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %u : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The corrected sum is an operand of the dot, not its accumulator.
// CHECK-LABEL: @factor_of_the_dot
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @factor_of_the_dot(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %l : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    scf.yield %o, %s, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}

// COM: The layout of the maximum is converted and converted back.
// CHECK-LABEL: @carries_it_converted
// CHECK:       tt.dot {{.*}} : tensor<16x32xf16,
tt.func @carries_it_converted(%scores: !s, %v: tensor<32x64xf8E4M3FN, #b>, %n: i32) -> (!o, !m, !m) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %nought = arith.constant dense<0.0> : !m
  %one = arith.constant dense<1.0> : !m
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest, %sum = %one) -> (!o, !m, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %is = arith.cmpf ogt, %m, %lowest : !m
    %s = arith.select %is, %m, %nought : tensor<16xi1, #rows>, !m
    %e = tt.expand_dims %s {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp %d : !s
    %f = arith.subf %best, %s : !m
    %g = math.exp %f : !m
    %ge = tt.expand_dims %g {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %gw = tt.broadcast %ge : tensor<16x1xf32, #mma> -> !o
    %scaled = arith.mulf %acc, %gw : !o
    %add = "tt.reduce"(%p) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %l = arith.mulf %sum, %g : !m
    %t = arith.addf %l, %add : !m
    %pb = arith.truncf %p : !s to tensor<16x32xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x32xbf16, #mma> -> tensor<16x32xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<32x64xf8E4M3FN, #b> -> tensor<32x64xbf16, #b>
    %o = tt.dot %pa, %vb, %scaled : tensor<16x32xbf16, #a> * tensor<32x64xbf16, #b> -> !o
    %ml = ttg.convert_layout %m : !m -> tensor<16xf32, #line>
    %mc = ttg.convert_layout %ml : tensor<16xf32, #line> -> !m
    scf.yield %o, %mc, %t : !o, !m, !m
  }
  tt.return %r#0, %r#1, %r#2 : !o, !m, !m
}
}
