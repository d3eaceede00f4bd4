// RUN: dotload-opt %s --lower-to-2d-block-prefetch --remarks 2>&1 | FileCheck %s
// RUN: dotload-opt %s --lower-to-2d-block-prefetch --convert-tritongen-to-llvm='emit=spirv' | FileCheck %s --check-prefix=SPIRV

// SPIRV-COUNT-6: llvm.call spir_funccc @_Z36__spirv_Subgroup2DBlockPrefetchINTEL

// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: ttig.prefetch becomes 8 x 16b_32r16x2c, over all warps
// CHECK: ttig.prefetch becomes 2 x 16b_1r16x2c, over all warps
// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: kept ttig.prefetch: pitch is known to be a multiple of 2 B only, must be one of 16 B [PITCH_ALIGNMENT]

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: One message per warp: 16 rows of 64 bytes. The surface begins at an aligned address, and is no wider than its
  // COM: pitch.
  // CHECK-LABEL: @one_a_warp
  // CHECK: %[[SKEW:.*]] = arith.andi %{{.*}}, %c63
  // CHECK: %[[BASE:.*]] = llvm.inttoptr
  // CHECK: %[[SKEW_X:.*]] = arith.shrui %[[SKEW]], %c1
  // CHECK: %[[WIDTH:.*]] = arith.addi %width, %[[SKEW]]
  // CHECK: %[[WIDER:.*]] = arith.cmpi ult, %pitch, %[[WIDTH]]
  // CHECK: %[[CUT:.*]] = arith.select %[[WIDER]], %pitch, %[[WIDTH]]
  // CHECK: %[[X:.*]] = arith.addi %c0, %[[SKEW_X]]
  // CHECK: %[[WARP:.*]] = "gpu.subgroup_id"() : () -> index
  // CHECK: %[[W:.*]] = arith.index_cast %[[WARP]] : index to i32
  // CHECK: %[[NUMBER:.*]] = arith.andi %[[W]], %c3
  // CHECK: %[[ROW:.*]] = arith.muli %[[NUMBER]], %c16
  // CHECK: %[[Y:.*]] = arith.addi %m0, %[[ROW]]
  // CHECK: triton_gen.2Dblockprefetch %[[BASE]], %[[CUT]], %{{.*}}, %pitch, %[[X]], %[[Y]] {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 2, cache_control = L1C_L3C}
  // CHECK-NOT: ttig.prefetch
  // CHECK: tt.return
  tt.func @one_a_warp(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 16 : i32}, %m0: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%m0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #a>>
    ttig.prefetch %p {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x32xf16, #a>>
    tt.return
  }

  // COM: Rows are far enough apart, so the width needs no limit.
  // CHECK-LABEL: @far_apart
  // CHECK-NOT: arith.select
  // CHECK: triton_gen.2Dblockprefetch %{{.*}}, %width, %{{.*}}, %pitch, %c0, %
  // CHECK: tt.return
  tt.func @far_apart(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %columns = arith.constant 64 : i64
    %stride = arith.constant 96 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #a>>
    ttig.prefetch %p : !tt.ptr<tensor<64x32xf16, #a>>
    tt.return
  }

  // COM: 128 x 64: 8 messages, two per warp, the second one 4 messages further.
  // CHECK-LABEL: @two_a_warp
  // CHECK: %[[FIRST:.*]] = arith.andi %{{.*}}, %c3
  // CHECK: %[[DOWN:.*]] = arith.shrui %[[FIRST]], %c1
  // CHECK: %[[ALONG:.*]] = arith.andi %[[FIRST]], %c1
  // CHECK: %[[FURTHER:.*]] = arith.muli %[[ALONG]], %c32
  // CHECK: %[[Y:.*]] = arith.muli %[[DOWN]], %c32
  // CHECK: %[[X:.*]] = arith.addi %{{.*}}, %[[FURTHER]]
  // CHECK: triton_gen.2Dblockprefetch %{{.*}}, %[[X]], %[[Y]] {
  // CHECK: arith.addi %{{.*}}, %c4
  // CHECK: triton_gen.2Dblockprefetch
  // CHECK-NOT: triton_gen.2Dblockprefetch
  // CHECK: tt.return
  tt.func @two_a_warp(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<128x64xf16, #blocked>>
    ttig.prefetch %p : !tt.ptr<tensor<128x64xf16, #blocked>>
    tt.return
  }

  // COM: Two rows for four warps: the upper two warps repeat the messages of the lower two.
  // CHECK-LABEL: @fewer_than_warps
  // CHECK: arith.andi %{{.*}}, %c1
  // CHECK: triton_gen.2Dblockprefetch {{.*}}tile_height = 1,
  tt.func @fewer_than_warps(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<2x32xf16, #blocked>>
    ttig.prefetch %p : !tt.ptr<tensor<2x32xf16, #blocked>>
    tt.return
  }

  // COM: Column-major B: rows of memory run along the first dim.
  // CHECK-LABEL: @column_major
  // CHECK: %width = arith.muli %{{.*}}, %{{.*}}
  // CHECK: %[[Y:.*]] = arith.addi %n0, %{{.*}}
  // CHECK: triton_gen.2Dblockprefetch %{{.*}}, %[[Y]] {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 2
  tt.func @column_major(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: i64 {tt.divisibility = 16 : i32}, %n: i64, %stride: i64 {tt.divisibility = 16 : i32}, %n0: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%k, %n], [%c1, %stride], [%c0, %n0] {order = array<i32: 0, 1>} : <tensor<32x64xf16, #b>>
    ttig.prefetch %p : !tt.ptr<tensor<32x64xf16, #b>>
    tt.return
  }

  // CHECK-LABEL: @unknown_pitch
  // CHECK: ttig.prefetch
  tt.func @unknown_pitch(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #a>>
    ttig.prefetch %p : !tt.ptr<tensor<64x32xf16, #a>>
    tt.return
  }
}
