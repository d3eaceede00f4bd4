// RUN: dotload-opt %s --load-pass %S/Inputs/remarker.py --remarker --remarks -o /dev/null 2>&1 | FileCheck %s
// RUN: dotload-opt %s --load-pass %S/Inputs/remarker.py --remarker --verify-diagnostics -o /dev/null
// RUN: dotload-opt %s --load-pass %S/Inputs/remarker.py --remarker -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty

// CHECK: remarks.mlir:[[#@LINE+3]]:1: remark: remarker: looked at tt.func [LOOKED]
// QUIET-NOT: remark
// expected-remark@below {{looked at tt.func}}
tt.func @f(%a: i32) -> i32 {
  tt.return %a : i32
}
