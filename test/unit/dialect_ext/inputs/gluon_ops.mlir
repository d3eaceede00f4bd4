#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#shared2 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#shared3 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<64x64xf16, #blocked>, %arg1: tensor<64x64x!tt.ptr<f16>, #blocked>, %arg2: tensor<64x64xi1, #blocked>, %arg3: i32, %arg4: i1, %arg5: tensor<64x64xi32, #blocked>, %arg6: !tt.tensordesc<64x64xf16, #shared>, %arg7: tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>, %arg8: !tt.ptr<f16>) {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable>
    %1 = ttg.memdesc_index %0[%arg3] : !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    ttg.local_store %arg0, %1 : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    %2 = ttg.memdesc_subslice %1[0, 32] : !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared1, #smem, mutable, 64x64>
    %3 = ttg.memdesc_trans %1 {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared2, #smem, mutable>
    %4 = ttg.memdesc_reinterpret %1 : !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xi16, #shared1, #smem, mutable>
    %5 = ttg.async_copy_global_to_local %arg1, %1 mask %arg2 other %arg0 {contiguity = 8 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared1, #smem, mutable>
    %6 = ttg.async_copy_global_to_local %arg1, %1 : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared1, #smem, mutable>
    %7 = ttg.async_commit_group tokens %5, %6
    %8 = ttg.async_commit_group
    %9 = ttg.async_wait %7, %8 {num = 0 : i32}
    %10 = ttg.local_load %1 token %9 : !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf16, #blocked>
    %11 = ttg.local_gather %1[%arg5] {axis = 0 : i32} : !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>, tensor<64x64xi32, #blocked> -> tensor<64x64xf16, #blocked>
    ttg.local_scatter %1[%arg5], %arg0 {axis = 0 : i32} : !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>, tensor<64x64xi32, #blocked>, tensor<64x64xf16, #blocked>
    ttg.local_dealloc %0 : !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable>
    %12 = ttg.warp_id
    %13 = ttg.warp_id {omitUniformHint}
    ttg.barrier local
    ttg.barrier local|global_read
    ttg.barrier all
    %14 = ttg.convert_layout %arg0 {force_warp_shuffle} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #blocked>
    %15 = ttg.global_scratch_alloc {alignment = 8 : i32, nbytes = 100 : i32} : !tt.ptr<i8>
    %16 = ttg.predicate_stage %arg3, %arg3, %arg3 maxStage 3 stage 1 : i32 -> i1
    %17 = "ttg.mask"(%arg4) ({
      %26 = tt.load %arg1 : tensor<64x64x!tt.ptr<f16>, #blocked>
      ttg.mask.return %26 : tensor<64x64xf16, #blocked>
    }) : (i1) -> tensor<64x64xf16, #blocked>
    %18 = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.init_barrier %18, 1 : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.barrier_expect %18, 8192, %arg4 : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.wait_barrier %18, %arg3, %arg4 deps %1 : !ttg.memdesc<1xi64, #shared3, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    ttng.wait_barrier %18, %arg3 : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.arrive_barrier %18, 2, %arg4 : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.arrive_barrier %18, 2 : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.async_copy_mbarrier_arrive %18 {noIncrement} : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    %19 = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.async_tma_copy_global_to_local %arg6[%arg3, %arg3] %19, %18, %arg4 : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.async_tma_copy_local_to_global %arg6[%arg3, %arg3] %19 : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.async_tma_reduce add, %arg6[%arg3, %arg3] %19 : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
    ttng.fence_async_shared {bCluster = false}
    %result, %token = ttng.tmem_alloc : () -> (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %20 = tt.descriptor_load %arg6[%arg3, %arg3] : !tt.tensordesc<64x64xf16, #shared> -> tensor<64x64xf16, #blocked>
    tt.descriptor_store %arg6[%arg3, %arg3], %20 : !tt.tensordesc<64x64xf16, #shared>, tensor<64x64xf16, #blocked>
    tt.descriptor_reduce add, %arg6[%arg3, %arg3], %20 : !tt.tensordesc<64x64xf16, #shared>, tensor<64x64xf16, #blocked>
    %21 = tt.load %arg1, %arg2, %arg0 {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>, isVolatile = true} : tensor<64x64x!tt.ptr<f16>, #blocked>
    %22 = tt.atomic_load acquire, gpu, %arg8 : (!tt.ptr<f16>) -> f16
    tt.atomic_store release, sys, %arg8, %22 : !tt.ptr<f16>
    %23:2 = tt.elementwise_inline_asm "foo" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = true} %arg3 : i32 -> i32, i32
    %24 = tt.reshape %arg0 allow_reorder : tensor<64x64xf16, #blocked> -> tensor<32x128xf16, #blocked>
    tt.print "x: " {hex = false, isSigned = array<i32: 1>} : %arg3 : i32
    tt.print "y" {hex = false, isSigned = array<i32>}
    %25 = tt.extern_elementwise %arg0 {libname = "l", libpath = "p", pure = true, symbol = "s"} : (tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #blocked>
    tt.return
  }
}
