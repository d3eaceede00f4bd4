// RUN: dotload-opt %s --fold-memdesc-trans | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32, CGALayout = [[0, 0]]}>
#trans = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Tiles that are spread over a cluster are not modelled: they stay.
// CHECK-LABEL: @two_ctas
// CHECK:         ttg.memdesc_trans
tt.func @two_ctas(%x: tensor<64x32xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #trans, #smem> {
  %m = ttg.local_alloc %x : (tensor<64x32xf32, #blocked>) -> !ttg.memdesc<64x32xf32, #shared, #smem>
  %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #shared, #smem> -> !ttg.memdesc<32x64xf32, #trans, #smem>
  tt.return %t : !ttg.memdesc<32x64xf32, #trans, #smem>
}
}
