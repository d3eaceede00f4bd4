// RUN: dotload-opt %s --no-exported-symbols --convert-triton-to-tritongpu='target=cuda:90 num-warps=8' -cse -canonicalize | FileCheck %s
// RUN: dotload-opt %s --no-exported-symbols -p 'builtin.module(convert-triton-to-tritongpu{num-warps=8 target=cuda:90},tt.func(cse),canonicalize)' | FileCheck %s
// RUN: not dotload-opt %s --no-exported-symbols --convert-triton-to-tritongpu='target=cuda:90 enable-source-remat=true' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not dotload-opt %s --no-exported-symbols --nvws-insert-aref 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not dotload-opt %s --no-exported-symbols --mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=PRINT
// RUN: not dotload-opt %s --no-exported-symbols --convert-triton-gpu-to-llvm 2>&1 | FileCheck %s --check-prefix=FAIL --implicit-check-not=mlir_reproducer

// COM: as with a wheel that hides MLIR's C++ functions (3.6): features that need these functions say so.
// CHECK: module attributes {{.*}}"ttg.num-warps" = 8 : i32, ttg.target = "cuda:90"
// CHECK-COUNT-1: arith.addi
// CHECK-NOT:     arith.addi
// OPTION:  error: triton {{.*}} hides MLIR's C++ functions, so 'convert-triton-to-tritongpu' takes only the options that its binding has (target, num-warps, threads-per-warp, num-ctas), not 'enable-source-remat'; Triton 3.7 and newer
// UNBOUND: error: triton {{.*}} hides MLIR's C++ functions, so it cannot make 'nvws-insert-aref', which has no Python binding there
// PRINT:   error: triton {{.*}} hides MLIR's C++ functions, so there is no -mlir-print-local-scope
// FAIL:    bindings_only.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: 'tt.func' op is not contained within a context that specifies the number of warps
tt.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  tt.return %0 : i32
}
