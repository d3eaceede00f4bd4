// RUN: dotload-opt %s --vectorize-result-stores --split-input-file | FileCheck %s

// COM: A permuted dot leaves two neighbours of a row in registers that are not neighbours: they are stored as 64 bits.

#two = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#result = #ttg.linear<{register = [[0, 1], [1, 0], [8, 0], [16, 0], [32, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [], block = []}>
#rows = #ttg.slice<{dim = 1, parent = #result}>
#columns = #ttg.slice<{dim = 0, parent = #result}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-DAG:   #[[RESULT:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [1, 0],
// CHECK-DAG:   #[[PAIRS:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [8, 0], [16, 0], [32, 0], [0, 8], [0, 16]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
// CHECK-LABEL: @neighbours_in_two_registers
// CHECK-SAME:    %[[C:.*]]: tensor<64x64xf32, #[[RESULT]]>
// CHECK:         %[[P:.*]] = tt.addptr
// CHECK:         %[[C2:.*]] = tt.reshape %[[C]] : tensor<64x64xf32, #{{.*}}> -> tensor<64x32x2xf32, #{{.*}}>
// CHECK-NEXT:    %[[EVEN:.*]], %[[ODD:.*]] = tt.split %[[C2]] : {{.*}} -> tensor<64x32xf32, #[[PAIRS]]>
// CHECK-NEXT:    %[[P2:.*]] = tt.reshape %[[P]]
// CHECK-NEXT:    %[[FIRST:.*]], %{{.*}} = tt.split %[[P2]] : {{.*}} -> tensor<64x32x!tt.ptr<f32>, #[[PAIRS]]>
// CHECK-NEXT:    %[[PAIR:.*]] = tt.elementwise_inline_asm "mov.b64 $0, {$1, $2};"
// CHECK-SAME:      constraints = "=l,r,r"
// CHECK-SAME:      %[[EVEN]], %[[ODD]] : {{.*}} -> tensor<64x32xi64, #[[PAIRS]]>
// CHECK-NEXT:    %[[Q:.*]] = tt.bitcast %[[FIRST]] : {{.*}} -> tensor<64x32x!tt.ptr<i64>, #[[PAIRS]]>
// CHECK-NEXT:    tt.store %[[Q]], %[[PAIR]] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>} : tensor<64x32x!tt.ptr<i64>, #[[PAIRS]]>
tt.func @neighbours_in_two_registers(%c: tensor<64x64xf32, #result>, %base: !tt.ptr<f32> {tt.divisibility = 8 : i32}, %pitch: i32 {tt.divisibility = 2 : i32}) {
  %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #result>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32, #result>
  %down = arith.muli %m1, %pitches : tensor<64x1xi32, #result>
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #columns>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #result>
  %down2 = tt.broadcast %down : tensor<64x1xi32, #result> -> tensor<64x64xi32, #result>
  %across = tt.broadcast %n1 : tensor<1x64xi32, #result> -> tensor<64x64xi32, #result>
  %offsets = arith.addi %down2, %across : tensor<64x64xi32, #result>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #result>
  %p = tt.addptr %bases, %offsets : tensor<64x64x!tt.ptr<f32>, #result>, tensor<64x64xi32, #result>
  tt.store %p, %c {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>} : tensor<64x64x!tt.ptr<f32>, #result>
  tt.return
}

// COM: From one row to the next, it may be an odd number of elements.
// CHECK-LABEL: @odd_pitch
// CHECK-NOT:     tt.split
// CHECK:         tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>,
tt.func @odd_pitch(%c: tensor<64x64xf32, #result>, %base: !tt.ptr<f32> {tt.divisibility = 8 : i32}, %pitch: i32) {
  %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #result>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32, #result>
  %down = arith.muli %m1, %pitches : tensor<64x1xi32, #result>
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #columns>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #result>
  %down2 = tt.broadcast %down : tensor<64x1xi32, #result> -> tensor<64x64xi32, #result>
  %across = tt.broadcast %n1 : tensor<1x64xi32, #result> -> tensor<64x64xi32, #result>
  %offsets = arith.addi %down2, %across : tensor<64x64xi32, #result>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #result>
  %p = tt.addptr %bases, %offsets : tensor<64x64x!tt.ptr<f32>, #result>, tensor<64x64xi32, #result>
  tt.store %p, %c : tensor<64x64x!tt.ptr<f32>, #result>
  tt.return
}

// COM: The first pair may begin at any element.
// CHECK-LABEL: @base_aligned_to_one_element
// CHECK-NOT:     tt.split
// CHECK:         tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>,
tt.func @base_aligned_to_one_element(%c: tensor<64x64xf32, #result>, %base: !tt.ptr<f32>) {
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #columns>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #result>
  %across = tt.broadcast %n1 : tensor<1x64xi32, #result> -> tensor<64x64xi32, #result>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #result>
  %p = tt.addptr %bases, %across : tensor<64x64x!tt.ptr<f32>, #result>, tensor<64x64xi32, #result>
  tt.store %p, %c : tensor<64x64x!tt.ptr<f32>, #result>
  tt.return
}

// COM: Neighbours in registers lie two elements apart in memory.
// CHECK-LABEL: @columns_apart
// CHECK-NOT:     tt.split
// CHECK:         tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>,
tt.func @columns_apart(%c: tensor<64x64xf32, #result>, %base: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #columns>
  %two = arith.constant dense<2> : tensor<64xi32, #columns>
  %far = arith.muli %n, %two : tensor<64xi32, #columns>
  %n1 = tt.expand_dims %far {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #result>
  %across = tt.broadcast %n1 : tensor<1x64xi32, #result> -> tensor<64x64xi32, #result>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #result>
  %p = tt.addptr %bases, %across : tensor<64x64x!tt.ptr<f32>, #result>, tensor<64x64xi32, #result>
  tt.store %p, %c : tensor<64x64x!tt.ptr<f32>, #result>
  tt.return
}

// COM: Four bytes from one element to the next, of which each fills two.
// CHECK-LABEL: @every_other_element_of_16_bits
// CHECK-NOT:     tt.split
// CHECK:         tt.store {{.*}} : tensor<64x64x!tt.ptr<f16>,
tt.func @every_other_element_of_16_bits(%c: tensor<64x64xf16, #result>, %base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #columns>
  %two = arith.constant dense<2> : tensor<64xi32, #columns>
  %far = arith.muli %n, %two : tensor<64xi32, #columns>
  %n1 = tt.expand_dims %far {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #result>
  %across = tt.broadcast %n1 : tensor<1x64xi32, #result> -> tensor<64x64xi32, #result>
  %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #result>
  %p = tt.addptr %bases, %across : tensor<64x64x!tt.ptr<f16>, #result>, tensor<64x64xi32, #result>
  tt.store %p, %c : tensor<64x64x!tt.ptr<f16>, #result>
  tt.return
}

// COM: One of a pair may be stored without the other.
// CHECK-LABEL: @masked
// CHECK-NOT:     tt.split
// CHECK:         tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>,
tt.func @masked(%c: tensor<64x64xf32, #result>, %base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %mask: tensor<64x64xi1, #result>) {
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #columns>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #result>
  %across = tt.broadcast %n1 : tensor<1x64xi32, #result> -> tensor<64x64xi32, #result>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #result>
  %p = tt.addptr %bases, %across : tensor<64x64x!tt.ptr<f32>, #result>, tensor<64x64xi32, #result>
  tt.store %p, %c, %mask : tensor<64x64x!tt.ptr<f32>, #result>
  tt.return
}

// CHECK-LABEL: @scalar
// CHECK:         tt.store %{{.*}}, %{{.*}} : !tt.ptr<f32>
tt.func @scalar(%c: f32, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  tt.store %p, %c : !tt.ptr<f32>
  tt.return
}

// COM: Triton's own layout, whose pairs are pairs of registers.
// CHECK-LABEL: @blocked_result
// CHECK-NOT:     tt.split
// CHECK:         tt.store {{.*}} : tensor<4x1024x!tt.ptr<f32>,
tt.func @blocked_result(%c: tensor<4x1024xf32, #two>, %base: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %n = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #ttg.slice<{dim = 0, parent = #two}>>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<1024xi32, #ttg.slice<{dim = 0, parent = #two}>> -> tensor<1x1024xi32, #two>
  %across = tt.broadcast %n1 : tensor<1x1024xi32, #two> -> tensor<4x1024xi32, #two>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<4x1024x!tt.ptr<f32>, #two>
  %p = tt.addptr %bases, %across : tensor<4x1024x!tt.ptr<f32>, #two>, tensor<4x1024xi32, #two>
  tt.store %p, %c : tensor<4x1024x!tt.ptr<f32>, #two>
  tt.return
}
}

// -----

// COM: What is not worth it: half as many registers; four neighbours, for which there is `st.global.v4`.

#half = #ttg.linear<{register = [[0, 1], [1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [], block = []}>
#four = #ttg.linear<{register = [[0, 1], [0, 2], [1, 0], [8, 0], [16, 0], [32, 0], [0, 32]], lane = [[2, 0], [4, 0], [0, 4], [0, 8], [0, 16]], warp = [], block = []}>
#late = #ttg.linear<{register = [[1, 0], [0, 1], [8, 0], [16, 0], [32, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @few_registers
// CHECK-NOT:     tt.split
// CHECK:         tt.store {{.*}} : tensor<32x64x!tt.ptr<f32>,
tt.func @few_registers(%c: tensor<32x64xf32, #half>, %base: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #half}>>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #half}>> -> tensor<1x64xi32, #half>
  %across = tt.broadcast %n1 : tensor<1x64xi32, #half> -> tensor<32x64xi32, #half>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>, #half>
  %p = tt.addptr %bases, %across : tensor<32x64x!tt.ptr<f32>, #half>, tensor<32x64xi32, #half>
  tt.store %p, %c : tensor<32x64x!tt.ptr<f32>, #half>
  tt.return
}

// CHECK-LABEL: @four_neighbours
// CHECK-NOT:     tt.split
// CHECK:         tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>,
tt.func @four_neighbours(%c: tensor<64x64xf32, #four>, %base: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #four}>>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #four}>> -> tensor<1x64xi32, #four>
  %across = tt.broadcast %n1 : tensor<1x64xi32, #four> -> tensor<64x64xi32, #four>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #four>
  %p = tt.addptr %bases, %across : tensor<64x64x!tt.ptr<f32>, #four>, tensor<64x64xi32, #four>
  tt.store %p, %c : tensor<64x64x!tt.ptr<f32>, #four>
  tt.return
}

// COM: stage-dot-operands puts neighbours first; Triton need not split others as it does these.
// CHECK-LABEL: @neighbours_later
// CHECK-NOT:     tt.split
// CHECK:         tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>,
tt.func @neighbours_later(%c: tensor<64x64xf32, #late>, %base: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #late}>>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #late}>> -> tensor<1x64xi32, #late>
  %across = tt.broadcast %n1 : tensor<1x64xi32, #late> -> tensor<64x64xi32, #late>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #late>
  %p = tt.addptr %bases, %across : tensor<64x64x!tt.ptr<f32>, #late>, tensor<64x64xi32, #late>
  tt.store %p, %c : tensor<64x64x!tt.ptr<f32>, #late>
  tt.return
}

// COM: Eight bytes, but four elements.
// CHECK-LABEL: @elements_of_16_bits
// CHECK-NOT:     tt.split
// CHECK:         tt.store {{.*}} : tensor<64x64x!tt.ptr<f16>,
tt.func @elements_of_16_bits(%c: tensor<64x64xf16, #four>, %base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #four}>>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #four}>> -> tensor<1x64xi32, #four>
  %across = tt.broadcast %n1 : tensor<1x64xi32, #four> -> tensor<64x64xi32, #four>
  %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #four>
  %p = tt.addptr %bases, %across : tensor<64x64x!tt.ptr<f16>, #four>, tensor<64x64xi32, #four>
  tt.store %p, %c : tensor<64x64x!tt.ptr<f16>, #four>
  tt.return
}
}
