// RUN: dotload-opt %s -tritonintelgpu-materialize-block-pointer -tritonintelgpu-lower-to-2d-block-load --remarks 2>&1 | FileCheck %s
// RUN: dotload-opt %s -tritonintelgpu-materialize-block-pointer -tritonintelgpu-lower-to-2d-block-load -convert-2d-block-load-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK: tt.load becomes 1 x 16b_8r16x1c, proved
// CHECK: kept tt.load: ttig.block_io_stride says that rows are 128 B apart, the pointers say 512 B [STRIDE_MARK]

#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 16], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Rows of 32 elements, 128 elements apart: materialize-block-pointer makes them two dims, and passes on the row
  // COM: stride.
  // CHECK-LABEL: @rank_1
  // CHECK: %[[P:.*]] = tt.reshape %ptr
  // CHECK: %[[PITCH:.*]] = arith.constant 256 : i32
  // CHECK: ttig.2d_block_load_from_ptr %[[P]], %[[PITCH]] {row_major}
  // LLVM-LABEL: @rank_1
  // LLVM: triton_gen.2Dblockload {{.*}}elem_size_in_bits = 16, tile_width = 16, tile_height = 8
  tt.func @rank_1(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<512xf16, #e> {
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

  // COM: Nothing is known of the pointers; the marks give their stride.
  // CHECK-LABEL: @promised
  // CHECK: %[[PITCH:.*]] = arith.constant 128 : i32
  // CHECK: ttig.2d_block_load_from_ptr %ptr, %[[PITCH]] {row_major}
  // LLVM-LABEL: @promised
  // LLVM: triton_gen.2Dblockload
  tt.func @promised(%ptr: tensor<16x32x!tt.ptr<f16>, #rows>) -> tensor<16x32xf16, #rows> {
    %a = tt.load %ptr {ttig.block_io = "row_major", ttig.block_io_stride = 64 : i64} : tensor<16x32x!tt.ptr<f16>, #rows>
    tt.return %a : tensor<16x32xf16, #rows>
  }

  // COM: The pointers are 256 elements apart, unlike what the mark says.
  // CHECK-LABEL: @contradicted
  // CHECK: tt.load
  // CHECK-NOT: 2d_block_load
  // CHECK: tt.return
  tt.func @contradicted(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<16x32xf16, #rows> {
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %row = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<16x1xi32, #rows>
    %column = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x32xi32, #rows>
    %s = arith.constant dense<256> : tensor<16x1xi32, #rows>
    %start = arith.muli %row, %s : tensor<16x1xi32, #rows>
    %rows = tt.broadcast %start : tensor<16x1xi32, #rows> -> tensor<16x32xi32, #rows>
    %columns = tt.broadcast %column : tensor<1x32xi32, #rows> -> tensor<16x32xi32, #rows>
    %offset = arith.addi %rows, %columns : tensor<16x32xi32, #rows>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>, #rows>
    %ptr = tt.addptr %bases, %offset : tensor<16x32x!tt.ptr<f16>, #rows>, tensor<16x32xi32, #rows>
    %a = tt.load %ptr {ttig.block_io = "row_major", ttig.block_io_stride = 64 : i64} : tensor<16x32x!tt.ptr<f16>, #rows>
    tt.return %a : tensor<16x32xf16, #rows>
  }
}
