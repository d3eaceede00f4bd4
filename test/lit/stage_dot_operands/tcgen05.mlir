// RUN: dotload-opt %s --stage-dot-operands --remarks 2>&1 | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#words = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#b = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#a32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#b32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// COM: tcgen05 reads bytes with N contiguous: nothing to stage, and a remark says so.
// CHECK:       remark: stage-dot-operands: kept tt.load: tcgen05 reads 8-bit operands in either order: nothing to gain: row-major B (not K-major, 8 bits, tile 64x128)
// COM: It reads 32-bit words likewise, but Triton copies these one by one.
// CHECK:       kept tt.load: tcgen05 reads tf32 in either order{{.*}}: row-major B (not K-major, 32 bits, tile 32x128) [TCGEN05_WORDS]
// CHECK-NOT:   remark
// CHECK-LABEL: @bytes
// CHECK-NOT:   ttg.local_load
tt.func @bytes(%as: !ttg.memdesc<128x64xf8E4M3FN, #a, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %d: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
  %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x128xf8E4M3FN, #b, #smem>
  %t = ttng.tc_gen5_mma %as, %bs, %d[], %true, %true : !ttg.memdesc<128x64xf8E4M3FN, #a, #smem>, !ttg.memdesc<64x128xf8E4M3FN, #b, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

tt.func @words(%as: !ttg.memdesc<128x32xf32, #a32, #smem>, %bp: tensor<32x128x!tt.ptr<f32>, #words>, %d: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  %b = tt.load %bp : tensor<32x128x!tt.ptr<f32>, #words>
  %bs = ttg.local_alloc %b : (tensor<32x128xf32, #words>) -> !ttg.memdesc<32x128xf32, #b32, #smem>
  %t = ttng.tc_gen5_mma %as, %bs, %d[], %true, %true : !ttg.memdesc<128x32xf32, #a32, #smem>, !ttg.memdesc<32x128xf32, #b32, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}
}
