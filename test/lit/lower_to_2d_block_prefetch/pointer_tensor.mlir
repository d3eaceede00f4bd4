// RUN: dotload-opt %s --lower-to-2d-block-prefetch --remarks 2>&1 | FileCheck %s
// RUN: dotload-opt %s --lower-to-2d-block-prefetch --convert-tritongen-to-llvm='emit=spirv' | FileCheck %s --check-prefix=SPIRV

// SPIRV-COUNT-4: llvm.call spir_funccc @_Z36__spirv_Subgroup2DBlockPrefetchINTEL

// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: ttig.prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: ttig.prefetch becomes 1 x 16b_1r16x2c, over all warps

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#m = #ttg.slice<{dim = 1, parent = #a}>
#k = #ttg.slice<{dim = 0, parent = #a}>
#bk = #ttg.slice<{dim = 1, parent = #b}>
#n = #ttg.slice<{dim = 0, parent = #b}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: The message of warp w begins at row 16w of the tile: one pointer is recomputed by the ops of the pointer
  // COM: tensor. Rows wrap around at multiples of 16, so no message crosses such a row.
  // CHECK-LABEL: @rows_modulo
  // CHECK-SAME: (%base: {{.*}}, %stride: {{.*}}, %count: i32
  tt.func @rows_modulo(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %count: i32 {tt.divisibility = 16 : i32}) {
    // CHECK: %[[WARP:.*]] = "gpu.subgroup_id"() : () -> index
    // CHECK: %[[W:.*]] = arith.index_cast %[[WARP]] : index to i32
    // CHECK: %[[NUMBER:.*]] = arith.andi %[[W]], %c3
    // CHECK: %[[ROW:.*]] = arith.muli %[[NUMBER]], %c16
    // CHECK: %[[FROM:.*]] = arith.constant 16 : i32
    // CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %[[FROM]] : i32
    // CHECK: %[[ZERO:c0[a-z0-9_]*]] = arith.constant 0 : i32
    // CHECK: %[[BEFORE:.*]] = arith.addi %[[AT]], %{{.*}} : i32
    // CHECK: %[[WRAPPED:.*]] = arith.remsi %[[BEFORE]], %count : i32
    // CHECK: %[[DOWN:.*]] = arith.muli %[[WRAPPED]], %stride : i32
    // CHECK: %[[ALONG:.*]] = arith.addi %[[DOWN]], %[[ZERO]] : i32
    // CHECK: %[[POINTER:.*]] = tt.addptr %base, %[[ALONG]] : !tt.ptr<f16>, i32
    // CHECK: %width = arith.constant 64 : i32
    // CHECK: %height = arith.constant 16 : i32
    // CHECK: %[[ORIGIN:.*]] = arith.constant 0 : i32
    // COM: 64 bytes, and up to 48 before the first: if the pitch is less, y is set below the surface.
    // CHECK: %pitch = arith.muli %stride, %{{.*}} : i32
    // CHECK: %room = arith.constant 112 : i32
    // CHECK: %[[SHORT:.*]] = arith.cmpi ult, %pitch, %room : i32
    // CHECK: %[[PITCH:.*]] = arith.select %[[SHORT]], %room, %pitch : i32
    // CHECK: %[[ADDRESS:.*]] = builtin.unrealized_conversion_cast %[[POINTER]] : !tt.ptr<f16> to !llvm.ptr<1>
    // CHECK: %[[Y:.*]] = arith.select %[[SHORT]], %height, %[[ORIGIN]] : i32
    // CHECK: triton_gen.2Dblockprefetch %[[ADDRESS]], %width, %height, %[[PITCH]], %[[ORIGIN]], %[[Y]] {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 2, cache_control = L1C_L3C}
    // CHECK-NOT: ttig.prefetch
    // CHECK: tt.return
    %m = tt.make_range {end = 80 : i32, start = 16 : i32} : tensor<64xi32, #m>
    %sixteen = arith.constant dense<16> : tensor<64xi32, #m>
    %counts = tt.splat %count : i32 -> tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m0 = arith.addi %m, %sixteen : tensor<64xi32, #m>
    %wrapped = arith.remsi %m0, %counts : tensor<64xi32, #m>
    %m2 = tt.expand_dims %wrapped {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #a>
    %row = arith.muli %m2, %strides : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    ttig.prefetch %ptrs : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }

  // COM: The loop carries a scalar pointer beside the pointer tensor, and advances both alike. If the mask is false, y
  // COM: is set below the surface.
  // CHECK-LABEL: @carried_by_a_loop
  // CHECK: %[[FIRST:.*]] = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f16>, i32
  // CHECK: scf.for %[[I:[a-z0-9_]+]] = {{.*}} %[[POINTER:[a-z0-9_]+]] = %[[FIRST]])
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %depth : i32
  // CHECK: %[[ADDRESS:.*]] = builtin.unrealized_conversion_cast %[[POINTER]] :
  // CHECK: %[[Y:.*]] = arith.select %[[INSIDE]], %[[X:.*]], %height : i32
  // CHECK: triton_gen.2Dblockprefetch %[[ADDRESS]], %width, %height, %pitch, %[[X]], %[[Y]] {
  // CHECK: %[[NEXT:.*]] = tt.addptr %[[POINTER]], %c32{{[a-z0-9_]*}} : !tt.ptr<f16>, i32
  // CHECK: scf.yield %{{.*}}, %[[NEXT]] : tensor<64x32x!tt.ptr<f16>, {{.*}}>, !tt.ptr<f16>
  tt.func @carried_by_a_loop(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %depth: i32) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %step = arith.constant dense<32> : tensor<64x32xi32, #a>
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %stride = arith.constant dense<512> : tensor<64x1xi32, #a>
    %row = arith.muli %m2, %stride : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %first = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    %end = scf.for %i = %c0 to %depth step %c32 iter_args(%ptrs = %first) -> (tensor<64x32x!tt.ptr<f16>, #a>) : i32 {
      %in = arith.cmpi slt, %i, %depth : i32
      %mask = tt.splat %in : i1 -> tensor<64x32xi1, #a>
      ttig.prefetch %ptrs, %mask : tensor<64x32x!tt.ptr<f16>, #a>
      %next = tt.addptr %ptrs, %step : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
      scf.yield %next : tensor<64x32x!tt.ptr<f16>, #a>
    }
    tt.return
  }

  // COM: Column-major B: rows of memory run along the first dim, and the index of a message counts columns of B. The
  // COM: mask changes every 32 columns.
  // CHECK-LABEL: @column_major_with_mask
  // CHECK: %[[NUMBER:.*]] = arith.andi %{{.*}}, %c3_i32 : i32
  // CHECK: %[[COLUMN:.*]] = arith.muli %[[NUMBER]], %c16_i32 : i32
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[COLUMN]], %c32{{.*}} : i32
  // CHECK: %[[OFFSET:.*]] = arith.muli %[[COLUMN]], %c256{{.*}} : i32
  // CHECK: arith.select %[[INSIDE]]
  // CHECK: triton_gen.2Dblockprefetch {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 2
  tt.func @column_major_with_mask(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #bk>
    %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #n>
    %k2 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32, #bk> -> tensor<32x1xi32, #b>
    %n2 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #n> -> tensor<1x64xi32, #b>
    %limit = arith.constant dense<32> : tensor<1x64xi32, #b>
    %inside = arith.cmpi slt, %n2, %limit : tensor<1x64xi32, #b>
    %mask = tt.broadcast %inside : tensor<1x64xi1, #b> -> tensor<32x64xi1, #b>
    %stride = arith.constant dense<256> : tensor<1x64xi32, #b>
    %start = arith.muli %n2, %stride : tensor<1x64xi32, #b>
    %starts = tt.broadcast %start : tensor<1x64xi32, #b> -> tensor<32x64xi32, #b>
    %ks = tt.broadcast %k2 : tensor<32x1xi32, #b> -> tensor<32x64xi32, #b>
    %offsets = arith.addi %starts, %ks : tensor<32x64xi32, #b>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #b>
    %ptrs = tt.addptr %bases, %offsets : tensor<32x64x!tt.ptr<f16>, #b>, tensor<32x64xi32, #b>
    ttig.prefetch %ptrs, %mask : tensor<32x64x!tt.ptr<f16>, #b>
    tt.return
  }

  // COM: All rows are the same: one is fetched.
  // CHECK-LABEL: @one_row
  // CHECK-NOT: gpu.subgroup_id
  // CHECK: triton_gen.2Dblockprefetch {{.*}} tile_height = 1,
  tt.func @one_row(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %columns : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    ttig.prefetch %ptrs : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }
}
