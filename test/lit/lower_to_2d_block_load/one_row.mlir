// RUN: dotload-opt %s --lower-to-2d-block-load | FileCheck %s
// RUN: dotload-opt %s --lower-to-2d-block-load --convert-2d-block-load-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// COM: The pointers are the same in every row: one row is loaded, and a shuffle repeats it. The pass chooses a pitch: a
// COM: surface is at least 64 bytes wide, and up to 63 bytes wider if it has to begin before the row.

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @one_row
  // CHECK: %[[PITCH:.*]] = arith.constant 128 : i32
  // CHECK: ttig.2d_block_load_from_ptr %{{.*}}, %[[PITCH]] {row_major} {base_height = 1 : i32, base_width = 32 : i32}
  // LLVM-LABEL: @one_row
  // LLVM: %[[V:.*]] = triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 1, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : {{.*}} -> vector<1xi16>
  // LLVM-NOT: 2Dblockload
  // LLVM: llvm.shufflevector %[[V]], %[[V]] [0, 0, 0, 0, 0, 0, 0, 0] : vector<1xi16>
  tt.func @one_row(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<8x16xf16, #dot_a> {
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_a}>>
    %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_a}>> -> tensor<1x16xi32, #dot_a>
    %offsets = tt.broadcast %columns : tensor<1x16xi32, #dot_a> -> tensor<8x16xi32, #dot_a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<8x16x!tt.ptr<f16>, #dot_a>
    %ptrs = tt.addptr %bases, %offsets : tensor<8x16x!tt.ptr<f16>, #dot_a>, tensor<8x16xi32, #dot_a>
    %a = tt.load %ptrs : tensor<8x16x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<8x16xf16, #dot_a>
  }

  // COM: A channel of B holds a pair of rows: both halves are the same element.
  // CHECK-LABEL: @one_row_of_b
  // CHECK: ttig.2d_block_load_from_ptr {{.*}} {base_height = 1 : i32, base_width = 32 : i32}
  // LLVM-LABEL: @one_row_of_b
  // LLVM: %[[V:.*]] = triton_gen.2Dblockload {{.*}} vnni_transform = false
  // LLVM-NOT: 2Dblockload
  // LLVM: llvm.shufflevector %[[V]], %[[V]] [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<1xi16>
  tt.func @one_row_of_b(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<16x16xf16, #dot_b> {
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_b}>>
    %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_b}>> -> tensor<1x16xi32, #dot_b>
    %offsets = tt.broadcast %columns : tensor<1x16xi32, #dot_b> -> tensor<16x16xi32, #dot_b>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #dot_b>
    %ptrs = tt.addptr %bases, %offsets : tensor<16x16x!tt.ptr<f16>, #dot_b>, tensor<16x16xi32, #dot_b>
    %a = tt.load %ptrs : tensor<16x16x!tt.ptr<f16>, #dot_b>
    tt.return %a : tensor<16x16xf16, #dot_b>
  }

  // COM: The same with a mask that is the same for all elements.
  // CHECK-LABEL: @masked
  // CHECK: ttig.2d_block_load_from_ptr %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {row_major} {base_height = 1 : i32
  // LLVM-LABEL: @masked
  // LLVM: %[[V:.*]] = scf.if %{{.*}} -> (vector<1xi16>)
  // LLVM: triton_gen.2Dblockload {{.*}}, %c0_i32 {elem_size_in_bits = 16
  // LLVM: llvm.shufflevector %[[V]], %[[V]] [0, 0, 0, 0, 0, 0, 0, 0] : vector<1xi16>
  tt.func @masked(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %inside: i1) -> tensor<8x16xf16, #dot_a> {
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_a}>>
    %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_a}>> -> tensor<1x16xi32, #dot_a>
    %offsets = tt.broadcast %columns : tensor<1x16xi32, #dot_a> -> tensor<8x16xi32, #dot_a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<8x16x!tt.ptr<f16>, #dot_a>
    %ptrs = tt.addptr %bases, %offsets : tensor<8x16x!tt.ptr<f16>, #dot_a>, tensor<8x16xi32, #dot_a>
    %mask = tt.splat %inside : i1 -> tensor<8x16xi1, #dot_a>
    %a = tt.load %ptrs, %mask : tensor<8x16x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<8x16xf16, #dot_a>
  }

  // COM: The mask differs from row to row: a message loads all rows or none, so the load stays.
  // CHECK-LABEL: @masked_by_rows
  // CHECK-NOT: ttig.2d_block_load
  // CHECK: tt.load
  // REMARK: kept tt.load: the rows are not evenly spaced in memory [STRIDE]
  tt.func @masked_by_rows(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<8x16xf16, #dot_a> {
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_a}>>
    %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #dot_a}>> -> tensor<1x16xi32, #dot_a>
    %offsets = tt.broadcast %columns : tensor<1x16xi32, #dot_a> -> tensor<8x16xi32, #dot_a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<8x16x!tt.ptr<f16>, #dot_a>
    %ptrs = tt.addptr %bases, %offsets : tensor<8x16x!tt.ptr<f16>, #dot_a>, tensor<8x16xi32, #dot_a>
    %s = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #dot_a}>>
    %rows = tt.expand_dims %s {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #dot_a}>> -> tensor<8x1xi32, #dot_a>
    %limit = tt.splat %n : i32 -> tensor<8x1xi32, #dot_a>
    %inside = arith.cmpi slt, %rows, %limit : tensor<8x1xi32, #dot_a>
    %mask = tt.broadcast %inside : tensor<8x1xi1, #dot_a> -> tensor<8x16xi1, #dot_a>
    %a = tt.load %ptrs, %mask : tensor<8x16x!tt.ptr<f16>, #dot_a>
    tt.return %a : tensor<8x16xf16, #dot_a>
  }
}
