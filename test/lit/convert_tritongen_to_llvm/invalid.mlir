// RUN: dotload-opt -convert-tritongen-to-llvm=emit=spirv -split-input-file -verify-diagnostics %s

llvm.func @spirv_on_request_only(%ptr: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) {
  // expected-error @+1 {{triton_gen.2Dblockload: SPV_INTEL_2d_block_io has no load of 32b_4r4x1c; emit=auto or genisa lowers it}}
  %0 = triton_gen.2Dblockload %ptr, %w, %h, %p, %x, %y {elem_size_in_bits=32, tile_width=4, tile_height=4, v_blocks=1, transpose=false, vnni_transform=false, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<1xi32>
  llvm.return
}
