// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' | FileCheck %s

// COM: A tile that several dots read, or one dot as both operands, is read into registers once, or copied K-major once,
// COM: for all uses that need it so.

#blocked = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#imma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#mma1 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#wide1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Dots that differ only in B take A from the same registers.
// CHECK-LABEL: @two_dots
// CHECK-NOT:   ttg.local_store
// CHECK:       scf.for
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor<128x64xf8E4M3FN
// CHECK:         %[[READ:.*]] = ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK:         %[[A:.*]] = builtin.unrealized_conversion_cast %[[READ]]
// CHECK-NOT:     ttg.local_load
// CHECK:         ttng.warp_group_dot %[[A]], %{{[^,]*}}, %[[ACC:[^ ]*]] {
// CHECK-NEXT:    ttng.warp_group_dot %[[A]]
// CHECK:         scf.yield
// COM: The rows of both results are permuted back.
// CHECK-COUNT-2: tt.trans
// CHECK:       tt.return
tt.func @two_dots(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %cs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %n: i32) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %e = ttng.warp_group_dot %as, %cs, %gate {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d, %e : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
}

// COM: Triton waits for each integer dot with A in registers, so both dots read one copy. One fence and barrier before
// COM: the first dot serve both.
// CHECK-LABEL: @two_dots_of_integers
// CHECK:       %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xi8
// CHECK:       scf.for
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor<128x64xi8
// CHECK:         %[[A:.*]] = ttg.local_load %[[RAW]]
// CHECK:         %[[SLOT:.*]] = ttg.memdesc_index %[[RING]]
// CHECK-NEXT:    ttg.local_store %[[A]], %[[SLOT]]
// CHECK-NOT:     ttg.local_alloc
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    ttng.warp_group_dot %[[SLOT]], %{{.*}}, %[[ACC:.*]] {
// CHECK-NOT:     ttng.fence_async_shared
// CHECK:         ttng.warp_group_dot %[[SLOT]]
tt.func @two_dots_of_integers(%ap: tensor<128x64x!tt.ptr<i8>, #blocked>, %bs: !ttg.memdesc<64x128xi8, #shared1, #smem>, %cs: !ttg.memdesc<64x128xi8, #shared1, #smem>, %n: i32) -> (tensor<128x128xi32, #imma>, tensor<128x128xi32, #imma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #imma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero) -> (tensor<128x128xi32, #imma>, tensor<128x128xi32, #imma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<i8>, #blocked>
    %as = ttg.local_alloc %a : (tensor<128x64xi8, #blocked>) -> !ttg.memdesc<128x64xi8, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #imma>
    %e = ttng.warp_group_dot %as, %cs, %gate {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #imma>
    scf.yield %d, %e : tensor<128x128xi32, #imma>, tensor<128x128xi32, #imma>
  }
  tt.return %r#0, %r#1 : tensor<128x128xi32, #imma>, tensor<128x128xi32, #imma>
}

// COM: The loop uses one of the accumulators, so its rows cannot be permuted: both dots read the copy.
// CHECK-LABEL: @two_dots_one_rescaled
// CHECK:         ttg.local_store %{{.*}}, %[[SLOT:.*]] :
// CHECK:         ttng.warp_group_dot %[[SLOT]]
// CHECK:         ttng.warp_group_dot %[[SLOT]]
tt.func @two_dots_one_rescaled(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %cs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %n: i32) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %e = ttng.warp_group_dot %as, %cs, %gate {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %f = math.absf %e : tensor<128x128xf32, #mma>
    scf.yield %d, %f : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
}

// COM: The first dot is in a branch; the fence stands before the branch.
// CHECK-LABEL: @dots_in_two_blocks
// CHECK:       scf.for
// CHECK:         ttg.local_store %{{.*}}, %[[SLOT:.*]] :
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      ttng.warp_group_dot %[[SLOT]]
// CHECK-NOT:     ttng.fence_async_shared
// CHECK:         ttng.warp_group_dot %[[SLOT]]
tt.func @dots_in_two_blocks(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %n: i32, %wanted: i1) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %gate = %zero) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %d = scf.if %wanted -> (tensor<128x128xf32, #mma>) {
      %sum = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %sum : tensor<128x128xf32, #mma>
    } else {
      scf.yield %acc : tensor<128x128xf32, #mma>
    }
    %e = ttng.warp_group_dot %as, %bs, %gate {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d, %e : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
}

// COM: An inner loop whose dots all read a tile of the outer loop waits for them at its end: one buffer is enough.
// CHECK-LABEL: @dots_of_an_inner_loop
// CHECK-NOT:   ttg.local_store
// CHECK:       %[[A:.*]] = ttg.local_load
// CHECK:       %[[COPY:.*]] = ttg.local_alloc %[[A]]
// CHECK:       scf.for
// CHECK:         ttng.warp_group_dot %[[COPY]]
tt.func @dots_of_an_inner_loop(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %n: i32, %scale: tensor<128x128xf32, #mma>) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %outer) -> (tensor<128x128xf32, #mma>) : i32 {
      %scaled = arith.mulf %acc, %scale : tensor<128x128xf32, #mma>
      %d = ttng.warp_group_dot %as, %bs, %scaled {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    scf.yield %s : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: A tile times its own transpose: views of the copy replace views of the tile.
// CHECK-LABEL: @both_operands
// CHECK:       %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor<128x64xf8E4M3FN
// CHECK:       %[[A:.*]] = ttg.local_load %[[RAW]]
// CHECK-NOT:   ttg.local_load
// CHECK:       %[[COPY:.*]] = ttg.local_alloc %[[A]]
// CHECK-NOT:   ttg.local_alloc
// CHECK:       %[[T:.*]] = ttg.memdesc_trans %[[COPY]]
// CHECK:       ttng.warp_group_dot %[[COPY]], %[[T]]
tt.func @both_operands(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
  %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
  %t = ttg.memdesc_trans %as {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %t, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  tt.return %d : tensor<128x128xf32, #mma>
}

// COM: One dot reads the tile in its global order, the other K-major, as in attention where V is K. The copy is read
// COM: from the first dot's memory, right after the load.
// CHECK-LABEL: @in_either_order
// CHECK:       %[[B:.*]] = tt.load
// CHECK-NEXT:  %[[RAW:.*]] = ttg.local_alloc %[[B]]
// CHECK-NOT:   ttg.local_alloc %[[B]]
// CHECK:       %[[R:.*]] = ttg.local_load %[[RAW]]
// CHECK:       %[[COPY:.*]] = ttg.local_alloc %[[R]]
// CHECK:       ttng.warp_group_dot %{{.*}}, %[[COPY]]
// CHECK:       %[[T:.*]] = ttg.memdesc_trans %[[RAW]]
// CHECK:       ttng.warp_group_dot %{{.*}}, %[[T]]
tt.func @in_either_order(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %ps: !ttg.memdesc<128x128xf8E4M3FN, #wide, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked1>) -> (tensor<128x128xf32, #mma>, tensor<128x64xf32, #mma1>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %zero1 = arith.constant dense<0.0> : tensor<128x64xf32, #mma1>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked1>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked1>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %raw = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked1>) -> !ttg.memdesc<64x128xf8E4M3FN, #wide, #smem>
  %t = ttg.memdesc_trans %raw {order = array<i32: 1, 0>} : !ttg.memdesc<64x128xf8E4M3FN, #wide, #smem> -> !ttg.memdesc<128x64xf8E4M3FN, #wide1, #smem>
  %e = ttng.warp_group_dot %ps, %t, %zero1 {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x128xf8E4M3FN, #wide, #smem> * !ttg.memdesc<128x64xf8E4M3FN, #wide1, #smem> -> tensor<128x64xf32, #mma1>
  tt.return %d, %e : tensor<128x128xf32, #mma>, tensor<128x64xf32, #mma1>
}

// COM: The tile in its global order is allocated in a branch, so the copy cannot be read from it.
// CHECK-LABEL: @in_either_order_sometimes
// CHECK:       %[[B:.*]] = tt.load
// CHECK-NEXT:  %[[S:.*]] = ttg.local_alloc %[[B]]
// CHECK-NEXT:  ttng.warp_group_dot %{{.*}}, %[[S]]
tt.func @in_either_order_sometimes(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %ps: !ttg.memdesc<128x128xf8E4M3FN, #wide, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked1>, %wanted: i1) -> (tensor<128x128xf32, #mma>, tensor<128x64xf32, #mma1>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %zero1 = arith.constant dense<0.0> : tensor<128x64xf32, #mma1>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked1>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked1>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %e = scf.if %wanted -> (tensor<128x64xf32, #mma1>) {
    %raw = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked1>) -> !ttg.memdesc<64x128xf8E4M3FN, #wide, #smem>
    %t = ttg.memdesc_trans %raw {order = array<i32: 1, 0>} : !ttg.memdesc<64x128xf8E4M3FN, #wide, #smem> -> !ttg.memdesc<128x64xf8E4M3FN, #wide1, #smem>
    %f = ttng.warp_group_dot %ps, %t, %zero1 {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x128xf8E4M3FN, #wide, #smem> * !ttg.memdesc<128x64xf8E4M3FN, #wide1, #smem> -> tensor<128x64xf32, #mma1>
    scf.yield %f : tensor<128x64xf32, #mma1>
  } else {
    scf.yield %zero1 : tensor<128x64xf32, #mma1>
  }
  tt.return %d, %e : tensor<128x128xf32, #mma>, tensor<128x64xf32, #mma1>
}

// COM: The memory that the dot reads has another use: the tile stays.
// CHECK-LABEL: @dot_and_another_use
// CHECK:       %[[A:.*]] = tt.load
// CHECK-NEXT:  %[[S:.*]] = ttg.local_alloc %[[A]]
// CHECK:       ttng.warp_group_dot %[[S]]
tt.func @dot_and_another_use(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>) -> (tensor<128x128xf32, #mma>, tensor<128x64xf8E4M3FN, #blocked>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
  %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %again = ttg.local_load %as : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> -> tensor<128x64xf8E4M3FN, #blocked>
  tt.return %d, %again : tensor<128x128xf32, #mma>, tensor<128x64xf8E4M3FN, #blocked>
}

// COM: Another op takes the tile as it is loaded. It keeps the loaded value, which Triton's pipeliner lets it read from
// COM: the copy.
// CHECK-LABEL: @stored_too
// CHECK:         %[[A:.*]] = tt.load %arg0
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %[[A]]
// CHECK:         tt.store %{{.*}}, %[[A]]
// CHECK:         %[[READ:.*]] = ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK:         %[[F:.*]] = builtin.unrealized_conversion_cast %[[READ]]
// CHECK:         ttng.warp_group_dot %[[F]]
tt.func @stored_too(%ap: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %copy: tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>, %bs: !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    tt.store %copy, %a : tensor<128x64x!tt.ptr<f8E4M3FN>, #blocked>
    %as = ttg.local_alloc %a : (tensor<128x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

}
