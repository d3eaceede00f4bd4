// RUN: dotload-opt %s --stage-dot-operands='num-stages=4' | FileCheck %s

// COM: The shared memory of stock's kernel, against which a rewritten kernel is weighed. Triton's pipeliner leaves a
// COM: tile alone that dots read in two layouts: that tile takes two buffers of 16 KB here, the other takes four.

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
// CHECK: dotload.stock_shared_bytes = 98304 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @tile_in_two_layouts
// CHECK:         dotload.staged = "copy"
tt.func @tile_in_two_layouts(%ap: tensor<64x64x!tt.ptr<f32>, #blocked>, %bp: tensor<64x64x!tt.ptr<f32>, #blocked>, %other: !ttg.memdesc<64x64xf32, #shared1, #smem>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %acc1 = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f32>, #blocked>
    %as = ttg.local_alloc %a : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f32>, #blocked>
    %rows = ttg.local_alloc %b : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    %columns = ttg.local_alloc %b : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %columns, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf32, #shared, #smem> * !ttg.memdesc<64x64xf32, #shared1, #smem> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot %rows, %other, %acc1 {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf32, #shared, #smem> * !ttg.memdesc<64x64xf32, #shared1, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}
}
