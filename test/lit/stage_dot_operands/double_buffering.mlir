// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' | FileCheck %s
// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s --check-prefix=UNKNOWN

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#narrow = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: K-major copies are double-buffered, so a copy is made while the previous dot runs. Triton's pipeliner would not
// COM: see that the load feeds a dot, so the pass sets its latency: one tile more than 3 stages give, since all tiles
// COM: fit. The loop is guarded by a condition, so that ptxas finds no path around it with wgmma in flight.
// CHECK-LABEL: @copies_alternate
// CHECK:       %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #[[K:.*]], #smem, mutable>
// CHECK:       scf.if
// CHECK:         scf.for %[[I:.*]] = %[[LB:.*]] to %{{.*}} step %[[STEP:.*]] iter_args
// CHECK:           %[[B:.*]] = tt.load {{.*}} {tt.latency = 3 : i32}
// CHECK:           %[[RAW:.*]] = ttg.local_alloc %[[B]]
// CHECK:           %[[R:.*]] = ttg.local_load %[[RAW]]
// CHECK:           %[[FROM:.*]] = arith.subi %[[I]], %[[LB]]
// CHECK:           %[[COUNT:.*]] = arith.divui %[[FROM]], %[[STEP]]
// CHECK:           %[[PHASE:.*]] = arith.andi %[[COUNT]]
// CHECK:           %[[SLOT:.*]] = ttg.memdesc_index %[[RING]][%[[PHASE]]]
// CHECK-NEXT:      ttg.local_store %[[R]], %[[SLOT]]
// CHECK:           ttng.fence_async_shared
// CHECK:           ttng.warp_group_dot %{{.*}}, %[[SLOT]]
// CHECK:       ttg.local_dealloc %[[RING]]
// COM: The number of stages is an option, which the plugin passes on. Without it, the loop keeps one buffer, and
// COM: Triton's pipeliner decides.
// UNKNOWN-LABEL: @copies_alternate
// UNKNOWN-NOT:   tt.latency
// UNKNOWN:       %[[R:.*]] = ttg.local_load
// UNKNOWN:       ttg.local_alloc %[[R]]
tt.func @copies_alternate(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %scaled = arith.mulf %acc, %scale : tensor<128x128xf32, #mma>
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %scaled {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: The loop also carries a tensor of i1 with the accumulator's layout. It is not forwarded by the wait, since
// COM: Triton cannot lower a wait for i1.
// CHECK-LABEL: @carries_bits_too
// CHECK:       %[[GUARDED:.*]]:2 = scf.if
// CHECK:         ttng.warp_group_dot
// CHECK:       %[[SUM:.*]] = ttng.warp_group_dot_wait %[[GUARDED]]#0 {pendings = 0 : i32}
// CHECK:       tt.return %[[SUM]], %[[GUARDED]]#1
tt.func @carries_bits_too(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> (tensor<128x128xf32, #mma>, tensor<128x128xi1, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %none = arith.constant dense<false> : tensor<128x128xi1, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %above = %none) -> (tensor<128x128xf32, #mma>, tensor<128x128xi1, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %is_above = arith.cmpf ogt, %d, %zero : tensor<128x128xf32, #mma>
    %seen = arith.ori %above, %is_above : tensor<128x128xi1, #mma>
    scf.yield %d, %seen : tensor<128x128xf32, #mma>, tensor<128x128xi1, #mma>
  }
  tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, tensor<128x128xi1, #mma>
}

// COM: The loop has no result, so no dot is in flight after it: it needs no guard.
// CHECK-LABEL: @carries_nothing
// CHECK-NOT:   scf.if
// CHECK:       scf.for
// CHECK:         ttg.local_store
// CHECK:         ttng.warp_group_dot
// CHECK:       tt.return
tt.func @carries_nothing(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %dp: tensor<128x128x!tt.ptr<f32>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    tt.store %dp, %d : tensor<128x128x!tt.ptr<f32>, #mma>
  }
  tt.return
}

// COM: Two dots of one loop are guarded by one condition, and both accumulators are permuted back after it.
// CHECK-LABEL: @two_dots
// CHECK:       %[[GUARDED:.*]]:2 = scf.if
// CHECK-NEXT:    %[[SUMS:.*]]:2 = scf.for
// CHECK-NOT:     scf.if
// CHECK:         scf.yield %[[SUMS]]#0, %[[SUMS]]#1
// CHECK:       %[[WAITED:.*]]:2 = ttng.warp_group_dot_wait %[[GUARDED]]#0, %[[GUARDED]]#1 {pendings = 0 : i32}
// CHECK-DAG:   tt.reshape %[[WAITED]]#0
// CHECK-DAG:   tt.reshape %[[WAITED]]#1
tt.func @two_dots(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %cp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<128x64xf32, #narrow> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #narrow>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero) -> (tensor<128x64xf32, #narrow>, tensor<128x64xf32, #narrow>) : i32 {
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem> -> tensor<128x64xf32, #narrow>
    %c = tt.load %cp : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>
    %cs = ttg.local_alloc %c : (tensor<64x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem>
    %e = ttng.warp_group_dot %as, %cs, %gate {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x64xf8E4M3FN, #shared1, #smem> -> tensor<128x64xf32, #narrow>
    scf.yield %d, %e : tensor<128x64xf32, #narrow>, tensor<128x64xf32, #narrow>
  }
  %gated = arith.mulf %r#0, %r#1 : tensor<128x64xf32, #narrow>
  tt.return %gated : tensor<128x64xf32, #narrow>
}

// COM: A scale is loaded for the result of the dot. The pipeliner need not find this load, and it may be loaded element
// COM: by element.
// CHECK-LABEL: @scales_are_loaded_too
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x128x!tt.ptr<f8E4M3FN>
// CHECK:       ttg.local_store
// CHECK:       tt.load {{.*}} : tensor<128x!tt.ptr<f32>
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @scales_are_loaded_too(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %sp: tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %s = tt.load %sp : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
    %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128x1xf32, #mma>
    %scale = tt.broadcast %s1 : tensor<128x1xf32, #mma> -> tensor<128x128xf32, #mma>
    %scaled = arith.mulf %d, %scale : tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %scaled : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: A converted tile takes shared memory as well. Another tile in flight would keep a second block of 4 warps out.
// CHECK-LABEL: @a_tile_is_converted
// CHECK:       tt.load {{.*}} {tt.latency = 2 : i32} : tensor<64x128x!tt.ptr<f8E4M3FN>
// CHECK:       tt.return
tt.func @a_tile_is_converted(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %sp: tensor<128x128x!tt.ptr<f64>, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %s = tt.load %sp : tensor<128x128x!tt.ptr<f64>, #blocked>
    %converted = ttg.convert_layout %s : tensor<128x128xf64, #blocked> -> tensor<128x128xf64, #mma>
    %scale = arith.truncf %converted : tensor<128x128xf64, #mma> to tensor<128x128xf32, #mma>
    %scaled = arith.mulf %d, %scale : tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %scaled : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: The loaded index is part of the tile's address. The tile's copy has one buffer; see through_an_index.mlir.
// CHECK-LABEL: @rows_are_looked_up
// CHECK-NOT:   !ttg.memdesc<2x64x128
// CHECK:       tt.return
tt.func @rows_are_looked_up(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %rows1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %offsets = tt.broadcast %rows1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %at = tt.addptr %bp, %offsets : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %at : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %sum = arith.addf %acc, %d : tensor<128x128xf32, #mma>
    scf.yield %sum : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: A is scaled by a vector, such as scales of tokens, which is loaded as far ahead as the tile.
// CHECK-LABEL: @beside_a_line
// CHECK:       !ttg.memdesc<2x64x128xf8E4M3FN
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<128x!tt.ptr<f32>
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x128x!tt.ptr<f8E4M3FN>
tt.func @beside_a_line(%x: tensor<128x64xf32, #blocked>, %lp: tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %scaled = arith.mulf %acc, %scale : tensor<128x128xf32, #mma>
    %line = tt.load %lp : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %line1 = tt.expand_dims %line {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<128x1xf32, #blocked>
    %lines = tt.broadcast %line1 : tensor<128x1xf32, #blocked> -> tensor<128x64xf32, #blocked>
    %y = arith.mulf %x, %lines : tensor<128x64xf32, #blocked>
    %a = tt.fp_to_fp %y, rounding = rtne : tensor<128x64xf32, #blocked> -> tensor<128x64xf8E4M3FN, #blocked>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %scaled {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: The mask depends on k only, so 16 bytes of consecutive n are masked as a whole, and asynchronous copies are
// COM: possible.
// CHECK-LABEL: @masked_along_k
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32}
// CHECK:       ttg.local_store
tt.func @masked_along_k(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %rows: tensor<64x1xi1, #blocked>, %scale: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %scaled = arith.mulf %acc, %scale : tensor<128x128xf32, #mma>
    %mask = tt.broadcast %rows : tensor<64x1xi1, #blocked> -> tensor<64x128xi1, #blocked>
    %b = tt.load %bp, %mask : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %scaled {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: The mask may change from one n to the next: the pass sets no latency, and Triton's pipeliner decides.
// CHECK-LABEL: @masked_along_n
// CHECK-NOT:   tt.latency
// CHECK-NOT:   ttg.local_store
// CHECK:       tt.return
tt.func @masked_along_n(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %columns: tensor<1x128xi1, #blocked>, %scale: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %scaled = arith.mulf %acc, %scale : tensor<128x128xf32, #mma>
    %mask = tt.broadcast %columns : tensor<1x128xi1, #blocked> -> tensor<64x128xi1, #blocked>
    %b = tt.load %bp, %mask : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %scaled {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}
}
