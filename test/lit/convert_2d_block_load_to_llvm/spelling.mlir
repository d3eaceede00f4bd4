// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='emit=opencl cut-surfaces=false' | FileCheck %s --check-prefix=OPENCL
// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='emit=spirv cut-surfaces=false' | FileCheck %s --check-prefix=SPIRV
// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='cut-surfaces=false' | FileCheck %s --check-prefix=GEN

// COM: Three spellings of the same messages. The SPIR-V function takes the sizes as arguments: bytes of an element,
// COM: width, height, blocks.

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // OPENCL-LABEL: @plain
  // OPENCL: %[[AT0:[a-z0-9_]+]] = llvm.insertelement
  // OPENCL: %[[AT:[a-z0-9_]+]] = llvm.insertelement %{{.*}}, %[[AT0]][%{{.*}} : i32] : vector<2xi32>
  // OPENCL: llvm.call spir_funccc @_Z42intel_sub_group_2d_block_read_16b_32r16x2cPU3AS1viiiDv2_iPt(%{{.*}}, %{{.*}}, %h, %p, %[[AT]], %[[ROOM:[a-z0-9_]+]]) : (!llvm.ptr<1>, i32, i32, i32, vector<2xi32>, !llvm.ptr) -> ()
  // OPENCL: llvm.load %[[ROOM]] : !llvm.ptr -> vector<64xi16>
  // SPIRV-LABEL: @plain
  // SPIRV-DAG: %[[C2:[a-z0-9_]+]] = arith.constant 2 : i32
  // SPIRV-DAG: %[[C16:[a-z0-9_]+]] = arith.constant 16 : i32
  // SPIRV-DAG: %[[C32:[a-z0-9_]+]] = arith.constant 32 : i32
  // SPIRV: llvm.call spir_funccc @_Z32__spirv_Subgroup2DBlockLoadINTELiiiiPU3AS1viiiDv2_iPv(%[[C2]], %[[C16]], %[[C32]], %[[C2]], %{{.*}}, %{{.*}}, %h, %p, %{{.*}}, %[[ROOM:[a-z0-9_]+]])
  // SPIRV: llvm.load %[[ROOM]] : !llvm.ptr -> vector<64xi16>
  // GEN-LABEL: @plain
  // GEN: triton_gen.2Dblockload %{{.*}}, %{{.*}}, %h, %p, %{{.*}}, %{{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 32, v_blocks = 2, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<64xi16>
  tt.func @plain(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // OPENCL-LABEL: @transform
  // OPENCL: llvm.call spir_funccc @_Z52intel_sub_group_2d_block_read_transform_16b_32r16x2cPU3AS1viiiDv2_iPj(
  // OPENCL: llvm.load %{{.*}} : !llvm.ptr -> vector<32xi32>
  // SPIRV-LABEL: @transform
  // SPIRV: llvm.call spir_funccc @_Z41__spirv_Subgroup2DBlockLoadTransformINTELiiiiPU3AS1viiiDv2_iPv(
  // GEN-LABEL: @transform
  // GEN: triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 32, v_blocks = 2, transpose = false, vnni_transform = true, cache_control = Default} {{.*}} -> vector<32xi32>
  tt.func @transform(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x64xf16, #dot_b> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<32x64xf16, #dot_b>
    tt.return %b : tensor<32x64xf16, #dot_b>
  }

  // COM: Two messages along K. x counts 32-bit elements: 16 f16 of K are 8 of them.
  // OPENCL-LABEL: @transpose
  // OPENCL-COUNT-2: llvm.call spir_funccc @_Z51intel_sub_group_2d_block_read_transpose_32b_32r8x1cPU3AS1viiiDv2_iPj(
  // OPENCL-NOT: block_read
  // SPIRV-LABEL: @transpose
  // SPIRV-COUNT-2: llvm.call spir_funccc @_Z41__spirv_Subgroup2DBlockLoadTransposeINTELiiiiPU3AS1viiiDv2_iPv(
  // GEN-LABEL: @transpose
  // GEN-DAG: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i32
  // GEN-DAG: %[[C16:[a-z0-9_]+]] = arith.constant 16 : i32
  // GEN: %[[X0:[a-z0-9_]+]] = arith.shrsi %x, %[[C1]] : i32
  // GEN: triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 32, tile_width = 8, tile_height = 32, v_blocks = 1, transpose = true, vnni_transform = false, cache_control = Default} {{.*}} -> vector<16xi32>
  // GEN: %[[X1:[a-z0-9_]+]] = arith.addi %x, %[[C16]] : i32
  // GEN: arith.shrsi %[[X1]], %[[C1]] : i32
  // GEN: triton_gen.2Dblockload
  tt.func @transpose(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x64xf16, #dot_b> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {column_major} : !tt.ptr<f16> -> tensor<32x64xf16, #dot_b>
    tt.return %b : tensor<32x64xf16, #dot_b>
  }
}
