// RUN: dotload-opt %s --split-input-file --verify-diagnostics -canonicalize | FileCheck %s
// RUN: dotload-opt %s -split-input-file -verify-diagnostics=only-expected -canonicalize | FileCheck %s

tt.func @above(%a: tensor<4xf32>) {
  %0 = tt.bitcast %a : tensor<4xf32> -> tensor<4xi16>
  // expected-error@above {{Cannot bitcast data-type of size 32 to data-type of size 16}}
  tt.return
}

// -----

// CHECK-LABEL: @good
tt.func @good(%a: i32) -> i32 {
  tt.return %a : i32
}

// -----

tt.func @regex(%a: tensor<4xf32>) {
  // expected-error-re@+1 {{'tt.splat' op result #0 must be {{.*}} but got 'f32'}}
  %0 = "tt.splat"(%a) : (tensor<4xf32>) -> f32
  tt.return
}

// -----

// expected-note@+1 {{prior use here}}
tt.func @below(%a: i32) -> i64 {
  // expected-error@below {{use of value '%a' expects different type than prior uses: 'i64' vs 'i32'}}
  tt.return %a : i64
}
