// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#words = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: int8 weights in an fp16 dot, each with a scale: they are computed in registers and stored for wgmma. With two
// COM: buffers, this overlaps with the dot of the previous iteration.
// CHECK-LABEL: @weights
// CHECK:       %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16, #shared, #smem, mutable>
// CHECK:       scf.if
// CHECK:         scf.for
// CHECK:           tt.load {{.*}} {tt.latency = 2 : i32}
// CHECK:           %[[W:.*]] = arith.mulf
// CHECK:           %[[SLOT:.*]] = ttg.memdesc_index %[[RING]]
// CHECK:           ttg.local_store %[[W]], %[[SLOT]]
// CHECK:           ttng.fence_async_shared
// CHECK:           ttng.warp_group_dot %{{.*}}, %[[SLOT]]
// REMARK:      remark: stage-dot-operands: tile 64x128 is converted into two buffers
tt.func @weights(%as: !ttg.memdesc<128x64xf16, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %s: tensor<64x128xf16, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %b : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %w = arith.mulf %f, %s : tensor<64x128xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: Assembly on packed bytes is not followed.
// CHECK-LABEL: @by_assembly
// CHECK-NOT:   !ttg.memdesc<2x64x128
// CHECK:       tt.return
tt.func @by_assembly(%as: !ttg.memdesc<128x64xf16, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %s: tensor<64x128xf16, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %q = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #blocked>
    %f = arith.sitofp %q : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %w = arith.mulf %f, %s : tensor<64x128xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: Two such dots, and the loop uses the result of one: each tile has one buffer.
// CHECK-LABEL: @weights_of_two_dots
// CHECK-NOT:   !ttg.memdesc<2x64x128
// CHECK:       tt.return
// REMARK:      remark: stage-dot-operands: kept tt.load: another dot of the loop takes a converted tile too; {{.*}} [SEVERAL_CONVERTED]
// REMARK:      remark: stage-dot-operands: kept tt.load: another dot of the loop takes a converted tile too; {{.*}} [SEVERAL_CONVERTED]
tt.func @weights_of_two_dots(%as: !ttg.memdesc<128x64xf16, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %cp: tensor<64x128x!tt.ptr<i8>, #blocked>, %s: tensor<64x128xf16, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %b : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %w = arith.mulf %f, %s : tensor<64x128xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %c = tt.load %cp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %g = arith.sitofp %c : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %v = arith.mulf %g, %s : tensor<64x128xf16, #blocked>
    %cs = ttg.local_alloc %v : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    %x = arith.addf %d, %d : tensor<128x128xf32, #mma>
    %e = ttng.warp_group_dot %as, %cs, %x {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %e : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: With a third dot, as in latent attention, each tile has two buffers.
// CHECK-LABEL: @three_dots
// CHECK-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<2x64x128
// CHECK:         tt.return
// REMARK:      remark: stage-dot-operands: tile 64x128 is converted into two buffers
// REMARK:      remark: stage-dot-operands: tile 64x128 is converted into two buffers
tt.func @three_dots(%as: !ttg.memdesc<128x64xf16, #shared, #smem>, %rope: !ttg.memdesc<64x128xf16, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %cp: tensor<64x128x!tt.ptr<i8>, #blocked>, %s: tensor<64x128xf16, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %b : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %w = arith.mulf %f, %s : tensor<64x128xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %c = tt.load %cp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %g = arith.sitofp %c : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %v = arith.mulf %g, %s : tensor<64x128xf16, #blocked>
    %cs = ttg.local_alloc %v : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    %q = ttng.warp_group_dot %as, %rope, %d {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    %x = arith.addf %q, %q : tensor<128x128xf32, #mma>
    %e = ttng.warp_group_dot %as, %cs, %x {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %e : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: Two consecutive bytes are too few for an asynchronous copy, and Triton's pipeliner would make a slow loop of it.
// CHECK-LABEL: @weights_in_small_pieces
// CHECK-NOT:   tt.latency
// CHECK-NOT:   ttg.local_store
// CHECK:       tt.return
// REMARK:      remark: stage-dot-operands: kept tt.load: the tile is converted before the dot, {{.*}} [CONVERTED]
tt.func @weights_in_small_pieces(%as: !ttg.memdesc<128x64xf16, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #narrow>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #narrow>
    %w = arith.sitofp %b : tensor<64x128xi8, #narrow> to tensor<64x128xf16, #narrow>
    %bs = ttg.local_alloc %w : (tensor<64x128xf16, #narrow>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: Two dots, each of scaled weights. Either alone has room for two buffers; together they exceed a block's shared
// COM: memory. So the first tile gets two buffers; the second keeps its one buffer of 64 KB.
// CHECK-LABEL: @room_for_one
// CHECK:       %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x128x128xf16, #shared, #smem, mutable>
// CHECK-NOT:   memdesc<2x128x256xf16
// CHECK:       scf.for
// CHECK:         tt.load {{.*}} {tt.latency = 2 : i32} : tensor<128x128x!tt.ptr<i8>
// CHECK:         %[[SLOT:.*]] = ttg.memdesc_index %[[RING]]
// CHECK:         ttng.warp_group_dot %{{.*}}, %[[SLOT]]
// CHECK:         tt.load {{.*}} {tt.latency = 2 : i32} : tensor<128x256x!tt.ptr<i8>
// CHECK:         %[[B:.*]] = ttg.local_alloc %{{.*}} : (tensor<128x256xf16
// CHECK:         ttng.warp_group_dot %{{.*}}, %[[B]]
// REMARK:      remark: stage-dot-operands: tile 128x128 is converted into two buffers
// REMARK:      remark: stage-dot-operands: kept tt.load: {{.*}} has no shared memory for a second buffer{{.*}} [CONVERTED]
tt.func @room_for_one(%xs: !ttg.memdesc<128x128xf16, #shared, #smem>, %ap: tensor<128x128x!tt.ptr<i8>, #blocked>, %bp: tensor<128x256x!tt.ptr<i8>, #blocked>, %s: tensor<128x128xf16, #blocked>, %t: tensor<128x256xf16, #blocked>, %n: i32) -> (tensor<128x128xf32, #mma>, tensor<128x256xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %zeros) -> (tensor<128x128xf32, #mma>, tensor<128x256xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x128x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %a : tensor<128x128xi8, #blocked> to tensor<128x128xf16, #blocked>
    %v = arith.mulf %f, %s : tensor<128x128xf16, #blocked>
    %as = ttg.local_alloc %v : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %xs, %as, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    %b = tt.load %bp : tensor<128x256x!tt.ptr<i8>, #blocked>
    %g = arith.sitofp %b : tensor<128x256xi8, #blocked> to tensor<128x256xf16, #blocked>
    %w = arith.mulf %g, %t : tensor<128x256xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<128x256xf16, #blocked>) -> !ttg.memdesc<128x256xf16, #shared, #smem>
    %e = ttng.warp_group_dot %xs, %bs, %sum {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x256xf16, #shared, #smem> -> tensor<128x256xf32, #mma>
    scf.yield %d, %e : tensor<128x128xf32, #mma>, tensor<128x256xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, tensor<128x256xf32, #mma>
}

// COM: The first tile, which has two buffers by now, still needs shared memory for its raw bytes. Without these, the
// COM: second tile would have room for two buffers.
// CHECK-LABEL: @room_with_the_first
// CHECK:       !ttg.memdesc<2x128x256xf16
// CHECK-NOT:   !ttg.memdesc<2x128x128xf16
// CHECK:       tt.return
// REMARK:      remark: stage-dot-operands: tile 128x256 is converted into two buffers
// REMARK:      remark: stage-dot-operands: kept tt.load: {{.*}} has no shared memory for a second buffer{{.*}} [CONVERTED]
tt.func @room_with_the_first(%xs: !ttg.memdesc<128x128xf16, #shared, #smem>, %ap: tensor<128x256x!tt.ptr<i8>, #blocked>, %bp: tensor<128x128x!tt.ptr<i8>, #blocked>, %s: tensor<128x256xf16, #blocked>, %t: tensor<128x128xf16, #blocked>, %n: i32) -> (tensor<128x256xf32, #mma>, tensor<128x128xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #mma>
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %zeros) -> (tensor<128x256xf32, #mma>, tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x256x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %a : tensor<128x256xi8, #blocked> to tensor<128x256xf16, #blocked>
    %v = arith.mulf %f, %s : tensor<128x256xf16, #blocked>
    %as = ttg.local_alloc %v : (tensor<128x256xf16, #blocked>) -> !ttg.memdesc<128x256xf16, #shared, #smem>
    %d = ttng.warp_group_dot %xs, %as, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x256xf16, #shared, #smem> -> tensor<128x256xf32, #mma>
    %b = tt.load %bp : tensor<128x128x!tt.ptr<i8>, #blocked>
    %g = arith.sitofp %b : tensor<128x128xi8, #blocked> to tensor<128x128xf16, #blocked>
    %w = arith.mulf %g, %t : tensor<128x128xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
    %e = ttng.warp_group_dot %xs, %bs, %sum {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d, %e : tensor<128x256xf32, #mma>, tensor<128x128xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<128x256xf32, #mma>, tensor<128x128xf32, #mma>
}

// COM: An operand that is computed from its own type is not staged: fp16 kernels stay as stock Triton compiles them.
// CHECK-LABEL: @scaled_halves
// CHECK-NOT:   ttg.local_store
// CHECK:       tt.return
// REMARK-NOT:  remark
tt.func @scaled_halves(%as: !ttg.memdesc<128x64xf16, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f16>, #blocked>, %s: tensor<64x128xf16, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f16>, #blocked>
    %w = arith.mulf %b, %s : tensor<64x128xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}
// COM: A is converted in registers: the dot ends before the loop converts the next tile, and one buffer is enough.
// CHECK-LABEL: @both_converted
// CHECK-NOT:   !ttg.memdesc<2x64x128
// CHECK:       tt.return
// REMARK:      remark: stage-dot-operands: kept tt.load: {{.*}} the loop computes A in registers as well{{.*}}: B {{.*}} [BOTH_COMPUTED]
tt.func @both_converted(%ap: tensor<128x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<i8>, #blocked>
    %ao = ttg.convert_layout %a : tensor<128x64xi8, #blocked> -> tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>
    %f = arith.sitofp %ao : tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>> to tensor<128x64xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %w = arith.sitofp %b : tensor<64x128xi8, #blocked> to tensor<64x128xf32, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf32, #blocked>) -> !ttg.memdesc<64x128xf32, #words, #smem>
    %d = ttng.warp_group_dot %f, %bs, %acc {inputPrecision = 0 : i32} : tensor<128x64xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>> * !ttg.memdesc<64x128xf32, #words, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: The same A in all iterations, which no iteration writes.
// CHECK-LABEL: @one_a_for_all
// CHECK:       !ttg.memdesc<2x64x128
// REMARK:      remark: stage-dot-operands: tile 64x128 is converted into two buffers
tt.func @one_a_for_all(%ap: tensor<128x64xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %w = arith.sitofp %b : tensor<64x128xi8, #blocked> to tensor<64x128xf32, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf32, #blocked>) -> !ttg.memdesc<64x128xf32, #words, #smem>
    %d = ttng.warp_group_dot %ap, %bs, %acc {inputPrecision = 0 : i32} : tensor<128x64xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>> * !ttg.memdesc<64x128xf32, #words, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: A comes from another dot of the iteration, as in attention: this dot runs while the next of those does.
// CHECK-LABEL: @values_of_attention
// CHECK:       !ttg.memdesc<2x128x128
// REMARK:      remark: stage-dot-operands: tile 128x128 is converted into two buffers
tt.func @values_of_attention(%q: !ttg.memdesc<128x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x128xf16, #shared, #smem>, %vp: tensor<128x128x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %v = tt.load %vp : tensor<128x128x!tt.ptr<i8>, #blocked>
    %w = arith.sitofp %v : tensor<128x128xi8, #blocked> to tensor<128x128xf16, #blocked>
    %vs = ttg.local_alloc %w : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    %p = arith.truncf %s : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
    %po = ttg.convert_layout %p : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %d = ttng.warp_group_dot %po, %vs, %acc {inputPrecision = 0 : i32} : tensor<128x128xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<128x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}
}
