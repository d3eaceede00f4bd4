// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s

// COM: The registers of stock's kernel, against which a rewritten kernel is weighed. Outside of a loop, a thread does not
// COM: hold the loaded tile (16 registers) while it holds fragments (16): beside the sums (64), and 32 for what any loop
// COM: takes, stock's kernel has 16 registers fewer than in a loop.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// CHECK: dotload.stock_registers = 112 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @outside_of_a_loop
// CHECK:         dotload.staged = "fragments"
tt.func @outside_of_a_loop(%a: tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>) -> tensor<64x128xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x128xi32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  %d = tt.dot %a, %bo, %zero : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x128xi32, #mma>
  tt.return %d : tensor<64x128xi32, #mma>
}
}
