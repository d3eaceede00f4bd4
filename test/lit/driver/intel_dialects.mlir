// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s --load-pass %S/Inputs/count_ops.py --count-ops=label=ttig.count | FileCheck %s --check-prefixes=CHECK,COUNT
// RUN: dotload-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: dotload-opt %s --mlir-print-local-scope --mlir-print-debuginfo | FileCheck %s --check-prefix=LOCAL
// RUN: not dotload-opt %s -inline 2>&1 | FileCheck %s --check-prefix=CPP

// COM: stock libtriton cannot parse this module: dotload's dialects parse and print it, and C++ passes cannot run on
// COM: it.
// CHECK:   #[[$D:.*]] = #ttig.dpas<{repeatCount = 8,
// COUNT:   module attributes {{.*}}ttig.count = 3 : i32
// CHECK:   tt.load %{{.*}} {ttig.block_io = "row_major"} : {{.*}}parent = #[[$D]]
// LOCAL-NOT: {{^}}#
// LOCAL:   tt.load {{.*}}parent = #ttig.dpas<{repeatCount = 8, {{.*}}}>, kWidth = 1}>> loc("{{.*}}intel_dialects.mlir":[[#@LINE+7]]:10)
// LOCAL-NOT: {{^}}#
// GENERIC: "tt.load"(%{{.*}}
// CPP:     intel_dialects.mlir:1:1: error: 'inline' is a C++ pass, and triton {{.*}} does not know this module's Intel dialects; run dotload's Python passes on it alone, or use the wheel triton-xpu
#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [2, 2], A = [16, 16], B = [16, 32], C = [16, 32]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @f(%p: tensor<16x16x!tt.ptr<f16>, #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>>) {
    %0 = tt.load %p {ttig.block_io = "row_major"} : tensor<16x16x!tt.ptr<f16>, #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>>
    tt.return
  }
}
