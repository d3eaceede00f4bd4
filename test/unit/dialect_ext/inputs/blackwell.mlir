#blocked = #ttg.blocked<{sizePerThread = [1, 128], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @tokens(%arg0: !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, %arg1: !ttg.memdesc<64x128xf16, #shared, #smem, mutable>, %arg2: !ttg.memdesc<1xi64, #shared1, #smem, mutable>, %arg3: i1) -> tensor<128x128xf32, #blocked> {
    %result, %token = ttng.tmem_alloc : () -> (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %0 = ttng.tc_gen5_mma %arg0, %arg1, %result[%token], %arg3, %arg3, %arg2[%arg3] {is_async} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x128xf16, #shared, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %1 = ttng.tc_gen5_mma %arg0, %arg1, %result[], %arg3, %arg3 : !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x128xf16, #shared, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    %result_0, %token_1 = ttng.tmem_load %result[%1] : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #blocked>
    tt.return %result_0 : tensor<128x128xf32, #blocked>
  }
  tt.func public @partitions(%arg0: i32, %arg1: !tt.ptr<f32>) -> i32 {
    %0 = ttg.warp_specialize(%arg0, %arg1) attributes {requestedRegisters = array<i32: 24, 80>}
    default {
      %c1_i32 = arith.constant 1 : i32
      ttg.warp_yield %c1_i32 : i32
    }
    partition0(%arg2: i32, %arg3: !tt.ptr<f32>) num_warps(4) {
      %1 = arith.addi %arg2, %arg2 : i32
      ttg.warp_return
    }
    partition1(%arg2: i32, %arg3: !tt.ptr<f32>) num_warps(1) {
      ttg.warp_return
    } : (i32, !tt.ptr<f32>) -> i32
    tt.return %0 : i32
  }
  tt.func public @im2col(%arg0: !ttng.tensordesc_im2col<64x128xf16, #shared>) {
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    ttg.barrier local|global_read
    tt.return
  }
}
