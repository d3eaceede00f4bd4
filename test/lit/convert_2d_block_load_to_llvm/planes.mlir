// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='cut-surfaces=false' | FileCheck %s

// COM: Two warps along dim 0 and two planes per warp: messages of planes z + warp and z + warp + 2, each with its own
// COM: base. For a plane that does not exist, y is set below all rows.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 1, 1], repCluster = [1, 4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @planes
  // CHECK: %[[WARP:.*]] = arith.extui %{{.*}} : i32 to i64
  // CHECK: %[[FIRST:.*]] = arith.addi %z, %[[WARP]] : i64
  // CHECK: arith.muli %[[FIRST]], %stride : i64
  // CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[FIRST]], %depth : i64
  // CHECK: %[[Y:.*]] = arith.select %[[EXISTS]], %y, %h : i32
  // CHECK: triton_gen.2Dblockload %{{.*}}, %{{.*}}, %h, %p, %{{.*}}, %[[Y]] {elem_size_in_bits = 16, tile_width = 16, tile_height = 32, v_blocks = 2
  // CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %{{.*}} : i64
  // CHECK: arith.muli %[[SECOND]], %stride : i64
  // CHECK: %[[EXISTS2:.*]] = arith.cmpi ult, %[[SECOND]], %depth : i64
  // CHECK: %[[Y2:.*]] = arith.select %[[EXISTS2]], %y, %h : i32
  // CHECK: triton_gen.2Dblockload %{{.*}}, %{{.*}}, %h, %p, %{{.*}}, %[[Y2]]
  // CHECK-NOT: triton_gen.2Dblockload
  tt.func @planes(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32, %z: i64, %depth: i64, %stride: i64) -> tensor<4x32x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} planes(%z, %depth, %stride) : !tt.ptr<f16> -> tensor<4x32x32xf16, #dot_a>
    tt.return %a : tensor<4x32x32xf16, #dot_a>
  }

  // COM: All planes are known to exist.
  // CHECK-LABEL: @all_there
  // CHECK-NOT: arith.cmpi ult
  // CHECK: tt.return
  tt.func @all_there(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32 {tt.divisibility = 32 : i32}, %y: i32, %stride: i64) -> tensor<4x32x32xf16, #dot_a> {
    %z = arith.constant 0 : i64
    %depth = arith.constant 4 : i64
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} planes(%z, %depth, %stride) : !tt.ptr<f16> -> tensor<4x32x32xf16, #dot_a>
    tt.return %a : tensor<4x32x32xf16, #dot_a>
  }
}
