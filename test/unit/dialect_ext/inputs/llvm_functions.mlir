module attributes {"ttg.threads-per-warp" = 16 : i32} {
llvm.func @triton_gen.2Dblockload(%ptr : !llvm.ptr<1>, %base_width : i32, %base_height : i32, %base_pitch : i32, %x : i32, %y : i32) {
  %0 = triton_gen.2Dblockload %ptr, %base_width, %base_height, %base_pitch, %x, %y {elem_size_in_bits=8, tile_width=32, tile_height=8, v_blocks=1, transpose=false, vnni_transform=false, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
  llvm.return
}
llvm.func @c(%ptr : !llvm.ptr<1>, %a : vector<8xi16>, %b: vector<8xi32>, %c: vector<8xf32>) -> vector<8xf32> {
  %c64 = llvm.mlir.constant(64 : i32) : i32
  %d = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf32>
  %z = llvm.mlir.undef : vector<8xf32>
  %e = llvm.extractelement %d[%c64 : i32] : vector<8xf32>
  %s = llvm.shufflevector %d, %z [0, 1, 2, 3] : vector<8xf32> 
  %st = llvm.mlir.undef : !llvm.struct<(f32, f32)>
  %i = llvm.insertvalue %e, %st[0] : !llvm.struct<(f32, f32)>
  %g = llvm.getelementptr %ptr[%c64] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
  %bc = llvm.bitcast %a : vector<8xi16> to vector<8xf16>
  llvm.return %d : vector<8xf32>
}
llvm.func spir_funccc @_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt(!llvm.ptr<1> {llvm.nonnull, llvm.readonly}, i32, i32, i32, vector<2xi32>, !llvm.ptr {llvm.nonnull, llvm.writeonly}) attributes {no_unwind, will_return}
}
