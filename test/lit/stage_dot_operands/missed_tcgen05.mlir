// RUN: dotload-opt %s --stage-dot-operands --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// COM: tcgen05 reads 32-bit operands in either order; one remark tells of the copy by words, and no other does.
// REMARK:      missed tt.load: row-major B (not K-major, 32 bits): {{.*}} [TCGEN05_WORDS]
// REMARK-NOT:  remark
// CHECK-LABEL: @words_on_tcgen05
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]]
tt.func @words_on_tcgen05(%as: !ttg.memdesc<128x32xf32, #shared, #smem>, %bp: tensor<32x128x!tt.ptr<f32>, #blocked>, %acc: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  %b = tt.load %bp : tensor<32x128x!tt.ptr<f32>, #blocked>
  %bs = ttg.local_alloc %b : (tensor<32x128xf32, #blocked>) -> !ttg.memdesc<32x128xf32, #shared1, #smem>
  ttng.tc_gen5_mma %as, %bs, %acc, %true, %true : !ttg.memdesc<128x32xf32, #shared, #smem>, !ttg.memdesc<32x128xf32, #shared1, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}
}
