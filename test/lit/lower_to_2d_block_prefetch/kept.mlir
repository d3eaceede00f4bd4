// RUN: dotload-opt %s --lower-to-2d-block-prefetch --remarks 2>&1 | FileCheck %s

// CHECK: kept ttig.prefetch: the mask changes within every message [MASK]
// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: kept ttig.prefetch: nothing is known about the structure of the mask [MASK_WITHOUT_STRUCTURE]
// CHECK: kept ttig.prefetch: neither of the last two dimensions is contiguous in memory [CONTIGUITY]
// CHECK: kept ttig.prefetch: the rows are not evenly spaced in memory [STRIDE]
// CHECK: kept ttig.prefetch: pitch is known to be a multiple of 2 B only, must be one of 16 B [PITCH_ALIGNMENT]
// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: kept ttig.prefetch: base is known to be a multiple of 2 B only, must be one of 4 B [BASE_ALIGNMENT]
// CHECK: kept ttig.prefetch: pitch 64 B < width 112 B [PITCH_BELOW_WIDTH]
// CHECK: kept ttig.prefetch: the pointers or the mask cannot be computed for a single element from scalars [UNKNOWN_ADDRESS]
// CHECK: kept ttig.prefetch: messages read global memory, and the pointers are to address space 3 [NOT_GLOBAL]

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#m = #ttg.slice<{dim = 1, parent = #a}>
#k = #ttg.slice<{dim = 0, parent = #a}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: The mask ends at a column known at run time only: any part of a 64-byte row may be masked.
  // CHECK-LABEL: @mask_of_any_column
  // CHECK-NOT: triton_gen
  // CHECK: ttig.prefetch
  // CHECK: tt.return
  tt.func @mask_of_any_column(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %limit: i32) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %c = arith.constant dense<512> : tensor<64x1xi32, #a>
    %row = arith.muli %m2, %c : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    %limits = tt.splat %limit : i32 -> tensor<1x32xi32, #a>
    %inside = arith.cmpi slt, %k2, %limits : tensor<1x32xi32, #a>
    %mask = tt.broadcast %inside : tensor<1x32xi1, #a> -> tensor<64x32xi1, #a>
    ttig.prefetch %ptrs, %mask : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }

  // COM: The limit is a multiple of 32 columns: whole 64-byte rows are masked.
  // CHECK-LABEL: @mask_of_whole_rows
  // CHECK: triton_gen.2Dblockprefetch
  // CHECK-NOT: ttig.prefetch
  // CHECK: tt.return
  tt.func @mask_of_whole_rows(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %limit: i32 {tt.divisibility = 32 : i32}) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %c = arith.constant dense<512> : tensor<64x1xi32, #a>
    %row = arith.muli %m2, %c : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    %limits = tt.splat %limit : i32 -> tensor<1x32xi32, #a>
    %inside = arith.cmpi slt, %k2, %limits : tensor<1x32xi32, #a>
    %mask = tt.broadcast %inside : tensor<1x32xi1, #a> -> tensor<64x32xi1, #a>
    ttig.prefetch %ptrs, %mask : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }

  // CHECK-LABEL: @mask_of_another
  // CHECK-NOT: triton_gen
  // CHECK: ttig.prefetch
  // CHECK: tt.return
  tt.func @mask_of_another(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %mask: tensor<64x32xi1, #a>) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %c = arith.constant dense<512> : tensor<64x1xi32, #a>
    %row = arith.muli %m2, %c : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    ttig.prefetch %ptrs, %mask : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }

  // CHECK-LABEL: @every_other_column
  // CHECK-NOT: triton_gen
  // CHECK: ttig.prefetch
  // CHECK: tt.return
  tt.func @every_other_column(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %two = arith.constant dense<2> : tensor<1x32xi32, #a>
    %k3 = arith.muli %k2, %two : tensor<1x32xi32, #a>
    %c = arith.constant dense<512> : tensor<64x1xi32, #a>
    %row = arith.muli %m2, %c : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k3 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    ttig.prefetch %ptrs : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }

  // CHECK-LABEL: @rows_of_any_order
  // CHECK-NOT: triton_gen
  // CHECK: ttig.prefetch
  // CHECK: tt.return
  tt.func @rows_of_any_order(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %order: tensor<64xi32, #m>) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %w = arith.addi %m, %order : tensor<64xi32, #m>
    %m2 = tt.expand_dims %w {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %c = arith.constant dense<512> : tensor<64x1xi32, #a>
    %row = arith.muli %m2, %c : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    ttig.prefetch %ptrs : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }

  // COM: The row stride is unknown; in the next function, a multiple of 8 elements of 2 bytes.
  // CHECK-LABEL: @pitch_of_any_size
  // CHECK-NOT: triton_gen
  // CHECK: ttig.prefetch
  // CHECK: tt.return
  tt.func @pitch_of_any_size(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %c = tt.splat %stride : i32 -> tensor<64x1xi32, #a>
    %row = arith.muli %m2, %c : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    ttig.prefetch %ptrs : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }

  // CHECK-LABEL: @pitch_of_multiples
  // CHECK: triton_gen.2Dblockprefetch
  // CHECK-NOT: ttig.prefetch
  // CHECK: tt.return
  tt.func @pitch_of_multiples(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 8 : i32}) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %c = tt.splat %stride : i32 -> tensor<64x1xi32, #a>
    %row = arith.muli %m2, %c : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    ttig.prefetch %ptrs : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }

  // CHECK-LABEL: @base_of_any_address
  // CHECK-NOT: triton_gen
  // CHECK: ttig.prefetch
  // CHECK: tt.return
  tt.func @base_of_any_address(%base: !tt.ptr<f16>) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %c = arith.constant dense<512> : tensor<64x1xi32, #a>
    %row = arith.muli %m2, %c : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    ttig.prefetch %ptrs : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }

  // COM: The surface is 64 bytes wide, plus the distance from its aligned base: the base is a multiple of 16 bytes
  // COM: only.
  // CHECK-LABEL: @pitch_below_width
  // CHECK-NOT: triton_gen
  // CHECK: ttig.prefetch
  // CHECK: tt.return
  tt.func @pitch_below_width(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %c = arith.constant dense<32> : tensor<64x1xi32, #a>
    %row = arith.muli %m2, %c : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    ttig.prefetch %ptrs : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }

  // COM: The same rows, but as a reshape of one dim: an address of a reshape is not recomputed.
  // CHECK-LABEL: @view_of_a_line
  // CHECK-NOT: triton_gen
  // CHECK: ttig.prefetch
  // CHECK: tt.return
  tt.func @view_of_a_line(%base: !tt.ptr<f16> {tt.divisibility = 64 : i32}) {
    %i = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #line>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<2048x!tt.ptr<f16>, #line>
    %all = tt.addptr %bases, %i : tensor<2048x!tt.ptr<f16>, #line>, tensor<2048xi32, #line>
    %ptrs = tt.reshape %all : tensor<2048x!tt.ptr<f16>, #line> -> tensor<64x32x!tt.ptr<f16>, #a>
    ttig.prefetch %ptrs : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }
  // CHECK-LABEL: @shared_memory
  // CHECK: ttig.prefetch
  tt.func @shared_memory(%ptrs: tensor<64x32x!tt.ptr<f16, 3>, #a>) {
    ttig.prefetch %ptrs : tensor<64x32x!tt.ptr<f16, 3>, #a>
    tt.return
  }
}
