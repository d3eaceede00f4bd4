// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' | FileCheck %s
// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --tritongpu-remove-layout-conversions | FileCheck %s --check-prefix=FREE

// COM: Dots that start from zero in each iteration and are scaled before they are added up, as in fp8 with block
// COM: scales. Rows may be permuted if the rest is elementwise, in any layout.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#flat = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Column-major A takes the register route. Its rows and those of the dot are permuted; Triton then computes the
// COM: rest in that layout, and only the sum is converted.
// CHECK-LABEL: @column_major_a_is_permuted
// CHECK:       scf.for
// CHECK:         builtin.unrealized_conversion_cast %{{.*}} to tensor<128x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0
// CHECK:         %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT:    tt.reshape %[[D]]
// CHECK-NEXT:    tt.trans
// CHECK-NEXT:    %[[RENAMED:.*]] = tt.reshape
// CHECK-NEXT:    ttg.convert_layout %[[RENAMED]]
// FREE-LABEL:  @column_major_a_is_permuted
// FREE:        scf.for
// FREE:          ttng.warp_group_dot
// FREE-NOT:      ttg.convert_layout {{.*}} tensor<128x128xf32
// FREE:          arith.addf {{.*}} : tensor<128x128xf32, #linear
// FREE:          scf.yield
// FREE:        ttg.convert_layout
tt.func @column_major_a_is_permuted(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %s0: !tt.ptr<f32>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %rows0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #flat>
  %s1 = tt.splat %s0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %sp = tt.addptr %s1, %rows0 : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked1>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %loaded = tt.load %sp : tensor<128x!tt.ptr<f32>, #flat>
    %s = ttg.convert_layout %loaded : tensor<128xf32, #flat> -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    %s2 = tt.expand_dims %s {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128x1xf32, #mma>
    %scale = tt.broadcast %s2 : tensor<128x1xf32, #mma> -> tensor<128x128xf32, #mma>
    %scaled = arith.mulf %d, %scale : tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %scaled : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  %c = ttg.convert_layout %r : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #rows>
  tt.store %cp, %c : tensor<128x128x!tt.ptr<f32>, #rows>
  tt.return
}

// COM: The load has as many elements as threads, and Triton does not repeat it in another layout.
// CHECK-LABEL: @a_scale_is_loaded_where_it_is_used
// CHECK:       ttg.local_store
// CHECK:       %[[D:.*]] = ttng.warp_group_dot
// CHECK-NOT:   tt.reshape
// CHECK:       arith.mulf
tt.func @a_scale_is_loaded_where_it_is_used(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %s0: !tt.ptr<f32>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %rows0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #mma}>>
  %s1 = tt.splat %s0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
  %sp = tt.addptr %s1, %rows0 : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>, tensor<128xi32, #ttg.slice<{dim = 1, parent = #mma}>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked1>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %s = tt.load %sp : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
    %s2 = tt.expand_dims %s {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128x1xf32, #mma>
    %scale = tt.broadcast %s2 : tensor<128x1xf32, #mma> -> tensor<128x128xf32, #mma>
    %scaled = arith.mulf %d, %scale : tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %scaled : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  %c = ttg.convert_layout %r : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #rows>
  tt.store %cp, %c : tensor<128x128x!tt.ptr<f32>, #rows>
  tt.return
}

// COM: Triton could bring these scales to another layout only by moving them between threads in each iteration.
// CHECK-LABEL: @a_scale_is_given
// CHECK:       ttg.local_store
// CHECK:       %[[D:.*]] = ttng.warp_group_dot
// CHECK-NOT:   tt.reshape
// CHECK:       arith.mulf
tt.func @a_scale_is_given(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %scale: tensor<128x128xf32, #mma>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked1>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %scaled = arith.mulf %d, %scale : tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %scaled : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  %c = ttg.convert_layout %r : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #rows>
  tt.store %cp, %c : tensor<128x128x!tt.ptr<f32>, #rows>
  tt.return
}

// COM: The scales are loaded as a column of two dims: Triton might convert the dot's result to their layout.
// CHECK-LABEL: @scales_come_as_a_column
// CHECK:       ttg.local_store
// CHECK:       %[[D:.*]] = ttng.warp_group_dot
// CHECK-NOT:   tt.reshape
// CHECK:       arith.mulf
tt.func @scales_come_as_a_column(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %sp: tensor<128x1x!tt.ptr<f32>, #rows>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked1>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %loaded = tt.load %sp : tensor<128x1x!tt.ptr<f32>, #rows>
    %s2 = ttg.convert_layout %loaded : tensor<128x1xf32, #rows> -> tensor<128x1xf32, #mma>
    %scale = tt.broadcast %s2 : tensor<128x1xf32, #mma> -> tensor<128x128xf32, #mma>
    %scaled = arith.mulf %d, %scale : tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %scaled : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  %c = ttg.convert_layout %r : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #rows>
  tt.store %cp, %c : tensor<128x128x!tt.ptr<f32>, #rows>
  tt.return
}

// COM: Row-major B would transpose the dot, and each thread would need the scales of as many rows as it has columns
// COM: now. So B is copied.
// CHECK-LABEL: @row_major_b_is_copied
// CHECK:       %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN
// CHECK:       scf.for
// CHECK:         %[[SLOT:.*]] = ttg.memdesc_index %[[RING]]
// CHECK:         ttg.local_store %{{.*}}, %[[SLOT]]
// CHECK:         %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %[[SLOT]]
// CHECK-NOT:     tt.reshape
// CHECK:         arith.mulf %[[D]]
tt.func @row_major_b_is_copied(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %s0: !tt.ptr<f32>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %rows0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #flat>
  %s1 = tt.splat %s0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %sp = tt.addptr %s1, %rows0 : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %loaded = tt.load %sp : tensor<128x!tt.ptr<f32>, #flat>
    %s = ttg.convert_layout %loaded : tensor<128xf32, #flat> -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    %s2 = tt.expand_dims %s {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128x1xf32, #mma>
    %scale = tt.broadcast %s2 : tensor<128x1xf32, #mma> -> tensor<128x128xf32, #mma>
    %scaled = arith.mulf %d, %scale : tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %scaled : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  %c = ttg.convert_layout %r : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #rows>
  tt.store %cp, %c : tensor<128x128x!tt.ptr<f32>, #rows>
  tt.return
}

// COM: Both operands are non-K-major: A takes the register route, and B is copied while the previous dot runs.
// CHECK-LABEL: @one_is_copied
// CHECK:           %[[COPY:.*]] = ttg.local_load %{{.*}} {dotload.staged = "copy"} : {{.*}} -> tensor<64x128xf8E4M3FN
// CHECK:           ttg.local_store %[[COPY]]
// CHECK:           ttg.local_load %{{.*}} {dotload.staged = "fragments"} : {{.*}} -> tensor<128x64xf8E4M3FN
// CHECK:           ttng.warp_group_dot %{{.*}} : tensor<128x64xf8E4M3FN, #ttg.dot_op<
tt.func @one_is_copied(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %s0: !tt.ptr<f32>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %rows0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #flat>
  %s1 = tt.splat %s0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %sp = tt.addptr %s1, %rows0 : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked1>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %loaded = tt.load %sp : tensor<128x!tt.ptr<f32>, #flat>
    %s = ttg.convert_layout %loaded : tensor<128xf32, #flat> -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    %s2 = tt.expand_dims %s {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128x1xf32, #mma>
    %scale = tt.broadcast %s2 : tensor<128x1xf32, #mma> -> tensor<128x128xf32, #mma>
    %scaled = arith.mulf %d, %scale : tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %scaled : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  %c = ttg.convert_layout %r : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #rows>
  tt.store %cp, %c : tensor<128x128x!tt.ptr<f32>, #rows>
  tt.return
}

// COM: A reduction over each row is not elementwise.
// CHECK-LABEL: @its_rows_are_summed_up
// CHECK:       ttg.local_store
// CHECK:       %[[D:.*]] = ttng.warp_group_dot
// CHECK-NOT:   tt.reshape
// CHECK:       tt.reduce
tt.func @its_rows_are_summed_up(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %s0: !tt.ptr<f32>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %rows0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #flat>
  %s1 = tt.splat %s0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %sp = tt.addptr %s1, %rows0 : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked1>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %rows = "tt.reduce"(%d) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<128x128xf32, #mma>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    %rows1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128x1xf32, #mma>
    %spread = tt.broadcast %rows1 : tensor<128x1xf32, #mma> -> tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %spread : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  %c = ttg.convert_layout %r : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #rows>
  tt.store %cp, %c : tensor<128x128x!tt.ptr<f32>, #rows>
  tt.return
}

// COM: Nor is a reduction of the sum, one iteration later.
// CHECK-LABEL: @the_sum_is_used_otherwise
// CHECK:       ttg.local_store
// CHECK:       %[[D:.*]] = ttng.warp_group_dot
// CHECK-NOT:   tt.reshape
// CHECK:       arith.addf
tt.func @the_sum_is_used_otherwise(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %s0: !tt.ptr<f32>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %rows0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #flat>
  %s1 = tt.splat %s0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %sp = tt.addptr %s1, %rows0 : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked1>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %rows = "tt.reduce"(%acc) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<128x128xf32, #mma>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    %stored = ttg.convert_layout %rows : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128xf32, #flat>
    tt.store %sp, %stored : tensor<128x!tt.ptr<f32>, #flat>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %d : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  %c = ttg.convert_layout %r : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #rows>
  tt.store %cp, %c : tensor<128x128x!tt.ptr<f32>, #rows>
  tt.return
}

// COM: Two dots of one loop are added, and each would have its own layout.
// CHECK-LABEL: @two_are_added
// CHECK:       ttng.warp_group_dot
// CHECK-NOT:   tt.reshape
// CHECK:       ttng.warp_group_dot
// CHECK:       arith.addf
tt.func @two_are_added(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %other: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %s0: !tt.ptr<f32>, %n: i32, %cp: tensor<128x128x!tt.ptr<f32>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %rows0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #flat>
  %s1 = tt.splat %s0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %sp = tt.addptr %s1, %rows0 : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked1>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked1>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %e = ttng.warp_group_dot %other, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %both = arith.addf %d, %e : tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %both : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  %c = ttg.convert_layout %r : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #rows>
  tt.store %cp, %c : tensor<128x128x!tt.ptr<f32>, #rows>
  tt.return
}
}
