// RUN: dotload-opt %s --convert-2d-block-load-to-llvm | FileCheck %s

#pairs = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 1], warpsPerCTA = [1, 1], order = [0, 1]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: x counts elements of the message; each consists of four elements of the tensor.
  // CHECK-LABEL: @four_halves_a_lane
  // CHECK: %[[C2:.*]] = arith.constant 2 : i32
  // CHECK: arith.shrsi %x, %[[C2]]
  // CHECK: triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 64, tile_width = 8, tile_height = 32, v_blocks = 1, transpose = false, {{.*}} -> vector<16xi64>
  // CHECK: llvm.bitcast %{{.*}} : vector<16xi64> to vector<64xf16>
  tt.func @four_halves_a_lane(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x32xf16, #pairs> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<32x32xf16, #pairs>
    tt.return %a : tensor<32x32xf16, #pairs>
  }

  // CHECK-LABEL: @doubles
  // CHECK: triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 64, tile_width = 8, tile_height = 32, {{.*}} -> vector<16xi64>
  // CHECK: llvm.bitcast %{{.*}} : vector<16xi64> to vector<16xf64>
  tt.func @doubles(%base: !tt.ptr<f64>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x8xf64, #rows> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f64> -> tensor<32x8xf64, #rows>
    tt.return %a : tensor<32x8xf64, #rows>
  }

  // COM: A transposing message of 64-bit elements has at most 8 rows, so 16 rows take one of 32-bit elements, which
  // COM: brings both words.
  // CHECK-LABEL: @doubles_by_columns
  // CHECK: triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 32, tile_width = 8, tile_height = 16, v_blocks = 1, transpose = true, {{.*}} -> vector<8xi32>
  // CHECK: llvm.bitcast %{{.*}} : vector<8xi32> to vector<4xf64>
  tt.func @doubles_by_columns(%base: !tt.ptr<f64>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<16x4xf64, #columns> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f64> -> tensor<16x4xf64, #columns>
    tt.return %a : tensor<16x4xf64, #columns>
  }
}
