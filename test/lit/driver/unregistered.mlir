// RUN: dotload-opt %s -allow-unregistered-dialect -cse | FileCheck %s
// RUN: dotload-opt %s --allow-unregistered-dialect --load-pass %S/Inputs/count_ops.py --count-ops | FileCheck %s
// RUN: not dotload-opt %s 2>&1 | FileCheck %s --check-prefix=ERR
// CHECK: %[[T:.*]] = "test.make"() : () -> tensor<4xf32>
// CHECK: "test.use"(%[[T]]) {some = "attribute"} : (tensor<4xf32>) -> ()
// ERR: unregistered.mlir:[[#@LINE+2]]:{{[0-9]+}}: error: operation being parsed with an unregistered dialect
tt.func @f() {
  %0 = "test.make"() : () -> tensor<4xf32>
  "test.use"(%0) {some = "attribute"} : (tensor<4xf32>) -> ()
  tt.return
}
