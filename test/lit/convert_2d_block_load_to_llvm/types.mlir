// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='emit=opencl' --split-input-file | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 4, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 32], B = [32, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Rows of 32 bytes: a lane receives two neighbouring elements in one 16-bit element.
  // CHECK-LABEL: @i8_a
  // CHECK: llvm.call spir_funccc @_Z41intel_sub_group_2d_block_read_8b_32r32x2cPU3AS1viiiDv2_iPt(
  // CHECK: llvm.bitcast %{{.*}} : vector<8xi16> to vector<16xi8>
  tt.func @i8_a(%base: !tt.ptr<i8>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x64xi8, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<i8> -> tensor<64x64xi8, #dot_a>
    tt.return %a : tensor<64x64xi8, #dot_a>
  }

  // CHECK-LABEL: @i8_b
  // CHECK: llvm.call spir_funccc @_Z51intel_sub_group_2d_block_read_transform_8b_32r16x2cPU3AS1viiiDv2_iPj(
  // CHECK: llvm.bitcast %{{.*}} : vector<8xi32> to vector<32xi8>
  tt.func @i8_b(%base: !tt.ptr<i8>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x64xi8, #dot_b> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<i8> -> tensor<64x64xi8, #dot_b>
    tt.return %b : tensor<64x64xi8, #dot_b>
  }

  // COM: Triton's type converter represents 8-bit floats as i8.
  // CHECK-LABEL: @fp8_transposed_b
  // CHECK: llvm.call spir_funccc @_Z51intel_sub_group_2d_block_read_transpose_32b_32r8x1cPU3AS1viiiDv2_iPj(
  // CHECK: !llvm.struct<(i8, i8, {{.*}})> to tensor<64x64xf8E4M3FN
  tt.func @fp8_transposed_b(%base: !tt.ptr<f8E4M3FN>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x64xf8E4M3FN, #dot_b> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {column_major} : !tt.ptr<f8E4M3FN> -> tensor<64x64xf8E4M3FN, #dot_b>
    tt.return %b : tensor<64x64xf8E4M3FN, #dot_b>
  }
}

// -----

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: 8-bit floats that are converted before the dot: two per channel.
  // CHECK-LABEL: @fp8_a_to_be_converted
  // CHECK: llvm.call spir_funccc @_Z{{[0-9]+}}intel_sub_group_2d_block_read_
  // CHECK: !llvm.struct<(i8, i8, {{.*}})> to tensor<64x32xf8E5M2
  tt.func @fp8_a_to_be_converted(%base: !tt.ptr<f8E5M2>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x32xf8E5M2, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f8E5M2> -> tensor<64x32xf8E5M2, #dot_a>
    tt.return %a : tensor<64x32xf8E5M2, #dot_a>
  }

  // CHECK-LABEL: @bf16_b
  // CHECK: llvm.call spir_funccc @_Z52intel_sub_group_2d_block_read_transform_16b_32r16x2cPU3AS1viiiDv2_iPj(
  // CHECK: llvm.bitcast %{{.*}} : vector<8xi32> to vector<16xbf16>
  tt.func @bf16_b(%base: !tt.ptr<bf16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x64xbf16, #dot_b> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<bf16> -> tensor<32x64xbf16, #dot_b>
    tt.return %b : tensor<32x64xbf16, #dot_b>
  }

  // COM: The layout of the accumulator is supported as well.
  // CHECK-LABEL: @f32_c
  // CHECK-COUNT-2: llvm.call spir_funccc @_Z42intel_sub_group_2d_block_read_32b_32r16x1cPU3AS1viiiDv2_iPj(
  // CHECK: to tensor<64x64xf32
  tt.func @f32_c(%base: !tt.ptr<f32>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x64xf32, #mma> {
    %c = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f32> -> tensor<64x64xf32, #mma>
    tt.return %c : tensor<64x64xf32, #mma>
  }
}

// -----

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 1, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 1], A = [32, 8], B = [8, 16], C = [32, 16]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Two rows of 8 columns fill one register of an instruction: lanes 8 to 15 hold the odd rows.
  // CHECK-LABEL: @tf32_a
  // CHECK: llvm.call spir_funccc @_Z41intel_sub_group_2d_block_read_32b_32r8x2cPU3AS1viiiDv2_iPj(
  // CHECK: llvm.bitcast %{{.*}} : vector<4xi32> to vector<4xf32>
  tt.func @tf32_a(%base: !tt.ptr<f32>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x16xf32, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f32> -> tensor<64x16xf32, #dot_a>
    tt.return %a : tensor<64x16xf32, #dot_a>
  }

  // CHECK-LABEL: @tf32_transposed_b
  // CHECK: llvm.call spir_funccc @_Z51intel_sub_group_2d_block_read_transpose_32b_16r8x1cPU3AS1viiiDv2_iPj(
  tt.func @tf32_transposed_b(%base: !tt.ptr<f32>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<16x64xf32, #dot_b> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {column_major} : !tt.ptr<f32> -> tensor<16x64xf32, #dot_b>
    tt.return %b : tensor<16x64xf32, #dot_b>
  }
}
