// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 16, 1], threadsPerWarp = [1, 4, 8], warpsPerCTA = [4, 1, 1], order = [1, 2, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1, 1], instrShape = [1, 16, 8]}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#bt = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [0, 0, 16], [0, 0, 32], [0, 8, 0], [0, 16, 0]], lane = [[0, 0, 4], [0, 0, 8], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[1, 0, 0], [2, 0, 0]], block = []}>
!a = tensor<4x16x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!d = tensor<4x16x32xi32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// COM: The transpose of a batch of matrices stays where it is.
// CHECK-LABEL: @transposed_batch
// CHECK:       tt.load
// CHECK-NEXT:  ttg.convert_layout
// CHECK-NEXT:  tt.trans %{{.*}} {order = array<i32: 0, 2, 1>}
// CHECK-NEXT:  tt.dot
tt.func @transposed_batch(%a: !a, %bs: tensor<4x32x64x!tt.ptr<i8>, #blocked>) -> !d {
  %zero = arith.constant dense<0> : !d
  %x = tt.load %bs : tensor<4x32x64x!tt.ptr<i8>, #blocked>
  %t = ttg.convert_layout %x : tensor<4x32x64xi8, #blocked> -> tensor<4x32x64xi8, #bt>
  %b = tt.trans %t {order = array<i32: 0, 2, 1>} : tensor<4x32x64xi8, #bt> -> tensor<4x64x32xi8, #b>
  %d = tt.dot %a, %b, %zero : !a * tensor<4x64x32xi8, #b> -> !d
  tt.return %d : !d
}
}
