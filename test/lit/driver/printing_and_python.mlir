// RUN: dotload-opt %s --load-pass %S/Inputs/count_ops.py --count-ops --mlir-elide-elementsattrs-if-larger=2 --mlir-print-debuginfo --mlir-pretty-debuginfo | FileCheck %s
// RUN: dotload-opt %s --load-pass %S/Inputs/count_ops.py --count-ops --mlir-elide-elementsattrs-if-larger=2 -cse | dotload-opt --mlir-print-local-scope | FileCheck %s --check-prefix=ELIDED
// RUN: dotload-opt %s --load-pass %S/Inputs/count_ops.py --count-ops --mlir-print-skip-regions --count-ops=label=test.again | FileCheck %s --check-prefix=SKIP
// RUN: dotload-opt %s --load-pass %S/Inputs/count_ops.py --count-ops | FileCheck %s --check-prefix=FULL

// COM: flags that shorten the printed module do not affect the module that a Python pass gets.
// CHECK:  arith.constant dense_resource<__elided__> : tensor<4xi32> {{.*}}printing_and_python.mlir:[[#@LINE+8]]:8
// ELIDED: dense_resource<__elided__>
// SKIP:   module attributes {test.again = 3 : i32, test.count = 3 : i32}
// SKIP-NOT: tt.func
// FULL:   test.count = 3 : i32
// FULL:   arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>

tt.func @f() -> tensor<4xi32> {
  %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  tt.return %0 : tensor<4xi32>
}
