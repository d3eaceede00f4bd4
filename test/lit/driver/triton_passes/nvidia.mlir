// RUN: dotload-opt %s -split-input-file --triton-nvidia-tma-lowering | FileCheck %s --check-prefix=TMA
// RUN: dotload-opt %s -split-input-file --triton-nvidia-gpu-fence-insertion=compute-capability=90 | FileCheck %s --check-prefix=FENCE
// RUN: dotload-opt %s -split-input-file --triton-nvidia-optimize-descriptor-encoding | FileCheck %s --check-prefix=ENCODING
// RUN: dotload-opt %s -split-input-file --triton-tensor-memory-allocation | FileCheck %s --check-prefix=TMEM

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // TMA-LABEL: @descriptor_load
  // TMA:       ttg.local_alloc
  // TMA:       ttng.init_barrier
  // TMA:       ttng.async_tma_copy_global_to_local
  // TMA:       ttng.wait_barrier
  // TMA:       ttg.local_load
  // ENCODING-LABEL: @descriptor_load
  // ENCODING-SAME:  #shared
  tt.func @descriptor_load(%d: !tt.tensordesc<128x64xf16, #shared>, %i: i32) -> tensor<128x64xf16, #blocked> {
    %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    tt.return %0 : tensor<128x64xf16, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // FENCE-LABEL: @wgmma
  // FENCE:       ttng.fence_async_shared
  // FENCE:       ttng.warp_group_dot
  tt.func @wgmma(%a: tensor<64x64xf16, #blocked>, %b: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %sa = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %sb = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %0 = ttng.warp_group_dot %sa, %sb, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    tt.return %0 : tensor<64x64xf32, #mma>
  }
}

// -----

#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  // TMEM: module attributes {{.*}}ttg.tensor_memory_size = 128
  // TMEM: ttng.tmem_alloc {tensor_memory_col_offset = 0 : i32
  tt.func @tmem() {
    %0 = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    tt.return
  }
}
