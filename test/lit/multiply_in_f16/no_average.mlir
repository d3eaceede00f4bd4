// RUN: dotload-opt %s --allow-unregistered-dialect --multiply-in-f16 | FileCheck %s

// COM: Averages by probabilities, each case with one obstacle. Tiles are square, so no type tells the dims apart.

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
!s = tensor<16x16xf32, #mma>
!o = tensor<16x64xf32, #mma>
!m = tensor<16xf32, #ttg.slice<{dim = 1, parent = #mma}>>
!c = tensor<16xf32, #ttg.slice<{dim = 0, parent = #mma}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The subtracted value is the maximum of other scores.
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

// COM: The subtracted value is the sum of the scores.
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

// COM: The subtracted value is the first of two results of the reduction.
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

// COM: The subtracted value is half of the maximum.
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

// COM: The subtracted value is the minimum of the maximum and another number.
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

// COM: The subtracted value is the maximum of columns, for rows.
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

// COM: The running maximum starts from a number, which may exceed all scores: all probabilities may then be small.
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

// COM: The loop does not carry the running maximum on.
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

// COM: A number other than the carried maximum is subtracted.
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

// COM: The accumulator does not start from zero, so it would have to be scaled first.
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

// COM: Something else is added to the accumulator.
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

// COM: The loop also reads the accumulator.
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

// COM: The loop also reads the scaled accumulator.
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

// COM: The result of the dot has a second use.
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

// COM: The tile is converted before the loop, where it costs nothing.
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

// COM: The converted tile has another use in bf16.
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

// COM: A transpose of the converted tile has another use in bf16.
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
