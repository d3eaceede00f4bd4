// RUN: dotload-opt %s --lower-to-2d-block-prefetch --remarks 2>&1 | FileCheck %s
// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s --check-prefix=LLVM

// COM: Nothing is known of base, width and pitch: a mark vouches for them, as it does for a load. In the spelling of
// COM: Triton 3.3, or for the least pitch, it does so only where Intel's lowering is followed.
// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: kept ttig.prefetch: pitch is known to be a multiple of 2 B only, must be one of 16 B [PITCH_ALIGNMENT]
// CHECK: kept ttig.prefetch: pitch is known to be a multiple of 2 B only, must be one of 16 B [PITCH_ALIGNMENT]
// CHECK: kept ttig.prefetch: pitch is known to be a multiple of 8 B only, must be one of 16 B [PITCH_ALIGNMENT]
// CHECK: kept ttig.prefetch: pitch is known at run time only, and a row of the tensor has 32 B < 64 B [PITCH_UNKNOWN]
// LLVM-LABEL: @marked
// LLVM-COUNT-2: triton_gen.2Dblockprefetch {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 2, cache_control = L1C_L3C}
// LLVM: triton_gen.2Dblockprefetch {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 1, cache_control = L1C_L3C}
// LLVM-NOT: triton_gen.2Dblockprefetch
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @marked(%base: !tt.ptr<f16>, %rows: i64, %columns: i64, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %c36 = arith.constant 36 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #a>>
    ttig.prefetch %p {ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #a>>
    ttig.prefetch %p {triton_intel_gpu.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #a>>
    ttig.prefetch %p : !tt.ptr<tensor<64x32xf16, #a>>
    %q = tt.make_tensor_ptr %base, [%rows, %columns], [%c36, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #a>>
    ttig.prefetch %q {ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #a>>
    %short = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf16, #a>>
    ttig.prefetch %short {ttig.block_io = "row_major"} : !tt.ptr<tensor<64x16xf16, #a>>
    tt.return
  }
}
