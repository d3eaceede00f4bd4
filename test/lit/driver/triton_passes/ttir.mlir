// RUN: dotload-opt %s -split-input-file -triton-combine | FileCheck %s --check-prefix=COMBINE
// RUN: dotload-opt %s -split-input-file -triton-reorder-broadcast -canonicalize | FileCheck %s --check-prefix=REORDER
// RUN: dotload-opt %s -split-input-file --triton-licm | FileCheck %s --check-prefix=LICM
// RUN: dotload-opt %s -split-input-file -triton-loop-unroll | FileCheck %s --check-prefix=UNROLL
// RUN: dotload-opt %s -split-input-file -inline -symbol-dce | FileCheck %s --check-prefix=INLINE
// RUN: dotload-opt %s -split-input-file -sccp -loop-invariant-code-motion -canonicalize="test-convergence" | FileCheck %s --check-prefix=SCCP

// COMBINE-LABEL: @dot_then_add
// COMBINE-NOT:   arith.addf
// COMBINE:       tt.dot %{{.*}}, %{{.*}}, %arg2 : tensor<32x32xf16>
// COMBINE-NEXT:  tt.return
tt.func @dot_then_add(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>, %d: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %0 = tt.dot %a, %b, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %1 = arith.addf %0, %d : tensor<32x32xf32>
  tt.return %1 : tensor<32x32xf32>
}

// -----

// REORDER-LABEL: @splat_after_the_op
// REORDER:       %[[ABS:.*]] = math.absf %{{.*}} : f32
// REORDER:       tt.splat %[[ABS]] : f32 -> tensor<128xf32>
tt.func @splat_after_the_op(%x: f32) -> tensor<128xf32> {
  %0 = tt.splat %x : f32 -> tensor<128xf32>
  %1 = math.absf %0 : tensor<128xf32>
  tt.return %1 : tensor<128xf32>
}

// -----

// LICM-LABEL: @invariant_load
// LICM:       tt.load
// LICM:       scf.for
// LICM-NOT:   tt.load
// UNROLL-LABEL: @unrolled_twice
// UNROLL-COUNT-2: arith.addf
tt.func @invariant_load(%p: tensor<64x!tt.ptr<f32>>, %n: i32, %init: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<64xf32>) : i32 {
    %v = tt.load %p : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  tt.return %sum : tensor<64xf32>
}

// -----

tt.func @unrolled_twice(%n: i32, %x: f32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %x) -> (f32) : i32 {
    %next = arith.addf %acc, %x : f32
    scf.yield %next : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %sum : f32
}

// -----

// INLINE-LABEL: tt.func public @caller
// INLINE-NOT:   tt.call
// INLINE:       arith.addi
// INLINE-NOT:   @callee
// SCCP-LABEL: tt.func public @caller
// SCCP:       tt.call @callee
tt.func private @callee(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  tt.return %0 : i32
}
tt.func public @caller(%a: i32) -> i32 {
  %0 = tt.call @callee(%a) : (i32) -> i32
  tt.return %0 : i32
}
