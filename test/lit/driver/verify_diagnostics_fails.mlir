// RUN: not dotload-opt %s --split-input-file --verify-diagnostics 2>&1 | FileCheck %s

// CHECK: verify_diagnostics_fails.mlir:[[#@LINE+1]]:1: error: expected error "never said" was not produced
// expected-error@below {{never said}}
tt.func @nothing_wrong() {
  tt.return
}

// -----

tt.func @nobody_expects(%a: tensor<4xf32>) {
  // CHECK: verify_diagnostics_fails.mlir:[[#@LINE+1]]:8: error: unexpected error: Cannot bitcast
  %0 = tt.bitcast %a : tensor<4xf32> -> tensor<4xi16>
  tt.return
}
