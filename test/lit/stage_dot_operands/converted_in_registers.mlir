// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: An operand that is converted from 8 bits stays in registers: wgmma takes A from there, and a B becomes the A of
// COM: the transposed dot. Through shared memory, each byte would be written and read again as two.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#along_k = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared_t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#tma = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @row_major
// CHECK:       scf.for
// CHECK:         %[[LOAD:.*]] = tt.load %{{.*}} : tensor<64x128x!tt.ptr<i8>
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %[[LOAD]] : (tensor<64x128xi8, {{.*}}) -> !ttg.memdesc<64x128xi8
// CHECK:         %[[READ:.*]] = ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK:         %[[BYTES:.*]] = builtin.unrealized_conversion_cast %[[READ]] : {{.*}} to tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma{{.*}}, kWidth = 2}>>
// CHECK:         %[[A:.*]] = arith.sitofp %[[BYTES]] : {{.*}} to tensor<128x64xf16, #ttg.dot_op<{opIdx = 0
// CHECK:         %[[B:.*]] = ttg.memdesc_trans
// CHECK:         ttng.warp_group_dot %[[A]], %[[B]], {{.*}} -> tensor<128x64xf32
// REMARK-DAG:  remark: stage-dot-operands: row-major B (not K-major, 8 bits, converted to 16, tile 64x128) is staged through shared memory into registers: ldmatrix.m8n8.x4.trans.shared.b16, bank-conflict-free
tt.func @row_major(%as: !ttg.memdesc<64x64xf16, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %w = arith.sitofp %b : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf32, #mma>
    scf.yield %d : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: K-major: lanes read the pairs of k of their fragments.
// CHECK-LABEL: @k_major
// CHECK:       scf.for
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x128xf8E5M2
// CHECK:         %[[READ:.*]] = ttg.local_load %[[RAW]] {dotload.staged = "fragments"} : !ttg.memdesc
// CHECK:         %[[BYTES:.*]] = builtin.unrealized_conversion_cast %[[READ]] : {{.*}} to tensor<128x64xf8E5M2, #ttg.dot_op
// CHECK:         %[[A:.*]] = tt.fp_to_fp %[[BYTES]] {{.*}} tensor<128x64xbf16, #ttg.dot_op
// CHECK:         ttng.warp_group_dot %[[A]], {{.*}} -> tensor<128x64xf32
// REMARK-DAG:  remark: stage-dot-operands: column-major B (K-major, 8 bits, converted to 16, tile 64x128) is staged through shared memory into registers: ld.shared.b16, bank-conflict-free
tt.func @k_major(%as: !ttg.memdesc<64x64xbf16, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E5M2>, #along_k>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E5M2>, #along_k>
    %w = tt.fp_to_fp %b : tensor<64x128xf8E5M2, #along_k> -> tensor<64x128xbf16, #along_k>
    %bs = ttg.local_alloc %w : (tensor<64x128xbf16, #along_k>) -> !ttg.memdesc<64x128xbf16, #shared_t, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xbf16, #shared, #smem> * !ttg.memdesc<64x128xbf16, #shared_t, #smem> -> tensor<64x128xf32, #mma>
    scf.yield %d : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: The loop uses the accumulator, so it cannot be transposed: the tile is stored, to one of two buffers.
// CHECK-LABEL: @accumulator_used
// CHECK:       ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32
// REMARK-DAG:  remark: stage-dot-operands: tile 64x128 is converted into two buffers
tt.func @accumulator_used(%as: !ttg.memdesc<64x64xf16, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %w = arith.sitofp %b : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf32, #mma>
    %h = math.absf %d : tensor<64x128xf32, #mma>
    scf.yield %h : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: 128 registers of accumulators and 128 of fragments do not fit beside the loop's other values.
// CHECK-LABEL: @many_registers
// CHECK-NOT:   tensor<256x64x
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x256xf32
// CHECK-NOT:   tensor<256x64x
// CHECK:       tt.return
// REMARK-DAG:  remark: stage-dot-operands: tile 128x256 is converted into two buffers
tt.func @many_registers(%as: !ttg.memdesc<64x128xf16, #shared, #smem>, %bp: tensor<128x256x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x256xf32, #wide> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32, #wide>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x256xf32, #wide>) : i32 {
    %b = tt.load %bp : tensor<128x256x!tt.ptr<i8>, #blocked>
    %w = arith.sitofp %b : tensor<128x256xi8, #blocked> to tensor<128x256xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<128x256xf16, #blocked>) -> !ttg.memdesc<128x256xf16, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xf16, #shared, #smem> * !ttg.memdesc<128x256xf16, #shared, #smem> -> tensor<64x256xf32, #wide>
    scf.yield %d : tensor<64x256xf32, #wide>
  }
  tt.return %r : tensor<64x256xf32, #wide>
}

// COM: A is in registers already. If M is contiguous, its rows are permuted, like those of an 8-bit dot.
// CHECK-LABEL: @column_major_a
// CHECK:       scf.for
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xi8
// CHECK:         %[[READ:.*]] = ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK:         %[[BYTES:.*]] = builtin.unrealized_conversion_cast %[[READ]] : {{.*}} to tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma{{.*}}, kWidth = 2}>>
// CHECK:         %[[A:.*]] = arith.sitofp %[[BYTES]]
// CHECK:         ttng.warp_group_dot %[[A]], {{.*}} -> tensor<64x128xf32
// REMARK-DAG:  remark: stage-dot-operands: column-major A (not K-major, 8 bits, converted to 16, tile 64x64) is staged through shared memory into registers: ldmatrix.m8n8.x4.trans.shared.b16, bank-conflict-free
tt.func @column_major_a(%ap: tensor<64x64x!tt.ptr<i8>, #along_k>, %bs: !ttg.memdesc<64x128xf16, #shared, #smem>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<i8>, #along_k>
    %f = ttg.convert_layout %a : tensor<64x64xi8, #along_k> -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %w = arith.sitofp %f : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> to tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %d = ttng.warp_group_dot %w, %bs, %acc {inputPrecision = 0 : i32} : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf32, #mma>
    scf.yield %d : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: K-major, loaded by a descriptor: the tile is read in the layout in which TMA writes it. In one of another name,
// COM: Triton 3.6 would store it again.
// CHECK-LABEL: @k_major_by_tma
// CHECK:       %[[LOAD:.*]] = tt.descriptor_load {{.*}} : !tt.tensordesc<128x64xi8, #[[TMA:.*]]> ->
// CHECK:       %[[RAW:.*]] = ttg.local_alloc %[[LOAD]] : {{.*}} -> !ttg.memdesc<128x64xi8, #[[TMA]], #smem>
// CHECK:       ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// REMARK-DAG:  remark: stage-dot-operands: column-major B (K-major, 8 bits, converted to 16, tile 128x64) is staged through shared memory into registers: ld.shared.b16, bank-conflict-free
tt.func @k_major_by_tma(%as: !ttg.memdesc<64x64xf16, #shared, #smem>, %desc: !tt.tensordesc<128x64xi8, #tma>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %b = tt.descriptor_load %desc[%i, %i] : !tt.tensordesc<128x64xi8, #tma> -> tensor<128x64xi8, #rows>
    %w = arith.sitofp %b : tensor<128x64xi8, #rows> to tensor<128x64xf16, #rows>
    %bs = ttg.local_alloc %w : (tensor<128x64xf16, #rows>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %bt = ttg.memdesc_trans %bs {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #shared_t, #smem>
    %d = ttng.warp_group_dot %as, %bt, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared_t, #smem> -> tensor<64x128xf32, #mma>
    scf.yield %d : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}
}
