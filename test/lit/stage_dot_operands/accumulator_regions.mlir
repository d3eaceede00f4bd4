// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Columns of the accumulator are permuted in the body of the outermost loop that allows it.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A persistent kernel stores the sum in an outer loop: it is permuted back after the inner loop.
// CHECK-LABEL: @stored_in_an_outer_loop
// CHECK:         scf.for
// CHECK:           %[[R:.*]] = scf.for
// CHECK:             ttg.local_load {{.*}}dotload.staged = "fragments"
// CHECK:             scf.yield
// CHECK:           tt.reshape %[[R]]
// CHECK-NEXT:      tt.trans
// CHECK-NEXT:      tt.reshape
// CHECK:           tt.store
tt.func @stored_in_an_outer_loop(%p: tensor<16x64xf8E4M3FN, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %out: tensor<16x128x!tt.ptr<f32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  scf.for %tile = %c0 to %n step %c1 : i32 {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
      %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
      %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
      %d = tt.dot %p, %vo, %acc : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
      scf.yield %d : tensor<16x128xf32, #mma>
    }
    tt.store %out, %r : tensor<16x128x!tt.ptr<f32>, #mma>
  }
  tt.return
}

// COM: The same under a while loop.
// CHECK-LABEL: @stored_in_a_while_loop
// CHECK:         scf.while
// CHECK:           %[[R:.*]] = scf.for
// CHECK:             ttg.local_load {{.*}}dotload.staged = "fragments"
// CHECK:           tt.reshape %[[R]]
// CHECK:           tt.store
tt.func @stored_in_a_while_loop(%p: tensor<16x64xf8E4M3FN, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %out: tensor<16x128x!tt.ptr<f32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %w = scf.while (%tile = %c0) : (i32) -> i32 {
    %more = arith.cmpi slt, %tile, %n : i32
    scf.condition(%more) %tile : i32
  } do {
  ^bb0(%tile: i32):
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
      %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
      %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
      %d = tt.dot %p, %vo, %acc : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
      scf.yield %d : tensor<16x128xf32, #mma>
    }
    tt.store %out, %r : tensor<16x128x!tt.ptr<f32>, #mma>
    %next = arith.addi %tile, %c1 : i32
    scf.yield %next : i32
  }
  tt.return
}

// COM: A sum over both loops is permuted back once, after the outer loop.
// CHECK-LABEL: @summed_by_both_loops
// CHECK:         %[[R:.*]] = scf.for
// CHECK:           scf.for
// CHECK:             ttg.local_load {{.*}}dotload.staged = "fragments"
// CHECK-NOT:       tt.reshape
// CHECK:           scf.yield
// CHECK:           scf.yield
// CHECK:         tt.reshape %[[R]]
tt.func @summed_by_both_loops(%p: tensor<16x64xf8E4M3FN, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %s = scf.for %tile = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %sum) -> (tensor<16x128xf32, #mma>) : i32 {
      %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
      %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
      %d = tt.dot %p, %vo, %acc : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
      scf.yield %d : tensor<16x128xf32, #mma>
    }
    scf.yield %r : tensor<16x128xf32, #mma>
  }
  tt.return %s : tensor<16x128xf32, #mma>
}

// COM: The sum stays as it is in iterations without a tile. What else a branch yields is permuted, or the same all over.
// CHECK-LABEL: @a_branch_of_the_loop
// CHECK:         %[[R:.*]] = scf.for
// CHECK:           scf.if
// CHECK:             ttg.local_load {{.*}}dotload.staged = "fragments"
// CHECK-NOT:       tt.reshape
// CHECK:           scf.yield
// CHECK:         tt.reshape %[[R]]
tt.func @a_branch_of_the_loop(%p: tensor<16x64xf8E4M3FN, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %is_tile: i1, %is_new: i1, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %started = scf.if %is_new -> (tensor<16x128xf32, #mma>) {
      scf.yield %zero : tensor<16x128xf32, #mma>
    } else {
      scf.yield %acc : tensor<16x128xf32, #mma>
    }
    %next = scf.if %is_tile -> (tensor<16x128xf32, #mma>) {
      %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
      %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
      %d = tt.dot %p, %vo, %started : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
      scf.yield %d : tensor<16x128xf32, #mma>
    } else {
      scf.yield %started : tensor<16x128xf32, #mma>
    }
    scf.yield %next : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: A persistent kernel with one loop for all tiles stores a sum when it is complete.
// CHECK-LABEL: @stored_in_a_branch
// CHECK:         scf.for
// CHECK:           ttg.local_load {{.*}}dotload.staged = "fragments"
// CHECK:           %[[D:.*]] = tt.dot
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        tt.reshape %[[D]]
// CHECK-NEXT:        tt.trans
// CHECK-NEXT:        %[[B:.*]] = tt.reshape
// CHECK-NEXT:        %[[C:.*]] = ttg.convert_layout %[[B]]
// CHECK-NEXT:        %[[S:.*]] = arith.mulf %[[C]], %{{.*}}
// CHECK-NEXT:        tt.store %{{.*}}, %[[S]]
// CHECK-NEXT:        scf.yield
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[D]]
tt.func @stored_in_a_branch(%p: tensor<16x64xf8E4M3FN, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %out: tensor<16x128x!tt.ptr<f32>, #mma>, %scale: tensor<16x128xf32, #mma>, %last: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %d = tt.dot %p, %vo, %acc : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
    %next = scf.if %last -> (tensor<16x128xf32, #mma>) {
      %s = arith.mulf %d, %scale : tensor<16x128xf32, #mma>
      tt.store %out, %s : tensor<16x128x!tt.ptr<f32>, #mma>
      scf.yield %zero : tensor<16x128xf32, #mma>
    } else {
      scf.yield %d : tensor<16x128xf32, #mma>
    }
    scf.yield %next : tensor<16x128xf32, #mma>
  }
  tt.return
}

// COM: A branch that scales the rows yields permuted columns.
// CHECK-LABEL: @scaled_in_a_branch
// CHECK:         scf.for
// CHECK:           ttg.local_load {{.*}}dotload.staged = "fragments"
// CHECK:           %[[D:.*]] = tt.dot
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        arith.mulf %[[D]], %{{.*}}
// CHECK-NEXT:        scf.yield
tt.func @scaled_in_a_branch(%p: tensor<16x64xf8E4M3FN, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %scale: f32, %last: i1, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %all = tt.splat %scale : f32 -> tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %d = tt.dot %p, %vo, %acc : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
    %next = scf.if %last -> (tensor<16x128xf32, #mma>) {
      %s = arith.mulf %d, %all : tensor<16x128xf32, #mma>
      scf.yield %s : tensor<16x128xf32, #mma>
    } else {
      scf.yield %d : tensor<16x128xf32, #mma>
    }
    scf.yield %next : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: One of an op's results is yielded, so the other one is permuted too, and permuted back where it is stored.
// CHECK-LABEL: @two_results_in_a_branch
// CHECK:           ttg.local_load {{.*}}dotload.staged = "fragments"
// CHECK:             %[[LOW:.*]], %[[HIGH:.*]] = arith.mulsi_extended
// CHECK-NEXT:        tt.reshape %[[HIGH]]
// CHECK:             tt.store
// CHECK-NEXT:        scf.yield %[[LOW]]
tt.func @two_results_in_a_branch(%p: tensor<16x64xi8, #a>, %vp: tensor<64x128x!tt.ptr<i8>, #blocked>, %out: tensor<16x128x!tt.ptr<i32>, #mma>, %last: i1, %n: i32) -> tensor<16x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<16x128xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xi32, #mma>) : i32 {
    %v = tt.load %vp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %d = tt.dot %p, %vo, %acc : tensor<16x64xi8, #a> * tensor<64x128xi8, #b> -> tensor<16x128xi32, #mma>
    %next = scf.if %last -> (tensor<16x128xi32, #mma>) {
      %low, %high = arith.mulsi_extended %d, %d : tensor<16x128xi32, #mma>
      tt.store %out, %high : tensor<16x128x!tt.ptr<i32>, #mma>
      scf.yield %low : tensor<16x128xi32, #mma>
    } else {
      scf.yield %d : tensor<16x128xi32, #mma>
    }
    scf.yield %next : tensor<16x128xi32, #mma>
  }
  tt.return %r : tensor<16x128xi32, #mma>
}

// COM: Every iteration stores the sum.
// CHECK-LABEL: @stored_in_each_iteration
// CHECK-NOT:     ttg.local_alloc
// CHECK:         tt.return
// REMARK:      kept tt.load: {{.*}} [ACCUMULATOR_USED]
tt.func @stored_in_each_iteration(%p: tensor<16x64xf8E4M3FN, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %out: tensor<16x128x!tt.ptr<f32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %d = tt.dot %p, %vo, %acc : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
    tt.store %out, %d : tensor<16x128x!tt.ptr<f32>, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return
}

// COM: Every iteration with a dot stores the sum.
// CHECK-LABEL: @stored_beside_the_dot
// CHECK-NOT:     ttg.local_alloc
// CHECK:         tt.return
// REMARK:      kept tt.load: {{.*}} [ACCUMULATOR_USED]
tt.func @stored_beside_the_dot(%p: tensor<16x64xf8E4M3FN, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %out: tensor<16x128x!tt.ptr<f32>, #mma>, %is_tile: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %next = scf.if %is_tile -> (tensor<16x128xf32, #mma>) {
      %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
      %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
      %d = tt.dot %p, %vo, %acc : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
      tt.store %out, %d : tensor<16x128x!tt.ptr<f32>, #mma>
      scf.yield %d : tensor<16x128xf32, #mma>
    } else {
      scf.yield %acc : tensor<16x128xf32, #mma>
    }
    scf.yield %next : tensor<16x128xf32, #mma>
  }
  tt.return
}

// COM: A branch yields a tensor with a value for each element, computed before the loop.
// CHECK-LABEL: @a_branch_with_a_value_from_before
// CHECK-NOT:     ttg.local_alloc
// CHECK:         tt.return
// REMARK:      kept tt.load: {{.*}} [ACCUMULATOR_USED]
tt.func @a_branch_with_a_value_from_before(%p: tensor<16x64xf8E4M3FN, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %other: tensor<16x128xf32, #mma>, %is_new: i1, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %started = scf.if %is_new -> (tensor<16x128xf32, #mma>) {
      scf.yield %other : tensor<16x128xf32, #mma>
    } else {
      scf.yield %acc : tensor<16x128xf32, #mma>
    }
    %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %d = tt.dot %p, %vo, %started : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: Each iteration adds to the same sum, which is no loop's.
// CHECK-LABEL: @sum_from_before_the_loop
// CHECK-NOT:     ttg.local_alloc
// CHECK:         tt.return
// REMARK:      kept tt.load: {{.*}} [ACCUMULATOR_CARRIED]
tt.func @sum_from_before_the_loop(%p: tensor<16x64xf8E4M3FN, #a>, %vp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %other: tensor<16x128xf32, #mma>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %v = tt.load %vp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %vo = ttg.convert_layout %v : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
    %d = tt.dot %p, %vo, %other : tensor<16x64xf8E4M3FN, #a> * tensor<64x128xf8E4M3FN, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}
}
