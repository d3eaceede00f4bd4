// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Triton's pipeliner loads K-major tiles ahead even if the loop writes, but not 8-bit tiles that wgmma wants in
// COM: another order. A kernel that writes what it loads next may depend on that.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The loop writes the next tile to where it will be loaded from.
// REMARK:      kept tt.load: {{.*}} [WRITTEN]
// CHECK-LABEL: @written(
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<64x128xi8, #shared1, #smem>
// CHECK-NOT:     dotload.staged
tt.func @written(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %count: !tt.ptr<i32>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %one: i32, %none: i32, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    tt.store %bn, %v : tensor<64x128x!tt.ptr<i8>, #blocked>
    scf.yield %d, %bn : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: The same in some iterations only, and through another pointer computed from the same base.
// REMARK:      kept tt.load: {{.*}} [WRITTEN]
// CHECK-LABEL: @written_in_a_branch(
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<64x128xi8, #shared1, #smem>
// CHECK-NOT:     dotload.staged
tt.func @written_in_a_branch(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %count: !tt.ptr<i32>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %one: i32, %none: i32, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %shifted = tt.addptr %bases, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    scf.if %yes {
      tt.store %shifted, %v : tensor<64x128x!tt.ptr<i8>, #blocked>
    }
    scf.yield %d, %bn : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: The loop writes through another argument, as a persistent kernel that stores its results in the loop.
// REMARK:      row-major B (not K-major, 8 bits, tile 64x128) is staged through shared memory into registers
// CHECK-LABEL: @another_argument(
// CHECK:         %[[B:.*]] = tt.load
// CHECK:         ttg.local_load %{{.*}} {dotload.staged = "fragments"}
tt.func @another_argument(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %count: !tt.ptr<i32>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %one: i32, %none: i32, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    scf.if %yes {
      tt.store %o0, %v : tensor<64x128x!tt.ptr<i8>, #blocked>
    }
    scf.yield %d, %bn : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: The loop loads from what it writes behind the load. Triton's pipeliner would store first.
// REMARK:      kept tt.load: {{.*}} [REORDERED]
// CHECK-LABEL: @read_and_written(
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<64x128xi8, #shared1, #smem>
// CHECK-NOT:     dotload.staged
tt.func @read_and_written(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %v: tensor<64x128xi8, #blocked>, %n: i32) -> (tensor<128x128xi32, #mma>, tensor<64x128xi8, #blocked>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0, %last = %v) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi8, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %o = tt.load %o0 : tensor<64x128x!tt.ptr<i8>, #blocked>
    tt.store %o0, %v : tensor<64x128x!tt.ptr<i8>, #blocked>
    scf.yield %d, %bn, %o : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi8, #blocked>
  }
  tt.return %r#0, %r#2 : tensor<128x128xi32, #mma>, tensor<64x128xi8, #blocked>
}

// COM: An atomic operation reads, too.
// REMARK:      kept tt.load: {{.*}} [REORDERED]
// CHECK-LABEL: @counted_and_written(
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<64x128xi8, #shared1, #smem>
// CHECK-NOT:     dotload.staged
tt.func @counted_and_written(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %count: !tt.ptr<i32>, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> (tensor<128x128xi32, #mma>, tensor<64x128xi8, #blocked>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0, %last = %v) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi8, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %old = tt.atomic_rmw add, relaxed, gpu, %count, %c1, %yes : (!tt.ptr<i32>, i32, i1) -> i32
    tt.store %count, %i : !tt.ptr<i32>
    scf.yield %d, %bn, %last : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi8, #blocked>
  }
  tt.return %r#0, %r#2 : tensor<128x128xi32, #mma>, tensor<64x128xi8, #blocked>
}

// COM: So does a gather through a descriptor.
// REMARK:      kept tt.load: {{.*}} [REORDERED]
// CHECK-LABEL: @gathered_and_scattered(
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<64x128xi8, #shared1, #smem>
// CHECK-NOT:     dotload.staged
tt.func @gathered_and_scattered(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %rows: !tt.tensordesc<1x128xi8>, %at: tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>, %v: tensor<64x128xi8, #blocked>, %n: i32) -> (tensor<128x128xi32, #mma>, tensor<64x128xi8, #blocked>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0, %last = %v) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi8, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %o = tt.descriptor_gather %rows[%at, %c0] : (!tt.tensordesc<1x128xi8>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>, i32) -> tensor<64x128xi8, #blocked>
    tt.descriptor_scatter %rows[%at, %c0], %v : !tt.tensordesc<1x128xi8>, tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>, i32, tensor<64x128xi8, #blocked>
    scf.yield %d, %bn, %o : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi8, #blocked>
  }
  tt.return %r#0, %r#2 : tensor<128x128xi32, #mma>, tensor<64x128xi8, #blocked>
}

// COM: Both in one branch stay in order.
// REMARK:      row-major B (not K-major, 8 bits, tile 64x128) is staged through shared memory into registers
// CHECK-LABEL: @read_and_written_in_a_branch(
// CHECK:         ttg.local_load %{{.*}} {dotload.staged = "fragments"}
tt.func @read_and_written_in_a_branch(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> (tensor<128x128xi32, #mma>, tensor<64x128xi8, #blocked>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0, %last = %v) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi8, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %o = scf.if %yes -> tensor<64x128xi8, #blocked> {
      %o1 = tt.load %o0 : tensor<64x128x!tt.ptr<i8>, #blocked>
      tt.store %o0, %v : tensor<64x128x!tt.ptr<i8>, #blocked>
      scf.yield %o1 : tensor<64x128xi8, #blocked>
    } else {
      scf.yield %last : tensor<64x128xi8, #blocked>
    }
    scf.yield %d, %bn, %o : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi8, #blocked>
  }
  tt.return %r#0, %r#2 : tensor<128x128xi32, #mma>, tensor<64x128xi8, #blocked>
}

// COM: The loop writes through one of two pointers, one of which it reads; which one is not known.
// REMARK:      kept tt.load: {{.*}} [WRITTEN]
// CHECK-LABEL: @one_of_two(
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<64x128xi8, #shared1, #smem>
// CHECK-NOT:     dotload.staged
tt.func @one_of_two(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %count: !tt.ptr<i32>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %one: i32, %none: i32, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %either = arith.select %yes, %o0, %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    tt.store %either, %v : tensor<64x128x!tt.ptr<i8>, #blocked>
    scf.yield %d, %bn : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: An atomic that orders all other accesses, for example to wait for another program.
// REMARK:      kept tt.load: {{.*}} [ORDERED]
// CHECK-LABEL: @ordered(
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<64x128xi8, #shared1, #smem>
// CHECK-NOT:     dotload.staged
tt.func @ordered(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %count: !tt.ptr<i32>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %one: i32, %none: i32, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %old = tt.atomic_rmw add, acq_rel, gpu, %count, %one, %yes : (!tt.ptr<i32>, i32, i1) -> i32
    scf.yield %d, %bn : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: A relaxed atomic on other memory, which orders nothing.
// REMARK:      row-major B (not K-major, 8 bits, tile 64x128) is staged through shared memory into registers
// CHECK-LABEL: @relaxed(
// CHECK:         %[[B:.*]] = tt.load
// CHECK:         ttg.local_load %{{.*}} {dotload.staged = "fragments"}
tt.func @relaxed(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %count: !tt.ptr<i32>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %one: i32, %none: i32, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %old = tt.atomic_rmw add, relaxed, gpu, %count, %one, %yes : (!tt.ptr<i32>, i32, i1) -> i32
    scf.yield %d, %bn : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: Inline assembly with side effects.
// REMARK:      kept tt.load: {{.*}} [ORDERED]
// CHECK-LABEL: @assembly(
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<64x128xi8, #shared1, #smem>
// CHECK-NOT:     dotload.staged
tt.func @assembly(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %count: !tt.ptr<i32>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %one: i32, %none: i32, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %x = tt.elementwise_inline_asm "red.add.s32 $0, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %one : i32 -> i32
    scf.yield %d, %bn : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: Inline assembly without side effects.
// REMARK:      row-major B (not K-major, 8 bits, tile 64x128) is staged through shared memory into registers
// CHECK-LABEL: @pure_assembly(
// CHECK:         %[[B:.*]] = tt.load
// CHECK:         ttg.local_load %{{.*}} {dotload.staged = "fragments"}
tt.func @pure_assembly(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %count: !tt.ptr<i32>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %one: i32, %none: i32, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %x = tt.elementwise_inline_asm "red.add.s32 $0, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %one : i32 -> i32
    scf.yield %d, %bn : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: tt.assert writes no memory that the kernel reads.
// REMARK:      row-major B (not K-major, 8 bits, tile 64x128) is staged through shared memory into registers
// CHECK-LABEL: @asserted(
// CHECK:         %[[B:.*]] = tt.load
// CHECK:         ttg.local_load %{{.*}} {dotload.staged = "fragments"}
tt.func @asserted(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %count: !tt.ptr<i32>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %one: i32, %none: i32, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    tt.assert %yes, "no" : i1
    scf.yield %d, %bn : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: A volatile load cannot become an asynchronous copy.
// REMARK:      kept tt.load: {{.*}} [VOLATILE]
// CHECK-LABEL: @volatile(
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<64x128xi8, #shared1, #smem>
// CHECK-NOT:     dotload.staged
tt.func @volatile(%as: !ttg.memdesc<128x64xi8, #shared, #smem>, %base: !tt.ptr<i8>, %other: !tt.ptr<i8>, %count: !tt.ptr<i32>, %offsets: tensor<64x128xi32, #blocked>, %step: tensor<64x128xi32, #blocked>, %one: i32, %none: i32, %yes: i1, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %b0 = tt.addptr %bases, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %others = tt.splat %other : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #blocked>
  %o0 = tt.addptr %others, %offsets : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %bp = %b0) -> (tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>) : i32 {
    %b = tt.load %bp {isVolatile = true} : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    %bn = tt.addptr %bp, %step : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    scf.yield %d, %bn : tensor<128x128xi32, #mma>, tensor<64x128x!tt.ptr<i8>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xi32, #mma>
}

// COM: The other operand is not staged either: the loop would be pipelined, and its store moved above the load of B.
// REMARK:      kept tt.load: {{.*}} column-major A {{.*}} [REORDERED]
// REMARK:      kept tt.load: {{.*}} row-major B {{.*}} [WRITTEN]
// CHECK-LABEL: @other_operand(
// CHECK-NOT:     tt.latency
// CHECK-NOT:     dotload.staged
// CHECK:         tt.return
tt.func @other_operand(%ap: tensor<128x64x!tt.ptr<i8>, #blocked1>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xi32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<i8>, #blocked1>
    %as = ttg.local_alloc %a : (tensor<128x64xi8, #blocked1>) -> !ttg.memdesc<128x64xi8, #shared, #smem>
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    tt.store %bp, %v : tensor<64x128x!tt.ptr<i8>, #blocked>
    scf.yield %d : tensor<128x128xi32, #mma>
  }
  tt.return %r : tensor<128x128xi32, #mma>
}

// COM: Triton's pipeliner itself loads operands of mma.sync ahead.
// REMARK:      row-major B (not K-major, 8 bits, tile 64x128) is staged through shared memory into registers
// CHECK-LABEL: @written_for_mma_sync(
// CHECK:         ttg.local_load %{{.*}} {dotload.staged = "fragments"}
tt.func @written_for_mma_sync(%a: tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %v: tensor<64x128xi8, #blocked>, %n: i32) -> tensor<64x128xi32, #mma2> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x128xi32, #mma2>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xi32, #mma2>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 4}>>
    %d = tt.dot %a, %bo, %acc : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 4}>> * tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 4}>> -> tensor<64x128xi32, #mma2>
    tt.store %bp, %v : tensor<64x128x!tt.ptr<i8>, #blocked>
    scf.yield %d : tensor<64x128xi32, #mma2>
  }
  tt.return %r : tensor<64x128xi32, #mma2>
}
}
