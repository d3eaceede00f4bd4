// RUN: dotload-opt %s --lower-to-2d-block-load --split-input-file --verify-diagnostics

// COM: What Triton's verifiers refuse. Here dotload's own parser reads the modules, as it does those of Intel's backend.
tt.func @i64_order(%b: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @+1 {{expected attribute i32 but got i64}}
  %p = tt.make_tensor_ptr %b, [%n, %n], [%n, %n], [%i, %i] {order = array<i64: 1, 0>} : <tensor<64x32xf16>>
  tt.return
}


// -----

tt.func @desc_rank(%b: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_descriptor' op a block of rank 2 has 2 sizes, got 1}}
  %p = tt.make_tensor_descriptor %b, [%i], [%n] : <f16>, <tensor<64x32xf16>>
  tt.return
}


// -----

tt.func @desc_element(%b: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_descriptor' op requires the same element type for all operands and results, got f16 and tensor<64x32xf32>}}
  %p = tt.make_tensor_descriptor %b, [%i, %i], [%n, %n] : <f16>, <tensor<64x32xf32>>
  tt.return
}


// -----

tt.func @descriptor_load_element(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_load' op requires the same element type for all operands and results, got tensor<64x32xf16> and tensor<64x32xf32>}}
  %p = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf32>
  tt.return
}


// -----

tt.func @descriptor_load_shape(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_load' op a block of !tt.tensordesc<tensor<64x32xf16>> does not have the shape of tensor<64x64xf16>}}
  %p = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x64xf16>
  tt.return
}


// -----

tt.func @descriptor_load_from_int(%d: i32, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_load' op operand #0 must be a tensor descriptor, but got i32}}
  %p = tt.descriptor_load %d[%i, %i] : i32 -> tensor<64x64xf16>
  tt.return
}


// -----

tt.func @descriptor_store_element(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32, %t: tensor<64x32xf32>) {
  // expected-error @+1 {{'tt.descriptor_store' op requires the same element type for all operands and results, got tensor<64x32xf16> and tensor<64x32xf32>}}
  tt.descriptor_store %d[%i, %i], %t : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf32>
  tt.return
}


// -----

tt.func @descriptor_store_shape(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32, %t: tensor<32x64xf16>) {
  // expected-error @+1 {{'tt.descriptor_store' op a block of !tt.tensordesc<tensor<64x32xf16>> does not have the shape of tensor<32x64xf16>}}
  tt.descriptor_store %d[%i, %i], %t : !tt.tensordesc<tensor<64x32xf16>>, tensor<32x64xf16>
  tt.return
}


// -----

tt.func @reduce_shape(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32, %t: tensor<32x64xf16>) {
  // expected-error @+1 {{'tt.descriptor_reduce' op a block of !tt.tensordesc<tensor<64x32xf16>> does not have the shape of tensor<32x64xf16>}}
  tt.descriptor_reduce add, %d[%i, %i], %t : !tt.tensordesc<tensor<64x32xf16>>, tensor<32x64xf16>
  tt.return
}


// -----

tt.func @addptr_mismatch(%p: tensor<64x!tt.ptr<f16>>, %i: tensor<32xi32>) {
  // expected-error @+1 {{'tt.addptr' op operands and results must have one shape and layout, got tensor<64x!tt.ptr<f16>> and tensor<32xi32>}}
  %0 = tt.addptr %p, %i : tensor<64x!tt.ptr<f16>>, tensor<32xi32>
  tt.return
}


// -----

tt.func @addptr_f32_offset(%p: !tt.ptr<f16>, %i: f32) {
  // expected-error @+1 {{'tt.addptr' op operand #1 must be integers, but got f32}}
  %0 = tt.addptr %p, %i : !tt.ptr<f16>, f32
  tt.return
}


// -----

tt.func @addptr_non_pointer(%p: i32, %i: i32) {
  // expected-error @+1 {{'tt.addptr' op expected a pointer or a tensor of pointers, got i32}}
  %0 = tt.addptr %p, %i : i32, i32
  tt.return
}


// -----

tt.func @splat_shape(%p: i32) {
  // expected-error @+1 {{'tt.splat' op requires the same element type for all operands and results, got i32 and tensor<4xf32>}}
  %0 = tt.splat %p : i32 -> tensor<4xf32>
  tt.return
}


// -----

tt.func @expand_dims(%p: tensor<4xi32>) {
  // expected-error @+1 {{'tt.expand_dims' op the result has the shape [4, 1], got [1, 4]}}
  %0 = tt.expand_dims %p {axis = 1 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  tt.return
}


// -----

tt.func @expand_dims_axis_out(%p: tensor<4xi32>) {
  // expected-error @+1 {{'tt.expand_dims' op axis 3 out of range [0, 1]}}
  %0 = tt.expand_dims %p {axis = 3 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  tt.return
}


// -----

tt.func @broadcast_wrong(%p: tensor<4x2xi32>) {
  // expected-error @+1 {{'tt.broadcast' op dim 1 grows from 2 to 4; only dims of size 1 may grow}}
  %0 = tt.broadcast %p : tensor<4x2xi32> -> tensor<4x4xi32>
  tt.return
}


// -----

tt.func @broadcast_rank(%p: tensor<4xi32>) {
  // expected-error @+1 {{'tt.broadcast' op rank of source must be same as rank of result, got 1 and 2}}
  %0 = tt.broadcast %p : tensor<4xi32> -> tensor<4x4xi32>
  tt.return
}


// -----

tt.func @trans_order(%p: tensor<4x2xi32>) {
  // expected-error @+1 {{'tt.trans' op order must be a permutation of [0, ..., rank - 1] for rank 2, got [1, 1]}}
  %0 = tt.trans %p {order = array<i32: 1, 1>} : tensor<4x2xi32> -> tensor<2x4xi32>
  tt.return
}


// -----

tt.func @trans_wrong_result(%p: tensor<4x2xi32>) {
  // expected-error @+1 {{'tt.trans' op the result has the shape [2, 4], got [4, 2]}}
  %0 = tt.trans %p {order = array<i32: 1, 0>} : tensor<4x2xi32> -> tensor<4x2xi32>
  tt.return
}


// -----

tt.func @reshape(%p: tensor<4x2xi32>) {
  // expected-error @+1 {{'tt.reshape' op the result has 8 elements, got 16}}
  %0 = tt.reshape %p : tensor<4x2xi32> -> tensor<16xi32>
  tt.return
}


// -----

tt.func @dot_rank(%a: tensor<32xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tt.dot' op expected operands and result to be 2d or 3d, got tensor<32xf16>, tensor<16x16xf16> and tensor<16x16xf32>}}
  %0 = tt.dot %a, %b, %c : tensor<32xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.return
}


// -----

tt.func @dot_int_element(%a: tensor<16x32xf16>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tt.dot' op element types of operands A and B must have same bit width, got tensor<16x32xf16> and tensor<32x16xi8>}}
  %0 = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}


// -----

tt.func @make_range() {
  // expected-error @+1 {{'tt.make_range' op the result has the shape [16], got [8]}}
  %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<8xi32>
  tt.return
}


// -----

tt.func @make_range_end_start() {
  // expected-error @+1 {{'tt.make_range' op start must be less than end, got 8 and 0}}
  %0 = tt.make_range {end = 0 : i32, start = 8 : i32} : tensor<8xi32>
  tt.return
}


// -----

tt.func @make_range_f32() {
  // expected-error @+1 {{'tt.make_range' op result #0 must be integers, got tensor<8xf32>}}
  %0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xf32>
  tt.return
}


// -----

tt.func @f() {
  tt.return
}
// expected-error @+1 {{'tt.func' op redefinition of symbol named 'f'}}
tt.func @f() {
  tt.return
}


// -----

tt.func @call_to_nowhere(%i: i32) {
  // expected-error @+1 {{'tt.call' op 'g' does not reference a valid function}}
  tt.call @g(%i) : (i32) -> ()
  tt.return
}


// -----

tt.func private @g(i32)
tt.func @arity_of_call(%i: i32) {
  // expected-error @+1 {{'tt.call' op the callee has operands of type i32, got i32, i32}}
  tt.call @g(%i, %i) : (i32, i32) -> ()
  tt.return
}


// -----

// expected-error @+1 {{'tt.func' op empty block: expect at least a terminator}}
tt.func @no_terminator(%i: i32) {
}


// -----

tt.func @if_without_else_with_results(%c: i1, %j: f32) {
  // expected-error @+1 {{'scf.if' op must have an else block if defining values}}
  %r = scf.if %c -> (f32) {
    scf.yield %j : f32
  }
  tt.return
}


// -----

tt.func @use_before_def(%c: i1, %j: f32) {
  // expected-error @+1 {{'arith.addf' op operand #0 does not dominate this use}}
  %a = arith.addf %b, %j : f32
  %b = arith.addf %j, %j : f32
  tt.return
}


// -----

tt.func @branch_args(%c: i1, %j: f32) {
  // expected-error @+1 {{'cf.br' op branch has 0 operands for successor #0, but target block has 1}}
  cf.br ^a
^a(%x: f32):
  tt.return
}


// -----

tt.func @extf_narrow(%f: f32) {
  // expected-error @+1 {{'arith.extf' op f32 and f16 are cast incompatible}}
  %0 = arith.extf %f : f32 to f16
  tt.return
}


// -----

tt.func @redefinition(%f: f32) {
  %0 = arith.addf %f, %f : f32
  // expected-error @+1 {{SSA value %0 is already defined}}
  %0 = arith.addf %f, %f : f32
  tt.return
}


// -----

tt.func @reduce(%f: tensor<4x4xf32>) {
  // expected-error @+1 {{'tt.reduce' op axis 4 out of range [0, 1]}}
  %0 = "tt.reduce"(%f) <{axis = 4 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<4x4xf32>) -> tensor<4xf32>
  tt.return
}


// -----

tt.func @reduce_result(%f: tensor<4x4xf32>) {
  // expected-error @+1 {{'tt.reduce' op the result has the shape [4], got tensor<8xf32>}}
  %0 = "tt.reduce"(%f) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<4x4xf32>) -> tensor<8xf32>
  tt.return
}


// -----

tt.func @cat(%f: tensor<4xf32>) {
  // expected-error @+1 {{'tt.cat' op the result has 8 elements, got 4}}
  %0 = tt.cat %f, %f : tensor<4xf32> -> tensor<4xf32>
  tt.return
}


// -----

tt.func @split(%f: tensor<4x4xf32>) {
  // expected-error @+1 {{'tt.split' op the last dimension of the input tensor must be 2, got 4}}
  %0, %1 = tt.split %f : tensor<4x4xf32> -> tensor<4xf32>
  tt.return
}


// -----

tt.func @fp_to_fp(%f: tensor<4xf32>) {
  // expected-error @+1 {{'tt.fp_to_fp' op operands and results must have one shape and layout, got tensor<4xf32> and tensor<8xf8E5M2>}}
  %0 = tt.fp_to_fp %f : tensor<4xf32> -> tensor<8xf8E5M2>
  tt.return
}


// -----

tt.func @int_to_ptr(%f: i32) {
  // expected-error @+1 {{'tt.int_to_ptr' op operand #0 must be i64, but got i32}}
  %0 = tt.int_to_ptr %f : i32 -> !tt.ptr<f32>
  tt.return
}


// -----

tt.func @dominance_across_blocks(%c: i1, %j: f32) {
  cf.cond_br %c, ^a, ^b
^a:
  %x = arith.addf %j, %j : f32
  cf.br ^b
^b:
  // expected-error @+1 {{'arith.addf' op operand #0 does not dominate this use}}
  %y = arith.addf %x, %j : f32
  tt.return
}


// -----

tt.func @type_of_a_block_argument(%c: i1, %j: f32) {
  // expected-error @+1 {{'cf.cond_br' op type mismatch for bb argument #0 of successor #1}}
  cf.cond_br %c, ^a(%j : f32), ^a(%c : i1)
^a(%x: f32):
  tt.return
}


// -----

tt.func @scan_axis(%f: tensor<4x4xf32>) {
  // expected-error @+1 {{'tt.scan' op axis 2 out of range [0, 1]}}
  %0 = "tt.scan"(%f) <{axis = 2 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.scan.return %s : f32
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  tt.return
}


// -----

tt.func @join(%f: tensor<4xf32>) {
  // expected-error @+1 {{'tt.join' op the result has the shape [4, 2], got [2, 4]}}
  %0 = tt.join %f, %f : tensor<4xf32> -> tensor<2x4xf32>
  tt.return
}


// -----

tt.func @unsigned_load(%p: !tt.ptr<ui8>) {
  // expected-error @+1 {{'tt.load' op result #0 must be of integers without a sign, i8, but got ui8}}
  %0 = tt.load %p : !tt.ptr<ui8>
  tt.return
}


// -----

tt.func @signed_sum(%v: tensor<4xsi32>) {
  // expected-error @+1 {{'arith.addi' op operand #0 must be of integers without a sign, i32, but got tensor<4xsi32>}}
  %0 = arith.addi %v, %v : tensor<4xsi32>
  tt.return
}


// -----

tt.func @range_of_i64() {
  // expected-error @+1 {{'tt.make_range' op result #0 must be of i32, but got tensor<4xi64>}}
  %0 = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi64>
  tt.return
}


// -----

tt.func @float_index(%x: f32) {
  // expected-error @+1 {{'arith.index_cast' op operand #0 must be of integers or indices, but got f32}}
  %0 = arith.index_cast %x : f32 to index
  tt.return
}


// -----

tt.func @integer_class(%i: i32) {
  // expected-error @+1 {{'math.isnan' op operand #0 must be of floats, but got i32}}
  %0 = math.isnan %i : i32
  tt.return
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @load(%p: tensor<4x!tt.ptr<f32>>, %mask: tensor<4xi1>) {
    // expected-error @+1 {{'tt.load' op operandSegmentSizes do not match its operands}}
    %a = tt.load %p, %mask {operandSegmentSizes = array<i32: 1, 0, 0>} : tensor<4x!tt.ptr<f32>>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @load(%p: tensor<4x!tt.ptr<i24>>) {
    // expected-error @+1 {{'tt.load' op operand #0 must be of one of Triton's integers or floats, but got tensor<4x!tt.ptr<i24>>}}
    %a = tt.load %p : tensor<4x!tt.ptr<i24>>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @prefetch(%p: !tt.ptr<tensor<8x16xf80>>) {
    // expected-error @+1 {{'ttig.prefetch' op operand #0 must be of one of Triton's integers or floats, but got !tt.ptr<tensor<8x16xf80>>}}
    ttig.prefetch %p : !tt.ptr<tensor<8x16xf80>>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  // expected-error @+1 {{pointer types must point to integer or floating-point types, not index}}
  tt.func @pointer(%p: !tt.ptr<index>) {
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @one_argument(%x: tensor<16xf32>) {
    // expected-error @+1 {{'tt.reduce' op nested block must take 2 arguments, but given 1}}
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32):
      tt.reduce.return %a : f32
    }) : (tensor<16xf32>) -> f32
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @arguments_of_another_type(%x: tensor<16xf32>) {
    // expected-error @+1 {{'tt.reduce' op argument 0 of the combine operation must have type f32, got f16}}
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f16, %b: f16):
      tt.reduce.return %a : f16
    }) : (tensor<16xf32>) -> f32
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @two_values(%x: tensor<16xf32>) {
    // expected-error @+1 {{'tt.scan' op expected combine operation to return 1 values but got 2}}
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      tt.scan.return %a, %b : f32, f32
    }) : (tensor<16xf32>) -> tensor<16xf32>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @a_value_of_another_type(%x: tensor<16xf32>, %y: f16) {
    // expected-error @+1 {{'tt.reduce' op value 0 of the combine operation must have type f32, got f16}}
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.truncf %a : f32 to f16
      tt.reduce.return %c : f16
    }) : (tensor<16xf32>) -> f32
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @loop_over_floats(%n: f32) {
    // expected-error @+1 {{'scf.for' op operand #0 must be signless integer or index, but got f32}}
    scf.for %i = %n to %n step %n : f32 {
    }
    tt.return
  }
}
