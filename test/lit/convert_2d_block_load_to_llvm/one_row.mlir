// RUN: dotload-opt %s --convert-2d-block-load-to-llvm | FileCheck %s

// COM: Loads from pointers as another pass may have made them: the pitch does not allow messages of several rows.

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: The pointers are visibly the same in every row.
  // CHECK-LABEL: @same_pointers
  // CHECK: %[[V:.*]] = triton_gen.2Dblockload {{.*}} tile_height = 1,
  // CHECK-NOT: 2Dblockload
  // CHECK: llvm.shufflevector %[[V]], %[[V]] [0, 0, 0, 0, 0, 0, 0, 0] : vector<1xi16>
  tt.func @same_pointers(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<8x16xf16, #dot_a> {
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_a}>>
    %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_a}>> -> tensor<1x16xi32, #dot_a>
    %offsets = tt.broadcast %columns : tensor<1x16xi32, #dot_a> -> tensor<8x16xi32, #dot_a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<8x16x!tt.ptr<f16>, #dot_a>
    %ptrs = tt.addptr %bases, %offsets : tensor<8x16x!tt.ptr<f16>, #dot_a>, tensor<8x16xi32, #dot_a>
    %pitch = arith.constant 128 : i32
    %a = ttig.2d_block_load_from_ptr %ptrs, %pitch {row_major} {base_height = 1 : i32, base_width = 32 : i32} : (tensor<8x16x!tt.ptr<f16>, #dot_a>, i32) -> tensor<8x16xf16, #dot_a>
    tt.return %a : tensor<8x16xf16, #dot_a>
  }

  // COM: Nothing is known of the pointers. A surface of one row has no second row, so each row takes a message of its
  // COM: own.
  // CHECK-LABEL: @unknown_pointers
  // CHECK-COUNT-8: triton_gen.2Dblockload {{.*}} tile_height = 1,
  // CHECK-NOT: 2Dblockload
  tt.func @unknown_pointers(%ptrs: tensor<8x16x!tt.ptr<f16>, #dot_a>) -> tensor<8x16xf16, #dot_a> {
    %pitch = arith.constant 128 : i32
    %a = ttig.2d_block_load_from_ptr %ptrs, %pitch {row_major} {base_height = 1 : i32, base_width = 32 : i32} : (tensor<8x16x!tt.ptr<f16>, #dot_a>, i32) -> tensor<8x16xf16, #dot_a>
    tt.return %a : tensor<8x16xf16, #dot_a>
  }

  // COM: The same pointers under a mask that may differ from row to row: one row cannot stand for another.
  // CHECK-LABEL: @unknown_mask
  // CHECK-COUNT-8: triton_gen.2Dblockload {{.*}} tile_height = 1,
  // CHECK-NOT: 2Dblockload
  tt.func @unknown_mask(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %mask: tensor<8x16xi1, #dot_a>, %other: tensor<8x16xf16, #dot_a>) -> tensor<8x16xf16, #dot_a> {
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_a}>>
    %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_a}>> -> tensor<1x16xi32, #dot_a>
    %offsets = tt.broadcast %columns : tensor<1x16xi32, #dot_a> -> tensor<8x16xi32, #dot_a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<8x16x!tt.ptr<f16>, #dot_a>
    %ptrs = tt.addptr %bases, %offsets : tensor<8x16x!tt.ptr<f16>, #dot_a>, tensor<8x16xi32, #dot_a>
    %pitch = arith.constant 128 : i32
    %a = ttig.2d_block_load_from_ptr %ptrs, %pitch, %mask, %other {row_major} {base_height = 1 : i32, base_width = 32 : i32} : (tensor<8x16x!tt.ptr<f16>, #dot_a>, i32, tensor<8x16xi1, #dot_a>, tensor<8x16xf16, #dot_a>) -> tensor<8x16xf16, #dot_a>
    tt.return %a : tensor<8x16xf16, #dot_a>
  }
}
