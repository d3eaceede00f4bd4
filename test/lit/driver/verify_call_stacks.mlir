// RUN: dotload-opt %s --split-input-file --verify-diagnostics
// RUN: not dotload-opt %s --split-input-file 2>&1 | FileCheck %s

// COM: the call stack after an error is part of its location, not a diagnostic of its own.
// CHECK: callee.py:[[#@LINE+3]]:1: error: number of src and dst elements
// CHECK: caller.py:20:4: note: called from
tt.func @shapes(%arg0: tensor<32x128xf16>) {
  %a = tt.reshape %arg0 : tensor<32x128xf16> -> tensor<64x32xf16> loc(callsite("callee.py":8:1 at "caller.py":20:4))
  // expected-error@above {{number of src and dst elements of reshape must be the same}}
  tt.return
}
