// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: dotload-opt %s --lower-to-2d-block-load --convert-2d-block-load-to-llvm | FileCheck %s

// COM: Four warps alternate by rows: rows w, w + 4, w + 8, ... are rows w' of a surface with four times the pitch.
// PLAN: becomes 1 x 16b_16r16x2c, proved
// COM: A pitch known at run time only: four times the pitch may exceed 2^24.
// PLAN: becomes 32 x 16b_1r16x1c, proved
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @known_pitch
  // CHECK: %[[FIRST:.*]] = arith.addi %y, %{{.*}} : i32
  // CHECK: %[[OFFSET:.*]] = arith.andi %[[FIRST]], %{{.*}}
  // CHECK: arith.muli %{{.*}}, %[[OFFSET]]
  // CHECK: arith.shrsi
  // CHECK: triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 2
  // CHECK-NOT: triton_gen.2Dblockload
  tt.func @known_pitch(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %w: i64 {tt.divisibility = 16 : i32}, %h: i64, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> tensor<64x32xf16, #rows> {
    %one = arith.constant 1 : i64
    %pitch = arith.constant 4096 : i64
    %ptr = tt.make_tensor_ptr %base, [%h, %w], [%pitch, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #rows>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x32xf16, #rows>>
    tt.return %a : tensor<64x32xf16, #rows>
  }

  // CHECK-LABEL: @pitch_at_run_time
  // CHECK-COUNT-32: triton_gen.2Dblockload {{.*}} tile_height = 1, v_blocks = 1
  tt.func @pitch_at_run_time(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %w: i64 {tt.divisibility = 16 : i32}, %h: i64, %pitch: i64 {tt.divisibility = 64 : i32}, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> tensor<64x32xf16, #rows> {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%h, %w], [%pitch, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #rows>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x32xf16, #rows>>
    tt.return %a : tensor<64x32xf16, #rows>
  }
}
