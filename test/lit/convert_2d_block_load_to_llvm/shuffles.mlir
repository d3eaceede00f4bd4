// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='emit=opencl cut-surfaces=false' | FileCheck %s

// COM: One shufflevector makes each operand of a matrix instruction; then the struct of Triton's type converter is
// COM: built.

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: A: rows 0..7, 8..15, ... of the first 16 columns, then of the others: the message delivers them in this order.
  // CHECK-LABEL: @a
  // CHECK: %[[V:[a-z0-9_]+]] = llvm.load %{{.*}} -> vector<64xi16>
  // CHECK: %[[T:[a-z0-9_]+]] = llvm.shufflevector %[[V]], %[[V]] [0, 1, 2, 3, 4, 5, 6, 7] : vector<64xi16>
  // CHECK-NEXT: %[[F:[a-z0-9_]+]] = llvm.bitcast %[[T]] : vector<8xi16> to vector<8xf16>
  // CHECK-NEXT: %[[E:[a-z0-9_]+]] = llvm.extractelement %[[F]][%{{.*}} : i32] : vector<8xf16>
  // CHECK: llvm.shufflevector %[[V]], %[[V]] [56, 57, 58, 59, 60, 61, 62, 63] : vector<64xi16>
  // CHECK: %[[S0:[a-z0-9_]+]] = llvm.mlir.undef : !llvm.struct<(f16, f16,
  // CHECK-NEXT: llvm.insertvalue %[[E]], %[[S0]][0]
  // CHECK: builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(f16, f16, {{.*}})> to tensor<64x32xf16,
  tt.func @a(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32 {tt.divisibility = 64 : i32}, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: B: the layout wants the two halves of N first; the message delivers the two halves of K first.
  // CHECK-LABEL: @b
  // CHECK: %[[V:[a-z0-9_]+]] = llvm.load %{{.*}} -> vector<32xi32>
  // CHECK: %[[T:[a-z0-9_]+]] = llvm.shufflevector %[[V]], %[[V]] [0, 1, 2, 3, 4, 5, 6, 7] : vector<32xi32>
  // CHECK: llvm.bitcast %[[T]] : vector<8xi32> to vector<16xf16>
  // CHECK: llvm.shufflevector %[[V]], %[[V]] [16, 17, 18, 19, 20, 21, 22, 23] : vector<32xi32>
  // CHECK: llvm.shufflevector %[[V]], %[[V]] [8, 9, 10, 11, 12, 13, 14, 15] : vector<32xi32>
  // CHECK: llvm.shufflevector %[[V]], %[[V]] [24, 25, 26, 27, 28, 29, 30, 31] : vector<32xi32>
  tt.func @b(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32 {tt.divisibility = 64 : i32}, %y: i32) -> tensor<32x64xf16, #dot_b> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<32x64xf16, #dot_b>
    tt.return %b : tensor<32x64xf16, #dot_b>
  }

  // COM: B^T: a lane holds rows L and L + 16 of memory alternately.
  // CHECK-LABEL: @transposed_b
  // CHECK: llvm.shufflevector %[[V:[a-z0-9_]+]], %[[V]] [0, 2, 4, 6, 8, 10, 12, 14] : vector<16xi32>
  // CHECK: llvm.shufflevector %[[V]], %[[V]] [1, 3, 5, 7, 9, 11, 13, 15] : vector<16xi32>
  tt.func @transposed_b(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32 {tt.divisibility = 64 : i32}, %y: i32) -> tensor<32x64xf16, #dot_b> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {column_major} : !tt.ptr<f16> -> tensor<32x64xf16, #dot_b>
    tt.return %b : tensor<32x64xf16, #dot_b>
  }

  // COM: One operand per message: nothing to shuffle.
  // CHECK-LABEL: @one_matrix_per_load
  // CHECK-COUNT-4: llvm.call spir_funccc @_Z51intel_sub_group_2d_block_read_transpose_32b_16r8x1cPU3AS1viiiDv2_iPj(
  // CHECK-NOT: llvm.shufflevector
  // CHECK: tt.return
  tt.func @one_matrix_per_load(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32 {tt.divisibility = 64 : i32}, %y: i32) -> tensor<32x64xf16, #dot_b> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {column_major} {ttig.one_matrix_per_load} : !tt.ptr<f16> -> tensor<32x64xf16, #dot_b>
    tt.return %b : tensor<32x64xf16, #dot_b>
  }
}
