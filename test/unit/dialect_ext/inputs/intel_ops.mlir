#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [8, 4], repCluster = [4, 2]}>
#dot0 = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>
module attributes {"ttg.num-warps" = 32 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%p: !tt.ptr<f16>, %d: !tt.tensordesc<tensor<64x32xf16>>, %q: tensor<64x32x!tt.ptr<f16>, #dot0>, %m: tensor<64x32xi1, #dot0>, %o: tensor<64x32xf16, #dot0>, %lp: !llvm.ptr<1>) -> tensor<64x32xf16, #dot0> {
    %c = arith.constant 64 : i32
    %a = ttig.2d_block_load %p, %c, %c, %c[%c, %c] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot0>
    %b = ttig.2d_block_load %p, %c, %c, %c[%c, %c] {column_major, pad_nan} {foo = 1 : i32} : !tt.ptr<f16> -> tensor<64x32xf16, #dot0>
    %e = ttig.2d_block_load_from_ptr %q, %c {row_major} {base_height = 8 : i32, base_width = 64 : i32} : (tensor<64x32x!tt.ptr<f16>, #dot0>, i32) -> tensor<64x32xf16, #dot0>
    %f = ttig.2d_block_load_from_ptr %q, %c, %m, %o {row_major} {base_height = 8 : i32, base_width = 64 : i32, ttig.block_io_stride = 4 : i64} : (tensor<64x32x!tt.ptr<f16>, #dot0>, i32, tensor<64x32xi1, #dot0>, tensor<64x32xf16, #dot0>) -> tensor<64x32xf16, #dot0>
    %s = ttig.extract_desc %d[0] : !tt.tensordesc<tensor<64x32xf16>> -> i64
    ttig.descriptor_prefetch %d[%c, %c] : !tt.tensordesc<tensor<64x32xf16>>
    ttig.prefetch %q {boundaryCheck = array<i32: 0, 1>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>, ttig.block_io = "row_major"} : tensor<64x32x!tt.ptr<f16>, #dot0>
    %v = triton_gen.2Dblockload %lp, %c, %c, %c, %c, %c {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 2, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
    %w = triton_gen.2Dblockload %lp, %c, %c, %c, %c, %c {elem_size_in_bits=16, tile_width=16, tile_height=16, v_blocks=1, transpose=false, vnni_transform=true, cache_control=L1C_L3C} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    triton_gen.2Dblockstore %lp, %c, %c, %c, %c, %c, %v {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<16xi16>)
    triton_gen.2Dblockprefetch %lp, %c, %c, %c, %c, %c {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    %x = tt.load %q, %m, %o {ttig.block_io = "row_major"} : tensor<64x32x!tt.ptr<f16>, #dot0>
    %y = tt.load %q, %m, %o cacheModifier = ca evictionPolicy = evict_last : tensor<64x32x!tt.ptr<f16>, #dot0>
    %z = tt.descriptor_load %d[%c, %c] {ttig.block_io = "row_major"} : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot0>
    tt.return %a : tensor<64x32xf16, #dot0>
  }
}
