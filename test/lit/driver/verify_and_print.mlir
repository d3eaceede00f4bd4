// RUN: dotload-opt %s --split-input-file --verify-diagnostics --mlir-print-ir-after-all -cse --inline='op-pipelines=tt.func(canonicalize,loop-invariant-code-motion)' 2>%t >/dev/null
// RUN: FileCheck %s --input-file=%t

// COM: output that is not a diagnostic is printed even if diagnostics are verified; an option may name passes.
// CHECK:     // -----// IR Dump After CSEPass: cse //----- //
// CHECK:     @first
// CHECK:     // -----// IR Dump After Inliner
// CHECK-NOT: shapes
tt.func @first() {
  tt.return
}

// -----

tt.func @shapes(%arg0: tensor<32x128xf16>) {
  // expected-error@+1 {{number of src and dst elements of reshape must be the same}}
  %a = tt.reshape %arg0 : tensor<32x128xf16> -> tensor<64x32xf16>
  tt.return
}
