// RUN: dotload-opt %s --split-input-file --verify-diagnostics

// COM: 60 bytes wide, below the 64 bytes that a 2D region needs (cl_intel_subgroup_2d_block_io, "Restrictions").
llvm.func @region_narrower_than_64_bytes(%p: !llvm.ptr<1>, %h: i32, %pitch: i32, %x: i32, %y: i32) {
  %w = llvm.mlir.constant(60 : i32) : i32
  // expected-error @+1 {{2nd operand (base width) should be >= 64}}
  triton_gen.2Dblockprefetch %p, %w, %h, %pitch, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  llvm.return
}

// -----

// COM: 72 is no multiple of 16.
llvm.func @pitch_not_in_steps_of_16_bytes(%p: !llvm.ptr<1>, %w: i32, %h: i32, %x: i32, %y: i32) {
  %pitch = llvm.mlir.constant(72 : i32) : i32
  // expected-error @+1 {{4th operand (base pitch) should be a multiple of 16 bytes}}
  triton_gen.2Dblockprefetch %p, %w, %h, %pitch, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  llvm.return
}

// -----

// COM: A store message has at most 8 rows, a load 32.
llvm.func @store_of_16_rows(%p: !llvm.ptr<1>, %n: i32, %v: vector<16xi16>) {
  // expected-error @+1 {{expecting tile_height to be between 1 and 8}}
  triton_gen.2Dblockstore %p, %n, %n, %n, %n, %n, %v {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<16xi16>)
  llvm.return
}

// -----

llvm.func @integers_with_a_float_accumulator(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>) {
  // expected-error @+1 {{1st operand (C) of element type f32 does not go with precision i8}}
  %0 = triton_gen.dpas %c, %a, %b {pa = i8, pb = i8, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf32>
  llvm.return
}
