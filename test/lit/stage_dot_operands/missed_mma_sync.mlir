// RUN: dotload-opt %s --stage-dot-operands --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: mma.sync takes non-K-major operands from registers only, which permutes the accumulator's columns. The loop may
// COM: then only do what is the same for all columns.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.linear<{register = [[1, 0], [2, 0], [0, 8], [16, 0], [32, 0], [64, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 16]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// COM: The loop multiplies the accumulator by a different value for each element.
// REMARK:      kept tt.load: {{.*}} [ACCUMULATOR_USED]
// CHECK-LABEL: @accumulator_is_scaled
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.convert_layout %[[B]]
tt.func @accumulator_is_scaled(%a: tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %scale: tensor<64x128xi32, #mma>, %n: i32) -> tensor<64x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x128xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xi32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bo, %acc : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xi32, #mma>
    %s = arith.muli %d, %scale : tensor<64x128xi32, #mma>
    scf.yield %s : tensor<64x128xi32, #mma>
  }
  tt.return %r : tensor<64x128xi32, #mma>
}

// COM: The loop multiplies the accumulator by a tensor, computed before the loop, with a value for each element.
// REMARK:      kept tt.load: {{.*}} [ACCUMULATOR_USED]
// CHECK-LABEL: @scale_from_before_the_loop
// CHECK:         scf.for
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.convert_layout %[[B]]
tt.func @scale_from_before_the_loop(%a: tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %sp: tensor<64x128x!tt.ptr<i32>, #mma>, %n: i32) -> tensor<64x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x128xi32, #mma>
  %scale = tt.load %sp : tensor<64x128x!tt.ptr<i32>, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xi32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bo, %acc : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xi32, #mma>
    %s = arith.muli %d, %scale : tensor<64x128xi32, #mma>
    scf.yield %s : tensor<64x128xi32, #mma>
  }
  tt.return %r : tensor<64x128xi32, #mma>
}

// COM: The accumulator of a while loop is carried through two blocks.
// REMARK:      kept tt.load: {{.*}} [WHILE_LOOP]
// CHECK-LABEL: @dot_in_a_while_loop
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.convert_layout %[[B]]
tt.func @dot_in_a_while_loop(%a: tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x128xi32, #mma>
  %r:2 = scf.while (%i = %c0, %sum = %zero) : (i32, tensor<64x128xi32, #mma>) -> (i32, tensor<64x128xi32, #mma>) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %sum : i32, tensor<64x128xi32, #mma>
  } do {
  ^bb0(%j: i32, %acc: tensor<64x128xi32, #mma>):
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bo, %acc : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xi32, #mma>
    %next = arith.addi %j, %c1 : i32
    scf.yield %next, %d : i32, tensor<64x128xi32, #mma>
  }
  tt.return %r#1 : tensor<64x128xi32, #mma>
}

// COM: A 32-bit element fills a register: nothing to gain.
// REMARK:      kept tt.load: {{.*}} [WORDS_OF_MMA]
// CHECK-LABEL: @words
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.convert_layout %[[B]]
tt.func @words(%a: tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>, %bp: tensor<32x64x!tt.ptr<f32>, #blocked1>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #blocked1>
  %bo = ttg.convert_layout %b : tensor<32x64xf32, #blocked1> -> tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>>
  %d = tt.dot %a, %bo, %zero, inputPrecision = tf32 : tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>> * tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: So there is in a loop that scales the accumulator by a different value for each element, and where another op
// COM: uses the tile: a remark on either would advise to change the kernel for nothing.
// REMARK-NOT:  ACCUMULATOR_USED
// REMARK:      kept tt.load: {{.*}} [WORDS_OF_MMA]
// CHECK-LABEL: @words_whose_accumulator_is_scaled
tt.func @words_whose_accumulator_is_scaled(%a: tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>, %bp: tensor<32x64x!tt.ptr<f32>, #blocked1>, %scale: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #blocked1>
    %bo = ttg.convert_layout %b : tensor<32x64xf32, #blocked1> -> tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>>
    %d = tt.dot %a, %bo, %acc, inputPrecision = tf32 : tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>> * tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>> -> tensor<64x64xf32, #mma>
    %s = arith.mulf %d, %scale : tensor<64x64xf32, #mma>
    scf.yield %s : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// REMARK-NOT:  OTHER_USES
// REMARK:      kept tt.load: {{.*}} [WORDS_OF_MMA]
// CHECK-LABEL: @words_with_other_uses
tt.func @words_with_other_uses(%a: tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>, %bp: tensor<32x64x!tt.ptr<f32>, #blocked1>) -> (tensor<64x64xf32, #mma>, tensor<32x64xf32, #blocked1>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #blocked1>
  %bo = ttg.convert_layout %b : tensor<32x64xf32, #blocked1> -> tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>>
  %d = tt.dot %a, %bo, %zero, inputPrecision = tf32 : tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>> * tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>> -> tensor<64x64xf32, #mma>
  tt.return %d, %b : tensor<64x64xf32, #mma>, tensor<32x64xf32, #blocked1>
}

// COM: A dot without tensor cores (FMA) reads its operands element by element.
// REMARK:      kept tt.load: {{.*}} [ACCUMULATOR_LAYOUT]
// CHECK-LABEL: @dot_without_tensor_cores
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.convert_layout %[[B]]
tt.func @dot_without_tensor_cores(%a: tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked1}>>, %bp: tensor<32x64x!tt.ptr<f32>, #blocked1>) -> tensor<64x64xf32, #blocked1> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #blocked1>
  %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #blocked1>
  %bo = ttg.convert_layout %b : tensor<32x64xf32, #blocked1> -> tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #blocked1}>>
  %d = tt.dot %a, %bo, %zero : tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked1}>> * tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #blocked1}>> -> tensor<64x64xf32, #blocked1>
  tt.return %d : tensor<64x64xf32, #blocked1>
}

// COM: No order of the tile would be better there, so an op between the load and the dot gets no remark.
// REMARK-NOT:  NOT_FOLLOWED
// CHECK-LABEL: @scaled_without_tensor_cores
tt.func @scaled_without_tensor_cores(%a: tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked1}>>, %bp: tensor<32x64x!tt.ptr<f32>, #blocked1>, %s: tensor<32x64xf32, #blocked1>) -> tensor<64x64xf32, #blocked1> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #blocked1>
  %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #blocked1>
  %bs = arith.mulf %b, %s : tensor<32x64xf32, #blocked1>
  %bo = ttg.convert_layout %bs : tensor<32x64xf32, #blocked1> -> tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #blocked1}>>
  %d = tt.dot %a, %bo, %zero : tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked1}>> * tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #blocked1}>> -> tensor<64x64xf32, #blocked1>
  tt.return %d : tensor<64x64xf32, #blocked1>
}

// COM: One tile is both operands, each multiplied by scales: neither may be staged without the other.
// REMARK:      kept tt.load: {{.*}}: column-major A {{.*}} [OTHER_USES]
// REMARK:      kept tt.load: {{.*}}: row-major B {{.*}} [OTHER_USES]
// CHECK-LABEL: @scaled_tile_by_itself
// CHECK:         %[[X:.*]] = tt.load
// CHECK-NEXT:    ttg.convert_layout %[[X]]
tt.func @scaled_tile_by_itself(%xp: tensor<128x32x!tt.ptr<f8E5M2>, #blocked>, %s: tensor<32x128xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %t: tensor<128x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>) -> tensor<32x32xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
  %x = tt.load %xp : tensor<128x32x!tt.ptr<f8E5M2>, #blocked>
  %xa = ttg.convert_layout %x : tensor<128x32xf8E5M2, #blocked> -> tensor<128x32xf8E5M2, #turned>
  %xt = tt.trans %xa {order = array<i32: 1, 0>} : tensor<128x32xf8E5M2, #turned> -> tensor<32x128xf8E5M2, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %a = tt.fp_to_fp %xt : tensor<32x128xf8E5M2, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> -> tensor<32x128xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %as = arith.mulf %a, %s : tensor<32x128xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %xb = ttg.convert_layout %x : tensor<128x32xf8E5M2, #blocked> -> tensor<128x32xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  %b = tt.fp_to_fp %xb : tensor<128x32xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<128x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  %bs = arith.mulf %b, %t : tensor<128x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  %d = tt.dot %as, %bs, %zero : tensor<32x128xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<128x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<32x32xf32, #mma>
  tt.return %d : tensor<32x32xf32, #mma>
}

// COM: The tile is loaded and brought to fragments in each iteration, and converted in a branch.
// REMARK:      kept tt.load: {{.*}} tt.fp_to_fp takes it in another block, as of a branch; {{.*}} [OTHER_BLOCK]
// CHECK-LABEL: @converted_in_a_branch
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    %[[BO:.*]] = ttg.convert_layout %[[B]]
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      tt.fp_to_fp %[[BO]]
tt.func @converted_in_a_branch(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32, %which: i1) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %next = scf.if %which -> (tensor<64x128xf32, #mma>) {
      %h = tt.fp_to_fp %bo : tensor<64x128xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
      %d = tt.dot %a, %h, %acc : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xf32, #mma>
      scf.yield %d : tensor<64x128xf32, #mma>
    } else {
      scf.yield %acc : tensor<64x128xf32, #mma>
    }
    scf.yield %next : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: The tile is converted where it is loaded, and only multiplied in a branch.
// REMARK:      kept tt.load: {{.*}} tt.dot takes it in another block, as of a branch; {{.*}} [OTHER_BLOCK]
// CHECK-LABEL: @multiplied_in_a_branch
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    %[[BO:.*]] = ttg.convert_layout %[[B]]
// CHECK-NEXT:    tt.fp_to_fp %[[BO]]
tt.func @multiplied_in_a_branch(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32, %which: i1) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %h = tt.fp_to_fp %bo : tensor<64x128xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %next = scf.if %which -> (tensor<64x128xf32, #mma>) {
      %d = tt.dot %a, %h, %acc : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xf32, #mma>
      scf.yield %d : tensor<64x128xf32, #mma>
    } else {
      scf.yield %acc : tensor<64x128xf32, #mma>
    }
    scf.yield %next : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}
}
