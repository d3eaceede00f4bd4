// RUN: dotload-opt %s --lower-to-2d-block-prefetch --split-input-file | FileCheck %s

// COM: A row of 256 bytes takes one message if the device has such prefetches, else four of 64 bytes.

#a = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io, ttig.support_prefetch_256b} {
  // CHECK-LABEL: @wide
  // CHECK: %width = arith.constant 256 : i32
  // CHECK: triton_gen.2Dblockprefetch {{.*}} {elem_size_in_bits = 16, tile_width = 128, tile_height = 8, v_blocks = 1
  // CHECK-NOT: triton_gen.2Dblockprefetch
  tt.func @wide(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #a}>>
    %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<32x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x128xi32, #a>
    %stride = arith.constant dense<512> : tensor<32x1xi32, #a>
    %row = arith.muli %m2, %stride : tensor<32x1xi32, #a>
    %rows = tt.broadcast %row : tensor<32x1xi32, #a> -> tensor<32x128xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x128xi32, #a> -> tensor<32x128xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<32x128xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<32x128x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<32x128x!tt.ptr<f16>, #a>, tensor<32x128xi32, #a>
    ttig.prefetch %ptrs : tensor<32x128x!tt.ptr<f16>, #a>
    tt.return
  }
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @narrow
  // CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c32{{.*}} : i32
  // CHECK: %[[POINTER:.*]] = tt.addptr %base, %[[COLUMN]]
  // CHECK: triton_gen.2Dblockprefetch {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 32, v_blocks = 2
  // CHECK-NOT: triton_gen.2Dblockprefetch
  tt.func @narrow(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #a}>>
    %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<32x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x128xi32, #a>
    %stride = arith.constant dense<512> : tensor<32x1xi32, #a>
    %row = arith.muli %m2, %stride : tensor<32x1xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #a>
    %line = tt.addptr %bases, %k2 : tensor<1x128x!tt.ptr<f16>, #a>, tensor<1x128xi32, #a>
    %lines = tt.broadcast %line : tensor<1x128x!tt.ptr<f16>, #a> -> tensor<32x128x!tt.ptr<f16>, #a>
    %rows = tt.broadcast %row : tensor<32x1xi32, #a> -> tensor<32x128xi32, #a>
    %ptrs = tt.addptr %lines, %rows : tensor<32x128x!tt.ptr<f16>, #a>, tensor<32x128xi32, #a>
    ttig.prefetch %ptrs : tensor<32x128x!tt.ptr<f16>, #a>
    tt.return
  }
}
