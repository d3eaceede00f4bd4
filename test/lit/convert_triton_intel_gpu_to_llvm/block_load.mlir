// RUN: dotload-opt %s --tritonintelgpu-lower-to-2d-block-load --intel-allocate-shared-memory --convert-triton-intel-gpu-to-llvm | FileCheck %s
// RUN: dotload-opt %s --tritonintelgpu-lower-to-2d-block-load --convert-triton-intel-gpu-to-llvm --convert-tritongen-to-llvm | FileCheck %s --check-prefix=SPIRV

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Two warps share the rows, 32 each, so one message loads a warp's part. The block pointer disappears.
  // CHECK-LABEL: llvm.func spir_kernelcc @marked(
  // CHECK-NOT: tt.
  // CHECK: %[[V:.*]] = triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 32, v_blocks = 2, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<64xi16>
  // CHECK: llvm.shufflevector %[[V]], %[[V]] [0, 1, 2, 3, 4, 5, 6, 7] : vector<64xi16>
  // CHECK: llvm.return
  // SPIRV: llvm.call spir_funccc @_Z32__spirv_Subgroup2DBlockLoadINTELiiiiPU3AS1viiiDv2_iPv(
  tt.func public @marked(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i64, %k: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%n, %n], [%pitch, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>, ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return
  }

  // COM: A function that is called by another one returns its tensor as a struct.
  // CHECK-LABEL: llvm.func internal spir_funccc @returned(%arg0: !llvm.struct<(f16,
  // CHECK: llvm.return %{{.*}} : !llvm.struct<(f16,
  tt.func private @returned(%a: tensor<64x32xf16, #dot_a>) -> tensor<64x32xf16, #dot_a> {
    %b = arith.addf %a, %a : tensor<64x32xf16, #dot_a>
    tt.return %b : tensor<64x32xf16, #dot_a>
  }
}
