// RUN: dotload-opt %s --lower-to-2d-block-load | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#rows = #ttg.slice<{dim = 1, parent = #dot_a}>
#columns = #ttg.slice<{dim = 0, parent = #dot_a}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Rows are 512 elements of 2 bytes apart. One message has blocks of 16 columns (32 bytes) by 32 rows.
  // CHECK-LABEL: @constant_pitch
  tt.func @constant_pitch(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
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
    // CHECK: %[[PTR:[a-z0-9_]+]] = tt.addptr
    // CHECK: %[[PITCH:[a-z0-9_]+]] = arith.constant 1024 : i32
    // CHECK: ttig.2d_block_load_from_ptr %[[PTR]], %[[PITCH]] {row_major} {base_height = 32 : i32, base_width = 32 : i32} : (tensor<64x32x!tt.ptr<f16>, {{.*}}>, i32) -> tensor<64x32xf16
    %a = tt.load %ptr : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The pitch is known at run time only, a loop carries the pointers, and the mask along K can change every 16
  // COM: columns only, since K and k are multiples of 16.
  // CHECK-LABEL: @loop_with_mask
  // CHECK-SAME: %{{.*}}: !tt.ptr<f16> {{.*}}, %[[STRIDE:[a-z0-9_]+]]: i32 {{.*}}, %{{.*}}: i32
  tt.func @loop_with_mask(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %depth: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %step = arith.constant dense<32> : tensor<64x32xi32, #dot_a>
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #dot_a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #dot_a>
    %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #dot_a>
    %row = arith.muli %m2, %strides : tensor<64x1xi32, #dot_a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #dot_a>
    %row_ptr = tt.addptr %bases, %row : tensor<64x1x!tt.ptr<f16>, #dot_a>, tensor<64x1xi32, #dot_a>
    %row_wide = tt.broadcast %row_ptr : tensor<64x1x!tt.ptr<f16>, #dot_a> -> tensor<64x32x!tt.ptr<f16>, #dot_a>
    %column_wide = tt.broadcast %k2 : tensor<1x32xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %first = tt.addptr %row_wide, %column_wide : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
    %end = scf.for %i = %c0 to %depth step %c32 iter_args(%ptr = %first) -> (tensor<64x32x!tt.ptr<f16>, #dot_a>) : i32 {
      %left = arith.subi %depth, %i : i32
      %limit = tt.splat %left : i32 -> tensor<1x32xi32, #dot_a>
      %inside = arith.cmpi slt, %k2, %limit : tensor<1x32xi32, #dot_a>
      %mask = tt.broadcast %inside : tensor<1x32xi1, #dot_a> -> tensor<64x32xi1, #dot_a>
      // CHECK: %[[MASK:[a-z0-9_]+]] = tt.broadcast %{{.*}} : tensor<1x32xi1
      // CHECK: %[[PITCH:[a-z0-9_]+]] = arith.muli %[[STRIDE]], %{{.*}} : i32
      // CHECK: %[[OTHER:[a-z0-9_]+]] = arith.constant dense<0.000000e+00> : tensor<64x32xf16
      // CHECK: ttig.2d_block_load_from_ptr %{{.*}}, %[[PITCH]], %[[MASK]], %[[OTHER]] {row_major} {base_height = 32 : i32, base_width = 32 : i32, ttig.guard = array<i32: 0, 1>}
      %a = tt.load %ptr, %mask : tensor<64x32x!tt.ptr<f16>, #dot_a>
      %next = tt.addptr %ptr, %step : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
      scf.yield %next : tensor<64x32x!tt.ptr<f16>, #dot_a>
    }
    tt.return
  }

  // COM: Rows wrap around at a multiple of 16, so the row stride is constant within each group of 16: messages have 16
  // COM: rows.
  // CHECK-LABEL: @rows_modulo
  tt.func @rows_modulo(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %counts = tt.splat %count : i32 -> tensor<64xi32, #rows>
    %wrapped = arith.remsi %m, %counts : tensor<64xi32, #rows>
    %m2 = tt.expand_dims %wrapped {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #dot_a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #dot_a>
    %stride = arith.constant dense<512> : tensor<64x1xi32, #dot_a>
    %row = arith.muli %m2, %stride : tensor<64x1xi32, #dot_a>
    %row_wide = tt.broadcast %row : tensor<64x1xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %column_wide = tt.broadcast %k2 : tensor<1x32xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %offset = arith.addi %row_wide, %column_wide : tensor<64x32xi32, #dot_a>
    %splat = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #dot_a>
    %ptr = tt.addptr %splat, %offset : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
    // CHECK: ttig.2d_block_load_from_ptr {{.*}} {base_height = 16 : i32, base_width = 32 : i32}
    %a = tt.load %ptr : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}
