// RUN: dotload-opt %s --reassociate-scales --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: A dot's result of 64 x 64 is multiplied by several scales, one after the other.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#split = #ttg.linear<{register = [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 8], [0, 0, 0, 16], [0, 0, 0, 32]], lane = [[0, 0, 0, 2], [0, 0, 0, 4], [0, 0, 1, 0], [0, 0, 2, 0], [0, 0, 4, 0]], warp = [[1, 0, 0, 0], [2, 0, 0, 0]], block = []}>
#turned = #ttg.linear<{register = [[0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 8], [0, 0, 0, 16], [0, 0, 0, 32]], lane = [[0, 0, 0, 2], [0, 0, 0, 4], [0, 1, 0, 0], [0, 2, 0, 0], [0, 4, 0, 0]], warp = [[1, 0, 0, 0], [2, 0, 0, 0]], block = []}>
#pairs = #ttg.linear<{register = [[0, 1], [1, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!a = tensor<64x64xf8E4M3FN, #dot>
!raw = !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem, mutable>
!acc = tensor<64x64xf32, #mma>
!rows = tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
!row_ptrs = tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
!columns = tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
!column_ptrs = tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
!numbers = tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Scales of rows and one scale for all columns: the 64 columns start at a multiple of 64, so they lie in one group
// COM: of 128.
// CHECK-LABEL: @columns_of_one_group
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK-NOT:       arith.mulf
// CHECK:           %[[NUMBER:.*]] = tt.broadcast %{{.*}} : tensor<1x64xf32, #mma>
// CHECK-NEXT:      %[[SCALE:.*]] = arith.mulf %[[ROWS]], %[[NUMBER]]
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[W]]#0, %[[SCALE]]
// CHECK-NEXT:      arith.addf %{{.*}}, %[[Y]]
// REMARK:      remark: reassociate-scales: the scales are multiplied by each other first
tt.func @columns_of_one_group(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %tile: i32, %base: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %c64 = arith.constant 64 : i32
  %c128s = arith.constant dense<128> : !numbers
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : !numbers
  %first = arith.muli %tile, %c64 : i32
  %firsts = tt.splat %first : i32 -> !numbers
  %columns = arith.addi %firsts, %range : !numbers
  %groups = arith.divsi %columns, %c128s : !numbers
  %lengths = tt.splat %n : i32 -> !numbers
  %rows_of_groups = arith.muli %groups, %lengths : !numbers
  %bases = tt.splat %base : !tt.ptr<f32> -> !column_ptrs
  %firsts_of_groups = tt.addptr %bases, %rows_of_groups : !column_ptrs, !numbers
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %steps = tt.splat %i : i32 -> !numbers
    %gp = tt.addptr %firsts_of_groups, %steps : !column_ptrs, !numbers
    %g = tt.load %gp : !column_ptrs
    %g1 = tt.expand_dims %g {axis = 0 : i32} : !columns -> tensor<1x64xf32, #mma>
    %gs = tt.broadcast %g1 : tensor<1x64xf32, #mma> -> !acc
    %y = arith.mulf %x, %gs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: One scalar is loaded for the whole tile.
// CHECK-LABEL: @number
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK-NOT:       arith.mulf
// CHECK:           %[[NUMBER:.*]] = tt.splat %{{.*}} : f32 -> tensor<64x64xf32, #mma>
// CHECK-NEXT:      %[[SCALE:.*]] = arith.mulf %[[ROWS]], %[[NUMBER]]
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[W]]#0, %[[SCALE]]
// CHECK-NEXT:      arith.addf %{{.*}}, %[[Y]]
// REMARK:      remark: reassociate-scales: the scales are multiplied by each other first
tt.func @number(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %y = arith.mulf %x, %fs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: In each product, the scale may be the first operand.
// CHECK-LABEL: @scales_on_the_left
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK-NOT:       arith.mulf
// CHECK:           %[[NUMBER:.*]] = tt.splat %{{.*}} : f32 -> tensor<64x64xf32, #mma>
// CHECK-NEXT:      %[[SCALE:.*]] = arith.mulf %[[ROWS]], %[[NUMBER]]
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[W]]#0, %[[SCALE]]
// CHECK-NEXT:      arith.addf %{{.*}}, %[[Y]]
// REMARK:      remark: reassociate-scales: the scales are multiplied by each other first
tt.func @scales_on_the_left(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %rs, %done : !acc
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %y = arith.mulf %fs, %x : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The scalar may come first, and the other scales may be those of columns.
// CHECK-LABEL: @number_first
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[NUMBER:.*]] = tt.splat %{{.*}} : f32 -> tensor<64x64xf32, #mma>
// CHECK-NOT:       arith.mulf
// CHECK:           %[[COLUMNS:.*]] = tt.broadcast %{{.*}} : tensor<1x64xf32, #mma>
// CHECK-NEXT:      %[[SCALE:.*]] = arith.mulf %[[NUMBER]], %[[COLUMNS]]
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[W]]#0, %[[SCALE]]
// CHECK-NEXT:      arith.addf %{{.*}}, %[[Y]]
// REMARK:      remark: reassociate-scales: the scales are multiplied by each other first
tt.func @number_first(%a: !raw, %b: !b, %n: i32, %cp: !column_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %x = arith.mulf %done, %fs : !acc
    %c = tt.load %cp : !column_ptrs
    %c1s = tt.expand_dims %c {axis = 0 : i32} : !columns -> tensor<1x64xf32, #mma>
    %cs = tt.broadcast %c1s : tensor<1x64xf32, #mma> -> !acc
    %y = arith.mulf %x, %cs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: Reads of A have permuted the rows: scales are multiplied after the op that restores the order of the result's
// COM: rows.
// CHECK-LABEL: @rows_in_order
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK-NEXT:      tt.reshape %[[W]]#0
// CHECK-NEXT:      tt.trans
// CHECK-NEXT:      tt.reshape
// CHECK-NEXT:      %[[IN_ORDER:.*]] = ttg.convert_layout
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK-NOT:       arith.mulf
// CHECK:           %[[NUMBER:.*]] = tt.splat %{{.*}} : f32 -> tensor<64x64xf32, #mma>
// CHECK-NEXT:      %[[SCALE:.*]] = arith.mulf %[[ROWS]], %[[NUMBER]]
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[IN_ORDER]], %[[SCALE]]
// CHECK-NEXT:      arith.addf %{{.*}}, %[[Y]]
// REMARK:      remark: reassociate-scales: the scales are multiplied by each other first
tt.func @rows_in_order(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %four = tt.reshape %done : !acc -> tensor<4x2x8x64xf32, #split>
    %turned = tt.trans %four {order = array<i32: 0, 2, 1, 3>} : tensor<4x2x8x64xf32, #split> -> tensor<4x8x2x64xf32, #turned>
    %pairs = tt.reshape %turned : tensor<4x8x2x64xf32, #turned> -> tensor<64x64xf32, #pairs>
    %in_order = ttg.convert_layout %pairs : tensor<64x64xf32, #pairs> -> !acc
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %in_order, %rs : !acc
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %y = arith.mulf %x, %fs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The scales of columns are loaded in another layout.
// CHECK-LABEL: @converted_scales
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK-NOT:       arith.mulf
// CHECK:           ttg.convert_layout
// CHECK:           %[[NUMBER:.*]] = tt.broadcast %{{.*}} : tensor<1x64xf32, #mma>
// CHECK-NEXT:      %[[SCALE:.*]] = arith.mulf %[[ROWS]], %[[NUMBER]]
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[W]]#0, %[[SCALE]]
// CHECK-NEXT:      arith.addf %{{.*}}, %[[Y]]
// REMARK:      remark: reassociate-scales: the scales are multiplied by each other first
tt.func @converted_scales(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %tile: i32, %base: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %c64 = arith.constant 64 : i32
  %c128s = arith.constant dense<128> : tensor<64xi32, #line>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
  %first = arith.muli %tile, %c64 : i32
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #line>
  %columns = arith.addi %firsts, %range : tensor<64xi32, #line>
  %groups = arith.divsi %columns, %c128s : tensor<64xi32, #line>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #line>
  %lp = tt.addptr %bases, %groups : tensor<64x!tt.ptr<f32>, #line>, tensor<64xi32, #line>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %l = tt.load %lp : tensor<64x!tt.ptr<f32>, #line>
    %g = ttg.convert_layout %l : tensor<64xf32, #line> -> !columns
    %g1 = tt.expand_dims %g {axis = 0 : i32} : !columns -> tensor<1x64xf32, #mma>
    %gs = tt.broadcast %g1 : tensor<1x64xf32, #mma> -> !acc
    %y = arith.mulf %x, %gs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: All three scales are multiplied, in their order.
// CHECK-LABEL: @three_factors
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK-NOT:       arith.mulf
// CHECK:           %[[NUMBER:.*]] = tt.splat %{{.*}} : f32 -> tensor<64x64xf32, #mma>
// CHECK-NOT:       arith.mulf
// CHECK:           %[[GROUP:.*]] = tt.broadcast %{{.*}} : tensor<1x64xf32, #mma>
// CHECK-NEXT:      %[[TWO:.*]] = arith.mulf %[[ROWS]], %[[NUMBER]]
// CHECK-NEXT:      %[[THREE:.*]] = arith.mulf %[[TWO]], %[[GROUP]]
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[W]]#0, %[[THREE]]
// CHECK-NEXT:      arith.addf %{{.*}}, %[[Y]]
// REMARK:      remark: reassociate-scales: the scales are multiplied by each other first
tt.func @three_factors(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %tile: i32, %base: !tt.ptr<f32>, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %c64 = arith.constant 64 : i32
  %c128s = arith.constant dense<128> : !numbers
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : !numbers
  %first = arith.muli %tile, %c64 : i32
  %firsts = tt.splat %first : i32 -> !numbers
  %columns = arith.addi %firsts, %range : !numbers
  %groups = arith.divsi %columns, %c128s : !numbers
  %bases = tt.splat %base : !tt.ptr<f32> -> !column_ptrs
  %gp = tt.addptr %bases, %groups : !column_ptrs, !numbers
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %z = arith.mulf %x, %fs : !acc
    %g = tt.load %gp : !column_ptrs
    %g1 = tt.expand_dims %g {axis = 0 : i32} : !columns -> tensor<1x64xf32, #mma>
    %gs = tt.broadcast %g1 : tensor<1x64xf32, #mma> -> !acc
    %y = arith.mulf %z, %gs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The product of the scales gets the fast-math flags of the last product.
// CHECK-LABEL: @flags
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK:           %[[NUMBER:.*]] = tt.splat %{{.*}} : f32 -> tensor<64x64xf32, #mma>
// CHECK-NEXT:      arith.mulf %[[ROWS]], %[[NUMBER]] fastmath<nnan>
// REMARK:      remark: reassociate-scales: the scales are multiplied by each other first
tt.func @flags(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %y = arith.mulf %x, %fs fastmath<nnan> : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: The product of the first two scales is one value per row; with the third, it would be one per element of the
// COM: result.
// CHECK-LABEL: @columns_at_last
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait
// CHECK:           %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<64x1xf32, #mma>
// CHECK-NOT:       arith.mulf
// CHECK:           %[[NUMBER:.*]] = tt.splat %{{.*}} : f32 -> tensor<64x64xf32, #mma>
// CHECK-NEXT:      %[[SCALE:.*]] = arith.mulf %[[ROWS]], %[[NUMBER]]
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[W]]#0, %[[SCALE]]
// CHECK:           %[[COLUMNS:.*]] = tt.broadcast %{{.*}} : tensor<1x64xf32, #mma>
// CHECK-NEXT:      arith.mulf %[[Y]], %[[COLUMNS]]
// REMARK:      remark: reassociate-scales: the scales are multiplied by each other first
// REMARK-NOT:  remark
tt.func @columns_at_last(%a: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %cp: !column_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !b
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x = arith.mulf %done, %rs : !acc
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %z = arith.mulf %x, %fs : !acc
    %c = tt.load %cp : !column_ptrs
    %c1s = tt.expand_dims %c {axis = 0 : i32} : !columns -> tensor<1x64xf32, #mma>
    %cs = tt.broadcast %c1s : tensor<1x64xf32, #mma> -> !acc
    %y = arith.mulf %z, %cs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}
}
