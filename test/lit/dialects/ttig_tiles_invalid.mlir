// RUN: dotload-opt %s --split-input-file --verify-diagnostics

tt.func @glue_of_two_types(%a: tensor<8x16xf16>, %b: tensor<8x16xf32>) {
  // expected-error @+1 {{'ttig.glue' op operands must have the same type}}
  %0 = ttig.glue %a, %b : (tensor<8x16xf16>, tensor<8x16xf32>) -> tensor<16x16xf16>
  tt.return
}

// -----

tt.func @glue_that_leaves_a_gap(%a: tensor<8x16xf16>) {
  // expected-error @+1 {{'ttig.glue' op glued operands do not exactly cover the result shape}}
  %0 = ttig.glue %a : (tensor<8x16xf16>) -> tensor<16x16xf16>
  tt.return
}

// -----

tt.func @glue_of_what_is_larger(%a: tensor<8x16xf16>) {
  // expected-error @+1 {{'ttig.glue' op operands cannot exceed result size along any dimension}}
  %0 = ttig.glue %a, %a : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<32x8xf16>
  tt.return
}

// -----

tt.func @glue_of_nothing() {
  // expected-error @+1 {{'ttig.glue' op expected at least one operand}}
  %0 = ttig.glue : () -> tensor<16x16xf16>
  tt.return
}

// -----

tt.func @glue_to_a_number(%a: tensor<8x16xf16>) {
  // expected-error @+1 {{'ttig.glue' op result #0 must be ranked tensor of floating-point or integer or ptr values or ptr, but got 'f16'}}
  %0 = ttig.glue %a : (tensor<8x16xf16>) -> f16
  tt.return
}

// -----

tt.func @no_such_piece(%a: tensor<16x16xf16>) {
  // expected-error @+1 {{'ttig.extract' op index must be less than 2}}
  %0 = ttig.extract %a[2] : tensor<16x16xf16> -> tensor<8x16xf16>
  tt.return
}

// -----

tt.func @no_such_piece_of_a_block_pointer(%a: !tt.ptr<tensor<16x16xf16>>) {
  // expected-error @+1 {{'ttig.extract' op index must be less than 2}}
  %0 = ttig.extract %a[-1] : !tt.ptr<tensor<16x16xf16>> -> !tt.ptr<tensor<8x16xf16>>
  tt.return
}

// -----

tt.func @piece_of_another_type(%a: tensor<16x16xf16>) {
  // expected-error @+1 {{'ttig.extract' op operand and result element type must match}}
  %0 = ttig.extract %a[0] : tensor<16x16xf16> -> tensor<8x16xf32>
  tt.return
}

// -----

tt.func @piece_of_a_larger_rank(%a: tensor<16xf16>) {
  // expected-error @+1 {{'ttig.extract' op result rank cannot be greater than operand rank}}
  %0 = ttig.extract %a[0] : tensor<16xf16> -> tensor<8x16xf16>
  tt.return
}

// -----

tt.func @larger_piece(%a: tensor<16x16xf16>) {
  // expected-error @+1 {{'ttig.extract' op operand shape cannot be smaller than result shape along dimension 1}}
  %0 = ttig.extract %a[0] : tensor<16x16xf16> -> tensor<16x32xf16>
  tt.return
}

// -----

tt.func @piece_with_a_rest(%a: tensor<16x16xf16>) {
  // expected-error @+1 {{'ttig.extract' op operands shape is not divisible by result shape along dimension 0}}
  %0 = ttig.extract %a[0] : tensor<16x16xf16> -> tensor<7x16xf16>
  tt.return
}

// -----

tt.func @piece_of_a_number(%a: f16) {
  // expected-error @+1 {{'ttig.extract' op operand #0 must be ranked tensor of floating-point or integer or ptr values or ptr, but got 'f16'}}
  %0 = ttig.extract %a[0] : f16 -> f16
  tt.return
}

// -----

tt.func @broadcast_of_a_number(%a: f16) {
  // expected-error @+1 {{'ttig.broadcast' op operand #0 must be ranked tensor}}
  %0 = ttig.broadcast %a : f16 -> tensor<16x16xf16>
  tt.return
}

// -----

tt.func @broadcast_to_another_type(%a: tensor<16x1xf16>) {
  // expected-error @+1 {{'ttig.broadcast' op requires the same element type for all operands and results}}
  %0 = ttig.broadcast %a : tensor<16x1xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @transpose_of_no_square(%p: !tt.ptr<f16, 3>, %a: tensor<16x8xf16>) {
  // expected-error @+1 {{'ttig.sub_group_transpose' op can only be used on tensors of shape <sub_group_size x sub_group_size> with no encoding}}
  %0 = ttig.sub_group_transpose %p, %a : tensor<16x8xf16>
  tt.return
}

// -----

tt.func @transpose_through_registers(%a: tensor<16x16xf16>) {
  // expected-error @+1 {{'ttig.sub_group_transpose' op operand #0 must be ptr, but got 'tensor<16x16xf16>'}}
  %0 = "ttig.sub_group_transpose"(%a, %a) : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16>
  tt.return
}
