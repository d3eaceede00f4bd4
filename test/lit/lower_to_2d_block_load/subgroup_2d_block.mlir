// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s

// COM: Layouts that say which block load they are of. That load brings them, one message a warp.

// CHECK: tt.load becomes 1 x 16b_8r16x2c, proved
// CHECK: tt.load becomes 1 x 32b_8r8x2c, proved
// CHECK: tt.load becomes 1 x 8b_8r32x1c, proved
// CHECK: tt.load becomes 4 x 16b_8r16x2c, proved

#half = #ttig.subgroup_2d_block<{warpsPerCTA = [2, 2], instrShape = [8, 16], numBlocks = 2, order = [1, 0], kWidth = 2, threadsPerWarp = 16}>
#tf32 = #ttig.subgroup_2d_block<{warpsPerCTA = [2, 2], instrShape = [8, 8], numBlocks = 2, order = [1, 0], kWidth = 1, threadsPerWarp = 16}>
#byte = #ttig.subgroup_2d_block<{warpsPerCTA = [2, 2], instrShape = [8, 32], numBlocks = 1, order = [1, 0], kWidth = 2, threadsPerWarp = 16}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK: tt.func @half
  // CHECK: ttig.2d_block_load {{.*}} -> tensor<16x64xf16, #subgroup_2d_block>
  tt.func @half(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32) -> tensor<16x64xf16, #half> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<16x64xf16, #half>>
    %a = tt.load %ptr {ttig.block_io = "row_major"} : !tt.ptr<tensor<16x64xf16, #half>>
    tt.return %a : tensor<16x64xf16, #half>
  }

  // COM: Two rows of 8 words to the lanes of a warp.
  // CHECK: tt.func @tf32
  tt.func @tf32(%base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32) -> tensor<16x32xf32, #tf32> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<16x32xf32, #tf32>>
    %a = tt.load %ptr : !tt.ptr<tensor<16x32xf32, #tf32>>
    tt.return %a : tensor<16x32xf32, #tf32>
  }

  // COM: Two neighbouring bytes in each lane.
  // CHECK: tt.func @byte
  tt.func @byte(%base: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %m: i32) -> tensor<16x64xi8, #byte> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<16x64xi8, #byte>>
    %a = tt.load %ptr : !tt.ptr<tensor<16x64xi8, #byte>>
    tt.return %a : tensor<16x64xi8, #byte>
  }

  // COM: Four times the tile of all warps, which alternate along both dims.
  // CHECK: tt.func @several
  tt.func @several(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32) -> tensor<32x128xf16, #half> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<32x128xf16, #half>>
    %a = tt.load %ptr : !tt.ptr<tensor<32x128xf16, #half>>
    tt.return %a : tensor<32x128xf16, #half>
  }
}
