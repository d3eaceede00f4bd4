// RUN: dotload-opt %s --split-input-file --verify-diagnostics

tt.func @field_of_rank_2(%desc: !tt.tensordesc<64x32xf16>) {
  // expected-error @+1 {{'ttig.extract_desc' op index 5 out of range [0, 4] for a descriptor of rank 2}}
  %0 = ttig.extract_desc %desc[5] : !tt.tensordesc<64x32xf16> -> i64
  tt.return
}

// -----

tt.func @stride_as_i32(%desc: !tt.tensordesc<64x32xf16>) {
  // expected-error @+1 {{'ttig.extract_desc' op field 2 is a stride of type i64, but the result is i32}}
  %0 = ttig.extract_desc %desc[2] : !tt.tensordesc<64x32xf16> -> i32
  tt.return
}

// -----

tt.func @field_of_a_number(%n: i32) {
  // expected-error @+1 {{'ttig.extract_desc' op operand #0 must be a tensor descriptor, but got i32}}
  %0 = ttig.extract_desc %n[0] : i32 -> i64
  tt.return
}

// -----

tt.func @unknown_cache(%ptr: tensor<64x32x!tt.ptr<f16>>) {
  // expected-error @+1 {{expected CacheModifier to be one of: none, ca, cg, wb, cs, wt, cv}}
  ttig.prefetch %ptr cacheModifier = l1 : tensor<64x32x!tt.ptr<f16>>
  tt.return
}

// -----

tt.func @planes_of_two_dims(%p: !tt.ptr<f16>, %n: i32, %z: i64) {
  // expected-error @+1 {{'ttig.2d_block_load' op planes take 6 operands for tensor<2x2x64x32xf16>, got 3}}
  %0 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {row_major} planes(%z, %z, %z) : !tt.ptr<f16> -> tensor<2x2x64x32xf16>
  tt.return
}

// -----

tt.func @other_elements(%p: !tt.ptr<f32>, %n: i32) {
  // expected-error @+1 {{'ttig.2d_block_load' op requires the same element type for all operands and results, got f32 and tensor<64x32xf16>}}
  %0 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {row_major} : !tt.ptr<f32> -> tensor<64x32xf16>
  tt.return
}

// -----

tt.func @from_an_integer(%p: i64, %n: i32) {
  // expected-error @+1 {{'ttig.2d_block_load' op operand #0 must be a pointer, but got i64}}
  %0 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {row_major} : i64 -> tensor<64x32xf16>
  tt.return
}

// -----

tt.func @other_shape(%p: tensor<64x32x!tt.ptr<f16>>, %n: i32) {
  // expected-error @+1 {{'ttig.2d_block_load_from_ptr' op the result has the type tensor<64x32xf16>, as follows from tensor<64x32x!tt.ptr<f16>>, got tensor<32x64xf16>}}
  %0 = ttig.2d_block_load_from_ptr %p, %n {row_major} {base_height = 8 : i32, base_width = 64 : i32} : (tensor<64x32x!tt.ptr<f16>>, i32) -> tensor<32x64xf16>
  tt.return
}

// -----

tt.func @mask_of_integers(%p: tensor<64x32x!tt.ptr<f16>>, %m: tensor<64x32xi32>, %o: tensor<64x32xf16>, %n: i32) {
  // expected-error @+1 {{'ttig.2d_block_load_from_ptr' op the mask has the type tensor<64x32xi1>, as follows from tensor<64x32x!tt.ptr<f16>>, got tensor<64x32xi32>}}
  %0 = ttig.2d_block_load_from_ptr %p, %n, %m, %o {row_major} {base_height = 8 : i32, base_width = 64 : i32} : (tensor<64x32x!tt.ptr<f16>>, i32, tensor<64x32xi32>, tensor<64x32xf16>) -> tensor<64x32xf16>
  tt.return
}

// -----

tt.func @no_such_dim(%p: !tt.ptr<tensor<64x32xf16>>) {
  // expected-error @+1 {{'ttig.prefetch' op a block of rank 2 has no dim 7 to check (boundaryCheck)}}
  ttig.prefetch %p {boundaryCheck = array<i32: 0, 7>, cache = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
  tt.return
}

// -----

tt.func @dims_of_64_bits(%p: !tt.ptr<tensor<64x32xf16>>) {
  // expected-error @+1 {{'ttig.prefetch' op boundaryCheck must be an array of i32, got array<i64: 0, 1>}}
  ttig.prefetch %p {boundaryCheck = array<i64: 0, 1>, cache = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
  tt.return
}

// -----

// expected-error @+1 {{#ttig.subgroup_2d_block: a block of 1x8 leaves lanes without data}}
#block = #ttig.subgroup_2d_block<{warpsPerCTA = [1, 1], instrShape = [1, 8], numBlocks = 2, order = [1, 0], kWidth = 2, threadsPerWarp = 16}>
tt.func @empty_lanes(%a: tensor<8x16xf16, #block>) {
  tt.return
}

// -----

// expected-error @+1 {{#ttig.subgroup_2d_block: warpsPerCTA, instrShape and order must have rank 2}}
#block = #ttig.subgroup_2d_block<{warpsPerCTA = [1, 1, 1], instrShape = [8, 16], numBlocks = 2, order = [1, 0], kWidth = 2, threadsPerWarp = 16}>
tt.func @rank_3(%a: tensor<8x16xf16, #block>) {
  tt.return
}
