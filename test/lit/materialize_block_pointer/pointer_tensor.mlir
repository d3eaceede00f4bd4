// RUN: dotload-opt %s -tritonintelgpu-materialize-block-pointer | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#rows = #ttg.slice<{dim = 1, parent = #dot_a}>
#columns = #ttg.slice<{dim = 0, parent = #dot_a}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Columns are contiguous; rows are 512 elements of 2 bytes apart.
  // CHECK-LABEL: @rows_of_1024_bytes
  // CHECK: tt.load %ptr {ttig.block_io = "row_major"}
  tt.func @rows_of_1024_bytes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #dot_a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #dot_a>
    %stride = arith.constant dense<512> : tensor<64x1xi32, #dot_a>
    %row = arith.muli %m2, %stride : tensor<64x1xi32, #dot_a>
    %row_wide = tt.broadcast %row : tensor<64x1xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %column_wide = tt.broadcast %k2 : tensor<1x32xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %offset = arith.addi %row_wide, %column_wide : tensor<64x32xi32, #dot_a>
    %splat = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #dot_a>
    %ptr = tt.addptr %splat, %offset : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
    %a = tt.load %ptr : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The other order; the distance of columns is known only at run time, and is a multiple of 16 elements.
  // CHECK-LABEL: @columns_at_run_time
  // CHECK: tt.load %ptr {ttig.block_io = "column_major"}
  tt.func @columns_at_run_time(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #dot_a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #dot_a>
    %strides = tt.splat %stride : i32 -> tensor<1x32xi32, #dot_a>
    %column = arith.muli %k2, %strides : tensor<1x32xi32, #dot_a>
    %row_wide = tt.broadcast %m2 : tensor<64x1xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %column_wide = tt.broadcast %column : tensor<1x32xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %offset = arith.addi %row_wide, %column_wide : tensor<64x32xi32, #dot_a>
    %splat = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #dot_a>
    %ptr = tt.addptr %splat, %offset : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
    %a = tt.load %ptr : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: A row stride of 36 elements of 2 bytes is not a multiple of 16 bytes.
  // CHECK-LABEL: @rows_of_72_bytes
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @rows_of_72_bytes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #dot_a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #dot_a>
    %stride = arith.constant dense<36> : tensor<64x1xi32, #dot_a>
    %row = arith.muli %m2, %stride : tensor<64x1xi32, #dot_a>
    %row_wide = tt.broadcast %row : tensor<64x1xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %column_wide = tt.broadcast %k2 : tensor<1x32xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %offset = arith.addi %row_wide, %column_wide : tensor<64x32xi32, #dot_a>
    %splat = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #dot_a>
    %ptr = tt.addptr %splat, %offset : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
    %a = tt.load %ptr : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
  // COM: A message reads global memory only.
  // CHECK-LABEL: @shared_memory
  // CHECK-NOT: ttig.block_io
  // CHECK: tt.return
  tt.func @shared_memory(%base: !tt.ptr<f16, 3> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 64 : i64
    %block = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>, 3>
    %a = tt.load %block : !tt.ptr<tensor<64x32xf16, #dot_a>, 3>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}
