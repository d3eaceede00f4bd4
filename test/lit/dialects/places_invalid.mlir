// RUN: dotload-opt %s --lower-to-2d-block-load --split-input-file --verify-diagnostics

// COM: Errors that xDSL finds behind the text in question, or without its op, have the right place and name.
tt.func @not_of_one_type(%i: i32) {
  // expected-error @+1 {{'arith.addf' op i32 is not allowed here}}
  %0 = arith.addf %i, %i : i32
  tt.return
}

// -----

tt.func @lists(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op Variadic operands have different sizes: [2, 1, 2]}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  tt.return
}

// -----

tt.func @float_of_integer_type() {
  // expected-error @+1 {{1.0 for a value of a type that is none of floats}}
  %0 = arith.constant 1.0 : i32
  tt.return
}

// -----

tt.func @dynamic_constant() {
  // expected-error @+1 {{dense literal attribute should have a static shape}}
  %0 = arith.constant dense<0.0> : tensor<?x16xf16>
  tt.return
}

// -----

tt.func @no_dim() {
  // expected-error @+1 {{'gpu.thread_id' op 'q' is not a valid DimensionEnum}}
  %0 = gpu.thread_id q
  tt.return
}

// -----

tt.func @list_for_array(%p: !tt.ptr<tensor<16x16xf16>>) {
  // expected-error @+1 {{'tt.load' op property 'boundaryCheck': expected an attribute of kind 'array', but got [0 : i64, 1 : i64]}}
  %0 = tt.load %p {boundaryCheck = [0, 1]} : !tt.ptr<tensor<16x16xf16>>
  tt.return
}

// -----

tt.func @types_of_atomics(%p: !tt.ptr<f32>, %i: i32, %b: i1) {
  // expected-error @+1 {{'tt.atomic_rmw' op expected i32, but got f32}}
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %i, %b : (!tt.ptr<f32>, i32, i1) -> f32
  tt.return
}

// -----

module attributes {
  // expected-error @+1 {{integer value 99999999999 is out of range for type i32}}
  "ttg.num-warps" = 99999999999 : i32
} {
}
