// RUN: dotload-opt %s --lower-to-2d-block-load='versions=false' --split-input-file --remarks 2>&1 | FileCheck %s

// COM: Loads through tensors of pointers and through descriptors that stay; a remark gives the reason of each.

// CHECK: remark: lower-to-2d-block-load: kept tt.load: the rows are not evenly spaced in memory [STRIDE]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: pitch is known to be a multiple of 2 B only, must be one of 16 B [PITCH_ALIGNMENT]
// CHECK: remark: lower-to-2d-block-load: tt.load becomes 1 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: kept tt.load: the mask changes within every message [MASK]
// CHECK: remark: lower-to-2d-block-load: tt.load becomes 2 x 16b_32r16x1c, proved
// CHECK: remark: lower-to-2d-block-load: kept tt.load: nothing is known about the structure of the mask [MASK_WITHOUT_STRUCTURE]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: a message would span several planes of dimension 0, and it has only two dimensions [BATCH]
// CHECK: remark: lower-to-2d-block-load: tt.load becomes 1 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: kept tt.load: width 16777232 B > 16777216 B [WIDTH_TOO_LARGE]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: height 16777217 rows > 16777216 rows [HEIGHT_TOO_LARGE]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: pitch is known at run time only, and a row of the tensor has 32 B < 64 B [PITCH_UNKNOWN]
// CHECK: remark: lower-to-2d-block-load: kept tt.descriptor_load: the descriptor's block is not a tensor of the result's shape [DESCRIPTOR_SHAPE]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: the result is not a tensor of rank 2 or more [SCALAR]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: messages read global memory, and the pointers are to address space 3 [NOT_GLOBAL]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: messages read global memory, and the pointers are to address space 3 [NOT_GLOBAL]

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#rows = #ttg.slice<{dim = 1, parent = #dot_a}>
#columns = #ttg.slice<{dim = 0, parent = #dot_a}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Row m starts at m * m.
  // CHECK-LABEL: @rows_at_no_one_distance(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @rows_at_no_one_distance(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #dot_a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #dot_a>
    %row = arith.muli %m2, %m2 : tensor<64x1xi32, #dot_a>
    %row_wide = tt.broadcast %row : tensor<64x1xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %column_wide = tt.broadcast %k2 : tensor<1x32xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %offset = arith.addi %row_wide, %column_wide : tensor<64x32xi32, #dot_a>
    %splat = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #dot_a>
    %ptr = tt.addptr %splat, %offset : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
    %a = tt.load %ptr : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @pitch_of_unknown_divisibility(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @pitch_of_unknown_divisibility(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32) -> tensor<64x32xf16, #dot_a> {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #dot_a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #dot_a>
    %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #dot_a>
    %row = arith.muli %m2, %strides : tensor<64x1xi32, #dot_a>
    %row_wide = tt.broadcast %row : tensor<64x1xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %column_wide = tt.broadcast %k2 : tensor<1x32xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %offset = arith.addi %row_wide, %column_wide : tensor<64x32xi32, #dot_a>
    %splat = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #dot_a>
    %ptr = tt.addptr %splat, %offset : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
    %a = tt.load %ptr : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: 8 elements are 16 bytes.
  // CHECK-LABEL: @pitch_divisible_by_8_elements(
  // CHECK: ttig.2d_block_load_from_ptr
  // CHECK-NEXT: tt.return
  tt.func @pitch_divisible_by_8_elements(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 8 : i32}) -> tensor<64x32xf16, #dot_a> {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #dot_a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #dot_a>
    %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #dot_a>
    %row = arith.muli %m2, %strides : tensor<64x1xi32, #dot_a>
    %row_wide = tt.broadcast %row : tensor<64x1xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %column_wide = tt.broadcast %k2 : tensor<1x32xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %offset = arith.addi %row_wide, %column_wide : tensor<64x32xi32, #dot_a>
    %splat = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #dot_a>
    %ptr = tt.addptr %splat, %offset : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
    %a = tt.load %ptr : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @mask_of_any_length(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @mask_of_any_length(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %depth: i32) -> tensor<64x32xf16, #dot_a> {
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
    %limit = tt.splat %depth : i32 -> tensor<1x32xi32, #dot_a>
    %inside = arith.cmpi slt, %k2, %limit : tensor<1x32xi32, #dot_a>
    %mask = tt.broadcast %inside : tensor<1x32xi1, #dot_a> -> tensor<64x32xi1, #dot_a>
    %a = tt.load %ptr, %mask : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @mask_of_16_columns(
  // CHECK: ttig.2d_block_load_from_ptr
  // CHECK-NEXT: tt.return
  tt.func @mask_of_16_columns(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %depth: i32 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
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
    %limit = tt.splat %depth : i32 -> tensor<1x32xi32, #dot_a>
    %inside = arith.cmpi slt, %k2, %limit : tensor<1x32xi32, #dot_a>
    %mask = tt.broadcast %inside : tensor<1x32xi1, #dot_a> -> tensor<64x32xi1, #dot_a>
    %a = tt.load %ptr, %mask : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @mask_of_unknown_structure(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @mask_of_unknown_structure(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %any: tensor<64x32xi1, #dot_a>) -> tensor<64x32xf16, #dot_a> {
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
    %mask = arith.andi %any, %any : tensor<64x32xi1, #dot_a>
    %a = tt.load %ptr, %mask : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}

// -----

#mma3 = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 2, 2], repCluster = [1, 4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma3, kWidth = 1}>
#lanes = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [2, 1, 8], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Eight lanes hold one plane, the other eight the next.
  // CHECK-LABEL: @planes_in_lanes(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @planes_in_lanes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<2x64x32xf16, #lanes> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size, %size], [%size, %size, %one], [%c0, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<2x64x32xf16, #lanes>>
    %a = tt.load %ptr : !tt.ptr<tensor<2x64x32xf16, #lanes>>
    tt.return %a : tensor<2x64x32xf16, #lanes>
  }

  // CHECK-LABEL: @one_plane(
  // CHECK: ttig.2d_block_load
  tt.func @one_plane(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: i32) -> tensor<1x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size, %size], [%size, %size, %one], [%z, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x64x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 1, 2>} : !tt.ptr<tensor<1x64x32xf16, #dot_a>>
    tt.return %a : tensor<1x64x32xf16, #dot_a>
  }
}

// -----

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @width_above_2_to_the_24(
  // CHECK: tt.load
  tt.func @width_above_2_to_the_24(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %wide = arith.constant 8388616 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %wide], [%pitch, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @height_above_2_to_the_24(
  // CHECK: tt.load
  tt.func @height_above_2_to_the_24(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %tall = arith.constant 16777217 : i64
    %ptr = tt.make_tensor_ptr %base, [%tall, %size], [%size, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @short_rows_at_run_time(
  // CHECK: tt.load
  tt.func @short_rows_at_run_time(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}) -> tensor<64x16xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%pitch, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x16xf16, #dot_a>>
    tt.return %a : tensor<64x16xf16, #dot_a>
  }

  // CHECK-LABEL: @block_of_another_shape(
  // CHECK: tt.descriptor_load
  tt.func @block_of_another_shape(%desc: !tt.tensordesc<tensor<32x64xf16>>) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @one_dim(
  // CHECK: tt.load
  tt.func @one_dim(%ptr: tensor<64x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #dot_a}>>) {
    %a = tt.load %ptr : tensor<64x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #dot_a}>>
    tt.return
  }

  // COM: In address space 3, as pointers and as a block.
  // CHECK-LABEL: @shared_memory(
  // CHECK-COUNT-2: tt.load
  // CHECK-NEXT: tt.return
  tt.func @shared_memory(%base: !tt.ptr<f16, 3>, %ptr: tensor<64x32x!tt.ptr<f16, 3>, #dot_a>) -> (tensor<64x32xf16, #dot_a>, tensor<64x32xf16, #dot_a>) {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 64 : i64
    %block = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>, 3>
    %a = tt.load %ptr : tensor<64x32x!tt.ptr<f16, 3>, #dot_a>
    %b = tt.load %block : !tt.ptr<tensor<64x32xf16, #dot_a>, 3>
    tt.return %a, %b : tensor<64x32xf16, #dot_a>, tensor<64x32xf16, #dot_a>
  }
}
