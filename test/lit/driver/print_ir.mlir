// RUN: dotload-opt %s --mlir-print-ir-after-all -cse --load-pass %S/Inputs/count_ops.py --count-ops -canonicalize -o /dev/null 2>&1 | FileCheck %s
// RUN: dotload-opt %s --mlir-print-ir-before=canonicalize -cse -canonicalize -o /dev/null 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: dotload-opt %s --mlir-print-ir-after-change -canonicalize -cse -canonicalize -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHANGE

// CHECK:      // -----// IR Dump After CSEPass: cse //----- //
// CHECK:      tt.func @f
// CHECK:      // -----// IR Dump After count-ops: count-ops //----- //
// CHECK:      test.count = 4 : i32
// CHECK:      // -----// IR Dump After CanonicalizerPass: canonicalize //----- //
// CHECK:      tt.func @f
// BEFORE-NOT: After
// BEFORE:     // -----// IR Dump Before CanonicalizerPass: canonicalize //----- //
// BEFORE-NOT: IR Dump
// CHANGE:     // -----// IR Dump After Canonicalizer
// CHANGE-NOT: IR Dump
tt.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %a, %zero : i32
  tt.return %0 : i32
}
