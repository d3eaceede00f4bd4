// RUN: dotload-opt %s --stage-dot-operands='num-stages=5' | FileCheck %s

// COM: The tiles that a loop has in flight must fit into the 227 KB of a block.

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 8], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 8]}>
#narrow = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 8]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Four tiles of 16 KB fit: Triton decides.
// CHECK-LABEL: @room_for_all
// CHECK:       scf.for
// CHECK-NOT:   tt.latency
// CHECK-NOT:   tt.num_stages
// CHECK:       tt.return
tt.func @room_for_all(%as: !ttg.memdesc<128x32xf32, #shared, #smem>, %bp: tensor<32x128x!tt.ptr<f32>, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<32x128x!tt.ptr<f32>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<32x128xf32, #blocked>) -> !ttg.memdesc<32x128xf32, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x32xf32, #shared, #smem> * !ttg.memdesc<32x128xf32, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: Three tiles of 64 KB fit, a fourth does not.
// CHECK-LABEL: @room_for_three
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32}
// CHECK-NOT:   tt.num_stages
// CHECK:       tt.return
tt.func @room_for_three(%as: !ttg.memdesc<128x128xf32, #shared, #smem>, %bp: tensor<128x128x!tt.ptr<f32>, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<128x128x!tt.ptr<f32>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<128x128xf32, #blocked>) -> !ttg.memdesc<128x128xf32, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf32, #shared, #smem> * !ttg.memdesc<128x128xf32, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: A dot still reads its tile when the next one arrives: two tiles, the copy, and the other operand do not fit. The
// COM: loop is not pipelined.
// CHECK-LABEL: @room_for_one
// CHECK-NOT:   tt.latency
// CHECK:       } {tt.num_stages = 1 : i32}
tt.func @room_for_one(%a: tensor<128x128xf32, #blocked>, %bp: tensor<128x128x!tt.ptr<f32>, #blocked>, %n: i32) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %as = ttg.local_alloc %a : (tensor<128x128xf32, #blocked>) -> !ttg.memdesc<128x128xf32, #shared, #smem>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %other = %zero) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<128x128x!tt.ptr<f32>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<128x128xf32, #blocked>) -> !ttg.memdesc<128x128xf32, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf32, #shared, #smem> * !ttg.memdesc<128x128xf32, #shared1, #smem> -> tensor<128x128xf32, #mma>
    %raw = ttg.local_alloc %b : (tensor<128x128xf32, #blocked>) -> !ttg.memdesc<128x128xf32, #shared, #smem>
    %t = ttg.memdesc_trans %raw {order = array<i32: 1, 0>} : !ttg.memdesc<128x128xf32, #shared, #smem> -> !ttg.memdesc<128x128xf32, #shared1, #smem>
    %e = ttng.warp_group_dot %as, %t, %other {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf32, #shared, #smem> * !ttg.memdesc<128x128xf32, #shared1, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d, %e : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
}

// COM: Both operands are copied into two buffers each, 96 KB in all. Of 48 KB that are loaded per iteration, two fit
// COM: beside them.
// CHECK-LABEL: @room_for_copies
// CHECK-DAG:   ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf32
// CHECK-DAG:   ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf32
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 2 : i32}
tt.func @room_for_copies(%ap: tensor<128x64x!tt.ptr<f32>, #columns>, %bp: tensor<64x64x!tt.ptr<f32>, #blocked>, %scale: tensor<128x64xf32, #narrow>, %n: i32) -> tensor<128x64xf32, #narrow> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #narrow>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #narrow>) : i32 {
    %scaled = arith.mulf %acc, %scale : tensor<128x64xf32, #narrow>
    %a = tt.load %ap : tensor<128x64x!tt.ptr<f32>, #columns>
    %as = ttg.local_alloc %a : (tensor<128x64xf32, #columns>) -> !ttg.memdesc<128x64xf32, #shared, #smem>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f32>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %scaled {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf32, #shared, #smem> * !ttg.memdesc<64x64xf32, #shared1, #smem> -> tensor<128x64xf32, #narrow>
    scf.yield %d : tensor<128x64xf32, #narrow>
  }
  tt.return %r : tensor<128x64xf32, #narrow>
}

// COM: The same in a loop that stores a tile by TMA: the store's buffer of 64 KB leaves room for one tile of each.
// COM: Stores of one type share a buffer.
// CHECK-LABEL: @room_beside_a_store
// CHECK-DAG:   ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf32
// CHECK-DAG:   ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf32
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 1 : i32}
tt.func @room_beside_a_store(%ap: tensor<128x64x!tt.ptr<f32>, #columns>, %bp: tensor<64x64x!tt.ptr<f32>, #blocked>, %scale: tensor<128x64xf32, #narrow>, %desc: !tt.tensordesc<256x64xf32, #shared>, %stored: tensor<256x64xf32, #narrow>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #narrow>
  scf.for %tile = %c0 to %n step %c1 : i32 {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #narrow>) : i32 {
      %scaled = arith.mulf %acc, %scale : tensor<128x64xf32, #narrow>
      %a = tt.load %ap : tensor<128x64x!tt.ptr<f32>, #columns>
      %as = ttg.local_alloc %a : (tensor<128x64xf32, #columns>) -> !ttg.memdesc<128x64xf32, #shared, #smem>
      %b = tt.load %bp : tensor<64x64x!tt.ptr<f32>, #blocked>
      %bs = ttg.local_alloc %b : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #shared1, #smem>
      %d = ttng.warp_group_dot %as, %bs, %scaled {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf32, #shared, #smem> * !ttg.memdesc<64x64xf32, #shared1, #smem> -> tensor<128x64xf32, #narrow>
      scf.yield %d : tensor<128x64xf32, #narrow>
    }
    tt.descriptor_store %desc[%tile, %c0], %stored : !tt.tensordesc<256x64xf32, #shared>, tensor<256x64xf32, #narrow>
    tt.descriptor_store %desc[%tile, %c1], %stored : !tt.tensordesc<256x64xf32, #shared>, tensor<256x64xf32, #narrow>
  }
  tt.return
}
}
