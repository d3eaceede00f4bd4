// RUN: dotload-opt %s -tritonintelgpu-materialize-block-pointer | FileCheck %s

// COM: 512 elements as 16 rows of 32 elements (64 bytes), 128 elements (256 bytes) apart.
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>
// CHECK: #[[ROWS:.*]] = #ttg.linear<{register = {{\[\[}}2, 0], [4, 0], [8, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8]], warp = {{\[\[}}0, 16], [1, 0]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @rows
  // CHECK: %[[P:.*]] = tt.reshape %ptr : tensor<512x!tt.ptr<f16>, #blocked> -> tensor<16x32x!tt.ptr<f16>, #[[ROWS]]>
  // CHECK: %[[A:.*]] = tt.load %[[P]] {ttig.block_io = "row_major", ttig.block_io_stride = 128 : i64}
  // CHECK: %[[R:.*]] = tt.reshape %[[A]] : tensor<16x32xf16, #[[ROWS]]> -> tensor<512xf16, #blocked>
  // CHECK: tt.return %[[R]]
  tt.func @rows(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<512xf16, #e> {
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #e>
    %w = arith.constant dense<32> : tensor<512xi32, #e>
    %s = arith.constant dense<128> : tensor<512xi32, #e>
    %column = arith.remsi %i, %w : tensor<512xi32, #e>
    %row = arith.divsi %i, %w : tensor<512xi32, #e>
    %start = arith.muli %row, %s : tensor<512xi32, #e>
    %offset = arith.addi %column, %start : tensor<512xi32, #e>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #e>
    %ptr = tt.addptr %bases, %offset : tensor<512x!tt.ptr<f16>, #e>, tensor<512xi32, #e>
    %a = tt.load %ptr : tensor<512x!tt.ptr<f16>, #e>
    tt.return %a : tensor<512xf16, #e>
  }

  // COM: A row stride of 36 elements is 72 bytes, not a multiple of 16.
  // CHECK-LABEL: @odd_distance
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @odd_distance(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<512xf16, #e> {
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #e>
    %w = arith.constant dense<32> : tensor<512xi32, #e>
    %s = arith.constant dense<36> : tensor<512xi32, #e>
    %column = arith.remsi %i, %w : tensor<512xi32, #e>
    %row = arith.divsi %i, %w : tensor<512xi32, #e>
    %start = arith.muli %row, %s : tensor<512xi32, #e>
    %offset = arith.addi %column, %start : tensor<512xi32, #e>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #e>
    %ptr = tt.addptr %bases, %offset : tensor<512x!tt.ptr<f16>, #e>, tensor<512xi32, #e>
    %a = tt.load %ptr : tensor<512x!tt.ptr<f16>, #e>
    tt.return %a : tensor<512xf16, #e>
  }

  // COM: Rows of 8 elements are shorter than a subgroup.
  // CHECK-LABEL: @short_rows
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @short_rows(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<512xf16, #e> {
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #e>
    %w = arith.constant dense<8> : tensor<512xi32, #e>
    %s = arith.constant dense<128> : tensor<512xi32, #e>
    %column = arith.remsi %i, %w : tensor<512xi32, #e>
    %row = arith.divsi %i, %w : tensor<512xi32, #e>
    %start = arith.muli %row, %s : tensor<512xi32, #e>
    %offset = arith.addi %column, %start : tensor<512xi32, #e>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #e>
    %ptr = tt.addptr %bases, %offset : tensor<512x!tt.ptr<f16>, #e>, tensor<512xi32, #e>
    %a = tt.load %ptr : tensor<512x!tt.ptr<f16>, #e>
    tt.return %a : tensor<512xf16, #e>
  }
}
