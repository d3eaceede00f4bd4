// RUN: dotload-opt %s --convert-staged-operands-to-llvm | FileCheck %s

// COM: A fragment of 8-bit elements spans 32 k. If a tile has only 16, each element is in two registers. It is read once,
// COM: into a layout without copies.
#linear = #ttg.linear<{register = [[1, 0], [2, 0], [0, 0], [0, 1], [0, 2]], lane = [[4, 0], [8, 0], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 64]], block = []}>
#shared = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 16], [2, 0], [4, 32], [8, 64]]}, alignment = 16>
#linear32 = #ttg.linear<{register = [[0, 1], [0, 0], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#shared32 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK:           #[[ONCE:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [0, 1], [0, 2]], lane = {{.*}}>
// CHECK-LABEL:     @copies
// CHECK-COUNT-4:   llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT:       llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK:           %[[V:.*]] = builtin.unrealized_conversion_cast {{.*}} : !llvm.struct<(i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8)> to tensor<16x128xf8E4M3FN, #[[ONCE]]>
// CHECK-NEXT:      ttg.convert_layout %[[V]] : tensor<16x128xf8E4M3FN, #[[ONCE]]> -> tensor<16x128xf8E4M3FN, #linear>
tt.func @copies(%tile: !ttg.memdesc<16x128xf8E4M3FN, #shared, #smem, mutable>) -> tensor<16x128xf8E4M3FN, #linear> {
  %fragments = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<16x128xf8E4M3FN, #shared, #smem, mutable> -> tensor<16x128xf8E4M3FN, #linear>
  tt.return %fragments : tensor<16x128xf8E4M3FN, #linear>
}
// CHECK-LABEL:     @copies_of_words
// CHECK:           llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT:       !llvm.ptr<3> ->
// CHECK:           %[[V:.*]] = builtin.unrealized_conversion_cast {{.*}} : !llvm.struct<(f32, f32, f32, f32)> to tensor<16x32xf32,
// CHECK-NEXT:      ttg.convert_layout %[[V]]
tt.func @copies_of_words(%tile: !ttg.memdesc<16x32xf32, #shared32, #smem, mutable>) -> tensor<16x32xf32, #linear32> {
  %fragments = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<16x32xf32, #shared32, #smem, mutable> -> tensor<16x32xf32, #linear32>
  tt.return %fragments : tensor<16x32xf32, #linear32>
}
}
