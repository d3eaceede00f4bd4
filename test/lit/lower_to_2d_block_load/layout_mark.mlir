// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s
// RUN: dotload-opt %s -tritonintelgpu-lower-to-2d-block-load --remarks 2>&1 | FileCheck %s

// CHECK: kept tt.load: ttig.block_io says column_major, the strides say row_major [LAYOUT_MARK]
// CHECK-NEXT: remark: {{.*}}tt.load becomes 1 x 16b_32r16x2c, proved
// CHECK-NEXT: kept tt.load: ttig.block_io says row_major, the strides say column_major [LAYOUT_MARK]
// CHECK-NEXT: remark: {{.*}}tt.load becomes

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: The last stride is 1: the rows run through memory.
  // CHECK-LABEL: @rows_marked_as_columns
  // CHECK: tt.load
  // CHECK-NOT: 2d_block_load
  // CHECK: tt.return
  tt.func @rows_marked_as_columns(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %c512 = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%c512, %c512], [%c512, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {ttig.block_io = "column_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: Both strides are 1, so both marks are right.
  // CHECK-LABEL: @rows_and_columns
  // CHECK: ttig.2d_block_load {{.*}} {row_major}
  tt.func @rows_and_columns(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %c512 = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%c512, %c512], [%c512, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: Through pointers, with a stride in the mark: 64 columns of 16 rows, 64 elements apart.
  // CHECK-LABEL: @columns_marked_as_rows
  // CHECK: tt.load
  // CHECK-NOT: 2d_block_load
  // CHECK: tt.return
  tt.func @columns_marked_as_rows(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<32x64xf16, #columns> {
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #columns}>>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>>
    %row = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #columns}>> -> tensor<32x1xi32, #columns>
    %column = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>> -> tensor<1x64xi32, #columns>
    %s = arith.constant dense<64> : tensor<1x64xi32, #columns>
    %start = arith.muli %column, %s : tensor<1x64xi32, #columns>
    %starts = tt.broadcast %start : tensor<1x64xi32, #columns> -> tensor<32x64xi32, #columns>
    %steps = tt.broadcast %row : tensor<32x1xi32, #columns> -> tensor<32x64xi32, #columns>
    %offset = arith.addi %starts, %steps : tensor<32x64xi32, #columns>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #columns>
    %ptr = tt.addptr %bases, %offset : tensor<32x64x!tt.ptr<f16>, #columns>, tensor<32x64xi32, #columns>
    %a = tt.load %ptr {ttig.block_io = "row_major"} : tensor<32x64x!tt.ptr<f16>, #columns>
    tt.return %a : tensor<32x64xf16, #columns>
  }

  // CHECK-LABEL: @columns
  // CHECK: ttig.2d_block_load_from_ptr {{.*}} {column_major}
  tt.func @columns(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<32x64xf16, #columns> {
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #columns}>>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>>
    %row = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #columns}>> -> tensor<32x1xi32, #columns>
    %column = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #columns}>> -> tensor<1x64xi32, #columns>
    %s = arith.constant dense<64> : tensor<1x64xi32, #columns>
    %start = arith.muli %column, %s : tensor<1x64xi32, #columns>
    %starts = tt.broadcast %start : tensor<1x64xi32, #columns> -> tensor<32x64xi32, #columns>
    %steps = tt.broadcast %row : tensor<32x1xi32, #columns> -> tensor<32x64xi32, #columns>
    %offset = arith.addi %starts, %steps : tensor<32x64xi32, #columns>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #columns>
    %ptr = tt.addptr %bases, %offset : tensor<32x64x!tt.ptr<f16>, #columns>, tensor<32x64xi32, #columns>
    %a = tt.load %ptr {ttig.block_io = "column_major"} : tensor<32x64x!tt.ptr<f16>, #columns>
    tt.return %a : tensor<32x64xf16, #columns>
  }
}
