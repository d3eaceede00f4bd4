// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: env TMPDIR=%t.dir not dotload-opt %s --load-pass %S/Inputs/crash.py -cse --crash-hard -canonicalize >%t 2>&1
// RUN: FileCheck %s --input-file=%t
// CHECK: crash.mlir:1:1: error: 'crash-hard' crashed (SIGABRT)
// CHECK: dotload-crash-{{.*}}.mlir:1:1: note: the module it crashed on; reproduce with: dotload-opt {{.*}}.mlir{{'?}} -p crash-hard
// COM: the reproducer holds the module as it was before the crashing pass, and crashes again.
// RUN: sed -n 's/^\(.*dotload-crash-.*\.mlir\):1:1: note.*/\1/p' %t | xargs -d '\n' cat | FileCheck %s --check-prefix=MODULE
// MODULE: // dotload-opt {{.*}} -p crash-hard
// MODULE: arith.constant 1
// MODULE-NOT: arith.constant 1
tt.func @f() -> (i32, i32) {
  %a = arith.constant 1 : i32
  %b = arith.constant 1 : i32
  tt.return %a, %b : i32, i32
}
