// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --split-input-file | FileCheck %s
// RUN: dotload-opt %s --stage-dot-operands='num-stages=5' --split-input-file | FileCheck %s --check-prefix=FIVE

// COM: How far ahead a loop loads. K-major copies are made one iteration ahead if three tiles are in flight, one more
// COM: than 3 stages give.

#col = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 8], order = [0, 1]}>
#row = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#columns = #ttg.slice<{dim = 0, parent = #row}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A block of 8 warps takes all registers of the multiprocessor, so it may take all shared memory as well. With 5
// COM: stages, four tiles and two copies fit.
// CHECK-LABEL: @both_operands
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 3 : i32}
// FIVE-LABEL:  @both_operands
// FIVE-COUNT-2:  tt.load {{.*}} {tt.latency = 4 : i32}
tt.func @both_operands(%ap: tensor<128x128x!tt.ptr<f8E4M3FN>, #col>, %bp: tensor<128x128x!tt.ptr<f8E4M3FN>, #row>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x128x!tt.ptr<f8E4M3FN>, #col>
    %as = ttg.local_alloc %a : (tensor<128x128xf8E4M3FN, #col>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem>
    %b = tt.load %bp : tensor<128x128x!tt.ptr<f8E4M3FN>, #row>
    %bs = ttg.local_alloc %b : (tensor<128x128xf8E4M3FN, #row>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem> * !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: A is K-major and wgmma reads it in place. Triton waits for each i32 dot unless the loop is skewed.
// CHECK-LABEL: @integers
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 3 : i32}
// FIVE-LABEL:  @integers
// FIVE-NOT:      tt.latency
// FIVE:        tt.return
tt.func @integers(%ap: tensor<128x128x!tt.ptr<i8>, #row>, %bp: tensor<128x128x!tt.ptr<i8>, #row>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xi32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x128x!tt.ptr<i8>, #row>
    %as = ttg.local_alloc %a : (tensor<128x128xi8, #row>) -> !ttg.memdesc<128x128xi8, #shared, #smem>
    %b = tt.load %bp : tensor<128x128x!tt.ptr<i8>, #row>
    %bs = ttg.local_alloc %b : (tensor<128x128xi8, #row>) -> !ttg.memdesc<128x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x128xi8, #shared, #smem> * !ttg.memdesc<128x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    scf.yield %d : tensor<128x128xi32, #mma>
  }
  tt.return %r : tensor<128x128xi32, #mma>
}

// COM: Triton's pipeliner takes one more buffer for a tile that wgmma reads in place, but not if the tile has another
// COM: use: loaded ahead, A would be overwritten while the dot reads it.
// CHECK-LABEL: @read_in_place_and_otherwise
// CHECK-NOT:     tt.latency
// CHECK:       tt.return
tt.func @read_in_place_and_otherwise(%ap: tensor<128x128x!tt.ptr<i8>, #row>, %bp: tensor<128x128x!tt.ptr<i8>, #row>, %n: i32) -> (tensor<128x128xi32, #mma>, tensor<128x128xi8, #row>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %none = arith.constant dense<0> : tensor<128x128xi8, #row>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %all = %none) -> (tensor<128x128xi32, #mma>, tensor<128x128xi8, #row>) : i32 {
    %a = tt.load %ap : tensor<128x128x!tt.ptr<i8>, #row>
    %as = ttg.local_alloc %a : (tensor<128x128xi8, #row>) -> !ttg.memdesc<128x128xi8, #shared, #smem>
    %b = tt.load %bp : tensor<128x128x!tt.ptr<i8>, #row>
    %bs = ttg.local_alloc %b : (tensor<128x128xi8, #row>) -> !ttg.memdesc<128x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xi8, #shared, #smem> * !ttg.memdesc<128x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %o = arith.ori %all, %a : tensor<128x128xi8, #row>
    scf.yield %d, %o : tensor<128x128xi32, #mma>, tensor<128x128xi8, #row>
  }
  tt.return %r#0, %r#1 : tensor<128x128xi32, #mma>, tensor<128x128xi8, #row>
}

// COM: Nor does it see through a view that two dots take.
// CHECK-LABEL: @a_view_of_two_dots
// CHECK-NOT:     tt.latency
// CHECK:       tt.return
tt.func @a_view_of_two_dots(%ap: tensor<128x128x!tt.ptr<i8>, #col>, %bp: tensor<128x128x!tt.ptr<i8>, #row>, %ep: tensor<128x128x!tt.ptr<i8>, #row>, %n: i32) -> (tensor<128x128xi32, #mma>, tensor<128x128xi32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %zero) -> (tensor<128x128xi32, #mma>, tensor<128x128xi32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x128x!tt.ptr<i8>, #col>
    %as = ttg.local_alloc %a : (tensor<128x128xi8, #col>) -> !ttg.memdesc<128x128xi8, #shared1, #smem>
    %at = ttg.memdesc_trans %as {order = array<i32: 1, 0>} : !ttg.memdesc<128x128xi8, #shared1, #smem> -> !ttg.memdesc<128x128xi8, #shared, #smem>
    %b = tt.load %bp : tensor<128x128x!tt.ptr<i8>, #row>
    %bs = ttg.local_alloc %b : (tensor<128x128xi8, #row>) -> !ttg.memdesc<128x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %at, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xi8, #shared, #smem> * !ttg.memdesc<128x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %e = tt.load %ep : tensor<128x128x!tt.ptr<i8>, #row>
    %es = ttg.local_alloc %e : (tensor<128x128xi8, #row>) -> !ttg.memdesc<128x128xi8, #shared1, #smem>
    %f = ttng.warp_group_dot %at, %es, %sum {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xi8, #shared, #smem> * !ttg.memdesc<128x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    scf.yield %d, %f : tensor<128x128xi32, #mma>, tensor<128x128xi32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<128x128xi32, #mma>, tensor<128x128xi32, #mma>
}

// COM: The loop carries the columns of B from the last iteration, zeros at first, as after Triton's loop flattening.
// COM: Triton does not see that they are consecutive, and would pipeline the load through registers.
// CHECK-LABEL: @columns_begin_anywhere
// CHECK-NOT:     tt.latency
// CHECK:       tt.return
tt.func @columns_begin_anywhere(%ap: tensor<128x128x!tt.ptr<i8>, #row>, %b: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %first = arith.constant dense<0> : tensor<128xi32, #columns>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #columns>
  %bases = tt.splat %b : !tt.ptr<i8> -> tensor<128x128x!tt.ptr<i8>, #row>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %now = %first) -> (tensor<128x128xi32, #mma>, tensor<128xi32, #columns>) : i32 {
    %line = tt.expand_dims %now {axis = 0 : i32} : tensor<128xi32, #columns> -> tensor<1x128xi32, #row>
    %lines = tt.broadcast %line : tensor<1x128xi32, #row> -> tensor<128x128xi32, #row>
    %bp = tt.addptr %bases, %lines : tensor<128x128x!tt.ptr<i8>, #row>, tensor<128x128xi32, #row>
    %at = arith.muli %i, %c128 : i32
    %from = tt.splat %at : i32 -> tensor<128xi32, #columns>
    %next = arith.addi %from, %range : tensor<128xi32, #columns>
    %a = tt.load %ap : tensor<128x128x!tt.ptr<i8>, #row>
    %as = ttg.local_alloc %a : (tensor<128x128xi8, #row>) -> !ttg.memdesc<128x128xi8, #shared, #smem>
    %w = tt.load %bp : tensor<128x128x!tt.ptr<i8>, #row>
    %bs = ttg.local_alloc %w : (tensor<128x128xi8, #row>) -> !ttg.memdesc<128x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x128xi8, #shared, #smem> * !ttg.memdesc<128x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    scf.yield %d, %next : tensor<128x128xi32, #mma>, tensor<128xi32, #columns>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: The same with columns that are visibly consecutive.
// CHECK-LABEL: @columns_follow_on
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 3 : i32}
tt.func @columns_follow_on(%ap: tensor<128x128x!tt.ptr<i8>, #row>, %b: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %first = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #columns>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #columns>
  %bases = tt.splat %b : !tt.ptr<i8> -> tensor<128x128x!tt.ptr<i8>, #row>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %now = %first) -> (tensor<128x128xi32, #mma>, tensor<128xi32, #columns>) : i32 {
    %line = tt.expand_dims %now {axis = 0 : i32} : tensor<128xi32, #columns> -> tensor<1x128xi32, #row>
    %lines = tt.broadcast %line : tensor<1x128xi32, #row> -> tensor<128x128xi32, #row>
    %bp = tt.addptr %bases, %lines : tensor<128x128x!tt.ptr<i8>, #row>, tensor<128x128xi32, #row>
    %at = arith.muli %i, %c128 : i32
    %from = tt.splat %at : i32 -> tensor<128xi32, #columns>
    %next = arith.addi %from, %range : tensor<128xi32, #columns>
    %a = tt.load %ap : tensor<128x128x!tt.ptr<i8>, #row>
    %as = ttg.local_alloc %a : (tensor<128x128xi8, #row>) -> !ttg.memdesc<128x128xi8, #shared, #smem>
    %w = tt.load %bp : tensor<128x128x!tt.ptr<i8>, #row>
    %bs = ttg.local_alloc %w : (tensor<128x128xi8, #row>) -> !ttg.memdesc<128x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x128xi8, #shared, #smem> * !ttg.memdesc<128x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    scf.yield %d, %next : tensor<128x128xi32, #mma>, tensor<128xi32, #columns>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: For these dots, Triton itself leaves a part in flight.
// CHECK-LABEL: @floats
// CHECK-NOT:     tt.latency
// CHECK:       tt.return
tt.func @floats(%ap: tensor<128x128x!tt.ptr<f8E4M3FN>, #row>, %bp: tensor<128x128x!tt.ptr<f8E4M3FN>, #row>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x128x!tt.ptr<f8E4M3FN>, #row>
    %as = ttg.local_alloc %a : (tensor<128x128xf8E4M3FN, #row>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem>
    %b = tt.load %bp : tensor<128x128x!tt.ptr<f8E4M3FN>, #row>
    %bs = ttg.local_alloc %b : (tensor<128x128xf8E4M3FN, #row>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem> * !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: The kernel accumulates its fp8 dot in f32 every 64 k. Triton's pipeliner splits dots with A in registers and
// COM: drops that property, so A stays in shared memory.
// CHECK-LABEL: @sums_in_steps
// CHECK:         ttng.warp_group_dot {{.*}} maxNumImpreciseAcc = 64 : i32} : !ttg.memdesc
tt.func @sums_in_steps(%ap: tensor<128x128x!tt.ptr<f8E4M3FN>, #row>, %bp: tensor<128x128x!tt.ptr<f8E4M3FN>, #row>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x128x!tt.ptr<f8E4M3FN>, #row>
    %as = ttg.local_alloc %a : (tensor<128x128xf8E4M3FN, #row>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem>
    %b = tt.load %bp : tensor<128x128x!tt.ptr<f8E4M3FN>, #row>
    %bs = ttg.local_alloc %b : (tensor<128x128xf8E4M3FN, #row>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 64 : i32} : !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem> * !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}
}

// -----

#col = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#row = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Two blocks of 4 warps share the registers; a third tile would keep the second block out.
// CHECK-LABEL: @both_operands_of_four_warps
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 2 : i32}
tt.func @both_operands_of_four_warps(%ap: tensor<128x128x!tt.ptr<f8E4M3FN>, #col>, %bp: tensor<128x128x!tt.ptr<f8E4M3FN>, #row>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x128x!tt.ptr<f8E4M3FN>, #col>
    %as = ttg.local_alloc %a : (tensor<128x128xf8E4M3FN, #col>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem>
    %b = tt.load %bp : tensor<128x128x!tt.ptr<f8E4M3FN>, #row>
    %bs = ttg.local_alloc %b : (tensor<128x128xf8E4M3FN, #row>) -> !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x128xf8E4M3FN, #shared, #smem> * !ttg.memdesc<128x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 4], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:89", "ttg.threads-per-warp" = 32 : i32} {

// COM: A block of this GPU has 99 KB of shared memory: two tiles of A and B, 48 KB together, have room, three have not.
// CHECK-LABEL: @less_memory_than_on_hopper
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 2 : i32}
tt.func @less_memory_than_on_hopper(%ap: tensor<256x128x!tt.ptr<i8>, #blocked>, %bp: tensor<128x128x!tt.ptr<i8>, #blocked>, %cp: tensor<256x128x!tt.ptr<i32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<256x128xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<256x128xi32, #mma>) : i32 {
    %a = tt.load %ap : tensor<256x128x!tt.ptr<i8>, #blocked>
    %ao = ttg.convert_layout %a : tensor<256x128xi8, #blocked> -> tensor<256x128xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %b = tt.load %bp : tensor<128x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<128x128xi8, #blocked> -> tensor<128x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %ao, %bo, %acc : tensor<256x128xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<128x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<256x128xi32, #mma>
    scf.yield %d : tensor<256x128xi32, #mma>
  }
  tt.store %cp, %r : tensor<256x128x!tt.ptr<i32>, #mma>
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {

// COM: Registers allow three blocks of 4 warps. Three tiles of A and B, 12 KB together, would leave room for two blocks.
// CHECK-LABEL: @a_block_more
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 2 : i32}
tt.func @a_block_more(%ap: tensor<128x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %cp: tensor<128x64x!tt.ptr<i32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x64xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xi32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<i8>, #blocked>
    %ao = ttg.convert_layout %a : tensor<128x64xi8, #blocked> -> tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x64xi8, #blocked> -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %ao, %bo, %acc : tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<128x64xi32, #mma>
    scf.yield %d : tensor<128x64xi32, #mma>
  }
  tt.store %cp, %r : tensor<128x64x!tt.ptr<i32>, #mma>
  tt.return
}
}
