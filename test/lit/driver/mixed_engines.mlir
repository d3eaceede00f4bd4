// RUN: dotload-opt %s -cse --load-pass %S/Inputs/count_ops.py --count-ops=label=test.ops -canonicalize | FileCheck %s
// RUN: dotload-opt %s -p 'builtin.module(cse,count-ops{label=test.ops},canonicalize)' --load-pass %S/Inputs/count_ops.py | FileCheck %s
// RUN: dotload-opt %s --load-pass %S/Inputs/count_ops.py --count-ops=label=test.ops -cse -canonicalize | FileCheck %s --check-prefix=FIRST

// COM: after cse, two of the three constants are left: the second run of the counting pass counts one op less.
// CHECK:       module attributes {test.ops = 4 : i32}
// FIRST:       module attributes {test.ops = 5 : i32}
// CHECK-LABEL: tt.func @twice
// CHECK-NEXT:    arith.constant 2 : i32
// CHECK-NEXT:    tt.return
tt.func @twice() -> i32 {
  %a = arith.constant 1 : i32
  %b = arith.constant 1 : i32
  %c = arith.addi %a, %b : i32
  tt.return %c : i32
}
