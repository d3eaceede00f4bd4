// RUN: dotload-opt %s --split-input-file --verify-diagnostics

// COM: 60 bytes wide, below the 64 bytes that a 2D region needs (cl_intel_subgroup_2d_block_io, "Restrictions").
llvm.func @region_narrower_than_64_bytes(%p: !llvm.ptr<1>, %h: i32, %pitch: i32, %x: i32, %y: i32) {
  %w = llvm.mlir.constant(60 : i32) : i32
  // expected-error @+1 {{2nd operand (base width) should be >= 64}}
  triton_gen.2Dblockprefetch %p, %w, %h, %pitch, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  llvm.return
}

// -----

// COM: 72 is not a multiple of 16.
llvm.func @pitch_not_in_steps_of_16_bytes(%p: !llvm.ptr<1>, %w: i32, %h: i32, %x: i32, %y: i32) {
  %pitch = llvm.mlir.constant(72 : i32) : i32
  // expected-error @+1 {{4th operand (base pitch) should be a multiple of 16 bytes}}
  triton_gen.2Dblockprefetch %p, %w, %h, %pitch, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  llvm.return
}

// -----

// COM: A store message has at most 8 rows, a load 32.
llvm.func @store_of_16_rows(%p: !llvm.ptr<1>, %n: i32, %v: vector<16xi16>) {
  // expected-error @+1 {{'triton_gen.2Dblockstore' op expecting tile_height to be between 1 and 8}}
  triton_gen.2Dblockstore %p, %n, %n, %n, %n, %n, %v {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<16xi16>)
  llvm.return
}

// -----

// COM: 32 columns of 16 bits, twice: 128 bytes a row, where a message has 64.
llvm.func @row_of_128_bytes(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{expecting elem_size_in_bits * tile_width * v_blocks <= 512: tile_width * v_blocks should be less than or equal to 32 for 16 bit elements}}
  triton_gen.2Dblockprefetch %p, %n, %n, %n, %n, %n {elem_size_in_bits = 16, tile_width = 32, tile_height = 8, v_blocks = 2, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  llvm.return
}

// -----

// COM: The same on a target that prefetches rows of 256 bytes: 512 bytes are too many there as well.
module attributes {ttig.support_prefetch_256b} {
  llvm.func @row_of_512_bytes(%p: !llvm.ptr<1>, %n: i32) {
    triton_gen.2Dblockprefetch %p, %n, %n, %n, %n, %n {elem_size_in_bits = 16, tile_width = 32, tile_height = 8, v_blocks = 2, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    // expected-error @+1 {{less than or equal to 128 for 16 bit elements}}
    triton_gen.2Dblockprefetch %p, %n, %n, %n, %n, %n {elem_size_in_bits = 16, tile_width = 128, tile_height = 8, v_blocks = 2, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    llvm.return
  }
}

// -----

llvm.func @blocks_of_32_bits(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{expecting v_blocks to be 1 or 2 for 32 bit elements}}
  %0 = triton_gen.2Dblockload %p, %n, %n, %n, %n, %n {elem_size_in_bits = 32, tile_width = 4, tile_height = 8, v_blocks = 4, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
  llvm.return
}

// -----

llvm.func @three_blocks(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{expecting v_blocks to be 1, 2, or 4 for 8 bit elements}}
  triton_gen.2Dblockprefetch %p, %n, %n, %n, %n, %n {elem_size_in_bits = 8, tile_width = 16, tile_height = 8, v_blocks = 3, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  llvm.return
}

// -----

llvm.func @three_rows(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{expecting tile_height to be 1, 2, 4, 8, 16, or 32}}
  triton_gen.2Dblockprefetch %p, %n, %n, %n, %n, %n {elem_size_in_bits = 8, tile_width = 16, tile_height = 3, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  llvm.return
}

// -----

// COM: 8 rows x 16 columns x 16 bits over 16 lanes: 128 bits.
llvm.func @result_of_another_size(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{result size of 256 bits does not match the expected size of 128 bits}}
  %0 = triton_gen.2Dblockload %p, %n, %n, %n, %n, %n {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
  llvm.return
}

// -----

llvm.func @both_ways(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{transpose and vnni_transform are mutually exclusive}}
  %0 = triton_gen.2Dblockload %p, %n, %n, %n, %n, %n {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 1, transpose = true, vnni_transform = true, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
  llvm.return
}

// -----

llvm.func @transposed_16_bits(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{transpose is only supported for 32 and 64 bit elements}}
  %0 = triton_gen.2Dblockload %p, %n, %n, %n, %n, %n {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 1, transpose = true, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
  llvm.return
}

// -----

// COM: 64-bit elements are transposed 8 rows at a time.
llvm.func @transposed_16_rows_of_64_bits(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{expecting tile_height to be 8 for 64 bit elements}}
  %0 = triton_gen.2Dblockload %p, %n, %n, %n, %n, %n {elem_size_in_bits = 64, tile_width = 4, tile_height = 16, v_blocks = 1, transpose = true, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<4xi64>
  llvm.return
}

// -----

llvm.func @transform_of_2_rows_of_bytes(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{expecting tile_height to be between 4 and 32 with vnni_transform}}
  %0 = triton_gen.2Dblockload %p, %n, %n, %n, %n, %n {elem_size_in_bits = 8, tile_width = 16, tile_height = 2, v_blocks = 2, transpose = false, vnni_transform = true, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<1xi32>
  llvm.return
}

// -----

llvm.func @integers_with_a_float_accumulator(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>) {
  // expected-error @+1 {{the element type for 1st operand (C) and the result should be i32}}
  %0 = triton_gen.dpas %c, %a, %b {pa = i8, pb = i8, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf32>
  llvm.return
}

// -----

llvm.func @precisions_that_differ(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>) {
  // expected-error @+1 {{expecting precision of matrix A and B to be the same}}
  %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = bf16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf32>
  llvm.return
}

// -----

llvm.func @four_bits(%c: vector<8xi32>, %a: vector<8xi16>, %b: vector<8xi32>) {
  // expected-error @+1 {{expecting precision type to be tf32, bf16, fp16, u8, or s8}}
  %0 = triton_gen.dpas %c, %a, %b {pa = i4, pb = i4, rc = 8} : (vector<8xi32>, vector<8xi16>, vector<8xi32>) -> vector<8xi32>
  llvm.return
}

// -----

llvm.func @result_unlike_c(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>) {
  // expected-error @+1 {{1st operand (C) and result (D) should have the same type}}
  %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf16>
  llvm.return
}

// -----

llvm.func @tf32_as_16_bits(%c: vector<8xf32>, %a: vector<4xi16>, %b: vector<8xf32>) {
  // expected-error @+1 {{2nd operand (A) element type should be f32 or i32 when the precision type is tf32}}
  %0 = triton_gen.dpas %c, %a, %b {pa = tf32, pb = tf32, rc = 8} : (vector<8xf32>, vector<4xi16>, vector<8xf32>) -> vector<8xf32>
  llvm.return
}

// -----

llvm.func @scaled_4_rows(%c: vector<4xf32>, %a: vector<4xi16>, %b: vector<8xi32>, %s: i8) {
  // expected-error @+1 {{expecting repeat count to be 8}}
  %0 = triton_gen.bdpas %c, %a, %b, %s, %s {pa = bf8, pb = bf8, rc = 4} : (vector<4xf32>, vector<4xi16>, vector<8xi32>, i8, i8) -> vector<4xf32>
  llvm.return
}

// -----

llvm.func @scaled_by_floats(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>, %s: f32) {
  // expected-error @+1 {{4th operand (scale of A) should be i8 or a vector of i8, got f32}}
  %0 = triton_gen.bdpas %c, %a, %b, %s, %s {pa = bf8, pb = bf8, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>, f32, f32) -> vector<8xf32>
  llvm.return
}

// -----

llvm.func @block_read_of_floats(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{'triton_gen.sub_group_block_read' op result #0 must be Valid sub-group block memory access type, but got 'vector<8xf32>'}}
  %0 = triton_gen.sub_group_block_read %p : !llvm.ptr<1> -> vector<8xf32>
  llvm.return
}

// -----

llvm.func @block_write_to_private_memory(%p: !llvm.ptr, %v: i32) {
  // expected-error @+1 {{operand #0 must be LLVM pointer in local or global OpenCL address space, but got '!llvm.ptr'}}
  triton_gen.sub_group_block_write %p, %v : !llvm.ptr, i32
  llvm.return
}

// -----

llvm.func @predicated_load_of_another_type(%p: !llvm.ptr<1>, %a: i64, %c: i1, %d: f32) {
  // expected-error @below {{'triton_gen.predicated_load' op expected f32, but got i32}}
  %0 = triton_gen.predicated_load %p, %a, %c, %d {cache_control = Default} : (!llvm.ptr<1>, i64, i1, f32) -> i32
  llvm.return
}

// -----

llvm.func @decorated_twice(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{'triton_gen.decoration_cache_controls' cannot specify more than one cache control decoration of the same nature for the same cache level}}
  llvm.call @f(%p) {triton_gen.DecorationCacheControlINTEL = #triton_gen.decoration_cache_control<#triton_gen.load_cache_control<0, Cached, 0>, #triton_gen.load_cache_control<0, Uncached, 0>>} : (!llvm.ptr<1>) -> ()
  llvm.return
}
llvm.func @f(!llvm.ptr<1>)

// -----

llvm.func @unknown_cache_control(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{invalid TritonGEN store cache controls specification: Often}}
  llvm.call @f(%p) {triton_gen.DecorationCacheControlINTEL = #triton_gen.decoration_cache_control<#triton_gen.store_cache_control<0, Often, 0>>} : (!llvm.ptr<1>) -> ()
  llvm.return
}
llvm.func @f(!llvm.ptr<1>)

// -----

llvm.func @elements_of_4_bits(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{'triton_gen.2Dblockprefetch' op expecting elem_size_in_bits to be 8, 16, 32, or 64}}
  triton_gen.2Dblockprefetch %p, %n, %n, %n, %n, %n {elem_size_in_bits = 4, tile_width = 16, tile_height = 8, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  llvm.return
}

// -----

// COM: The number of blocks is checked before the size of their elements.
llvm.func @transposed_twice(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{expecting v_blocks to be 1}}
  %0 = triton_gen.2Dblockload %p, %n, %n, %n, %n, %n {elem_size_in_bits = 16, tile_width = 8, tile_height = 16, v_blocks = 2, transpose = true, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
  llvm.return
}

// -----

llvm.func @transformed_8_times(%p: !llvm.ptr<1>, %n: i32) {
  // expected-error @+1 {{expecting v_blocks to be 1, 2, or 4}}
  %0 = triton_gen.2Dblockload %p, %n, %n, %n, %n, %n {elem_size_in_bits = 32, tile_width = 16, tile_height = 4, v_blocks = 8, transpose = false, vnni_transform = true, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<32xi32>
  llvm.return
}

// -----

// COM: The lengths of the operands are checked before the precision.
llvm.func @four_bits_of_the_wrong_length(%c: vector<8xi32>, %a: vector<8xi16>, %b: vector<16xi32>) {
  // expected-error @+1 {{the dimension for the 3rd operand (B) should match the systolic depth of 8}}
  %0 = triton_gen.dpas %c, %a, %b {pa = i4, pb = i4, rc = 8} : (vector<8xi32>, vector<8xi16>, vector<16xi32>) -> vector<8xi32>
  llvm.return
}

// -----

llvm.func @local_base(%p: !llvm.ptr<3>, %n: i32) {
  // expected-error @+1 {{'triton_gen.2Dblockload' op operand #0 must be LLVM pointer to global memory, but got '!llvm.ptr<3>'}}
  %v = triton_gen.2Dblockload %p, %n, %n, %n, %n, %n {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<3>, i32, i32, i32, i32, i32) -> vector<8xi16>
  llvm.return
}

// -----

llvm.func @base_of_an_integer(%n: i32) {
  // expected-error @+1 {{'triton_gen.2Dblockprefetch' op operand #0 must be LLVM pointer to global memory, but got 'i32'}}
  triton_gen.2Dblockprefetch %n, %n, %n, %n, %n, %n {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, cache_control = Default} : (i32, i32, i32, i32, i32, i32)
  llvm.return
}
