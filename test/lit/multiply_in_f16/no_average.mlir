// RUN: dotload-opt %s --allow-unregistered-dialect --multiply-in-f16 | FileCheck %s

// COM: What could be an average by probabilities, but for one thing. Tiles are square, so that no type tells axes apart.

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
!s = tensor<16x16xf32, #mma>
!o = tensor<16x64xf32, #mma>
!m = tensor<16xf32, #ttg.slice<{dim = 1, parent = #mma}>>
!c = tensor<16xf32, #ttg.slice<{dim = 0, parent = #mma}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The maximum of other scores is no bound.
// CHECK-LABEL: @maximum_of_others
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @maximum_of_others(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest) -> (!o, !m) : i32 {
    %most = "tt.reduce"(%others) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %e = tt.expand_dims %m {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp2 %d : !s
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: Nor is a sum,
// CHECK-LABEL: @sum
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @sum(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest) -> (!o, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %e = tt.expand_dims %m {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp2 %d : !s
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: the first of two,
// CHECK-LABEL: @first
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @first(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest) -> (!o, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %x : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %e = tt.expand_dims %m {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp2 %d : !s
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: half of the maximum,
// CHECK-LABEL: @half
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @half(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest) -> (!o, !m) : i32 {
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      %half = arith.constant 0.5 : f32
      %h = arith.mulf %z, %half : f32
      tt.reduce.return %h : f32
    }) : (!s) -> !m
    %m = arith.maxnumf %best, %most : !m
    %e = tt.expand_dims %m {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp2 %d : !s
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: the smaller one of it and another number,
// CHECK-LABEL: @smaller
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @smaller(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
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
    %m = arith.minnumf %best, %most : !m
    %e = tt.expand_dims %m {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp2 %d : !s
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: or the maximum of columns, for rows.
// CHECK-LABEL: @columns_maximum
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @columns_maximum(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %lowest) -> (!o, !m) : i32 {
    %most0 = "tt.reduce"(%scores) <{axis = 0 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (!s) -> !c
    %most = ttg.convert_layout %most0 : !c -> !m
    %m = arith.maxnumf %best, %most : !m
    %e = tt.expand_dims %m {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp2 %d : !s
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: A running maximum that starts from a number may stay above all scores: then all probabilities are small.
// CHECK-LABEL: @other_start
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @other_start(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %best = %start) -> (!o, !m) : i32 {
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
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: Likewise one that the loop does not carry on.
// CHECK-LABEL: @not_running
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @not_running(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
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
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %most : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: And another number than the one that is carried.
// CHECK-LABEL: @constant_bound
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @constant_bound(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
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
    %m = arith.maxnumf %start, %most : !m
    %e = tt.expand_dims %m {axis = 1 : i32} : !m -> tensor<16x1xf32, #mma>
    %w = tt.broadcast %e : tensor<16x1xf32, #mma> -> !s
    %d = arith.subf %scores, %w : !s
    %p = math.exp2 %d : !s
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: An accumulator that starts from something has to be scaled first,
// CHECK-LABEL: @other_accumulator
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @other_accumulator(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %lowest = arith.constant dense<0xFF800000> : !m
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %factor, %best = %lowest) -> (!o, !m) : i32 {
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
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: or one that something else is added to,
// CHECK-LABEL: @added_to
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @added_to(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
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
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.addf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: and one that the loop reads besides,
// CHECK-LABEL: @used_twice
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @used_twice(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
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
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    %copy = arith.addf %acc, %factor : !o
    "test.use"(%copy) : (!o) -> ()
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: or its product.
// CHECK-LABEL: @product_used_twice
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @product_used_twice(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
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
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    "test.use"(%scaled) : (!o) -> ()
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: What the dot gives is used once.
// CHECK-LABEL: @sum_used_twice
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @sum_used_twice(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
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
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    "test.use"(%o) : (!o) -> ()
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: What is converted before the loop costs nothing in it.
// CHECK-LABEL: @before_the_loop
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @before_the_loop(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !o
  %lowest = arith.constant dense<0xFF800000> : !m
  %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
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
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: Another use of the converted tile wants it in bf16.
// CHECK-LABEL: @converted_for_two
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @converted_for_two(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #b>, %factor: !o, %start: !m, %n: i32) -> !o {
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
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vb = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #b> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    "test.use"(%vb) : (tensor<16x64xbf16, #b>) -> ()
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}

// COM: So does one of what comes behind it.
// CHECK-LABEL: @moved_for_two
// CHECK-NOT:   xf16
// CHECK:       tt.return
tt.func @moved_for_two(%scores: !s, %others: !s, %v: tensor<16x64xf8E4M3FN, #rows>, %factor: !o, %start: !m, %n: i32) -> !o {
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
    %pb = arith.truncf %p : !s to tensor<16x16xbf16, #mma>
    %pa = ttg.convert_layout %pb : tensor<16x16xbf16, #mma> -> tensor<16x16xbf16, #a>
    %vr = tt.fp_to_fp %v : tensor<16x64xf8E4M3FN, #rows> -> tensor<16x64xbf16, #rows>
    %vb = ttg.convert_layout %vr : tensor<16x64xbf16, #rows> -> tensor<16x64xbf16, #b>
    %scaled = arith.mulf %acc, %factor : !o
    %o = tt.dot %pa, %vb, %scaled : tensor<16x16xbf16, #a> * tensor<16x64xbf16, #b> -> !o
    "test.use"(%vb) : (tensor<16x64xbf16, #b>) -> ()
    scf.yield %o, %m : !o, !m
  }
  tt.return %r#0 : !o
}
}
