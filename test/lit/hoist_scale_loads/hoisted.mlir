// RUN: dotload-opt %s --hoist-scale-loads --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Loops that copy B K-major.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#half = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 32]}>
#half_dot = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 4}>
#split = #ttg.linear<{register = [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 8], [0, 0, 0, 16], [0, 0, 0, 32]], lane = [[0, 0, 0, 2], [0, 0, 0, 4], [0, 0, 1, 0], [0, 0, 2, 0], [0, 0, 4, 0]], warp = [[1, 0, 0, 0], [2, 0, 0, 0]], block = []}>
#turned = #ttg.linear<{register = [[0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 8], [0, 0, 0, 16], [0, 0, 0, 32]], lane = [[0, 0, 0, 2], [0, 0, 0, 4], [0, 1, 0, 0], [0, 2, 0, 0], [0, 4, 0, 0]], warp = [[1, 0, 0, 0], [2, 0, 0, 0]], block = []}>
#pairs = #ttg.linear<{register = [[0, 1], [1, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}>
#raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#ka = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#half_raw = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16]]}, alignment = 16>
#half_runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0]], lane = [[16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = []}>
!a = tensor<64x64xf8E4M3FN, #dot>
!ka = !ttg.memdesc<64x64xf8E4M3FN, #ka, #smem, mutable>
!raw = !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem, mutable>
!runs = tensor<64x64xf8E4M3FN, #runs>
!acc = tensor<64x64xf32, #mma>
!rows = tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
!row_ptrs = tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
!columns = tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
!column_ptrs = tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
!numbers = tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
!row_numbers = tensor<64xi32, #ttg.slice<{dim = 1, parent = #mma}>>
!half_a = tensor<64x64xf8E4M3FN, #half_dot>
!half_raw = !ttg.memdesc<64x32xf8E4M3FN, #half_raw, #smem, mutable>
!half_b = !ttg.memdesc<64x32xf8E4M3FN, #bytes, #smem, mutable>
!half_runs = tensor<64x32xf8E4M3FN, #half_runs>
!half_acc = tensor<64x32xf32, #half>
!half_columns = tensor<32xf32, #ttg.slice<{dim = 0, parent = #half}>>
!half_column_ptrs = tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #half}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The load moves above the wait for tiles and the loads of the next tiles, together with its address computation.
// CHECK-LABEL: @rows
// CHECK:         scf.for
// CHECK-NEXT:      %[[GROUP:.*]] = arith.divsi
// CHECK-NEXT:      %[[STEPS:.*]] = tt.splat %[[GROUP]]
// CHECK-NEXT:      %[[P:.*]] = tt.addptr %{{.*}}, %[[STEPS]]
// CHECK-NEXT:      %[[ROWS:.*]] = tt.load %[[P]]
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      tt.expand_dims %[[ROWS]]
// REMARK:      remark: hoist-scale-loads: the loads of the scales are moved to the start of the iteration
tt.func @rows(%a: !raw, %raw: !raw, %b: !b, %n: i32, %rows: !row_ptrs, %tiles: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %to: !raw) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %c2 = arith.constant 2 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %group = arith.divsi %i, %c2 : i32
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %copied = ttg.async_copy_global_to_local %tiles, %to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %committed = ttg.async_commit_group tokens %copied
    %steps = tt.splat %group : i32 -> !row_numbers
    %rp = tt.addptr %rows, %steps : !row_ptrs, !row_numbers
    %r = tt.load %rp : !row_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %y = arith.mulf %done, %rs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: Loads after the wait for the dot move as well, and keep their order.
// CHECK-LABEL: @behind_the_wait
// CHECK:         scf.for
// CHECK-NEXT:      %[[ROWS:.*]] = tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1
// CHECK-NEXT:      %[[NUMBER:.*]] = tt.load %{{.*}} : !tt.ptr<f32>
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      tt.expand_dims %[[ROWS]]
// CHECK:           tt.splat %[[NUMBER]]
// REMARK:      remark: hoist-scale-loads: the loads of the scales are moved to the start of the iteration
tt.func @behind_the_wait(%a: !raw, %raw: !raw, %b: !b, %n: i32, %rp: !row_ptrs, %fp: !tt.ptr<f32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %r = tt.load %rp : !row_ptrs
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %x1 = arith.mulf %done, %rs : !acc
    %f = tt.load %fp : !tt.ptr<f32>
    %fs = tt.splat %f : f32 -> !acc
    %y = arith.mulf %x1, %fs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: Also if A is K-major in shared memory.
// CHECK-LABEL: @copy_only
// CHECK:         scf.for
// CHECK-NEXT:      %[[ROWS:.*]] = tt.load %
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK:           tt.expand_dims %[[ROWS]]
// REMARK:      remark: hoist-scale-loads: the loads of the scales are moved to the start of the iteration
tt.func @copy_only(%a: !ka, %raw: !raw, %b: !b, %n: i32, %rp: !row_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !ka * !b -> !acc
    %r = tt.load %rp : !row_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %y = arith.mulf %done, %rs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: A thread has 8 of 32 columns: there are enough registers for their scales.
// CHECK-LABEL: @eight_registers
// CHECK:         scf.for
// CHECK-NEXT:      tt.load %{{.*}} : tensor<32x!tt.ptr<f32>
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// REMARK:      remark: hoist-scale-loads: the loads of the scales are moved to the start of the iteration
tt.func @eight_registers(%a: !raw, %raw: !half_raw, %b: !half_b, %n: i32, %cp: !half_column_ptrs) -> !half_acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !half_acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!half_acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !half_a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !half_raw -> !half_runs
    ttg.local_store %bv, %b : !half_runs -> !half_b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !half_a * !half_b -> !half_acc
    %c = tt.load %cp : !half_column_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !half_acc
    %c1s = tt.expand_dims %c {axis = 0 : i32} : !half_columns -> tensor<1x32xf32, #half>
    %cs = tt.broadcast %c1s : tensor<1x32xf32, #half> -> !half_acc
    %y = arith.mulf %done, %cs : !half_acc
    %s = arith.addf %acc, %y : !half_acc
    scf.yield %s : !half_acc
  }
  tt.return %sum : !half_acc
}

// COM: A thread has 16 of 64 columns, but all have one scale: one register.
// CHECK-LABEL: @columns_of_one_group
// CHECK:         scf.for
// CHECK-NEXT:      tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// REMARK:      remark: hoist-scale-loads: the loads of the scales are moved to the start of the iteration
tt.func @columns_of_one_group(%a: !raw, %raw: !raw, %b: !b, %n: i32, %tile: i32, %base: !tt.ptr<f32>) -> !acc {
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
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %g = tt.load %gp : !column_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %g1 = tt.expand_dims %g {axis = 0 : i32} : !columns -> tensor<1x64xf32, #mma>
    %gs = tt.broadcast %g1 : tensor<1x64xf32, #mma> -> !acc
    %y = arith.mulf %done, %gs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: Scales with a layout conversion are loaded early; the conversion keeps its place.
// CHECK-LABEL: @converted
// CHECK:         scf.for
// CHECK-NEXT:      %[[LOADED:.*]] = tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #blocked
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      %[[COLUMNS:.*]] = ttg.convert_layout %[[LOADED]]
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      tt.expand_dims %[[COLUMNS]]
// REMARK:      remark: hoist-scale-loads: the loads of the scales are moved to the start of the iteration
tt.func @converted(%a: !raw, %raw: !raw, %b: !b, %n: i32, %lp: tensor<64x!tt.ptr<f32>, #line>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %l = tt.load %lp : tensor<64x!tt.ptr<f32>, #line>
    %c = ttg.convert_layout %l : tensor<64xf32, #line> -> !columns
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %c1s = tt.expand_dims %c {axis = 0 : i32} : !columns -> tensor<1x64xf32, #mma>
    %cs = tt.broadcast %c1s : tensor<1x64xf32, #mma> -> !acc
    %y = arith.mulf %done, %cs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}

// COM: Reads of A have permuted the rows: the scale is multiplied after the op that restores the order of the result's
// COM: rows.
// CHECK-LABEL: @rows_in_order
// CHECK:         scf.for
// CHECK-NEXT:      tt.load
// CHECK-NEXT:      ttg.async_wait
// CHECK:           ttng.warp_group_dot %
// REMARK:      remark: hoist-scale-loads: the loads of the scales are moved to the start of the iteration
// REMARK-NOT:  remark
tt.func @rows_in_order(%a: !raw, %raw: !raw, %b: !b, %n: i32, %rp: !row_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %av = ttg.local_load %a {dotload.staged = "fragments"} : !raw -> !a
    %bv = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !runs
    ttg.local_store %bv, %b : !runs -> !b
    %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %r = tt.load %rp : !row_ptrs
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %four = tt.reshape %done : !acc -> tensor<4x2x8x64xf32, #split>
    %turned = tt.trans %four {order = array<i32: 0, 2, 1, 3>} : tensor<4x2x8x64xf32, #split> -> tensor<4x8x2x64xf32, #turned>
    %pairs = tt.reshape %turned : tensor<4x8x2x64xf32, #turned> -> tensor<64x64xf32, #pairs>
    %in_order = ttg.convert_layout %pairs : tensor<64x64xf32, #pairs> -> !acc
    %r1 = tt.expand_dims %r {axis = 1 : i32} : !rows -> tensor<64x1xf32, #mma>
    %rs = tt.broadcast %r1 : tensor<64x1xf32, #mma> -> !acc
    %y = arith.mulf %in_order, %rs : !acc
    %s = arith.addf %acc, %y : !acc
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}
}
