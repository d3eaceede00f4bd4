// RUN: dotload-opt %s --run-reproducer --verify-diagnostics --dump-pass-pipeline 2>&1 | FileCheck %s
// RUN: dotload-opt %s --run-reproducer --verify-diagnostics --dump-pass-pipeline --no-exported-symbols 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not dotload-opt %s --run-reproducer 2>&1 | FileCheck %s --check-prefix=ERR
// RUN: sed s/symbol-dce/symbol-dec/ %s | not dotload-opt --run-reproducer 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK:      Pass Manager with 3 passes:
// CHECK-NEXT: builtin.module(
// CHECK-NEXT:   tt.func(
// CHECK-NEXT:     cse,
// CHECK-NEXT:     canonicalize{{[{].*}}max-iterations=2 {{.*[}]}}
// CHECK-NEXT:   ),
// CHECK-NEXT:   symbol-dce,
// CHECK-NEXT:   tritongpu-pipeline{dump-intermediate-steps=false num-stages=2}
// CHECK-NEXT: )
// CHECK-NOT:  unexpected
// BOUND:      builtin.module(tt.func(cse,canonicalize{max-iterations=2}),symbol-dce,tritongpu-pipeline{num-stages=2})
// ERR:        reproducer.mlir:[[#@LINE+5]]:8: error: number of src and dst elements
// UNKNOWN:    unknown flag or pass '--symbol-dec'; did you mean --symbol-dce
module {
tt.func @shapes(%arg0: tensor<32x128xf16>) {
  // expected-error@+1 {{number of src and dst elements of reshape must be the same}}
  %a = tt.reshape %arg0 : tensor<32x128xf16> -> tensor<64x32xf16>
  tt.return
}
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(tt.func(cse,canonicalize{max-iterations=2}),symbol-dce,tritongpu-pipeline{num-stages=2})",
      disable_threading: false,
      verify_each: true
    }
  }
#-}
