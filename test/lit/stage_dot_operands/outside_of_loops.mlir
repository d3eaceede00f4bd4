// RUN: dotload-opt %s --stage-dot-operands --remarks 2>&1 | FileCheck %s

// COM: Outside of a loop, what follows the dot runs as often as the dot. A thread of the transposed dot has elements of
// COM: many rows, and would need the scale of each.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK:      row-major B (not K-major, 8 bits, tile 64x128) is copied K-major in shared memory
// CHECK-LABEL: @scaled_by_row
// CHECK:       ttg.local_load {{.*}} {dotload.staged = "copy"}
// CHECK:       %[[D:.*]] = ttng.warp_group_dot %arg0,
// CHECK-NEXT:  arith.mulf %[[D]],
tt.func @scaled_by_row(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %scale: tensor<128x1xf32, #mma>) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %scales = tt.broadcast %scale : tensor<128x1xf32, #mma> -> tensor<128x128xf32, #mma>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %r = arith.mulf %d, %scales : tensor<128x128xf32, #mma>
  tt.return %r : tensor<128x128xf32, #mma>
}

// COM: One scale for all elements is no reason.
// CHECK-LABEL: @scaled_by_a_number
// CHECK:       ttg.local_load {{.*}} {dotload.staged = "fragments"}
// CHECK:       ttng.warp_group_dot %{{.*}}, %{{.*}} : tensor<128x64xf8E4M3FN, #ttg.dot_op
tt.func @scaled_by_a_number(%as: !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %scale: f32) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem>
  %scales = tt.splat %scale : f32 -> tensor<128x128xf32, #mma>
  %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #shared1, #smem> -> tensor<128x128xf32, #mma>
  %r = arith.mulf %d, %scales : tensor<128x128xf32, #mma>
  tt.return %r : tensor<128x128xf32, #mma>
}

}
