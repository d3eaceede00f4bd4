// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt - < %s | FileCheck %s
// RUN: dotload-opt %s -mlir-print-local-scope | FileCheck %s --check-prefix=LOCAL
// RUN: dotload-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: dotload-opt %s --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC
// RUN: dotload-opt %s --mlir-print-debuginfo --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAME
// RUN: dotload-opt %s -o %t && FileCheck %s --input-file=%t
// RUN: dotload-opt %s | dotload-opt | FileCheck %s

// CHECK:      #[[$B:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// LOCAL-NOT:  {{^}}#blocked
// CHECK:      tt.func @f(%{{.*}}: tensor<128xf32, #[[$B]]>)
// LOCAL:      tt.func @f(%{{.*}}: tensor<128xf32, #ttg.blocked<{sizePerThread = [1],
// GENERIC:    "tt.func"() <{{.*}}sym_name = "f"
// GENERIC:    "arith.addf"
// LOC:        arith.addf {{.*}} loc("sum"("a.py":3:4))
// NAME:       %sum = arith.addf
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @f(%a: tensor<128xf32, #b>) -> tensor<128xf32, #b> {
  %0 = arith.addf %a, %a : tensor<128xf32, #b> loc("sum"("a.py":3:4))
  tt.return %0 : tensor<128xf32, #b>
}
}
