// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: env TMPDIR=%t.dir not dotload-opt %s --tritonamdgpu-optimize-descriptor-encoding 2>&1 | FileCheck %s
// RUN: env TMPDIR=%t.dir not dotload-opt %s --tritonamdgpu-optimize-descriptor-encoding --no-exported-symbols 2>&1 | FileCheck %s
// RUN: not dotload-opt %s --tritonamdgpu-optimize-descriptor-encoding --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAVED < %t.mlir

// SAVED: // dotload-opt {{.*}}.mlir{{'?}} -p tritonamdgpu-optimize-descriptor-encoding
// SAVED: module attributes
// COM: a pass for AMD asserts that the target is AMD's.
// CHECK: Assertion
// CHECK: crash_cpp.mlir:1:1: error: 'tritonamdgpu-optimize-descriptor-encoding' crashed (SIGABRT)
// CHECK: note: the module it crashed on; reproduce with: dotload-opt
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func @f(%a: i32) -> i32 {
    tt.return %a : i32
  }
}
